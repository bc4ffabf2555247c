"""Stopping a compile after any stage of a task."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from compiler.cli.show import SOURCE_FORMS, TASK_FORMS
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.splits import TaskSpec
from compiler.stages import STAGES, stop_task
from compiler.tasks.maker import DrawnWorld, MissingTask, ProvedWorld, RenderedTask
from solvers.problem import Const

SPEC = TaskSpec("train", "small_cache", 1)
FORMS = {
    "draw": DrawnWorld,
    "count": ProvedWorld,
    "confirm": ProvedWorld,
    "render": RenderedTask,
    "read back": RenderedTask,
    "write": str,
}


def test_the_stages_come_in_their_order() -> None:
    assert ("load", "check", "lower", "specs", *FORMS) == STAGES


@pytest.mark.parametrize("name", FORMS)
def test_each_stage_gives_its_form(program: ProgramPlan, dataset: DatasetPlan, name: str) -> None:
    assert isinstance(stop_task(name, program, dataset, SPEC), FORMS[name])


def test_the_last_stage_gives_the_line_that_a_compile_writes(
    program: ProgramPlan, dataset: DatasetPlan, compiled: Path
) -> None:
    lines = (compiled / "train.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    assert [line for line in lines if f'"{SPEC.id}"' in line] == [stop_task("write", program, dataset, SPEC)]


def test_a_task_without_worlds_is_missing_after_each_stage(program: ProgramPlan, dataset: DatasetPlan) -> None:
    nowhere = attrs.evolve(program.archetypes[SPEC.archetype], where=Const(False))
    empty = attrs.evolve(program, archetypes={**program.archetypes, SPEC.archetype: nowhere})
    assert isinstance(stop_task("draw", empty, dataset, SPEC), MissingTask)


@pytest.mark.parametrize("name", ["lower", "specs", "parse"])
def test_a_stage_that_no_task_has_is_refused(program: ProgramPlan, dataset: DatasetPlan, name: str) -> None:
    with pytest.raises(ValueError, match=f"a task has no stage `{name}`"):
        stop_task(name, program, dataset, SPEC)


def test_what_is_shown_stands_after_a_stage() -> None:
    assert {*SOURCE_FORMS.values(), *TASK_FORMS.values()} <= {*STAGES}
