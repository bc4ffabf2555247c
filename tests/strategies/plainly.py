"""Plain interpretation of a checked system held against the reference evaluator on its lowered form."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from dsl.checked import CheckedSystem
from dsl.meaning.evidence import printed_facts
from dsl.meaning.expressions import PlainValue, RunState, plain_value, plain_world
from dsl.meaning.repairs import repair_cost, why_no_repair
from dsl.meaning.walks import PlainWalk, follow_runbook, follow_told_runbook, sound_run, stated_run, valid_run
from dsl.value_types import Enumeration, ValueType
from solvers.evaluate import cost, failing, named_fields, observe, relations, run_walk, told_walk, value
from solvers.outcome import Walk
from solvers.problem import Problem

WorldCodes = Mapping[str, int]
"""A world as the problem has it: members of enumerations are numbers there, and flags 0 and 1."""


def drawn_worlds(system: CheckedSystem, draw: random.Random, count: int) -> Iterator[dict[str, int]]:
    """Worlds over the domains of the checked system."""
    for _ in range(count):
        yield {variable.name: draw.choice(variable.domain) for variable in system.variables}


def drawn_change(system: CheckedSystem, draw: random.Random) -> dict[str, int]:
    """A change of up to three config variables, locked ones too."""
    fields = [variable for variable in system.variables if variable.kind == "config"]
    chosen = draw.sample(fields, draw.randint(0, min(3, len(fields))))
    return {field.name: draw.choice(field.domain) for field in chosen}


def coded(system: CheckedSystem, changes: Mapping[str, PlainValue]) -> dict[str, int]:
    """Plain values of variables as the problem has them."""
    return {name: code_of(new, system.variable(name).type) for name, new in changes.items()}


def code_of(value_: PlainValue | None, type_: ValueType) -> int:
    if value_ is None:
        return 0
    return type_.members.index(str(value_)) if isinstance(type_, Enumeration) else int(value_)


def differences(system: CheckedSystem, problem: Problem, world: WorldCodes, draw: random.Random) -> list[str]:
    """What the two say differently of a world and of some changes of it, by the name of what is compared."""
    run = RunState(system, plain_world(system, world))
    walk, reference = follow_runbook(run), run_walk(problem, world)
    compared = {
        "variables": (_variables_by_sources(system), _variables_by_problem(problem)),
        "relations": (_relations_by_sources(run), {name: int(got) for name, got in relations(problem, world).items()}),
        "valid": (valid_run(run), value(problem, problem.valid, world)),
        "sound": (sound_run(run), value(problem, problem.sound, world)),
        "evidence": (_evidence_by_sources(run), _evidence_by_problem(problem, world)),
        "stated": (stated_run(run), value(problem, problem.stated, world)),
        "told walk": (
            _walk_by_sources(follow_told_runbook(run)),
            _walk_by_problem(problem, told_walk(problem, world)),
        ),
        "walk": (_walk_by_sources(walk), _walk_by_problem(problem, reference)),
    }
    for change in (dict(reference.fix), *(drawn_change(system, draw) for _ in range(4))):
        plain = {name: plain_value(new, system.variable(name).type) for name, new in change.items()}
        flaws = why_no_repair(walk, plain), failing(problem, reference, change)
        compared[f"repair {sorted(change.items())}"] = flaws
        if not any("editable" in flaw for flaw in flaws[0]):
            compared[f"cost {sorted(change.items())}"] = (repair_cost(run, plain), cost(problem, world, change))
    return [f"{what}: {mine} != {theirs}" for what, (mine, theirs) in compared.items() if mine != theirs]


def _variables_by_sources(system: CheckedSystem) -> list[Any]:
    return [(each.name, each.kind, each.domain, each.editable, each.preference) for each in system.variables]


def _variables_by_problem(problem: Problem) -> list[Any]:
    return [(each.name, each.kind.value, each.domain, each.editable, each.preference) for each in problem.variables]


def _relations_by_sources(run: RunState) -> dict[str, int]:
    return {each.name: code_of(run.relation(each.name), each.type) for each in run.system.relations}


def _evidence_by_sources(run: RunState) -> list[tuple[str, str, int]]:
    types: dict[str, ValueType | None] = {
        each.name: each.type for each in (*run.system.variables, *run.system.relations)
    }
    for line in (line for event in run.system.events for line in event.lines):
        types |= {f"{line.name}.{each.name}": each.type for each in line.attributes}
    facts = []
    for fact in printed_facts(run):
        type_ = types.get(fact.name)
        facts.append((fact.channel, fact.name, int(fact.value or 0) if type_ is None else code_of(fact.value, type_)))
    return facts


def _evidence_by_problem(problem: Problem, world: WorldCodes) -> list[tuple[str, str, int]]:
    observed = zip(problem.observations, observe(problem, world), strict=True)
    return [(observation.channel, observation.name, seen) for observation, seen in observed]


def _walk_by_sources(walk: PlainWalk) -> Any:
    system = walk.start.system
    steps = [
        (step.rule.name, step.alternative, coded(system, step.fired_in.world), coded(system, step.sets))
        for step in walk.steps
    ]
    fix, final = coded(system, walk.fix), coded(system, walk.final.world)
    return walk.ending.value, walk.codes, steps, final, list(fix.items()), walk.named_fields


def _walk_by_problem(problem: Problem, walk: Walk) -> Any:
    steps = [
        (problem.rules[step.rule].name, step.alternative, dict(step.before), dict(step.sets)) for step in walk.steps
    ]
    named = frozenset(named_fields(problem, walk))
    return walk.ending.value, walk.codes, steps, dict(walk.final), list(walk.fix), named
