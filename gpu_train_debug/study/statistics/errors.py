"""Which kinds of errors are left, steady or random, and how many groups of samples reinforcement could learn from.

In: the scored samples of an arm. Out: numbers per task, to be summed over a scope. A residual error is a
sample that isn't exact.

Agreement is the systematic share of the wrong answers: of all pairs of wrong answers to one task, those that
are the same answer. The rest varies from sample to sample. Both sums of the ratio are unbiased for any number
of samples, so it estimates the same share with two samples as with many. Errors without an answer have no part
in it.

The tasks with errors are of four kinds. Which kind a task shows does depend on the number of samples: the more
there are, the fewer are always wrong.

- `same`: every sample gives one and the same wrong answer; sampling more, or voting, changes nothing.
- `silent`: no sample has an answer at all: a matter of form or length, not of the diagnosis.
- `scattered`: no sample is right, and they don't all give one answer.
- `unstable`: some samples are right.
"""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np

from gpu_train_debug.study.statistics.resample import Floats
from gpu_train_debug.study.statistics.score import ArmScores, Reply

ERROR_KINDS = ("same", "silent", "scattered", "unstable")


def error_kind(row: tuple[Reply, ...]) -> str | None:
    """Which kind of task this is; None if no sample is wrong."""
    if all(reply.exact for reply in row):
        return None
    if any(reply.exact for reply in row):
        return "unstable"
    answers = {reply.answer for reply in row}
    if answers == {None}:
        return "silent"
    return "same" if len(answers) == 1 else "scattered"


def error_counts(arm: ArmScores) -> tuple[Floats, Floats]:
    """Errors of each task by the kind of the task, shape (tasks, kinds), and all errors, shape (tasks, 1)."""
    errors = (1 - arm.exact).sum(axis=1, keepdims=True)
    kinds = [error_kind(row) for row in arm.replies]
    counts = np.array([[kind == name for name in ERROR_KINDS] for kind in kinds], dtype=np.float64)
    return counts * errors, errors


def agreeing_pairs(arm: ArmScores) -> tuple[Floats, Floats]:
    """Of the pairs of samples of each task, those with one wrong answer, and with any wrong answers, shapes (tasks,).

    Both are shares of all pairs: chances, estimated without bias however many samples there are.
    """
    wrong = [
        Counter(reply.answer for reply in row if not reply.exact and reply.answer is not None) for row in arm.replies
    ]
    agreeing = np.array([sum(comb(count, 2) for count in answers.values()) for answers in wrong], dtype=np.float64)
    pairs = np.array([comb(answers.total(), 2) for answers in wrong], dtype=np.float64)
    ways = comb(arm.samples, 2)
    return agreeing / ways, pairs / ways


def flat_groups(arm: ArmScores, size: int) -> Floats:
    """Chance that a group of `size` samples of a task has the same score throughout, shape (tasks, 3).

    Such a group gives no advantage, so GRPO learns nothing from it. The columns: at any score, at the
    highest (all solved), at zero (all lost). Exact for groups drawn from the samples at hand without
    repetition, so unbiased for groups drawn from the arm.
    """
    chances = np.zeros((len(arm.replies), 3))
    ways = comb(arm.samples, size)
    for row, scores in enumerate(arm.score):
        counts = Counter(round(float(score), 9) for score in scores)
        chances[row] = [
            sum(comb(count, size) for count in counts.values()) / ways,
            comb(counts[1.0], size) / ways,
            comb(counts[0.0], size) / ways,
        ]
    return chances
