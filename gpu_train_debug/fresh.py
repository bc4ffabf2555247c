"""Fresh tasks for training and evaluation: compiled and proved when they are asked for.

In: a split, a seed, a count. Out: `TaskRecord`s that no frozen task repeats. The only module of the package that
uses the compiler, and through it Lark and Z3; they are imported when the first task is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_train_debug.tasks import (
    TaskRecord,
    TasksError,
    check_names,
    data_folder,
    no_task,
    read_split,
    sources_folder,
    split_names,
)
from gpu_train_debug.wording import suggestion

if TYPE_CHECKING:
    from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan


def fresh_tasks(
    split: str,
    *,
    seed: int,
    count: int,
    sources: Path | None = None,
    folder: Path | None = None,
    archetypes: Collection[str] = (),
    tiers: Collection[str] = (),
    jobs: int = 1,
) -> Iterator[TaskRecord]:
    """Make `count` tasks as the sources describe `split`, in a mix of its archetypes by their weights.

    Args:
        sources: `.arch` files; those of the package if None.
        folder: Frozen tasks not to repeat; those of the package if None, as far as it has any.
        archetypes: Take these alone; all if empty.
        tiers: Likewise.
        jobs: Worker processes. The tasks don't depend on it.

    Raises:
        TasksError: The sources are faulty or declare no such split, archetype or tier, or a task can't be made.
    """
    from compiler.tasks.fresh import fresh_tasks as make
    from compiler.tasks.pipeline import MissingTaskError
    from compiler.tasks.tools import DisagreementError, UndecidedError

    program, dataset, plan = fresh_plan(
        split, seed=seed, count=count, sources=sources, archetypes=archetypes, tiers=tiers
    )
    try:
        for record in make(program, dataset, plan, seed=seed, avoid=_frozen_evidence(folder), jobs=jobs):
            yield TaskRecord(record.id, record.archetype, record.split, record.prompt, record.gold, record.meta)
    except MissingTaskError as error:
        raise TasksError(f"no task of `{error.missing.spec.archetype}` could be made: {error}") from error
    except UndecidedError as error:
        raise TasksError(f"a proof of task `{error.subject}` ran out of budget") from error
    except DisagreementError as error:
        raise TasksError(f"{error.what}: this is a bug in the compiler") from error


def fresh_plan(
    split: str,
    *,
    seed: int,
    count: int,
    sources: Path | None = None,
    archetypes: Collection[str] = (),
    tiers: Collection[str] = (),
) -> tuple[ProgramPlan, DatasetPlan, SplitPlan]:
    """Check what fresh tasks are asked for, without making one; arguments as for `fresh_tasks`.

    Raises:
        TasksError: The sources are faulty, or declare no such split, archetype or tier, or nothing that is both.
    """
    from compiler.frontend.run import run_frontend
    from compiler.tasks.fresh import fresh_split

    place = sources_folder() if sources is None else sources
    found = run_frontend([place], lints=False)
    program = found.plan
    if program is None or found.failed or len(program.datasets) != 1:
        raise TasksError(f"the sources in {place} don't compile to one dataset; `gtd check` tells why")
    dataset = next(iter(program.datasets.values()))
    plans = {plan.name: plan for plan in dataset.splits}
    if split not in plans:
        raise TasksError(f"the sources in {place} declare no split `{split}`{suggestion(split, plans)}")
    used = [name for name, _ in plans[split].uses]
    check_names("archetype", archetypes, used, split)
    check_names("tier", tiers, [program.archetypes[name].tier for name in used], split)
    try:
        plan = fresh_split(program, plans[split], seed=seed, count=count, archetypes=archetypes, tiers=tiers)
    except ValueError as error:
        raise no_task(split, archetypes, tiers) from error
    return program, dataset, plan


def _frozen_evidence(folder: Path | None) -> frozenset[str]:
    try:
        folder = data_folder() if folder is None else folder
    except TasksError:
        return frozenset()
    return frozenset(row.evidence for split in split_names(folder) for row in read_split(split, folder))
