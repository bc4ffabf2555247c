"""Walks, repairs and costs by plain interpretation: what the manual says, and the claims that are proved."""

from __future__ import annotations

import random

import pytest
from strategies.plain_claims import by_evidence, every_run, plain_verdict
from strategies.plainly import coded
from strategies.programs import lowered_text

from dsl.meaning.evidence import printed_facts
from dsl.meaning.expressions import PlainValue, RunState
from dsl.meaning.repairs import repair_cost, why_no_repair
from dsl.meaning.walks import follow_runbook
from solvers.counting.exhaustive import check_world
from solvers.counting.tables import Tables

DOOR = """
system door "A door" {
  config {
    lock: {open, closed, stuck} "lock" prefer listed
    oil: int in 0..3 "drops of oil" prefer {2, 1, 3, 0}
    hinges: int in {1, 2} "hinges" prefer smaller
    bell: bool "bell" prefer {true, false}
    wall: bool "wall" locked
  }
  given { load: int in 0..2 "load" }
  hidden { rust: int in 0..2 "rust" }
  let strength = oil * hinges
  let total = load + oil
  let force = load * 2 + rust - oil
  profiler { quarter = floor(force / 4) }
  log { event creaks when force > 1 "it creaks" { says "it creaks" } }
  require stated load + rust < 4 "wear"
  require not (bell and load == 2 and lock == open)
  sound force <= 1 and not wall
  sound lock != closed
  keep total not below
  rule bolted LOCKED "locked" { when lock == closed  set lock = open  keep oil }
  rule dry DRY "dry" {
    when force > 1
    set oil = smallest where force <= 1 and oil > before(oil), hinges keeps strength
    else set oil = largest where force < before(force)
    keep lock
    keep strength not above
  }
  rule loose LOOSE "loose" { when hinges == 2 and lock == stuck  set hinges = 1, lock = open }
  rule again AGAIN "again" { when oil == 3 and lock == stuck and hinges == 1  set hinges = 2 }
  rule wide WIDE "wide" { when oil == 3 and hinges == 2  set hinges = 1 }
  rule quiet QUIET "quiet" { when bell and total == 0  set bell = false }
  rule ring RING "ring" { when not bell and total == 0  set bell = true }
  runbook bolted, dry, loose, again, wide, quiet, ring
}
"""
CHECKED, PLAN = lowered_text(DOOR)
SYSTEM = CHECKED.systems["door"]
USUAL: dict[str, PlainValue] = {
    "lock": "open",
    "oil": 2,
    "hinges": 1,
    "bell": False,
    "wall": False,
    "load": 0,
    "rust": 0,
}


def run_of(**world: PlainValue) -> RunState:
    return RunState(SYSTEM, {**USUAL, **world})


@pytest.mark.parametrize(
    ("world", "ending", "codes", "fix"),
    [
        ({}, "healthy", (), {}),
        ({"wall": True}, "uncovered", (), {}),
        ({"load": 2, "rust": 2}, "invalid", (), {}),
        ({"lock": "closed"}, "answer", ("LOCKED",), {"lock": "open"}),
        ({"lock": "closed", "wall": True}, "ends unsound", ("LOCKED",), {"lock": "open"}),
        ({"lock": "closed", "bell": True, "load": 2}, "invalid", ("LOCKED",), {"lock": "open"}),
        ({"oil": 1, "hinges": 2, "load": 1, "rust": 1}, "answer", ("DRY",), {"oil": 2, "hinges": 1}),
        ({"oil": 0, "load": 1}, "answer", ("DRY",), {"oil": 3}),  # by the second alternative
        ({"oil": 3, "load": 2, "rust": 1}, "no value", (), {}),
        ({"oil": 3, "lock": "stuck"}, "answer", ("AGAIN", "LOOSE"), {"lock": "open"}),  # hinges are set and set back
        ({"oil": 0}, "repeated", ("RING", "QUIET"), {}),
        (
            {"lock": "closed", "oil": 0, "hinges": 2, "load": 1},
            "too many codes",
            ("LOCKED", "DRY"),
            {"lock": "open", "oil": 3},
        ),
    ],
)
def test_walk(world: dict[str, PlainValue], ending: str, codes: tuple[str, ...], fix: dict[str, PlainValue]) -> None:
    walk = follow_runbook(run_of(**world))
    assert (walk.ending.value, walk.codes, walk.fix) == (ending, codes, fix)


@pytest.mark.parametrize(
    ("world", "change", "flaws"),
    [
        ({"lock": "closed"}, {"lock": "open"}, ()),
        ({"lock": "closed"}, {"lock": "stuck"}, ()),
        ({"lock": "closed"}, {}, ("unsound", "rule LOCKED fires")),
        ({"lock": "closed"}, {"lock": "open", "oil": 3}, ("keep oil",)),
        ({"lock": "closed"}, {"lock": "open", "oil": 1}, ("keep total", "keep oil")),
        ({"lock": "closed"}, {"wall": True, "oil": 9}, ("wall isn't editable", "oil can't be 9")),
        ({"lock": "closed", "bell": True, "load": 2}, {"lock": "open"}, ("invalid", "unsound", "rule DRY fires")),
        ({"oil": 0, "load": 1}, {"oil": 3}, ("keep strength",)),
        # LOOSE sets the lock, so that DRY no longer keeps it
        (
            {"oil": 0, "load": 1, "hinges": 2, "lock": "stuck"},
            {"oil": 3, "hinges": 1, "lock": "open"},
            ("keep strength",),
        ),
    ],
)
def test_repair(world: dict[str, PlainValue], change: dict[str, PlainValue], flaws: tuple[str, ...]) -> None:
    assert why_no_repair(follow_runbook(run_of(**world)), change) == flaws


@pytest.mark.parametrize(
    ("change", "price"),
    [
        ({}, (0, (), ())),
        ({"lock": "open"}, (0, (), ())),
        ({"lock": "stuck"}, (1, (0,), (2,))),
        ({"bell": True, "oil": 1}, (2, (1, 3), (1, 0))),
    ],
)
def test_cost(change: dict[str, PlainValue], price: object) -> None:
    assert repair_cost(run_of(), change) == price


def assert_verdicts(runs: list[RunState]) -> set[tuple[str, str]]:
    """Hold the definitions, by plain interpretation, against counting; gives the verdicts that came up."""
    groups, tables = by_evidence(every_run(SYSTEM)), Tables(PLAN.systems["door"].problem)
    seen = set()
    for run in runs:
        proof = check_world(tables, coded(SYSTEM, run.world))
        level = "" if proof.uniqueness is None else proof.uniqueness.value
        verdict = plain_verdict(run, groups.get(tuple(printed_facts(run)), []))
        assert (proof.verdict.value, level) == verdict, run.world
        seen.add(verdict)
    return seen


def test_some_runs_are_proved_as_the_definitions_say() -> None:
    runs = random.Random(4).sample([run for run in every_run(SYSTEM) if not run.world["wall"]], 30)
    assert {verdict for verdict, _ in assert_verdicts(runs)} >= {"unique", "ambiguous"}


@pytest.mark.slow
def test_all_runs_are_proved_as_the_definitions_say() -> None:
    seen = assert_verdicts(list(every_run(SYSTEM)))
    assert seen >= {("unique", "any"), ("unique", "preferred"), ("ambiguous", ""), ("vacuous", "")}
