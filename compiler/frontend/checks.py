"""The checks of a plan, as data: everything that is refused or warned of after the lowering.

In: a plan and the checked program that it came from. Out: diagnostics. `PLAN_CHECKS` look at the plan alone;
`WORLD_CHECKS` evaluate worlds, take longer, and rely on a plan without errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from compiler.emit.prompt.printable import unprintable_texts
from compiler.emit.prompt.render import Renderer
from compiler.frontend.cases import run_cases
from compiler.frontend.examples import run_examples
from compiler.frontend.page_lints import page_lints
from compiler.frontend.sampled_lints import sampled_lints
from compiler.plan import ProgramPlan
from compiler.reader import ReadError, read_prompt
from compiler.splits import not_unseen
from dsl.checked import CheckedProgram
from dsl.diagnostics.diagnostic import Diagnostic
from solvers.evaluate import observe

PlanCheck: TypeAlias = Callable[[ProgramPlan, CheckedProgram], tuple[Diagnostic, ...]]


def unprintable_systems(plan: ProgramPlan, _checked: CheckedProgram) -> tuple[Diagnostic, ...]:
    """Texts and names that the reader of a page could misread."""
    return tuple(
        Diagnostic(
            code="E450",
            message=f"{text.place} can't be printed: it {text.reason}",
            span=system.span,
            label="in this system",
            helps=("a reader of the page could misread it; change the text or the name",),
        )
        for system in plan.systems.values()
        for text in unprintable_texts(system)
    )


def not_unseen_uses(plan: ProgramPlan, _checked: CheckedProgram) -> tuple[Diagnostic, ...]:
    """Uses of a split that can't keep its promise to be unseen in another."""
    return tuple(
        Diagnostic(
            code="E451",
            message=f"`{name}` in split `{split.name}` isn't unseen in split `{other}`",
            span=split.use_spans.get(name, plan.archetypes[name].span),
            label="used here",
            notes=(
                "its diagnosis codes aren't a pair that is new there, and its worlds don't lie in a region that is "
                "avoided there",
            ),
            helps=(f"use it in another split, or let `{split.name}` be `within` a region that `{other}` avoids",),
        )
        for dataset in plan.datasets.values()
        for split, name, other in not_unseen(plan, dataset)
    )


def unreadable_systems(plan: ProgramPlan, _checked: CheckedProgram) -> tuple[Diagnostic, ...]:
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
                    message=f"the independent reader can't read the prompts of system `{system.name}`",
                    span=system.span,
                    label="this system",
                    notes=(f"in a prompt, {error}",),
                    helps=(
                        "if a limit is passed, make hidden domains, tables or formulas smaller",
                        "if a word isn't expected, write what has it differently",
                    ),
                )
            )
    return tuple(found)


PLAN_CHECKS: Final[tuple[PlanCheck, ...]] = (unprintable_systems, not_unseen_uses)
WORLD_CHECKS: Final[tuple[PlanCheck, ...]] = (
    unreadable_systems,
    page_lints,
    run_examples,
    run_cases,
    sampled_lints,
)
