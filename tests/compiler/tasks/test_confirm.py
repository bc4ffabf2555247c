"""Tasks held against their sources: what is right passes, and faults in the lowering or in a record are named."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
from strategies.lowering_faults import FAULTS

from compiler.frontend.run import run_frontend
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.reader import Document, ReadLine, read_prompt
from compiler.splits import TaskSpec, split_specs
from compiler.tasks.confirm import confirm, confirm_choices, confirm_task
from compiler.tasks.maker import MadeTask, TaskMaker
from compiler.tasks.samples import sample_dataset
from compiler.tasks.tools import DisagreementError
from compiler.verify.line import Line, LineChecker
from dsl.checked import CheckedSystem, CheckedVariable
from gpu_train_debug.grading.answer import Gold, read_gold

SHIPPED = Path(__file__).parents[3] / "archetypes"
SPEC = TaskSpec("train", "small_cache", 1)


@attrs.frozen
class Claimed:
    """A made task, as it is confirmed."""

    system: CheckedSystem
    world: Mapping[str, int]
    document: Document
    gold: Gold


@pytest.fixture(scope="module")
def claimed(program: ProgramPlan, dataset: DatasetPlan) -> Claimed:
    made = TaskMaker(program, dataset).make(SPEC)
    assert isinstance(made, MadeTask)
    checked = program.systems["service"].checked
    assert checked is not None
    return Claimed(checked, made.world, read_prompt(made.record.prompt), read_gold(made.record.gold))


def test_made_task_is_confirmed(claimed: Claimed) -> None:
    assert confirm_task(claimed.system, claimed.world, claimed.document, claimed.gold) == ()


def denied(claimed: Claimed, **said: Any) -> list[str]:
    """What is denied of the task with other evidence, codes or fix."""
    right = {"document": claimed.document, "codes": claimed.gold.codes, "fix": claimed.gold.fix}
    return list(confirm(claimed.system, claimed.world, **{**right, **said}))


def test_other_evidence_is_denied(claimed: Claimed) -> None:
    right = claimed.document.evidence
    wrong = {**{name: text for name, text in right.items() if name != "pool"}, "hits": "1 permille", "noise": "2"}
    assert denied(claimed, document=attrs.evolve(claimed.document, evidence=wrong)) == [
        f"`pool` is nothing on the page, and {right['pool']} by the sources",
        f"`hits` is 1 permille on the page, and {right['hits']} by the sources",
    ]


def test_other_lines_are_denied(claimed: Claimed) -> None:
    """A line that is missing, one too many, another value, a value twice; other loggers may say anything."""
    line = next(line for line in claimed.document.lines if line.logger == "database_up")

    def said(*lines: ReadLine) -> list[str]:
        others = tuple(each for each in claimed.document.lines if each.logger != "database_up")
        return denied(claimed, document=attrs.evolve(claimed.document, lines=(*others, *lines)))

    assert said(line) == said(line, attrs.evolve(line, logger="other", text="limit=1connections")) == []
    assert said() == [
        "`database_up` is absent on the page, and present by the sources",
        f"`database_up.limit` is nothing on the page, and {limit_of(claimed)} by the sources",
    ]
    for wrong in (
        f"x {limit_of(claimed)[:-1]}",
        "limit=1connections",
        f"limit={limit_of(claimed)}s",
        f"{line.text} limit=9",
    ):
        (denial,) = said(attrs.evolve(line, text=wrong))
        assert denial.startswith("`database_up.limit` is ")
    assert "`refused` is present on the page, and absent by the sources" in said(
        line, attrs.evolve(line, logger="refused")
    )


def limit_of(claimed: Claimed) -> str:
    return f"{claimed.world['server_limit']}connections"


def test_other_codes_are_denied(claimed: Claimed) -> None:
    assert denied(claimed, codes=["STALE_READS"]) == ["the codes are CACHE_TOO_SMALL by the sources, not STALE_READS"]
    assert denied(claimed, codes=[]) == ["the codes are CACHE_TOO_SMALL by the sources, not none"]


def test_other_fix_is_denied(claimed: Claimed) -> None:
    found = denied(claimed, fix={})
    assert found == [
        f"the fix is {dict(claimed.gold.fix)} by the sources, not {{}}",
        "the fix is no repair: unsound",
        "the fix is no repair: rule CACHE_TOO_SMALL fires",
    ]


def test_world_without_a_task_is_denied(claimed: Claimed) -> None:
    """Three tries of each request take 12 connections of each of the four instances, and the database accepts 60."""
    world = {**claimed.world, "instances": 4, "retries": 2, "requests": 2000, "server_limit": 60}
    world |= {"reads_from": 1, "cache": 2048, "pool": 20}
    found = list(confirm(claimed.system, world, claimed.document, claimed.gold.codes, claimed.gold.fix))
    assert "the walk gives no task by the sources: uncovered" in found


def test_flag_is_no_number(claimed: Claimed) -> None:
    """`1` and `true` are equal to Python."""
    wrong = dict.fromkeys(claimed.gold.fix, True)
    assert any(each.startswith("the fix is {") for each in denied(claimed, fix=wrong))


def test_other_choices_are_denied(claimed: Claimed) -> None:
    choices = {"pool": [5, 10, 20, 40], "instances": (2, 4), "lag": [400, 100, 1000, 5000]}
    assert confirm_choices(claimed.system, choices) == (
        "`pool` can be 5, 10, 20, 40 on the page, and 5, 10, 20, 40, 80 by the sources",
        "`lag` can be 400, 100, 1000, 5000 on the page, and 100, 400, 1000, 5000 by the sources",
    )


# ------------------------------------------------------------------ planted faults


def first_denial(program: ProgramPlan, dataset: DatasetPlan) -> str:
    """Why making tasks of the first split stops; empty if it doesn't."""
    maker = TaskMaker(program, dataset)
    try:
        for spec in split_specs(dataset, dataset.splits[0])[:12]:
            maker.make(spec)
    except DisagreementError as error:
        return error.what
    return ""


def planted(program: ProgramPlan, fault: str) -> ProgramPlan:
    systems = {
        name: attrs.evolve(system, problem=FAULTS[fault](system.problem)) for name, system in program.systems.items()
    }
    return attrs.evolve(program, systems=systems)


def test_right_program_is_not_denied(program: ProgramPlan, dataset: DatasetPlan) -> None:
    assert first_denial(program, dataset) == ""


@pytest.mark.parametrize("fault", ["last hidden value left out", "preference turned round"])
def test_fault_in_the_lowering_stops_the_compile(program: ProgramPlan, dataset: DatasetPlan, fault: str) -> None:
    assert first_denial(planted(program, fault), dataset).startswith("the sources deny the task: ")


def test_verify_asks_the_sources_too(program: ProgramPlan, dataset: DatasetPlan, compiled: Path) -> None:
    """With sources that mean something else, the page and the gold still agree with the lowered problem."""
    text = (compiled / "train.jsonl").read_text(encoding="utf-8").splitlines()[0]
    line = Line("train.jsonl", 1, "train", text)
    assert LineChecker(program, dataset).check(line).findings == ()
    system = program.systems["service"]
    assert system.checked is not None
    meant = attrs.evolve(system.checked, variables=tuple(map(with_fewer_hidden_values, system.checked.variables)))
    wrong = attrs.evolve(program, systems={"service": attrs.evolve(system, checked=meant)})
    (finding,) = LineChecker(wrong, dataset).check(line).findings
    assert finding.code == "E611"
    assert "the sources deny the task: `working_set` can be" in finding.message


def with_fewer_hidden_values(variable: CheckedVariable) -> CheckedVariable:
    return attrs.evolve(variable, domain=variable.domain[:-1]) if variable.kind == "hidden" else variable


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")  # no divisor is zero by the sources
@pytest.mark.parametrize("fault", ["ceil as floor", "last hidden value left out", "preference turned round"])
def test_fault_in_the_lowering_of_the_shipped_sources_stops_the_compile(fault: str) -> None:
    program = run_frontend([SHIPPED], lints=False).plan
    assert program is not None
    dataset = program.datasets["gpu_train_debug"]
    assert first_denial(planted(program, fault), dataset).startswith("the sources deny the task: ")


TRACED = """
system tank "A tank that is filled step by step" {
  config { portion: int in { 1, 2, 4 } "litres of a portion" prefer smaller }
  hidden { limit: int in { 4, 8 } "litres that the tank takes" }
  let total = portion * 4 "litres in all"
  profiler { left: int = limit - total when total <= limit }
  log {
    event opened by valve { attr limit = limit says "the valve is open" }
    event spilled when total > limit before opened when portion > 2 warn by ground { says "water on the floor" }
    event filled for step in { 1, 2, 4 } when portion * step <= limit by meter {
      attr level = portion * step says "{step} of the portions"
    }
    noise by pump often 50 { says "step={1..4} level={1..9} hums" }
  }
  sound total <= limit "nothing is spilled"
  rule too_much TOO_MUCH "the portions are too large" {
    when total > limit
    set portion = first where total <= limit
    says "Smaller portions."
  }
  runbook too_much
}
archetype portions_too_large of tank "The portions are too large" { fault too_much tier computed }
"""


def test_repeated_and_placed_lines_are_held_against_the_sources(tmp_path: Path) -> None:
    (tmp_path / "tank.arch").write_text(TRACED)
    program = run_frontend([tmp_path / "tank.arch"], lints=False).plan
    assert program is not None
    spec = TaskSpec("sample", "portions_too_large", 0)
    for number in range(6):
        made = TaskMaker(program, sample_dataset("portions_too_large", number), prove=False).make(spec)
        assert isinstance(made, MadeTask)
        checked, document = program.systems["tank"].checked, read_prompt(made.record.prompt)
        assert checked is not None
        claim = Claimed(checked, made.world, document, read_gold(made.record.gold))
        assert confirm_task(checked, made.world, document, claim.gold) == ()
        turned = denied(claim, document=attrs.evolve(document, lines=document.lines[::-1]))
        assert turned == [each for each in turned if each.startswith("`spilled<opened` is ")] != []
        meter = [line for line in document.lines if line.logger == "meter"]
        rest = tuple(line for line in document.lines if line.logger != "meter")
        assert denied(claim, document=attrs.evolve(document, lines=rest))[0].startswith(
            "`filled@1` is absent on the page"
        )
        other = attrs.evolve(meter[0], text=meter[0].text.replace("step=1", "step=4"))
        lines = (*rest, other, *meter[1:])
        assert any(each.startswith("`filled@") for each in denied(claim, document=attrs.evolve(document, lines=lines)))
