"""Tells: conditions on one printed value, or on two of them, that give a code away.

In: tasks, and which split to learn from. Out: for each code of each system the condition with the best F1 among those
tasks, scored on every split; and how far trees of depth three get. "Always yes" has an F1 of 2p / (1 + p) for a code
in a share p of the tasks, so that is printed beside it: a frequent code needs no tell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from compiler.baseline.features import printed_values
from compiler.baseline.measure import BaselineTask
from gpu_train_debug.grading.answer import read_gold

THRESHOLDS = 64
"""How many thresholds are tried for one number, spread evenly over its values."""

Flags = npt.NDArray[np.bool_]


@attrs.frozen
class Condition:
    """What holds or fails of a run, as text and as a column."""

    text: str
    holds: Flags = attrs.field(eq=False, repr=False)


@attrs.frozen
class Tell:
    """The best condition for a code, on one split.

    Attributes:
        positives: Tasks of the split that have the code.
        always: F1 of a condition that always holds.
    """

    system: str
    code: str
    split: str
    condition: str
    tasks: int
    positives: int
    precision: float
    recall: float
    f1: float
    always: float


@attrs.frozen
class TreeResult:
    """How many tasks of a split have the right code set: by one tree over code sets, and by one tree for each code."""

    system: str
    split: str
    tasks: int
    by_sets: float
    by_codes: float


def find_tells(tasks: Sequence[BaselineTask], train: str) -> tuple[list[Tell], list[TreeResult]]:
    """The best condition for each code on each split, and what trees of depth three over all conditions get right.

    Tells come by system, code and split; a code that no task of `train` has isn't looked for.
    """
    titles: dict[str, list[BaselineTask]] = defaultdict(list)
    for task in tasks:
        titles[task.run.title].append(task)
    tells, trees = list[Tell](), list[TreeResult]()
    with threadpool_limits(1):
        for title, found in sorted(titles.items()):
            system = _System(title, found, train)
            tells += system.tells()
            trees += system.trees()
    return tells, trees


class _System:
    """The tasks of one system, and all conditions on what they print; those of the split to learn from say which."""

    def __init__(self, title: str, tasks: Sequence[BaselineTask], train: str) -> None:
        self.title = title
        self.splits = np.array([task.split for task in tasks])
        self.known = self.splits == train
        self.codes = [frozenset(read_gold(task.record.gold).codes) for task in tasks]
        values = printed_values([task.run for task in tasks])
        self.conditions = [*_on_one(values, self.known), *_on_two(values, self.known)]
        self.matrix = np.stack([each.holds for each in self.conditions], axis=1)

    def tells(self) -> Iterator[Tell]:
        for code in sorted(
            {code for codes, known in zip(self.codes, self.known, strict=True) if known for code in codes}
        ):
            truth = np.array([code in codes for codes in self.codes])
            best = int(np.argmax(_f1(self.matrix[self.known], truth[self.known])))
            for split in dict.fromkeys(self.splits.tolist()):
                here = self.splits == split
                yield self._tell(code, split, self.conditions[best], truth[here], here)

    def _tell(self, code: str, split: str, condition: Condition, truth: Flags, here: Flags) -> Tell:
        said = condition.holds[here]
        hits, positives = int((said & truth).sum()), int(truth.sum())
        share = positives / len(truth)
        return Tell(
            system=self.title,
            code=code,
            split=split,
            condition=condition.text,
            tasks=len(truth),
            positives=positives,
            precision=hits / max(1, int(said.sum())),
            recall=hits / max(1, positives),
            f1=float(_f1(said[:, None], truth)[0]),
            always=2 * share / (1 + share),
        )

    def trees(self) -> Iterator[TreeResult]:
        sets = np.array([" ".join(sorted(codes)) for codes in self.codes])
        by_sets = self._grown(sets) == sets
        by_codes = np.ones(len(sets), bool)
        for code in sorted(frozenset().union(*self.codes)):
            truth = np.array([code in codes for codes in self.codes])
            by_codes &= self._grown(truth) == truth
        for split in dict.fromkeys(self.splits.tolist()):
            here = self.splits == split
            yield TreeResult(
                self.title, split, int(here.sum()), float(by_sets[here].mean()), float(by_codes[here].mean())
            )

    def _grown(self, labels: Any) -> Any:
        """What a tree learned from the known tasks says of all."""
        tree = DecisionTreeClassifier(max_depth=3, random_state=0)
        return tree.fit(self.matrix[self.known], labels[self.known]).predict(self.matrix)


def _f1(said: Flags, truth: Flags) -> npt.NDArray[np.float64]:
    """F1 of each column of `said`."""
    hits = (said & truth[:, None]).sum(axis=0)
    return np.asarray(2 * hits / np.maximum(1, said.sum(axis=0) + truth.sum()), np.float64)


# ---- conditions ----------------------------------------------------------------------------------------


def _on_one(values: Mapping[str, Sequence[float | str | None]], known: Flags) -> Iterator[Condition]:
    """A value is there or not, is a word or isn't, is one number or isn't, is above or below a threshold."""
    for name, column in values.items():
        there = np.array([value is not None for value in column])
        if not there[known].all():
            yield from _both(name, f"no {name}", there)
        words = {value for value, learned in zip(column, known, strict=True) if learned and isinstance(value, str)}
        for word in sorted(words):
            yield from _both(f"{name} is {word}", f"{name} isn't {word}", np.array([value == word for value in column]))
        numbers = _numbers(column)
        distinct = _distinct(numbers[known])
        if len(distinct) <= THRESHOLDS:
            for number in distinct.tolist():
                yield from _both(f"{name} = {number:g}", f"{name} isn't {number:g}", numbers == number)
        for bound in _bounds(distinct):
            yield Condition(f"{name} <= {bound:g}", numbers <= bound)
            yield Condition(f"{name} > {bound:g}", numbers > bound)


def _bounds(distinct: npt.NDArray[np.float64]) -> list[float]:
    middles = (distinct[1:] + distinct[:-1]) / 2
    step = max(1, -(-len(middles) // THRESHOLDS))
    return [float(bound) for bound in middles[::step]]


def _distinct(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.unique(numbers[~np.isnan(numbers)])


def _on_two(values: Mapping[str, Sequence[float | str | None]], known: Flags) -> Iterator[Condition]:
    """Two numbers compared, of which each has more than one value."""
    columns = {name: _numbers(column) for name, column in values.items()}
    varied = {name: column for name, column in columns.items() if len(_distinct(column[known])) > 1}
    for (left, a), (right, b) in combinations(varied.items(), 2):
        yield Condition(f"{left} < {right}", a < b)
        yield Condition(f"{left} > {right}", a > b)
        yield from _both(f"{left} = {right}", f"{left} isn't {right}", a == b)


def _both(text: str, other: str, holds: Flags) -> Iterator[Condition]:
    yield Condition(text, holds)
    yield Condition(other, ~holds)


def _numbers(column: Sequence[float | str | None]) -> npt.NDArray[np.float64]:
    """The numbers of a column; NaN elsewhere, which compares with nothing."""
    return np.array([value if isinstance(value, float) else np.nan for value in column])
