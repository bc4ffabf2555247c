"""Which worlds an archetype may be drawn from, in words, for messages.

In: a program plan, an archetype, and the split that asks for it, if any. Out: one note for each condition.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.explain.words import ValueWords
from compiler.plan import ArchetypePlan, DatasetPlan, ProgramPlan, SplitPlan
from compiler.splits import like_of
from solvers.problem import TRUE


def conditions_in_words(
    program: ProgramPlan, archetype: ArchetypePlan, dataset: DatasetPlan | None = None, split: SplitPlan | None = None
) -> tuple[str, ...]:
    """What holds in the worlds that `split_condition` lets through; the archetype's own part alone without a split."""
    return tuple(_notes(program, archetype, dataset, split))


def like_in_words(program: ProgramPlan, archetype: ArchetypePlan, index: int) -> tuple[str, ...]:
    """What else holds in the task of this index if it is a look-alike of another archetype."""
    like = like_of(archetype, index)
    return () if like is None else (f"this task looks like `{like}`: {tells_in_words(program, like)}",)


def tells_in_words(program: ProgramPlan, like: str) -> str:
    """What holds in the look-alikes of an archetype."""
    told = program.archetypes[like]
    return f"where {' or '.join(map(ValueWords(program.systems[told.system]).formula, told.tells))}"


def _notes(
    program: ProgramPlan, archetype: ArchetypePlan, dataset: DatasetPlan | None, split: SplitPlan | None
) -> Iterator[str]:
    values = ValueWords(program.systems[archetype.system])
    if archetype.where != TRUE:
        yield f"the archetype is where {values.formula(archetype.where)}"
    if dataset is None or split is None:
        return
    if archetype.hard != TRUE:
        which = "is a boundary split: where" if split.boundary else "isn't a boundary split: only where not"
        yield f"split `{split.name}` {which} {values.formula(archetype.hard)} (`hard where`)"
    regions = {region.name: region for region in dataset.regions if region.system == archetype.system}
    for name in split.avoid:
        if name in regions:
            yield f"split `{split.name}` avoids region `{name}`: {values.formula(regions[name].condition)}"
    within = [f"`{name}`: {values.formula(regions[name].condition)}" for name in split.within if name in regions]
    if within:
        yield f"split `{split.name}` stays within region {' or '.join(within)}"
