"""From paths to a program plan: load, check, lower, run the inline examples and the sampled lints.

In: files or folders. Out: a `ProgramPlan`, or none if there are errors, and every diagnostic of the last
stage that ran, sorted by place. The only module that knows the order of these stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from compiler.emit.prompt.render import Renderer
from compiler.emit.prompt.text import unprintable_texts
from compiler.frontend.examples import run_examples
from compiler.frontend.lower import lower_program
from compiler.frontend.sampled_lints import sampled_lints
from compiler.plan import ProgramPlan
from compiler.reader import ReadError, read_prompt
from compiler.splits import not_unseen
from dsl.diagnostics.diagnostic import Diagnostic, Severity
from dsl.program import check_program
from dsl.syntax.loader import load
from solvers.evaluate import observe


@attrs.frozen
class Frontend:
    """What the sources say; `plan` is None where an error stands in the way."""

    plan: ProgramPlan | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def failed(self) -> bool:
        return self.plan is None or has_errors(self.diagnostics)


def has_errors(diagnostics: Sequence[Diagnostic]) -> bool:
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)


def run_frontend(paths: Sequence[Path], *, root: Path | None = None, lints: bool = True) -> Frontend:
    """Load and check `paths`.

    Args:
        root: Folder that imports may not leave; by default as `dsl.syntax.loader` says.
        lints: Also run the inline examples and the lints that sample worlds.
    """
    loaded = load(paths, root=root)
    if has_errors(loaded.diagnostics):
        return Frontend(None, loaded.diagnostics)
    checked, diagnostics = check_program(loaded)
    if checked is None or has_errors(diagnostics):
        return Frontend(None, loaded.diagnostics + diagnostics)
    plan = lower_program(checked, loaded)
    found = loaded.diagnostics + diagnostics + _unprintable(plan) + _not_unseen(plan)
    if lints and not has_errors(found):
        found += _unreadable(plan)
        found += run_examples(plan, checked) + sampled_lints(plan, checked)
    return Frontend(plan, found)


def _not_unseen(plan: ProgramPlan) -> tuple[Diagnostic, ...]:
    """Uses of a split that can't keep its promise to be unseen in another."""
    return tuple(
        Diagnostic(
            code="E451",
            message=f"`{name}` in split `{split.name}` isn't unseen in split `{other}`",
            span=plan.archetypes[name].span,
            label="declared here",
            notes=(
                "neither its codes are a pair that is new there, nor are its worlds in a region that is avoided there",
            ),
            helps=(f"use it in another split, or let `{split.name}` be `within` a region that `{other}` avoids",),
        )
        for dataset in plan.datasets.values()
        for split, name, other in not_unseen(plan, dataset)
    )


def _unreadable(plan: ProgramPlan) -> tuple[Diagnostic, ...]:
    """Systems whose prompts the independent reader can't read within its limits; any world shows whether."""
    found = []
    for system in plan.systems.values():
        world = {variable.name: variable.domain[0] for variable in system.problem.variables}
        try:
            read_prompt(Renderer(system).render(observe(system.problem, world), lambda _: 0))
        except ReadError as error:
            found.append(
                Diagnostic(
                    code="E452",
                    message=f"prompts of system `{system.name}` can't be read within the reader's limits",
                    span=system.span,
                    label="this system",
                    notes=(str(error),),
                    helps=(
                        "make hidden domains, tables or formulas smaller: an independent reader reads every prompt",
                    ),
                )
            )
    return tuple(found)


def _unprintable(plan: ProgramPlan) -> tuple[Diagnostic, ...]:
    """Texts that would break the form of a prompt."""
    return tuple(
        Diagnostic(
            code="E450",
            message=f"{text.place} can't be printed: it has {text.reason}",
            span=system.span,
            label="in this system",
            helps=("prompts set formulas in backticks and parts apart by signs; write the text without them",),
        )
        for system in plan.systems.values()
        for text in unprintable_texts(system)
    )
