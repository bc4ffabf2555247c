"""`gtd sample`: some tasks of one archetype, outside any dataset or as one of its splits would have them.

In: a program plan and the name of an archetype. Out: made tasks, and for each that is missing the reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan
from compiler.splits import TaskSpec
from compiler.tasks.maker import MadeTask, MissingTask, TaskMaker

SAMPLE = "sample"
"""The split of a task that is in no dataset."""


def sample_dataset(archetype: str, seed: int) -> DatasetPlan:
    """A dataset of one split, `SAMPLE`, for tasks of one archetype."""
    split = SplitPlan(SAMPLE, 1, False, (), (), 1, ((archetype, 1),))
    return DatasetPlan("sample", "0", seed, "", (), (split,))


def sample_tasks(
    program: ProgramPlan, archetype: str, *, count: int, dataset: DatasetPlan, split_name: str = SAMPLE
) -> Iterator[MadeTask | MissingTask]:
    """Make the first `count` tasks of an archetype that a split of the dataset has, however many it asks for."""
    maker = TaskMaker(program, dataset)
    for index in range(count):
        yield maker.make(TaskSpec(split_name, archetype, index))
