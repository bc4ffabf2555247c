"""The checks of a plan, as data: everything that is refused or warned of after the lowering.

In: a plan and the checked program that it came from. Out: diagnostics. `PLAN_CHECKS` look at the plan alone;
`WORLD_CHECKS` evaluate worlds, take longer, and rely on a plan without errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, TypeAlias

from compiler.emit.prompt.printable import unprintable_texts
from compiler.emit.prompt.render import Renderer
from compiler.frontend.cases import run_cases
from compiler.frontend.examples import run_examples
from compiler.frontend.page_lints import page_lints
from compiler.frontend.sampled_lints import sampled_lints
from compiler.plan import ProgramPlan
from compiler.reader import ReadError, read_prompt
from compiler.splits import not_unseen
from dsl.checked import CheckedProgram, CheckedSystem
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.source import Span
from solvers.evaluate import observe

PlanCheck: TypeAlias = Callable[[ProgramPlan, CheckedProgram], tuple[Diagnostic, ...]]


class Named(Protocol):
    """A part of a system that has a name and a place."""

    @property
    def name(self) -> str: ...

    @property
    def span(self) -> Span: ...


def unprintable_systems(plan: ProgramPlan, checked: CheckedProgram) -> tuple[Diagnostic, ...]:
    """Texts and names that the reader of a page could misread."""
    return tuple(
        Diagnostic(
            code="E450",
            message=f"{text.place} can't be printed: it {text.reason}",
            span=spans.get((text.place, text.text), spans.get((text.place, ""), checked.systems[name].span)),
            label="here",
            helps=("a reader of the page could misread it; change the text or the name",),
        )
        for name, system in plan.systems.items()
        for spans in (dict(_text_spans(checked.systems[name])),)
        for text in unprintable_texts(system)
    )


def _text_spans(system: CheckedSystem) -> Iterator[tuple[tuple[str, str], Span]]:
    """Where the places of unprintable texts are; those with several texts once for each text."""
    kinds: dict[str, Iterable[Named]] = {
        "variable": system.variables,
        "relation": system.relations,
        "table": system.tables,
        "noise": system.noise_values,
        "event": system.events,
        "the title of rule": system.rules,
    }
    yield from (((f"{kind} `{each.name}`", ""), each.span) for kind, named in kinds.items() for each in named)
    for event in system.events:
        yield from (((f"attribute `{event.name}.{each.name}`", ""), each.span) for each in event.attributes)
        if event.index:
            yield (f"attribute `{event.name}.{event.index}`", ""), event.span
        for wording, span in zip(event.wordings, event.wording_spans, strict=True):
            yield (f"a wording of event `{event.name}`", wording), span
    for line in system.noise_lines:
        yield ("a noise line", line.logger), line.span
        for wording, span in zip(line.wordings, line.wording_spans, strict=True):
            yield (f"a wording of the noise by `{line.logger}`", wording), span
    yield from ((("a stated condition", each.text), each.span) for each in system.requires if each.stated)


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
