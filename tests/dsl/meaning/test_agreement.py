"""Plain interpretation of the sources and the reference evaluator on the lowered problem say the same of every world.

The first believes the checks and nothing after them; so where the two agree, the lowering kept the meaning.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies.checked_systems import checked_systems, lowered_system
from strategies.effort import costly, slow_but
from strategies.incidents import INCIDENTS
from strategies.plainly import differences, drawn_worlds
from strategies.programs import lowered_text

from compiler.frontend.lower import lower_program
from compiler.plan import ProgramPlan
from compiler.splits import TaskSpec
from compiler.tasks.maker import DrawnWorld, TaskMaker
from dsl.checked import CheckedProgram, CheckedSystem
from dsl.program import check_program
from dsl.syntax.loader import load
from solvers.problem import (
    Alternative,
    Apply,
    Before,
    Const,
    Expr,
    Keep,
    Kind,
    Lookup,
    Op,
    Pick,
    Problem,
    Sense,
    With,
    children,
)

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
@settings(max_examples=200)
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

Rewrite = Callable[[Expr], Expr]


def rewritten(expr: Expr, change: Rewrite) -> Expr:
    """`expr` with `change` made to each part, the innermost first."""
    parts = tuple(rewritten(part, change) for part in children(expr))
    match expr:
        case Apply(op=op):
            return change(Apply(op, parts))
        case Lookup(table=table, entries=entries):
            return change(Lookup(table, entries, parts[0]))
        case With(changes=changes):
            names = [name for name, _ in changes]
            return change(With(parts[0], tuple(zip(names, parts[1:], strict=True))))
        case Before():
            return change(Before(parts[0]))
        case _:
            return change(expr)


def everywhere(change: Rewrite) -> Callable[[Problem], Problem]:
    """A fault in the lowering of expressions."""

    def alternative(old: Alternative) -> Alternative:
        return Alternative(
            tuple(
                attrs.evolve(item, where=rewritten(item.where, change))
                if isinstance(item, Pick)
                else attrs.evolve(item, value=rewritten(item.value, change))
                for item in old.sets
            )
        )

    def planted(problem: Problem) -> Problem:
        return attrs.evolve(
            problem,
            relations=tuple((name, rewritten(value, change)) for name, value in problem.relations),
            observations=tuple(
                attrs.evolve(each, value=rewritten(each.value, change)) for each in problem.observations
            ),
            valid=rewritten(problem.valid, change),
            sound=rewritten(problem.sound, change),
            rules=tuple(
                attrs.evolve(
                    rule,
                    guard=rewritten(rule.guard, change),
                    alternatives=tuple(alternative(each) for each in rule.alternatives),
                )
                for rule in problem.rules
            ),
        )

    return planted


def operator(wrong: Op, right: Op) -> Callable[[Problem], Problem]:
    return everywhere(
        lambda expr: attrs.evolve(expr, op=wrong) if isinstance(expr, Apply) and expr.op is right else expr
    )


def one_after_the_other(expr: Expr) -> Expr:
    """`with (a = x, b = y)` as if it were `with (b = y) with (a = x)`."""
    if not isinstance(expr, With):
        return expr
    body = expr.body
    for each in reversed(expr.changes):
        body = With(body, (each,))
    return body


def without_before(expr: Expr) -> Expr:
    return expr.body if isinstance(expr, Before) else expr


def next_entry(expr: Expr) -> Expr:
    """Each key of a table with the value of the next one."""
    if not isinstance(expr, Lookup):
        return expr
    values = [value for _, value in expr.entries]
    shifted = zip(expr.entries, (*values[1:], values[0]), strict=True)
    return attrs.evolve(expr, entries=tuple((key, value) for (key, _), value in shifted))


def rounded_down(expr: Expr) -> Expr:
    """What is printed, without the half that rounding half up adds."""
    match expr:
        case Apply(op=Op.FLOORDIV, args=(Apply(op=Op.ADD, args=(value, Const())), divisor)):
            return Apply(Op.FLOORDIV, (value, divisor))
    return expr


def in_evidence(change: Rewrite) -> Callable[[Problem], Problem]:
    return lambda problem: attrs.evolve(
        problem,
        observations=tuple(attrs.evolve(each, value=rewritten(each.value, change)) for each in problem.observations),
    )


def without_rule_keeps(problem: Problem) -> Problem:
    return attrs.evolve(problem, rules=tuple(attrs.evolve(rule, keeps=()) for rule in problem.rules))


def keeps(change: Callable[[Keep], Keep]) -> Callable[[Problem], Problem]:
    return lambda problem: attrs.evolve(
        problem,
        keeps=tuple(change(keep) for keep in problem.keeps),
        rules=tuple(attrs.evolve(rule, keeps=tuple(map(change, rule.keeps))) for rule in problem.rules),
    )


def without_last_hidden_value(problem: Problem) -> Problem:
    return attrs.evolve(
        problem,
        variables=tuple(
            attrs.evolve(each, domain=each.domain[:-1]) if each.kind is Kind.HIDDEN else each
            for each in problem.variables
        ),
    )


def worst_first(problem: Problem) -> Problem:
    turned = tuple(attrs.evolve(each, preference=each.preference[::-1]) for each in problem.variables)
    return attrs.evolve(problem, variables=turned)


def first_alternatives(problem: Problem) -> Problem:
    cut = tuple(attrs.evolve(rule, alternatives=rule.alternatives[:1]) for rule in problem.rules)
    return attrs.evolve(problem, rules=cut)


def other_end(problem: Problem) -> Problem:
    """`largest` where the source says `smallest`, and the other way round."""
    picks = {"largest": "smallest", "smallest": "largest", "first": "first"}

    def alternative(old: Alternative) -> Alternative:
        turned = (
            attrs.evolve(item, direction=type(item.direction)(picks[item.direction.value]))
            if isinstance(item, Pick)
            else item
            for item in old.sets
        )
        return Alternative(tuple(turned))

    return attrs.evolve(
        problem,
        rules=tuple(
            attrs.evolve(rule, alternatives=tuple(map(alternative, rule.alternatives))) for rule in problem.rules
        ),
    )


FAULTS: dict[str, Callable[[Problem], Problem]] = {
    "ceil as floor": operator(Op.FLOORDIV, Op.CEILDIV),
    "floor as ceil": operator(Op.CEILDIV, Op.FLOORDIV),
    "< as <=": operator(Op.LE, Op.LT),
    "> as >=": operator(Op.GE, Op.GT),
    "<= as <": operator(Op.LT, Op.LE),
    ">= as >": operator(Op.GT, Op.GE),
    "and as or": operator(Op.OR, Op.AND),
    "implies as its converse": everywhere(
        lambda expr: Apply(Op.IMPLIES, expr.args[::-1]) if isinstance(expr, Apply) and expr.op is Op.IMPLIES else expr
    ),
    "with, one change after the other": everywhere(one_after_the_other),
    "before left out": everywhere(without_before),
    "tables shifted": everywhere(next_entry),
    "printed numbers rounded down": in_evidence(rounded_down),
    "keeps of rules left out": without_rule_keeps,
    "keeps of the system left out": lambda problem: attrs.evolve(problem, keeps=()),
    "keeps in any sense as equal": keeps(lambda keep: attrs.evolve(keep, sense=Sense.EQUAL)),
    "keeps of fields bind always": keeps(lambda keep: attrs.evolve(keep, field=None)),
    "last hidden value left out": without_last_hidden_value,
    "preference turned round": worst_first,
    "alternatives left out": first_alternatives,
    "largest as smallest": other_end,
    "rules in another order": lambda problem: attrs.evolve(problem, rules=problem.rules[::-1]),
    "requires left out": lambda problem: attrs.evolve(problem, valid=Const(True)),
    "sounds left out": lambda problem: attrs.evolve(problem, sound=Const(True)),
    "last observation left out": lambda problem: attrs.evolve(problem, observations=problem.observations[:-1]),
}


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
  }
  log {
    event hums when on implies a < g "it hums" { attr tone = a * b says "hum" }
    event rattles when strain >= 4 or (a > h and on) "it rattles" { says "rattle" }
  }
  require a + b <= 6
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
