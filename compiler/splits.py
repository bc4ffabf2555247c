"""Which tasks a dataset has: one spec per line of a split, and the worlds that each may be drawn from.

In: a dataset plan. Out: specs in the order of the lines, conditions as solver expressions, and the static
checks that hold a dataset together. No worlds are drawn here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import attrs

from compiler.emit.record import task_id
from compiler.plan import ArchetypePlan, DatasetPlan, ProgramPlan, SplitPlan
from gpu_train_debug.stats.measure import NEAR_MARGINS
from gpu_train_debug.tasks import TaskRecord
from solvers.evaluate import value
from solvers.margins import WIDEST
from solvers.outcome import Assignment
from solvers.problem import TRUE, Apply, Expr, Op, conjunction


@attrs.frozen(order=True)
class TaskSpec:
    """The `index`-th task of an archetype in a split."""

    split: str
    archetype: str
    index: int

    @property
    def id(self) -> str:
        return task_id(self.split, self.archetype, self.index)

    @classmethod
    def of(cls, record: TaskRecord) -> TaskSpec:
        """The spec that the id of a well-formed record names."""
        return cls(record.split, record.archetype, int(record.id.rpartition("-")[2]))


def apportion(total: int, weights: list[tuple[str, int]]) -> dict[str, int]:
    """Share `total` by weight: largest remainders, ties to the earlier name in the list."""
    whole = sum(weight for _, weight in weights)
    shares = {name: total * weight // whole for name, weight in weights}
    left = total - sum(shares.values())
    by_remainder = sorted(range(len(weights)), key=lambda i: (-(total * weights[i][1] % whole), i))
    for i in by_remainder[:left]:
        shares[weights[i][0]] += 1
    return shares


def split_specs(dataset: DatasetPlan, split: SplitPlan) -> tuple[TaskSpec, ...]:
    """The tasks of a split in the order of its lines: shuffled by a hash of seed and id, so a prefix is a mix."""
    shares = apportion(split.count, list(split.uses))
    specs = [TaskSpec(split.name, name, index) for name, count in shares.items() for index in range(count)]

    def place(spec: TaskSpec) -> bytes:
        return hashlib.blake2b(f"{dataset.seed}/{spec.id}".encode(), digest_size=16).digest()

    return tuple(sorted(specs, key=place))


def like_of(archetype: ArchetypePlan, index: int) -> str | None:
    """The archetype that the task of this index looks like, if any: look-alikes are spread over the indices."""
    place = (61 * index + 30) % 100
    for name, percent in archetype.likes:
        if place < percent:
            return name
        place -= percent
    return None


def margin_range(spec: TaskSpec, split: SplitPlan) -> tuple[int, int]:
    """The least and greatest margin that the task may have, in permille: narrow ones are spread over the indices."""
    percent = dict(split.near).get(spec.archetype, 0)
    if spec.index * percent // 100 < (spec.index + 1) * percent // 100:
        low, high = NEAR_MARGINS
        return max(low, split.margin), high
    return split.margin, WIDEST


def told_of(like: ArchetypePlan) -> Expr:
    """One of the tells of an archetype holds."""
    return Apply(Op.OR, like.tells) if len(like.tells) > 1 else like.tells[0]


def split_condition(
    archetype: ArchetypePlan, dataset: DatasetPlan, split: SplitPlan, like: ArchetypePlan | None = None
) -> Expr:
    """Which worlds of `archetype` may become tasks of `split`.

    A boundary split takes the worlds on which the archetype's `hard where` holds, any other split those on
    which it doesn't (where the archetype has one). `avoid` excludes every region named, `within` asks for one
    of those named, each for the archetypes of the region's system. In a look-alike, a tell of `like` holds.
    """
    parts = [archetype.where]
    if like is not None:
        parts.append(told_of(like))
    if archetype.hard != TRUE:
        parts.append(archetype.hard if split.boundary else Apply(Op.NOT, (archetype.hard,)))
    regions = {region.name: region for region in dataset.regions if region.system == archetype.system}
    parts += [Apply(Op.NOT, (regions[name].condition,)) for name in split.avoid if name in regions]
    inside = [regions[name].condition for name in split.within if name in regions]
    if inside:
        parts.append(inside[0] if len(inside) == 1 else Apply(Op.OR, tuple(inside)))
    return conjunction(part for part in parts if part != TRUE)


def regions_of(program: ProgramPlan, dataset: DatasetPlan, system: str, world: Assignment) -> frozenset[str]:
    """The regions of the dataset in which `world` lies."""
    problem = program.systems[system].problem
    return frozenset(
        region.name for region in dataset.regions if region.system == system and value(problem, region.condition, world)
    )


def not_unseen(program: ProgramPlan, dataset: DatasetPlan) -> Iterator[tuple[SplitPlan, str, str]]:
    """What breaks `unseen in` whatever is drawn: the split, an archetype that it uses, and the other split.

    A use is unseen in another split if its codes are a pair that no archetype of that split has, or if all its worlds
    lie in regions that the other split avoids.
    """
    splits = {split.name: split for split in dataset.splits}
    regions = {region.name: region.system for region in dataset.regions}
    for split in dataset.splits:
        for other in (splits[name] for name in split.unseen):
            theirs = {program.archetypes[name].codes for name, _ in other.uses}
            for name, _ in split.uses:
                archetype = program.archetypes[name]
                inside = [region for region in split.within if regions[region] == archetype.system]
                new_pair = len(archetype.codes) > 1 and archetype.codes not in theirs
                if not new_pair and not (inside and set(inside) <= set(other.avoid)):
                    yield split, name, other.name
