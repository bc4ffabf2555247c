"""Stopping a compile after any stage."""

from __future__ import annotations

from pathlib import Path

import pytest
from strategies.incidents import INCIDENTS

from compiler.frontend.run import CheckedSources, LoweredSources, SourcePaths
from compiler.plan import ProgramPlan
from compiler.splits import TaskSpec, split_specs
from compiler.stages import STAGES, StoppedCompile, WantedTask, stop_after
from compiler.tasks.maker import DrawnWorld, ProvedWorld, RenderedTask
from dsl.syntax.loader import Loaded

SPEC = TaskSpec("train", "small_cache", 1)
FORMS = {
    "load": Loaded,
    "check": CheckedSources,
    "lower": LoweredSources,
    "specs": tuple,
    "draw": DrawnWorld,
    "count": ProvedWorld,
    "confirm": ProvedWorld,
    "render": RenderedTask,
    "read back": RenderedTask,
    "write": str,
}


def stopped(name: str, path: Path = INCIDENTS) -> StoppedCompile:
    return stop_after(name, SourcePaths((path,)), lambda plan: WantedTask(plan.datasets["incidents"], SPEC))


@pytest.mark.parametrize("name", STAGES)
def test_each_stage_gives_its_form(name: str) -> None:
    assert isinstance(stopped(name).form, FORMS[name])


def test_the_last_stage_gives_the_line_that_a_compile_writes(compiled: Path) -> None:
    lines = (compiled / "train.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    assert [line for line in lines if f'"{SPEC.id}"' in line] == [stopped("write").form]


def test_the_specs_are_those_of_the_split(program: ProgramPlan) -> None:
    dataset = program.datasets["incidents"]
    train = next(split for split in dataset.splits if split.name == SPEC.split)
    assert stopped("specs").form == split_specs(dataset, train)


@pytest.mark.parametrize("name", ["check", "write"])
def test_errors_of_the_sources_end_the_way(name: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.arch"
    broken.write_text("module broken\nsystem s {\n  relation r = nowhere\n}\n", encoding="utf-8")
    found = stopped(name, broken)
    assert found.form is None
    assert found.diagnostics


def test_a_stage_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no stage `parse`"):
        stopped("parse")
