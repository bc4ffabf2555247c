"""Fresh tasks for training and evaluation: compiled and proved when they are asked for.

In: a split, a seed, a count. Out: `TaskRecord`s that no frozen task repeats. Making tasks takes the compiler, which
this package doesn't know: the compiler offers a `FreshPlanner` as an entry point of the group `gpu_train_debug.fresh`.
It is looked up and loaded when the first task is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol

from gpu_train_debug.tasks import TaskRecord, TasksError, data_folder, read_split, sources_folder, split_names

FRESH_GROUP = "gpu_train_debug.fresh"
"""The group of entry points that offer a `FreshPlanner`."""


@dataclass(frozen=True, slots=True)
class FreshRequest:
    """Which fresh tasks are wanted.

    Attributes:
        split: The split whose kind of task is made.
        sources: The `.arch` files.
        archetypes: Take these alone, in a mix by their weights; all if empty.
        tiers: Take these alone; all if empty.
    """

    split: str
    seed: int
    count: int
    sources: Path
    archetypes: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()


class FreshPlan(Protocol):
    """A request that was checked, ready to be carried out."""

    def make(self, *, avoid: Collection[str], jobs: int) -> Iterator[TaskRecord]:
        """Make the tasks, none with an evidence hash that is in `avoid`; they don't depend on `jobs`.

        Raises:
            TasksError: A task can't be made.
        """
        ...


class FreshPlanner(Protocol):
    """What an entry point of the group gives."""

    def __call__(self, request: FreshRequest) -> FreshPlan:
        """Check a request without making a task.

        Raises:
            TasksError: The sources have errors, or declare no such split, archetype or tier, or nothing that is both.
        """
        ...


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
        tiers: Take these alone; all if empty.
        jobs: Worker processes. The tasks don't depend on it.

    Raises:
        TasksError: As for `plan_fresh`, or a task can't be made.
    """
    plan = plan_fresh(split, seed=seed, count=count, sources=sources, archetypes=archetypes, tiers=tiers)
    return make_fresh(plan, folder=folder, jobs=jobs)


def plan_fresh(
    split: str,
    *,
    seed: int,
    count: int,
    sources: Path | None = None,
    archetypes: Collection[str] = (),
    tiers: Collection[str] = (),
) -> FreshPlan:
    """Check what fresh tasks are asked for, without making one; arguments as for `fresh_tasks`.

    Raises:
        TasksError: The compiler isn't installed, the sources have errors, or they declare no such split, archetype
            or tier, or nothing that is both.
    """
    place = sources_folder() if sources is None else sources
    return _planner()(FreshRequest(split, seed, count, place, tuple(archetypes), tuple(tiers)))


def make_fresh(plan: FreshPlan, *, folder: Path | None = None, jobs: int = 1) -> Iterator[TaskRecord]:
    """Make the tasks of a plan; arguments as for `fresh_tasks`.

    Raises:
        TasksError: A task can't be made, or the frozen tasks can't be read.
    """
    yield from plan.make(avoid=_frozen_evidence(folder), jobs=jobs)


def _planner() -> FreshPlanner:
    offers = [*entry_points(group=FRESH_GROUP)]
    if not offers:
        raise TasksError(
            "fresh tasks need the compiler, and no installed package offers it; install gpu-train-debug with pip "
            "(in a checkout: pip install -e .), or take frozen tasks"
        )
    try:
        planner: FreshPlanner = offers[0].load()
    except ModuleNotFoundError as error:
        raise TasksError(f"fresh tasks need the module {error.name}; install gpu-train-debug again with pip") from error
    return planner


def _frozen_evidence(folder: Path | None) -> frozenset[str]:
    try:
        folder = data_folder() if folder is None else folder
    except TasksError:
        return frozenset()
    return frozenset(task.evidence for split in split_names(folder) for task in read_split(split, folder))
