"""What each stage produced."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.effort import slow_but
from strategies.incidents import INCIDENTS, Ran

from compiler.cli.show import SOURCE_FORMS, TASK_FORMS
from compiler.frontend.run import run_frontend
from compiler.plan import ProgramPlan

Gtd = Callable[..., Ran]

NOWHERE = """
archetype nowhere of service "The replica is not behind" {
  fault stale
  tier diagnosis
  where lag == 100 ms
}
"""

TASK = ("starved_pool", "--sources", INCIDENTS)


def shown(gtd: Gtd, stage: str, *arguments: str | Path) -> str:
    ran = gtd("show", "--stage", stage, *arguments)
    assert (ran.status, ran.err) == (0, "")
    return ran.out


def cells(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_parsed_sources_say_the_same_as_the_files(gtd: Gtd, program: ProgramPlan, tmp_path: Path) -> None:
    text = shown(gtd, "parsed", INCIDENTS)
    for part in f"\n{text}".split("\n# ")[1:]:
        name, _, source = part.partition("\n")
        (tmp_path / "printed" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "printed" / name).write_text(source, encoding="utf-8")
    plan = run_frontend([tmp_path / "printed"]).plan
    assert plan is not None
    assert (plan.systems, plan.archetypes, plan.datasets) == (program.systems, program.archetypes, program.datasets)


def test_checked_and_lowered_sources_are_trees(gtd: Gtd) -> None:
    checked, problem = (shown(gtd, stage, INCIDENTS) for stage in ("checked", "problem"))
    assert checked.startswith("CheckedProgram(\n  systems={\n    service: CheckedSystem(\n")
    assert problem.startswith("ProgramPlan(\n  systems={\n    service: SystemPlan(\n")
    assert "Variable(name='reads_from', kind=CONFIG, domain=[0, 1], editable=True, preference=[0, 1])" in problem
    assert "span" not in checked + problem


@pytest.mark.parametrize("stage", SOURCE_FORMS)
def test_sources_with_errors_are_said(gtd: Gtd, tmp_path: Path, stage: str) -> None:
    (tmp_path / "broken.arch").write_text("unit MiB 2\n")
    ran = gtd("show", "--stage", stage, "broken.arch")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("error[E")
    assert gtd("show", "--stage", stage, "nowhere.arch").status == 2


@pytest.mark.parametrize("stage", slow_but(TASK_FORMS, "world", "prompt", "record"))
def test_each_form_of_a_task_is_shown(gtd: Gtd, stage: str) -> None:
    assert shown(gtd, stage, *TASK).strip()


@pytest.mark.slow
def test_the_forms_are_those_of_the_sampled_task(gtd: Gtd) -> None:
    record = json.loads(gtd("sample", *TASK, "--format", "json").out)
    assert json.loads(shown(gtd, "record", *TASK)) == record
    assert shown(gtd, "prompt", *TASK) == record["prompt"]
    assert shown(gtd, "gold", *TASK) == record["gold"] + "\n"
    assert f"evidence='{json.loads(record['meta'])['evidence']}'" in shown(gtd, "meta", *TASK)
    walk = shown(gtd, "walk", *TASK)
    assert f"diagnosis: {json.loads(record['gold'])['diagnosis']}\n" in walk
    proof = shown(gtd, "proof", *TASK)
    assert proof.startswith("verdict: unique\n")
    assert textwrap.indent(walk, "  ") in proof


def test_the_world_has_every_variable_and_the_evidence_every_observation(gtd: Gtd, program: ProgramPlan) -> None:
    problem = program.systems["service"].problem
    head, *rows = cells(shown(gtd, "world", *TASK))
    assert head == ["kind", "variable", "value", "printed"]
    assert [row[:2] for row in rows] == [[variable.kind.value, variable.name] for variable in problem.variables]
    head, *rows = cells(shown(gtd, "evidence", *TASK))
    assert head == ["channel", "observation", "value", "printed"]
    assert [row[:2] for row in rows] == [[each.channel, each.name] for each in problem.observations]


@pytest.mark.slow
def test_a_task_of_a_split_is_that_of_the_dataset(gtd: Gtd, compiled: Path) -> None:
    lines = (compiled / "train.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    task = ("stale_reads", "--sources", INCIDENTS, "--split", "train", "--index", "2")
    assert [line for line in lines if '"train-stale_reads-002"' in line] == [shown(gtd, "record", *task)]
    assert shown(gtd, "world", *task) != shown(gtd, "world", *task, "--seed", "12")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--stage", "world"), "shows a task of one archetype: name it"),
        (("--stage", "world", "a", "b"), "shows a task of one archetype: name it"),
        (("--stage", "world", "starved_pol"), "did you mean `starved_pool`?"),
        (("--stage", "world", "starved_pool", "--split", "trian"), "did you mean `train`?"),
        (("--stage", "worlds", "starved_pool"), "'worlds' is not one of"),
    ],
)
def test_wrong_usage_is_said(gtd: Gtd, arguments: tuple[str, ...], said: str) -> None:
    ran = gtd("show", *arguments, "--sources", INCIDENTS)
    assert ran.status == 2
    assert said in ran.err


@pytest.mark.parametrize("stage", ["candidate", "world", "prompt"])
def test_a_task_that_cannot_be_made_is_a_finding(gtd: Gtd, tmp_path: Path, stage: str) -> None:
    for path in INCIDENTS.iterdir():
        text = path.read_text(encoding="utf-8")
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    with (tmp_path / "incidents.arch").open("a", encoding="utf-8") as file:
        file.write(NOWHERE)
    ran = gtd("show", "--stage", stage, "nowhere", "--sources", ".")
    assert (ran.status, ran.out) == (1, "")
    assert "E501" in ran.err
