"""Runs inline examples: does the reference evaluator give what the author wrote down?

In: a plan and the checked program that it came from. Out: a diagnostic for every example that comes out
otherwise, with the numbers that were found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiler.plan import ProgramPlan, SystemPlan
from dsl.checked import CheckedExample, CheckedProgram, CheckedSystem
from dsl.diagnostics import Diagnostic, Severity, sort_diagnostics
from dsl.domains import value_text
from solvers.evaluate import relations, run_walk, value
from solvers.outcome import Ending, Walk
from solvers.problem import Expr

_ENDINGS: Mapping[Ending, str] = {
    Ending.INVALID: "a state on the way breaks a `require`",
    Ending.UNCOVERED: "the run is not sound, and no rule fires",
    Ending.REPEATED: "a rule fires twice",
    Ending.NO_VALUE: "no alternative of the rule that fires has a value",
    Ending.TOO_MANY: "a third rule fires",
    Ending.UNSOUND: "the run is not sound after the last fix, and no rule fires",
    Ending.EMPTY_FIX: "the fixes undo each other",
}


def run_examples(plan: ProgramPlan, checked: CheckedProgram) -> tuple[Diagnostic, ...]:
    """Run every example of every archetype; diagnostics by place."""
    found: list[Diagnostic] = []
    for name, archetype in checked.archetypes.items():
        system, where = checked.systems[archetype.system], plan.archetypes[name].where
        for example in archetype.examples:
            found.extend(_run(example, plan.systems[archetype.system], system, where))
    return sort_diagnostics(found)


def _run(example: CheckedExample, plan: SystemPlan, system: CheckedSystem, where: Expr) -> Iterator[Diagnostic]:
    world = dict(example.world)
    if not value(plan.problem, plan.problem.valid, world):
        broken = [
            text or "a `require`" for text, condition in plan.requires if not value(plan.problem, condition, world)
        ]
        yield Diagnostic(
            "E430",
            "the example's world doesn't exist",
            example.span,
            "this breaks a `require`",
            notes=tuple(f"broken: {text}" for text in broken),
        )
        return
    yield from _shown(example, plan, system)
    if not value(plan.problem, where, world):
        yield Diagnostic(
            "W452",
            "the example lies outside its archetype",
            example.span,
            "a `where` doesn't hold here",
            severity=Severity.WARNING,
        )
    walk = run_walk(plan.problem, world)
    yield from _answered(example, walk, system)


def _shown(example: CheckedExample, plan: SystemPlan, system: CheckedSystem) -> Iterator[Diagnostic]:
    values = relations(plan.problem, dict(example.world))
    for name, expected, span in example.shows:
        type_, found = system.relation(name).type, int(values[name])
        if found != expected:
            yield Diagnostic(
                "E433",
                f"`{name}` is {value_text(found, type_)} here, not {value_text(expected, type_)}",
                span,
                f"found {value_text(found, type_)}",
            )


def _answered(example: CheckedExample, walk: Walk, system: CheckedSystem) -> Iterator[Diagnostic]:
    path = _path(walk, system)
    if not walk.gives_task:
        yield Diagnostic(
            "E431",
            f"the walk of this example gives no task: {_ENDINGS[walk.ending]}",
            example.codes_span,
            f"expected {_codes_text(example.codes)}",
            notes=path,
        )
    elif set(walk.codes) != set(example.codes):
        yield Diagnostic(
            "E431",
            f"the walk reports {_codes_text(walk.codes)}",
            example.codes_span,
            f"expected {_codes_text(example.codes)}",
            notes=path,
        )
    elif walk.fix != example.fix:
        yield Diagnostic(
            "E432",
            f"the fix is {_fix_text(walk.fix, system)}",
            example.codes_span,
            f"expected {_fix_text(example.fix, system)}",
            notes=path,
        )


def _path(walk: Walk, system: CheckedSystem) -> tuple[str, ...]:
    """The steps of the walk, one line each."""
    return tuple(
        f"step {number}: {system.rules[step.rule].code} sets {_fix_text(tuple(step.sets.items()), system)}"
        for number, step in enumerate(walk.steps, start=1)
    )


def _codes_text(codes: tuple[str, ...]) -> str:
    return " + ".join(codes) or "HEALTHY"


def _fix_text(fix: tuple[tuple[str, int], ...], system: CheckedSystem) -> str:
    changes = [f"{name} = {value_text(new, system.variable(name).type)}" for name, new in fix]
    return "{ " + ", ".join(changes) + " }" if changes else "empty"
