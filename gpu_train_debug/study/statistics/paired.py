"""Arms compared with each other: paired differences over tasks.

In: scored arms, a scope. Out: for each comparison and metric the mean difference with its bootstrap interval
and the p-value of a sign-flip test, adjusted by Holm's method over the comparisons that the plan calls
primary. A task's samples are averaged first, so it counts once, however many samples it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpu_train_debug.study.inputs.plan import METRICS, Plan
from gpu_train_debug.study.statistics.resample import Estimate, Floats, signs
from gpu_train_debug.study.statistics.scopes import TaskScope
from gpu_train_debug.study.statistics.score import Scores

_TIE = 1e-9  # sums of the same scores in another order differ by less


@dataclass(frozen=True, slots=True)
class Comparison:
    """`arm` minus `other` on one scope.

    Attributes:
        better: Tasks on which `arm` has the higher mean; `worse` those on which it has the lower one.
        p: Of the sign-flip test, not adjusted.
        primary: It is one of those over which `adjusted` holds the share of false findings down.
        adjusted: By Holm's method; None if not primary.
    """

    arm: str
    other: str
    split: str
    metric: str
    difference: Estimate
    better: int
    worse: int
    p: float
    primary: bool
    adjusted: float | None = None


def task_means(values: Floats) -> Floats:
    """Average the samples of each task, shape (tasks, samples) to (tasks,)."""
    means: Floats = values.mean(axis=1)
    return means


def differences(scores: Scores, comparisons: Sequence[tuple[str, str]], metric: str) -> Floats:
    """The paired differences, shape (tasks, comparisons)."""
    means = {arm.name: task_means(arm.metric(metric)) for arm in scores.arms}
    return np.stack([means[arm] - means[other] for arm, other in comparisons], axis=1)


def compare_arms(scores: Scores, scopes: Sequence[TaskScope], plan: Plan) -> list[Comparison]:
    """Compare the arms as the plan says, on each scope and metric."""
    found: list[Comparison] = []
    if not plan.comparisons:
        return found
    for metric in METRICS:
        columns = differences(scores, plan.comparisons, metric)
        for scope in scopes:
            part = columns[scope.rows]
            split = scope.keys["split"]
            estimates = scope.resampler.means(part)
            tests = flip_test(part, resamples=plan.bootstrap.resamples, key=f"{plan.bootstrap.seed}/flip/{split}")
            for index, (arm, other) in enumerate(plan.comparisons):
                found.append(
                    Comparison(
                        arm=arm,
                        other=other,
                        split=split,
                        metric=metric,
                        difference=estimates[index],
                        better=int((part[:, index] > _TIE).sum()),
                        worse=int((part[:, index] < -_TIE).sum()),
                        p=float(tests[index]),
                        primary=metric == plan.primary.metric and split in plan.primary.splits,
                    )
                )
    return _adjusted(found)


def flip_test(columns: Floats, *, resamples: int, key: str) -> Floats:
    """Test each column of differences for mean 0 by flipping signs of tasks at random.

    If the two arms were the same, either could have been called the first on each task. Two-sided; the
    smallest possible value is 1 / (resamples + 1).

    Source: Fisher's randomisation test for pairs, with the count of Phipson and Smyth (2010).
    """
    reached = np.abs(columns.sum(axis=0)) - _TIE
    flipped = (np.abs(flips @ columns) for flips in signs(len(columns), resamples=resamples, key=key))
    extreme = sum((sums >= reached).sum(axis=0) for sums in flipped)
    values: Floats = (extreme + 1) / (resamples + 1)
    return values


def holm(values: Sequence[float]) -> list[float]:
    """Adjust p-values by Holm's step-down method."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    adjusted = [0.0] * len(values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = highest
    return adjusted


def _adjusted(comparisons: list[Comparison]) -> list[Comparison]:
    primary = [index for index, comparison in enumerate(comparisons) if comparison.primary]
    for index, value in zip(primary, holm([comparisons[index].p for index in primary]), strict=True):
        comparisons[index] = replace(comparisons[index], adjusted=value)
    return comparisons
