"""The tasks of a split: specs in, proved tasks out, in the order of the lines and with bounded memory.

In: a program plan, a dataset and one of its splits, a number of workers. Out: tasks one after the other, and counts of
what was dropped on the way. The result doesn't depend on the number of workers: every task is made alone, and the two
things that tie tasks together (no evidence twice, the order of the lines) happen here, in the main process. Nothing is
written here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Final, TypeAlias

import attrs

from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan
from compiler.splits import TaskSpec, split_specs
from compiler.tasks.maker import MadeTask, MissingTask, TaskMaker
from compiler.tasks.workers import Crew, crew

REPEATS: Final = 100
"""How many candidates in a row may print the same as earlier tasks before a spec is given up."""


@attrs.define
class Drops:
    """What was drawn and dropped, by archetype, and what was made."""

    made: Counter[str] = attrs.field(factory=Counter)
    dropped: dict[str, Counter[str]] = attrs.field(factory=dict)
    repeats: int = 0

    def count(self, made: MadeTask) -> None:
        self.made[made.record.archetype] += 1
        self.drop(made)

    def repeat(self, made: MadeTask) -> None:
        self.repeats += 1
        self.drop(made)

    def drop(self, made: MadeTask) -> None:
        self.dropped.setdefault(made.record.archetype, Counter()).update(made.dropped)


class MissingTaskError(Exception):
    """A spec for which no task could be made."""

    def __init__(self, missing: MissingTask) -> None:
        super().__init__(missing.reason)
        self.missing = missing


@attrs.frozen
class _Order:
    """What a worker is asked for: the task of `spec`, from candidate number `start` on."""

    spec: TaskSpec
    start: int = 0


Makers: TypeAlias = Crew[_Order, MadeTask | MissingTask]


def makers(program: ProgramPlan, dataset: DatasetPlan, *, jobs: int) -> AbstractContextManager[Makers]:
    """Start what makes tasks: `jobs` worker processes, or none for one job."""
    return crew(_task_work, (program, dataset), jobs=jobs)


def _task_work(program: ProgramPlan, dataset: DatasetPlan) -> Callable[[_Order], MadeTask | MissingTask]:
    maker = TaskMaker(program, dataset)
    return lambda order: maker.make(order.spec, start=order.start)


def make_split(
    workers: Makers,
    dataset: DatasetPlan,
    split: SplitPlan,
    *,
    seen: set[str],
    drops: Drops,
    only: frozenset[str] = frozenset(),
) -> Iterator[MadeTask]:
    """Make the tasks of `split` in the order of its lines.

    A task whose evidence is in `seen` already is made again from its next candidate world; `seen` grows by
    one short hash a task.

    Args:
        only: Archetypes to make; all if empty.

    Raises:
        MissingTaskError: No task could be made for some spec.
        DisagreementError: Two procedures differ on a proof.
        UndecidedError: A proof ran out of budget.
    """
    specs = [spec for spec in split_specs(dataset, split) if not only or spec.archetype in only]
    for spec, first in zip(specs, workers.each(map(_Order, specs)), strict=True):
        made = _unseen(workers, spec, first, seen, drops)
        seen.add(made.meta.evidence)
        drops.count(made)
        yield made


def _unseen(workers: Makers, spec: TaskSpec, first: MadeTask | MissingTask, seen: set[str], drops: Drops) -> MadeTask:
    """`first`, or the next task of its spec whose evidence isn't in `seen`."""
    made, repeated = first, 0
    while isinstance(made, MadeTask):
        if made.meta.evidence not in seen:
            return made
        drops.repeat(made)
        repeated += 1
        if repeated == REPEATS:
            raise MissingTaskError(MissingTask(spec, "no new evidence", Counter(), None, repeated=repeated))
        made = workers.one(_Order(spec, made.meta.draw + 1))
    raise MissingTaskError(made)
