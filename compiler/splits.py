"""Which tasks a dataset has: one spec per line of a split, and the worlds that each may be drawn from.

In: a dataset plan. Out: specs in the order of the lines, conditions as solver expressions, and the static
checks that hold a dataset together. No worlds are drawn here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import attrs

from compiler.plan import ArchetypePlan, DatasetPlan, ProgramPlan, SplitPlan
from solvers.problem import TRUE, Apply, Expr, Op


@attrs.frozen(order=True)
class TaskSpec:
    """The `index`-th task of an archetype in a split."""

    split: str
    archetype: str
    index: int

    @property
    def id(self) -> str:
        return f"{self.split}-{self.archetype}-{self.index:03d}"


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


def split_condition(archetype: ArchetypePlan, dataset: DatasetPlan, split: SplitPlan) -> Expr:
    """Which worlds of `archetype` may become tasks of `split`.

    A boundary split takes the worlds on which the archetype's `hard where` holds, any other split those on
    which it doesn't (where the archetype has one). `avoid` excludes every region named, `within` asks for one
    of those named, each for the archetypes of the region's system.
    """
    parts = [archetype.where]
    if archetype.hard != TRUE:
        parts.append(archetype.hard if split.boundary else Apply(Op.NOT, (archetype.hard,)))
    regions = {region.name: region for region in dataset.regions if region.system == archetype.system}
    parts += [Apply(Op.NOT, (regions[name].condition,)) for name in split.avoid if name in regions]
    inside = [regions[name].condition for name in split.within if name in regions]
    if inside:
        parts.append(inside[0] if len(inside) == 1 else Apply(Op.OR, tuple(inside)))
    parts = [part for part in parts if part != TRUE]
    if not parts:
        return TRUE
    return parts[0] if len(parts) == 1 else Apply(Op.AND, tuple(parts))


@attrs.frozen
class Disjointness:
    """Why the tasks of `split` can't occur in `other`: by their code sets, or by these regions."""

    split: str
    other: str
    code_sets: tuple[frozenset[str], ...]
    regions: tuple[str, ...]


def shared_code_sets(program: ProgramPlan, first: SplitPlan, second: SplitPlan) -> tuple[frozenset[str], ...]:
    """Code sets of two codes that both splits use."""

    def pairs(uses: Iterable[tuple[str, int]]) -> set[frozenset[str]]:
        codes = (program.archetypes[name].codes for name, _ in uses)
        return {code_set for code_set in codes if len(code_set) > 1}

    return tuple(sorted(pairs(first.uses) & pairs(second.uses), key=sorted))
