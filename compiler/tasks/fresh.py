"""Fresh tasks: a split of the dataset made again from another seed, each task proved like a frozen one.

In: a program plan, a dataset and the name of one of its splits. Out: records, one after the other. They
keep to everything that the split asks for (archetypes and their weights, regions, boundary, interaction)
and belong to a split of their own, named after split and seed, so that no id is that of a frozen task.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import attrs

from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan
from compiler.tasks.pipeline import Drops, make_split, makers
from gpu_train_debug.tasks import TaskRecord


def fresh_split(
    program: ProgramPlan,
    split: SplitPlan,
    *,
    seed: int,
    count: int,
    archetypes: Collection[str] = (),
    tiers: Collection[str] = (),
) -> SplitPlan:
    """The plan of a fresh split: like `split`, with `count` tasks of the archetypes and tiers asked for.

    Raises:
        ValueError: The split uses no such archetype.
    """
    uses = tuple(
        (name, weight)
        for name, weight in split.uses
        if (not archetypes or name in archetypes) and (not tiers or program.archetypes[name].tier in tiers)
    )
    if not uses:
        raise ValueError(f"split `{split.name}` uses no archetype that is asked for")
    return attrs.evolve(split, name=f"{split.name}_seed{seed}", count=count, uses=uses)


def fresh_tasks(
    program: ProgramPlan,
    dataset: DatasetPlan,
    split: SplitPlan,
    *,
    seed: int,
    avoid: Collection[str] = (),
    jobs: int = 1,
) -> Iterator[TaskRecord]:
    """Make the tasks of a fresh split.

    They depend on the sources, the seed and `avoid` alone; a task doesn't depend on how many there are,
    except that of two with the same evidence the later one is drawn again.

    Args:
        split: What `fresh_split` gave.
        avoid: Evidence hashes that no task may have, such as those of the frozen tasks.

    Raises:
        MissingTaskError: No task could be made for some archetype.
        DisagreementError: Two procedures differ on a proof.
        UndecidedError: A proof ran out of budget.
    """
    fresh = attrs.evolve(dataset, seed=seed, splits=(split,))
    with makers(program, fresh, jobs=jobs) as workers:
        for made in make_split(workers, fresh, split, seen=set(avoid), drops=Drops()):
            yield made.record
