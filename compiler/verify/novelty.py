"""Checks `unseen in` from the tasks alone.

In: each task's spec, codes and regions. Out: the tasks whose combinations aren't new to the splits that they should be
new to.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.plan import DatasetPlan
from compiler.splits import TaskSpec


class Novelty:
    """Checks `unseen in`: from tasks alone, whether their combinations are new to the splits named.

    A task is new to another split if it has a pair of codes that no task there has, or lies in a region in
    which no task there lies. `add` takes every task once; `broken` then tells which aren't new.
    """

    def __init__(self, dataset: DatasetPlan) -> None:
        self.unseen = {split.name: split.unseen for split in dataset.splits}
        self.pairs: dict[str, set[frozenset[str]]] = {split.name: set() for split in dataset.splits}
        self.regions: dict[str, set[str]] = {split.name: set() for split in dataset.splits}
        self.waiting: list[tuple[TaskSpec, frozenset[str], frozenset[str]]] = []

    def add(self, spec: TaskSpec, codes: frozenset[str], regions: frozenset[str]) -> None:
        if len(codes) > 1:
            self.pairs[spec.split].add(codes)
        self.regions[spec.split] |= regions
        if self.unseen[spec.split]:
            self.waiting.append((spec, codes, regions))

    def broken(self) -> Iterator[tuple[TaskSpec, str]]:
        for spec, codes, regions in self.waiting:
            for other in self.unseen[spec.split]:
                new_pair = len(codes) > 1 and codes not in self.pairs[other]
                if not new_pair and not regions - self.regions[other]:
                    yield (
                        spec,
                        f"`{spec.id}` has neither a pair of diagnosis codes nor a region that is new to `{other}`",
                    )
