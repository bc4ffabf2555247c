"""pass@k with exact credit.

In: whether each sample of a task is exact. Out: for each task the chance that at least one of k samples is,
unbiased. A partly right answer doesn't pass, whatever its score.
"""

from __future__ import annotations

from math import comb

import numpy as np

from gpu_train_debug.study.statistics.resample import Floats
from gpu_train_debug.study.statistics.score import ArmScores


def pass_at(samples: int, right: int, k: int) -> float:
    """Estimate the chance that at least one of `k` samples is right, if `right` of `samples` were.

    Raises:
        ValueError: `k` is not between 1 and `samples`.

    Source: Chen et al., "Evaluating large language models trained on code" (2021), in whole numbers.
    """
    if not 1 <= k <= samples:
        raise ValueError(f"pass@{k} needs at least {k} samples, there are {samples}")
    return 1 - comb(samples - right, k) / comb(samples, k)


def pass_rates(arm: ArmScores, ks: tuple[int, ...]) -> Floats:
    """pass@k of each task, shape (tasks, len(ks))."""
    rights = arm.exact.sum(axis=1).astype(int)
    return np.array([[pass_at(arm.samples, int(right), k) for k in ks] for right in rights])
