"""Lints that look at worlds: rules that don't fire, walks that loop, values that mean the same.

In: a plan and the checked program that it came from. Out: warnings, since what a sample shows is no proof. The
sample is the same on each run: it depends on the names and domains of a system alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs
import numpy as np

from compiler.plan import ProgramPlan
from dsl.checked import CheckedProgram, CheckedSystem
from dsl.diagnostics.diagnostic import Diagnostic, Severity, sort_diagnostics
from dsl.value_types import value_text
from gpu_train_debug.wording import listed
from solvers.counting.blocks import drawn_worlds, valid_blocks
from solvers.counting.expand import before_name
from solvers.counting.tables import BatchValue, IntArray, Tables
from solvers.counting.walks import Group, walk_batch, world_at
from solvers.evaluate import run_walk, value
from solvers.outcome import Ending
from solvers.problem import Expr, Problem, RelationValue, Var, prescribed
from solvers.streams import Stream, key_of

DRAWN: Final = 8192
"""How many worlds of a system are drawn; those that aren't valid are left out."""

WORLDS_SAMPLED: Final = 512
"""In how many of them the values of a field are compared."""


def sampled_lints(plan: ProgramPlan, checked: CheckedProgram) -> tuple[Diagnostic, ...]:
    """Run every lint on every system; diagnostics by place."""
    found: list[Diagnostic] = []
    for name, system in checked.systems.items():
        shown = {code for each in checked.archetypes.values() if each.system == name
                 for example in each.examples for code in example.codes}  # fmt: skip
        found.extend(_lint(plan.systems[name].problem, system, shown))
    return sort_diagnostics(found)


def _lint(problem: Problem, system: CheckedSystem, shown: set[str]) -> Iterator[Diagnostic]:
    tables = Tables(problem)
    worlds = draw_worlds(tables)
    if worlds.count == 0:
        yield Diagnostic(
            "W446",
            f"none of {DRAWN} worlds drawn from `{system.name}` is valid",
            system.span,
            "`require` excludes them",
            helps=("choose domains of which more combinations are valid",),
            severity=Severity.WARNING,
        )
        return
    groups = walk_batch(tables, worlds.state, worlds.count)
    yield from _silent_rules(groups, worlds.count, system, shown)
    yield from _loops(groups, worlds.count, problem, system)
    yield from _aliases(tables, worlds, system)


@attrs.frozen(eq=False)
class Worlds:
    """Valid worlds: an array with `count` entries for each variable."""

    state: dict[str, IntArray]
    count: int


def draw_worlds(tables: Tables, drawn: int = DRAWN) -> Worlds:
    """Draw worlds uniformly, and leave out those that aren't valid."""
    problem = tables.problem
    state: dict[str, BatchValue] = {}
    for block in valid_blocks(tables):  # each from a stream of its own, so that another block changes no value
        if not len(block.rows):
            return Worlds({}, 0)
        state |= drawn_worlds([block], Stream(key_of("lint", problem.name, *block.names)), drawn)
    valid = np.broadcast_to(tables.evaluate([problem.valid], state)[0], (drawn,))
    return Worlds({name: np.asarray(values)[valid] for name, values in state.items()}, int(valid.sum()))


# ------------------------------------------------------------------ walks


def _silent_rules(groups: list[Group], count: int, system: CheckedSystem, shown: set[str]) -> Iterator[Diagnostic]:
    """Rules that fire in no sampled walk and in no example."""
    fired = {step.rule for group in groups for step in group.steps}
    for number, rule in enumerate(system.rules):
        if number not in fired and rule.code not in shown:
            yield Diagnostic(
                "W447",
                f"rule `{rule.name}` fires in none of {count} sampled walks",
                rule.guard.span,
                "this is rarely true, or an earlier rule is always before it",
                helps=("give an archetype with this fault an example",),
                severity=Severity.WARNING,
            )


def _loops(groups: list[Group], count: int, problem: Problem, system: CheckedSystem) -> Iterator[Diagnostic]:
    """Rules that fire a second time in some sampled walk."""
    repeated: dict[int, list[Group]] = {}
    for group in groups:
        if group.ending is Ending.REPEATED:
            last = world_at(group.final, 0)
            start = world_at(group.start, 0)
            guards = [value(problem, each.guard, last, before=start) for each in problem.rules]
            rule = guards.index(True)
            repeated.setdefault(rule, []).append(group)
    for rule, looping in sorted(repeated.items()):
        worlds = sum(len(group.rows) for group in looping)
        walk = run_walk(problem, world_at(looping[0].start, 0))
        steps = [f"{system.rules[step.rule].code} sets {_changes(dict(step.sets), system)}" for step in walk.steps]
        yield Diagnostic(
            "W445",
            f"rule `{system.rules[rule].name}` fires twice in {worlds} of {count} sampled walks",
            system.rules[rule].guard.span,
            "true again after its own fix",
            notes=("for example: " + ", then ".join(steps), f"there, {_changes(dict(walk.start), system)}"),
            helps=("let the guard also ask that the prescription suffices, or add an alternative",),
            severity=Severity.WARNING,
        )


def _changes(values: dict[str, int], system: CheckedSystem) -> str:
    return ", ".join(f"{name} = {value_text(new, system.variable(name).type)}" for name, new in values.items())


# ------------------------------------------------------------------ aliases


def _aliases(tables: Tables, worlds: Worlds, system: CheckedSystem) -> Iterator[Diagnostic]:
    """Values of an editable field between which nothing tells; a field without any effect may be a decoy."""
    problem = tables.problem
    few = {name: values[:WORLDS_SAMPLED] for name, values in worlds.state.items()}
    prescribed = {item.field for rule in problem.rules for each in rule.alternatives for item in each.sets}
    for variable in problem.editable:
        exprs = [expr for expr in _consequences(problem) if expr != Var(variable.name)]
        groups: dict[bytes, list[int]] = {}
        for new in variable.domain:
            groups.setdefault(_outcome(tables, exprs, {**few, variable.name: new}), []).append(new)
        if len(groups) == 1 and variable.name not in prescribed:
            continue
        checked = system.variable(variable.name)
        for same in groups.values():
            if len(same) > 1:
                names = [value_text(each, checked.type) for each in same]
                yield Diagnostic(
                    "W443",
                    f"values of `{variable.name}` that mean the same run: {listed(names)}",
                    checked.span,
                    "nothing tells them apart",
                    notes=(f"compared in {min(WORLDS_SAMPLED, worlds.count)} sampled worlds",),
                    helps=("leave one out, or let something depend on the difference",),
                    severity=Severity.WARNING,
                )


def _consequences(problem: Problem) -> Iterator[Expr]:
    """All that can depend on a field."""
    for name, definition in problem.relations:
        yield RelationValue(name, definition.sort)
    yield from (problem.valid, problem.sound)
    yield from (observation.value for observation in problem.observations)
    for rule in problem.rules:
        yield rule.guard
        yield from prescribed(rule)


def _outcome(tables: Tables, exprs: list[Expr], state: dict[str, int | IntArray]) -> bytes:
    before = {before_name(name): cell for name, cell in state.items()}
    values = tables.evaluate(exprs, {**state, **before})
    size = max((len(cell) for cell in state.values() if not isinstance(cell, int)), default=1)
    return b"".join(np.broadcast_to(each.astype(np.int64), (size,)).tobytes() for each in values)
