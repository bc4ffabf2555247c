"""A lowered problem against its sources, on many worlds: drawn ones, and ones on the boundaries of its comparisons.

In: a system plan. Out: what the two say differently, in words. `confirm` holds each task against its sources too, but a
task shows one world, which lies far from what decides it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from compiler.plan import SystemPlan
from dsl.checked import CheckedRule, CheckedSystem, read_by_sets
from dsl.meaning.expressions import PlainValue, RunState, interpret, plain_value, plain_world
from dsl.meaning.walks import follow_runbook, sound_run, stated_run, valid_run
from dsl.value_types import FLAG, ValueType
from solvers.counting.boundaries import boundary_worlds
from solvers.counting.tables import Tables
from solvers.evaluate import Value, relations, run_walk, value
from solvers.outcome import Assignment
from solvers.problem import Problem, Rule, prescribed

_Rule = TypeVar("_Rule", CheckedRule, Rule)

_Expression = tuple[str, ValueType, PlainValue, Value]
"""Name and type of an expression, its value by the sources and as lowered."""

_Walk = tuple[str, tuple[str, ...], dict[str, PlainValue]]
"""How a walk ends, its codes, and the fix."""


def lowering_denied(plan: SystemPlan) -> Iterator[tuple[Assignment, str]]:
    """Yield the worlds on which a system and its lowered problem differ, each with what differs."""
    assert plan.checked is not None, "the plan of a task comes from sources"
    if _outline(plan.checked.rules, read_by_sets) != _outline(plan.problem.rules, prescribed):
        yield {}, "the lowered rules aren't those of the sources"
        return
    worlds = list(boundary_worlds(Tables(plan.problem)))
    for world, other in itertools.pairwise([*worlds, *worlds[:1]]):
        yield from ((world, denied) for denied in _differences(plan.checked, plan.problem, world, (world, other)))


def _outline(rules: Sequence[_Rule], sets: Callable[[_Rule], Iterator[object]]) -> list[tuple[str, int]]:
    return [(rule.name, sum(1 for _ in sets(rule))) for rule in rules]


def _differences(
    system: CheckedSystem, problem: Problem, world: Assignment, earlier: Iterable[Assignment]
) -> Iterator[str]:
    """Say what the sources make of a world where the lowered problem makes something else of it.

    Args:
        earlier: Worlds that guards and prescriptions look back at, each in turn.
    """
    run = RunState(system, plain_world(system, world))
    coded = relations(problem, world)
    expressions = (
        *((f"`{each.name}`", each.type, run.relation(each.name), coded[each.name]) for each in system.relations),
        *(expression for start in earlier for expression in _of_rules(run, problem, world, start)),
        ("whether the run exists", FLAG, valid_run(run), value(problem, problem.valid, world)),
        ("whether the page allows the run", FLAG, stated_run(run), value(problem, problem.stated, world)),
        ("whether the run is sound", FLAG, sound_run(run), value(problem, problem.sound, world)),
    )
    for name, type_, meant, given in expressions:
        if meant != plain_value(int(given), type_):
            yield f"{name} is {meant} by the sources, and {plain_value(int(given), type_)} as lowered"
    mine, theirs = _walk_by_sources(run), _walk_as_lowered(system, problem, world)
    if mine != theirs:
        yield f"the walk is {mine} by the sources, and {theirs} as lowered"


def _of_rules(run: RunState, problem: Problem, world: Assignment, earlier: Assignment) -> Iterator[_Expression]:
    """Guards, and what prescriptions read, as if the rule had fired in this world."""
    start = RunState(run.system, plain_world(run.system, earlier))
    for rule, lowered in zip(run.system.rules, problem.rules, strict=True):
        named = [("the guard", rule.guard, lowered.guard)]
        named += [
            (f"set {number}", meant, given)
            for number, (meant, given) in enumerate(zip(read_by_sets(rule), prescribed(lowered), strict=True), start=1)
        ]
        for name, meant, given in named:
            yield (
                f"{name} of rule `{rule.name}`",
                meant.type,
                interpret(meant, run, start),
                value(problem, given, world, before=earlier),
            )


def _walk_by_sources(run: RunState) -> _Walk:
    walk = follow_runbook(run)
    return walk.ending.value, walk.codes, walk.fix


def _walk_as_lowered(system: CheckedSystem, problem: Problem, world: Assignment) -> _Walk:
    walk = run_walk(problem, world)
    fix = {name: plain_value(new, system.variable(name).type) for name, new in walk.fix}
    return walk.ending.value, walk.codes, fix
