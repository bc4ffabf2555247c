"""`gtd sample`: some tasks of one archetype, outside any dataset or as one of its splits would have them.

In: a program plan and the name of an archetype. Out: made tasks, and for each that is missing the reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan
from compiler.splits import TaskSpec
from compiler.tasks.maker import MadeTask, MissingTask, TaskMaker


def sample_tasks(
    program: ProgramPlan,
    archetype: str,
    *,
    count: int,
    seed: int,
    dataset: DatasetPlan | None,
    split_name: str | None,
) -> Iterator[MadeTask | MissingTask]:
    """Make `count` tasks of an archetype: those of a dataset's split, or of a split of its own called `sample`."""
    if dataset is None or split_name is None:
        split_name = "sample"
        split = SplitPlan(split_name, count, False, (), (), 1, ((archetype, 1),))
        dataset = DatasetPlan("sample", "0", seed, "", (), (split,))
    maker = TaskMaker(program, dataset)
    for index in range(count):
        yield maker.make(TaskSpec(split_name, archetype, index))
