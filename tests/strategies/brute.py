"""P1 to P3 from their definitions alone: every world, every repair, in plain evaluation."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

from strategies.problems import all_worlds

from solvers import evaluate
from solvers.outcome import Assignment, Uniqueness, Verdict
from solvers.problem import Problem

Decision = tuple[Verdict, Uniqueness | None]
AMBIGUOUS: Decision = (Verdict.AMBIGUOUS, None)


def decide(problem: Problem, world: Assignment) -> Decision:
    """Say what there is to prove about `world`, and at which level."""
    if not evaluate.value(problem, problem.valid, world):
        return Verdict.VACUOUS, None
    walk = evaluate.run_walk(problem, world)
    seen = evaluate.observe(problem, world)
    members = [
        evaluate.run_walk(problem, other)
        for other in all_worlds(problem)
        if evaluate.value(problem, problem.valid, other) and evaluate.observe(problem, other) == seen
    ]
    if not all(other.gives_task and other.answer == walk.answer for other in members):
        return AMBIGUOUS
    fix, start = dict(walk.fix), walk.start

    def mends_all(repair: Assignment) -> bool:
        return all(evaluate.is_repair(problem, other, repair) for other in members)

    def rival(fields: Iterable[str], cheap: Callable[[Assignment], bool]) -> bool:
        names = tuple(fields)
        for values in itertools.product(*(problem.variable(name).domain for name in names)):
            repair = {name: value for name, value in zip(names, values, strict=True) if value != start[name]}
            if repair != fix and cheap(repair) and mends_all(repair):
                return True
        return False

    def no_dearer(repair: Assignment) -> bool:
        return evaluate.cost(problem, start, repair) <= evaluate.cost(problem, start, fix)

    def few(repair: Assignment) -> bool:
        return len(repair) <= len(fix)

    named = evaluate.named_fields(problem, walk)
    if not mends_all(fix) or rival(named, no_dearer):
        return AMBIGUOUS
    if not rival((variable.name for variable in problem.editable), few):
        return Verdict.UNIQUE, Uniqueness.ANY
    return Verdict.UNIQUE, Uniqueness.PREFERRED if rival(named, few) else Uniqueness.NAMED
