"""Why a task could not be made, for the author of its archetype.

In: a program plan, and what is known about a task that is missing. Out: one diagnostic, with counts and the first
counterexample.
"""

from __future__ import annotations

import attrs

from compiler.explain.conditions import conditions_in_words, like_in_words, tells_in_words
from compiler.explain.refutation import describe_refutation
from compiler.plan import ArchetypePlan, DatasetPlan, ProgramPlan, SplitPlan
from compiler.splits import TaskSpec, margin_range
from compiler.tasks.maker import MissingTask
from dsl.diagnostics.diagnostic import Diagnostic
from solvers.margins import WIDEST
from solvers.outcome import Verdict
from solvers.sampling import Exhausted


def no_world(
    program: ProgramPlan,
    archetype: ArchetypePlan,
    exhausted: Exhausted,
    dataset: DatasetPlan | None = None,
    split: SplitPlan | None = None,
) -> Diagnostic:
    """E501 with the conditions in words and the counts of where the drawn worlds failed."""
    what = "pair" if len(archetype.codes) > 1 else "archetype"
    where = f" for split `{split.name}`" if split is not None else ""
    reasons = sorted(exhausted.reasons.items(), key=lambda item: -item[1])
    if exhausted.drawn:
        failed = "; ".join(f"{reason}: {count}" for reason, count in reasons)
        counts = f"{exhausted.drawn} worlds drawn, and none fits; {failed}"
    else:
        nothing = "; ".join(reason for reason, _ in reasons)
        counts = f"nothing was drawn: {nothing} all of its conditions, requirements and guards"
    return Diagnostic(
        code="E501",
        message=f"no world of the {what} `{archetype.name}` was found{where}",
        span=archetype.span,
        label="declared here",
        notes=(counts, *conditions_in_words(program, archetype, dataset, split)),
        helps=(
            "compare the conditions with the guards: `gtd sample` of a related archetype shows what worlds look like",
        ),
    )


def no_look_alike(program: ProgramPlan, archetype: ArchetypePlan, like: str, exhausted: Exhausted) -> Diagnostic:
    """E501 for worlds of an archetype that look like another one, at the `like` that asks for them."""
    found = no_world(program, archetype, exhausted)
    return attrs.evolve(
        found,
        message=f"no world of `{archetype.name}` looks like `{like}`",
        span=archetype.like_spans.get(like, archetype.span),
        label="asked for here",
        notes=(*found.notes, f"these worlds look like `{like}`: {tells_in_words(program, like)}"),
        helps=("leave the `like` out, or tell the other archetype by something that these worlds may show, too",),
    )


def missing_task(program: ProgramPlan, missing: MissingTask) -> Diagnostic:
    """Why no task could be made for a spec: E501 to E503, E505 or E506, with counts and the first counterexample."""
    archetype = program.archetypes[missing.spec.archetype]
    if missing.exhausted is not None and not missing.dropped:
        found = no_world(program, archetype, missing.exhausted, *_declared(program, missing.spec.split))
        return attrs.evolve(found, notes=(*found.notes, *like_in_words(program, archetype, missing.spec.index)))
    counts = ", ".join(f"{reason} {count}" for reason, count in missing.dropped.most_common())
    plan = program.systems[archetype.system]
    notes = describe_refutation(plan, missing.failed) if missing.failed is not None else ()
    if missing.repeated:
        return Diagnostic(
            code="E501",
            message=f"too few different tasks of `{archetype.name}` were found for split `{missing.spec.split}`",
            span=archetype.span,
            label="declared here",
            notes=(f"{missing.repeated} proved worlds in a row printed the same as earlier tasks",),
            helps=("ask for fewer tasks, or let the archetype's worlds vary more",),
        )
    commonest = missing.dropped.most_common(1)[0][0]
    codes = {"interaction": "E505", "margin": "E506", Verdict.INCONCLUSIVE.value: "E503"}
    found = Diagnostic(
        code=codes.get(commonest, "E502"),
        message=f"no task of `{archetype.name}` for split `{missing.spec.split}` could be proved",
        span=archetype.span,
        label="declared here",
        notes=(f"{missing.dropped.total()} worlds failed: {counts}", *notes),
    )
    _, split = _declared(program, missing.spec.split)
    return found if split is None or found.code != "E506" else _as_used(found, missing.spec, split)


def _as_used(found: Diagnostic, spec: TaskSpec, split: SplitPlan) -> Diagnostic:
    """A finding about margins, at the use that asks for them."""
    used = split.use_spans.get(spec.archetype)
    if used is None or found.span is None:
        return found
    low, high = (edge / 10 for edge in margin_range(spec, split))
    if high < WIDEST / 10:
        asked, what = f"of {low:g} to {high:g} percent (`near`)", "leave `near` out for this archetype"
    else:
        asked, what = f"of at least {low:g} percent", "lower the split's `require margin`"
    return attrs.evolve(
        found,
        span=used,
        label="used here",
        secondary=((found.span, "declared here"),),
        notes=(f"this task has to be decided by a margin {asked}", *found.notes),
        helps=(f"{what}, or change the conditions of the archetype",),
    )


def _declared(program: ProgramPlan, split_name: str) -> tuple[DatasetPlan, SplitPlan] | tuple[None, None]:
    """The split of that name and its dataset, where only one dataset has such a split."""
    found = [(each, split) for each in program.datasets.values() for split in each.splits if split.name == split_name]
    return found[0] if len(found) == 1 else (None, None)
