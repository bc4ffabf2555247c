"""Runs inline examples: does the reference evaluator give what the author wrote down?

In: a plan and the checked program that it came from. Out: a diagnostic for every example that gives
something else, with the numbers that were found.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.frontend.walk_notes import broken_requires, codes_text, ending_text, fix_text, walk_notes
from compiler.plan import ProgramPlan, SystemPlan
from dsl.checked import CheckedExample, CheckedProgram, CheckedSystem
from dsl.diagnostics.diagnostic import Diagnostic, Severity, sort_diagnostics
from dsl.value_types import value_text
from solvers.evaluate import relations, run_walk, value
from solvers.outcome import Walk
from solvers.problem import Expr

_CORRECT = "correct the example if the runbook is right, and the rules or their order if it isn't"


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
        yield Diagnostic(
            "E430",
            "the example's world doesn't exist",
            example.span,
            "this breaks a `require`",
            notes=tuple(f"broken: {text}" for text in broken_requires(plan, world)),
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
    yield from _answered(example, walk, plan, system)


def _shown(example: CheckedExample, plan: SystemPlan, system: CheckedSystem) -> Iterator[Diagnostic]:
    values = relations(plan.problem, dict(example.world))
    for name, expected, span in example.shows:
        type_, found = system.relation(name).type, int(values[name])
        if found != expected:
            yield Diagnostic(
                "E433",
                f"`{name}` is {value_text(found, type_)} here, not {value_text(expected, type_)}",
                span,
                f"expected {value_text(expected, type_)} here",
            )


def _answered(example: CheckedExample, walk: Walk, plan: SystemPlan, system: CheckedSystem) -> Iterator[Diagnostic]:
    code, expected = "E431", codes_text(example.codes)
    if not walk.gives_task:
        message = f"this example can't be a task: {ending_text(walk, plan, system)}"
    elif set(walk.codes) != set(example.codes):
        message = f"the runbook diagnoses this example as {codes_text(walk.codes)}"
    elif walk.fix != example.fix:
        code, expected = "E432", fix_text(example.fix, system)
        message = f"the runbook fixes this example with {fix_text(walk.fix, system)}"
    else:
        return
    label = f"the example says {expected}"
    notes = walk_notes(example.codes, walk, plan, system)
    yield Diagnostic(code, message, example.codes_span, label, notes=notes, helps=(_CORRECT,))
