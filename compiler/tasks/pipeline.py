"""The whole dataset: specs in, proved records out, in the order of the lines and with bounded memory.

In: a program plan, a dataset name, a number of workers. Out: records one after the other, and a summary
of what was dropped on the way. The result doesn't depend on the number of workers: every task is made
alone, and the two things that tie tasks together (no evidence twice, the order of the lines) happen here,
in the main process. Nothing is written here; `emit.jsonl` does that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager

import attrs

from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan
from compiler.splits import TaskSpec, split_specs
from compiler.tasks.maker import Made, Missing, TaskMaker
from compiler.tasks.workers import in_order, worker_pool

TASK_CHUNK = 8  # tasks that travel to a worker together
REPEATS = 100  # candidates in a row that print the same as earlier tasks before a spec is given up
TASK_WINDOW = 4  # chunks in flight for each worker


@attrs.define
class Drops:
    """What was drawn and dropped, by archetype, and what was made."""

    made: Counter[str] = attrs.field(factory=Counter)
    dropped: dict[str, Counter[str]] = attrs.field(factory=dict)
    repeats: int = 0

    def count(self, made: Made) -> None:
        self.made[made.record.archetype] += 1
        self.dropped.setdefault(made.record.archetype, Counter()).update(made.dropped)


@attrs.frozen
class Makers:
    """Workers that make tasks; `jobs` of them."""

    executor: Executor | None
    jobs: int
    local: TaskMaker

    def submit(self, specs: tuple[TaskSpec, ...], starts: tuple[int, ...]) -> Future[list[Made | Missing]]:
        if self.executor is not None:
            return self.executor.submit(_make_in_worker, specs, starts)
        future: Future[list[Made | Missing]] = Future()
        try:
            future.set_result(make_all(self.local, specs, starts))
        except Exception as error:
            future.set_exception(error)
        return future


def make_all(workbench: TaskMaker, specs: Iterable[TaskSpec], starts: Iterable[int]) -> list[Made | Missing]:
    return [workbench.make(spec, start=start) for spec, start in zip(specs, starts, strict=True)]


_WORKBENCH: TaskMaker | None = None


def _start_worker(program: ProgramPlan, dataset: DatasetPlan, prove: bool) -> None:
    global _WORKBENCH
    _WORKBENCH = TaskMaker(program, dataset, prove=prove)


def _make_in_worker(specs: tuple[TaskSpec, ...], starts: tuple[int, ...]) -> list[Made | Missing]:
    assert _WORKBENCH is not None, "the worker was not started"
    return make_all(_WORKBENCH, specs, starts)


@contextmanager
def makers(program: ProgramPlan, dataset: DatasetPlan, *, jobs: int, prove: bool = True) -> Iterator[Makers]:
    """Start `jobs` worker processes, or none for one job; waiting work is dropped on the way out."""
    local = TaskMaker(program, dataset, prove=prove)
    if jobs <= 1:
        yield Makers(None, 1, local)
        return
    with worker_pool(jobs, _start_worker, (program, dataset, prove)) as executor:
        yield Makers(executor, jobs, local)


class MissingTaskError(Exception):
    """A spec for which no task could be made."""

    def __init__(self, missing: Missing) -> None:
        super().__init__(missing.reason)
        self.missing = missing


def make_split(
    workers: Makers,
    dataset: DatasetPlan,
    split: SplitPlan,
    *,
    seen: set[str],
    drops: Drops,
    only: frozenset[str] = frozenset(),
) -> Iterator[Made]:
    """Make the tasks of `split` in the order of its lines.

    A task whose evidence is in `seen` already is made again from its next candidate world; `seen` grows by
    one short hash a task.

    Args:
        only: Archetypes to make; all if empty.

    Raises:
        MissingTaskError: No task could be made for some spec.
        DisagreementError: Two procedures differ on a proof (see `workbench`).
    """
    specs = [spec for spec in split_specs(dataset, split) if not only or spec.archetype in only]
    chunks = [tuple(specs[i : i + TASK_CHUNK]) for i in range(0, len(specs), TASK_CHUNK)]
    made_chunks = in_order(
        chunks, lambda chunk: workers.submit(chunk, (0,) * len(chunk)), window=TASK_WINDOW * workers.jobs
    )
    for chunk, results in made_chunks:
        for spec, result in zip(chunk, results, strict=True):
            made = result
            repeated = 0
            while isinstance(made, Made) and made.meta.evidence in seen:
                drops.dropped.setdefault(spec.archetype, Counter()).update(made.dropped)
                drops.repeats += 1
                repeated += 1
                if repeated == REPEATS:
                    raise MissingTaskError(Missing(spec, "no new evidence", Counter(), None, repeated=repeated))
                made = workers.submit((spec,), (made.meta.draw + 1,)).result()[0]
            if isinstance(made, Missing):
                raise MissingTaskError(made)
            seen.add(made.meta.evidence)
            drops.count(made)
            yield made
