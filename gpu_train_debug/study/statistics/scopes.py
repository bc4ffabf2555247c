"""Scopes: the sets of tasks over which a study averages, each with its own resamples.

The scopes are all tasks, each split, and each archetype and each tier of a split. All tasks together count
alike. With `stratify`, tasks of all splits are resampled within their split, whose sizes are by design.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gpu_train_debug.study.inputs.plan import ALL, Bootstrap
from gpu_train_debug.study.inputs.tasks import StudyTask
from gpu_train_debug.study.statistics.resample import Resampler


@dataclass(frozen=True, slots=True)
class TaskScope:
    """A set of tasks.

    Attributes:
        split: Its split; None if it is all of them.
        kind: `archetype` or `tier` for a part of a split, else empty.
        part: Name of the archetype or tier.
        rows: Which tasks are in it.
    """

    split: str | None
    kind: str
    part: str
    rows: npt.NDArray[np.intp]
    resampler: Resampler

    @property
    def keys(self) -> dict[str, str]:
        """What names the scope in the report."""
        named = {"split": self.split or ALL}
        return named | {self.kind: self.part} if self.kind else named


def whole_scopes(tasks: Sequence[StudyTask], bootstrap: Bootstrap) -> list[TaskScope]:
    """All tasks, if there are several splits, and each split."""
    splits = list(dict.fromkeys(task.split for task in tasks))
    everything = [_scope(tasks, bootstrap, None, "", "", range(len(tasks)))] if len(splits) > 1 else []
    return everything + [
        _scope(tasks, bootstrap, split, "", "", [row for row, task in enumerate(tasks) if task.split == split])
        for split in splits
    ]


def part_scopes(tasks: Sequence[StudyTask], bootstrap: Bootstrap, kind: str) -> list[TaskScope]:
    """Each archetype or each tier of each split, in the order of the tasks."""
    parts: dict[tuple[str, str], list[int]] = {}
    for row, task in enumerate(tasks):
        parts.setdefault((task.split, task.archetype if kind == "archetype" else task.tier), []).append(row)
    return [_scope(tasks, bootstrap, split, kind, part, rows) for (split, part), rows in parts.items()]


def _scope(
    tasks: Sequence[StudyTask], bootstrap: Bootstrap, split: str | None, kind: str, part: str, rows: Sequence[int]
) -> TaskScope:
    stratified = split is None and bootstrap.stratify
    resampler = Resampler(
        [tasks[row].split if stratified else "" for row in rows],
        resamples=bootstrap.resamples,
        confidence=bootstrap.confidence,
        key=f"{bootstrap.seed}/{split or ALL}/{kind}/{part}",
    )
    return TaskScope(split, kind, part, np.array(rows, dtype=np.intp), resampler)
