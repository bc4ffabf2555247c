"""The plan of a study: from a file or from options, with the twins that it states or that come with the splits."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpu_train_debug.tasks import TasksError, data_folder, sources_folder
from gpu_train_debug.wording import joined

if TYPE_CHECKING:
    from gpu_train_debug.study.inputs.freeze import Seal
    from gpu_train_debug.study.inputs.plan import Plan
    from gpu_train_debug.study.inputs.tasks import StudyTask, TaskSet

TWINS = "twins.toml"


def plan_of(path: Path | None, options: Mapping[str, Any]) -> tuple[Plan, Seal]:
    """The plan of a file; without one, a draft that says what the options do."""
    from gpu_train_debug.study.inputs.freeze import UNFROZEN, Seal, read_frozen
    from gpu_train_debug.study.inputs.plan import parse_plan, read_plan

    if path is None:
        return parse_plan(options, "the options", draft=True), Seal(UNFROZEN)
    if options:
        raise click.UsageError(
            f"the plan already sets the {joined(options)}: change it there (and amend it, if it is frozen)"
        )
    if path.suffix == ".toml":
        return read_plan(path), Seal(UNFROZEN)
    return read_frozen(path)


def with_twins(plan: Plan, twins: Path | None, tasks: Sequence[Path], task_set: TaskSet) -> Plan:
    """A draft with the twins of the file; without a file its own, or else those of the frozen splits."""
    from gpu_train_debug.input_errors import refuse
    from gpu_train_debug.study.inputs.plan import read_twins
    from gpu_train_debug.study.statistics.score import choose_tasks

    if twins is not None:
        if plan.twins:
            raise refuse("the plan has twins of its own", helps=("give them there or with --twins",))
        return replace(plan, twins=read_twins(twins))
    return plan if plan.twins else replace(plan, twins=_frozen_twins(tasks, choose_tasks(task_set, plan.splits)))


def _frozen_twins(paths: Sequence[Path], chosen: Sequence[StudyTask]) -> dict[str, tuple[str, ...]]:
    """The twins that come with the frozen splits, of archetypes that `chosen` has tasks of; none for other splits."""
    from gpu_train_debug.study.inputs.plan import read_twins

    try:
        stated = sources_folder() / TWINS
        if [path.resolve() for path in paths] != [data_folder().resolve()] or not os.path.exists(stated):
            return {}
    except TasksError:
        return {}
    known = {task.archetype for task in chosen}
    kept = {twin: tuple(name for name in faults if name in known) for twin, faults in read_twins(stated).items()}
    return {twin: faults for twin, faults in kept.items() if twin in known and faults}
