"""P1 to P4 exactly as they are defined, by plain evaluation of every world and repair. For small problems only."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import attrs
from strategies.problems import all_worlds

from solvers.evaluate import cost, is_repair, named_fields, observe, run_walk, value
from solvers.outcome import Assignment, Claim, Uniqueness, Verdict, Walk
from solvers.problem import Kind, Problem


@attrs.frozen
class Judgement:
    """The truth about the evidence class of a world."""

    verdict: Verdict
    worlds: tuple[Assignment, ...]
    refuted: Claim | None = None
    uniqueness: Uniqueness | None = None


def evidence_worlds(problem: Problem, world: Assignment) -> tuple[Assignment, ...]:
    """List the worlds with the config and the observations of `world` that the page allows."""
    seen = observe(problem, world)
    config = [variable.name for variable in problem.of_kind(Kind.CONFIG)]
    return tuple(
        other
        for other in all_worlds(problem)
        if all(other[name] == world[name] for name in config)
        and observe(problem, other) == seen
        and value(problem, problem.stated, other)
    )


def judge(problem: Problem, world: Assignment) -> Judgement:
    """Decide P1 to P3 for the evidence class of `world`."""
    worlds = evidence_worlds(problem, world)
    if not worlds or not value(problem, problem.valid, world):
        return Judgement(Verdict.VACUOUS, worlds)
    walk = run_walk(problem, world)
    told = [run_walk(attrs.evolve(problem, valid=problem.stated), other) for other in worlds]
    if any(not other.gives_task or other.answer != walk.answer for other in (walk, *told)):
        return Judgement(Verdict.AMBIGUOUS, worlds, Claim.P1)
    walks = [other for other in told if value(problem, problem.valid, other.start)]
    fix = dict(walk.fix)
    if not all(is_repair(problem, other, fix) for other in walks):
        return Judgement(Verdict.AMBIGUOUS, worlds, Claim.P2)
    named = set(named_fields(problem, *told))
    found = list(rivals(problem, walk, walks))
    over_named = [rival for rival in found if rival.keys() <= named]
    price = cost(problem, world, fix)
    if any(cost(problem, world, rival) <= price for rival in over_named):
        return Judgement(Verdict.AMBIGUOUS, worlds, Claim.P3)
    level = Uniqueness.PREFERRED if over_named else Uniqueness.NAMED if found else Uniqueness.ANY
    return Judgement(Verdict.UNIQUE, worlds, uniqueness=level)


def rivals(problem: Problem, walk: Walk, walks: Sequence[Walk]) -> Iterator[dict[str, int]]:
    """Yield the repairs of all `walks`, other than the fix and with no more changes, over all editable fields."""
    fields = problem.editable
    fix = dict(walk.fix)
    for values in itertools.product(*(field.domain for field in fields)):
        pairs = zip(fields, values, strict=True)
        repair = {field.name: new for field, new in pairs if new != walk.start[field.name]}
        if len(repair) <= len(fix) and repair != fix and all(is_repair(problem, other, repair) for other in walks):
            yield repair


def with_other_codes(problem: Problem, world: Assignment, channels: Sequence[str]) -> list[Assignment]:
    """List the worlds that give a task with other codes than `world` and show the same in `channels` (P4)."""
    shown = [place for place, seen in enumerate(problem.observations) if seen.channel in channels]
    here, codes = observe(problem, world), run_walk(problem, world).answer.codes
    found: list[Assignment] = []
    for other in all_worlds(problem):
        there = observe(problem, other)
        if all(here[place] == there[place] for place in shown):
            walk = run_walk(problem, other)
            if walk.gives_task and walk.answer.codes != codes:
                found.append(other)
    return found
