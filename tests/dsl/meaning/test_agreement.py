"""Plain interpretation of the sources and the reference evaluator on the lowered problem say the same of every world.

The first believes the checks and nothing after them; so where the two agree, the lowering kept the meaning.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies.checked_systems import checked_systems, lowered_system
from strategies.effort import costly, slow_but
from strategies.incidents import INCIDENTS
from strategies.lowering_faults import FAULTS
from strategies.plainly import differences, drawn_worlds
from strategies.programs import lowered_text

from compiler.frontend.lower import lower_program
from compiler.plan import ProgramPlan
from compiler.splits import TaskSpec
from compiler.tasks.maker import DrawnWorld, TaskMaker
from dsl.checked import CheckedProgram, CheckedSystem
from dsl.program import check_program
from dsl.syntax.loader import load
from solvers.problem import Problem

TESTS = Path(__file__).parents[2]
SHIPPED = TESTS.parent / "archetypes"
SMALL = (
    INCIDENTS,
    TESTS / "dsl" / "good" / "memory.arch",
    TESTS / "dsl" / "good_check" / "constructs.arch",
    TESTS / "dsl" / "good_check" / "parts",
)


@cache
def lowered(path: Path) -> tuple[CheckedProgram, ProgramPlan]:
    loaded = load([path])
    checked, found = check_program(loaded)
    assert checked is not None, found
    return checked, lower_program(checked, loaded)


def pairs(path: Path) -> list[tuple[CheckedSystem, Problem]]:
    checked, plan = lowered(path)
    return [(system, plan.systems[name].problem) for name, system in checked.systems.items()]


def found_in(system: CheckedSystem, problem: Problem, worlds: Iterable[dict[str, int]]) -> list[str]:
    """What the two say differently of any of the worlds."""
    draw = random.Random(system.name)
    return [difference for world in worlds for difference in differences(system, problem, world, draw)]


def assert_agree(system: CheckedSystem, problem: Problem, worlds: Iterable[dict[str, int]]) -> None:
    found = found_in(system, problem, worlds)
    assert found == []


# ------------------------------------------------------------------ agreement


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_small_domains_mean_the_same_lowered(path: Path) -> None:
    for system, problem in pairs(path):
        assert_agree(system, problem, drawn_worlds(system, random.Random(1), 25))


@costly
@given(checked_systems(), st.randoms(use_true_random=False))
def test_random_systems_mean_the_same_lowered(system: CheckedSystem, draw: random.Random) -> None:
    assert_agree(system, lowered_system(system).problem, drawn_worlds(system, draw, 4))


@pytest.mark.slow
@settings(max_examples=100)
@given(checked_systems(), st.randoms(use_true_random=False))
def test_many_random_systems_mean_the_same_lowered(system: CheckedSystem, draw: random.Random) -> None:
    assert_agree(system, lowered_system(system).problem, drawn_worlds(system, draw, 10))


@pytest.mark.slow
@pytest.mark.parametrize("path", [*SMALL, SHIPPED], ids=lambda path: path.stem)
def test_many_worlds_mean_the_same_lowered(path: Path) -> None:
    for system, problem in pairs(path):
        assert_agree(system, problem, drawn_worlds(system, random.Random(2), 200))


@pytest.mark.slow
def test_worlds_drawn_for_the_shipped_archetypes_mean_the_same_lowered() -> None:
    """Five worlds of each use of each split: runs that become tasks, rather than any."""
    checked, plan = lowered(SHIPPED)
    for dataset in plan.datasets.values():
        maker = TaskMaker(plan, dataset)
        for split in dataset.splits:
            for name, _ in split.uses:
                system = checked.systems[checked.archetypes[name].system]
                found = [next(maker.draw(TaskSpec(split.name, name, index))) for index in range(5)]
                worlds = [dict(each.world) for each in found if isinstance(each, DrawnWorld)]
                assert worlds, name
                assert_agree(system, plan.systems[system.name].problem, worlds)


# ------------------------------------------------------------------ planted faults

DIALS = """
unit gram
unit dozen = 12 gram
enum Colour { red, green, blue }
system dials "A machine with dials, on which every fault of a translation makes a difference" {
  config {
    a: int in 0..3 "first dial" prefer smaller default 0
    b: int in {1, 2, 4} "second dial" prefer {2, 4, 1} default 2
    colour: Colour "lamp" prefer {blue, red, green} default blue
    on: bool "switch" default true
  }
  given { g: int in 0..3 "load" show to 0 decimals default 0 }
  hidden { h: int in {1, 2, 3} "wear" default 1 }
  table glow: Colour -> int { red: 3, green: 1, blue: 2 } "light"
  let swapped = (a - 2 * b) with (a = b, b = a + 1)
  let parts = ceil(a * h / b) - floor(g * h / 2)
  let strain = a + g
  profiler {
    light = glow[colour] * h + a "light" show to 0 decimals
    turned = swapped "dials exchanged"
    share = parts * 5 gram "share" show dozen to 0 decimals
    spin = a * b when on "turns" show divided by 10
  }
  log {
    event hums when on implies a < g "it hums" { attr tone = a * b says "hum" }
    event turns for k in {1, 2, 4} when a >= k { attr angle = a * k + b says "{k}" }
    event clicks when b > 1 before hums when a > 0 { says "click" }
    event rattles when strain >= 4 or (a > h and on) "it rattles" { says "rattle" }
  }
  require a + b <= 6
  require stated a < 3 or g < 2 "the dial and the load"
  sound strain <= 4
  sound on or colour != red
  keep light not above
  rule heavy HEAVY "too much strain" {
    when strain > 4
    set a = largest where strain <= 4 and a < before(a) - 1, b = smallest where b > before(b) and a * b < 9
    else set a = 0, colour = first where light <= before(light)
    keep a, on
    keep parts not above
  }
  rule dark DARK "no light" { when not on and colour == red  set on = true  keep b  keep turned not below }
  rule red RED "the lamp is red" { when colour == red and a >= 1  set colour = first where glow[colour] < 3 }
  runbook heavy, dark, red
}
"""


@cache
def dials() -> tuple[CheckedSystem, Problem]:
    checked, plan = lowered_text(DIALS)
    return checked.systems["dials"], plan.systems["dials"].problem


def test_dials_mean_the_same_lowered() -> None:
    system, problem = dials()
    assert_agree(system, problem, drawn_worlds(system, random.Random(3), 100))


@pytest.mark.parametrize("fault", slow_but(FAULTS, "ceil as floor", "before left out", "keeps of rules left out"))
def test_fault_in_the_lowering_is_noticed(fault: str) -> None:
    system, problem = dials()
    planted = FAULTS[fault](problem)
    assert planted != problem, "the fault changes nothing"
    found = found_in(system, planted, drawn_worlds(system, random.Random(3), 100))
    assert found
