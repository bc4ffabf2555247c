"""Lints of a system's page: what it needn't say, and whether it is too long.

In: a plan and the checked program that it came from. Out: warnings. What decides an answer is what
`compiler.emit.prompt.slice` finds: nothing else can change one.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.emit.prompt.handbook import handbook_text
from compiler.emit.prompt.slice import (
    ExplainedEvent,
    Slice,
    answering_variables,
    open_variables,
    slice_of,
    variables_behind,
)
from compiler.plan import ProgramPlan, SystemPlan
from dsl.checked import CheckedProgram, CheckedSystem
from dsl.diagnostics.diagnostic import Diagnostic, Severity
from dsl.source import Span
from gpu_train_debug.stats.promises import HANDBOOK_MOST
from gpu_train_debug.stats.tokens import token_counter
from gpu_train_debug.wording import listed


def page_lints(plan: ProgramPlan, checked: CheckedProgram) -> tuple[Diagnostic, ...]:
    """Handbooks that are too long, and stated conditions that no answer depends on."""
    return tuple(
        found
        for name, system in plan.systems.items()
        for found in (*_long_handbook(system), *_idle_conditions(system, checked.systems[name]))
    )


def undecided_parts(plan: ProgramPlan, checked: CheckedProgram) -> tuple[Diagnostic, ...]:
    """Relations, profiler values, events and attributes that no answer depends on: a page doesn't explain them."""
    return tuple(
        Diagnostic(
            code="W454",
            severity=Severity.WARNING,
            message=f"no answer depends on {what}",
            span=span,
            label="declared here",
            helps=(
                "pages print it without an explanation if it is shown at all; remove it if it isn't there for looks",
            ),
        )
        for name, system in plan.systems.items()
        for what, span in _idle_parts(slice_of(system), checked.systems[name])
    )


def _long_handbook(system: SystemPlan) -> Iterator[Diagnostic]:
    tokens = token_counter(estimate=True).count(handbook_text(system))
    if tokens > HANDBOOK_MOST:
        yield Diagnostic(
            code="W453",
            severity=Severity.WARNING,
            message=f"the handbook of system `{system.name}` has about {tokens:,} tokens",
            span=system.span,
            label=f"at most {HANDBOOK_MOST:,} are wanted",
            helps=("shorten texts and names, merge relations, or leave out what no answer depends on (`--unneeded`)",),
        )


def _idle_conditions(system: SystemPlan, checked: CheckedSystem) -> Iterator[Diagnostic]:
    """Conditions on what a page prints anyway, so that all that fits it satisfies them, or on what nothing reads."""
    hidden, deciding = open_variables(system), answering_variables(system)
    stated = [condition for condition in checked.requires if condition.stated]
    for condition, (text, expr) in zip(stated, system.stated, strict=True):
        told = variables_behind(system, (expr,)) & hidden
        if not told & deciding:
            names = listed(sorted(told))
            why = f"nothing else depends on {names}" if told else "it says nothing about what a page leaves open"
            yield Diagnostic(
                code="W454",
                severity=Severity.WARNING,
                message=f"no answer depends on the stated condition `{text}`",
                span=condition.span,
                label=why,
                helps=("write `require` without `stated`: then it narrows the draw, and the page doesn't print it",),
            )


def _idle_parts(needed: Slice, checked: CheckedSystem) -> Iterator[tuple[str, Span]]:
    for relation in checked.relations:
        if relation.name not in needed.relations | needed.values:
            what = "profiler value" if relation.profiler else "relation"
            yield f"{what} `{relation.name}`", relation.span
    for event in checked.events:
        explained = needed.events.get(event.name, ExplainedEvent())
        if not explained:
            yield f"event `{event.name}`", event.span
            continue
        for attribute in event.attributes:
            if attribute.name not in explained.attributes:
                yield f"attribute `{event.name}.{attribute.name}`", attribute.span
