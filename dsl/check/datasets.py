"""Datasets: regions, and splits that draw from archetypes.

In: the declarations, with the archetypes and the scopes that `ArchetypeChecker` gives. Out: `CheckedDataset`s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from dsl.check.archetypes import ArchetypeChecker
from dsl.check.checker import ExpansionBudget
from dsl.check.dispatch import ExpressionChecker
from dsl.check.index import ProgramIndex, find_declared, report_duplicate
from dsl.checked import CheckedArchetype, CheckedDataset, CheckedRegion, CheckedSplit
from dsl.diagnostics.collector import Collector
from dsl.source import Span
from dsl.syntax import nodes

MAX_COUNT: Final = 1_000_000
MAX_INTERACTION: Final = 3
MAX_MARGIN: Final = 20
MAX_NEAR: Final = 100


def check_datasets(
    index: ProgramIndex, archetypes: ArchetypeChecker, collector: Collector, budget: ExpansionBudget
) -> dict[str, CheckedDataset]:
    """Check every dataset; wrong ones are left out."""
    checked = {}
    for declared in index.datasets.values():
        before = collector.error_count
        dataset = _dataset(declared.node, declared.module, index, archetypes, collector, budget)
        if collector.error_count == before:
            checked[dataset.name] = dataset
    return checked


def _dataset(
    decl: nodes.DatasetDecl,
    module: str,
    index: ProgramIndex,
    archetypes: ArchetypeChecker,
    collector: Collector,
    budget: ExpansionBudget,
) -> CheckedDataset:
    _once([region.name for region in decl.regions], collector)
    _once([split.name for split in decl.splits], collector)
    regions = []
    for region in decl.regions:
        found = archetypes.scope_in(region.system, module)
        condition = (
            None if found is None else ExpressionChecker(found[1], collector, budget).condition(region.condition)
        )
        if condition is not None:
            regions.append(CheckedRegion(region.name.name, region.system.name, condition, span=region.name.span))
    names = {region.name.name: region.system.name for region in decl.regions}
    splits = [_split(split, module, index, names, archetypes.checked, collector) for split in decl.splits]
    _check_unseen(decl.splits, collector)
    return CheckedDataset(
        name=decl.name.name,
        version=decl.version,
        seed=decl.seed,
        title=decl.title,
        regions=tuple(regions),
        splits=tuple(splits),
        span=decl.name.span,
    )


def _check_unseen(splits: Sequence[nodes.SplitDecl], collector: Collector) -> None:
    names = [split.name.name for split in splits]
    for split in splits:
        for ident in split.unseen:
            if ident.name not in names:
                helps = collector.suggestion(ident.name, names)
                collector.error("E210", f"unknown split `{ident.name}`", ident.span, "not in this dataset", helps=helps)
            elif ident.name == split.name.name:
                collector.error(
                    "E420", f"split `{ident.name}` can't be unseen in itself", ident.span, "this is the split itself"
                )


def _once(idents: Iterable[nodes.Ident], collector: Collector) -> None:
    seen: dict[str, nodes.Ident] = {}
    for ident in idents:
        if ident.name in seen:
            report_duplicate(ident.name, ident, seen[ident.name], collector)
        seen.setdefault(ident.name, ident)


def _split(
    decl: nodes.SplitDecl,
    module: str,
    index: ProgramIndex,
    regions: Mapping[str, str],
    archetypes: Mapping[str, CheckedArchetype],
    collector: Collector,
) -> CheckedSplit:
    for ident in (*decl.avoid, *decl.within):
        if ident.name not in regions:
            helps = collector.suggestion(ident.name, regions)
            collector.error("E210", f"unknown region `{ident.name}`", ident.span, "not in this dataset", helps=helps)
    for ident in decl.within:
        if ident.name in {other.name for other in decl.avoid}:
            collector.error("E420", f"`{ident.name}` is both avoided and required", ident.span, "no world can be both")
    _check_bounds(decl, collector)
    uses: dict[str, int] = {}
    near: dict[str, int] = {}
    _once([ident for use in decl.uses for ident in use.archetypes], collector)
    spans: dict[str, Span] = {}
    for use in decl.uses:
        _check_use(use, collector)
        for ident in use.archetypes:
            if find_declared(index, index.archetypes, ident, module, "archetype", collector) is not None:
                uses[ident.name] = use.weight
                near[ident.name] = use.near or 0
                spans[ident.name] = use.span
    _warn_idle(decl, regions, [archetypes[name] for name in uses if name in archetypes], collector)
    return CheckedSplit(
        name=decl.name.name,
        count=decl.count,
        boundary=decl.boundary,
        avoid=tuple(ident.name for ident in decl.avoid),
        within=tuple(ident.name for ident in decl.within),
        interaction=decl.interaction,
        unseen=tuple(ident.name for ident in decl.unseen),
        uses=tuple(uses.items()),
        near=tuple((name, percent) for name, percent in near.items() if percent),
        margin=decl.margin,
        use_spans=spans,
        span=decl.name.span,
    )


def _check_use(use: nodes.UseDecl, collector: Collector) -> None:
    """Report numbers of a use that no split can have, once for all that it names."""
    if use.weight < 1:
        helps = ("leave the use out, or give it a weight",)
        collector.error("E420", f"`weight {use.weight}` gives no tasks", use.span, "at least 1 is needed", helps=helps)
    if use.near is not None and use.near > MAX_NEAR:
        message, most = f"`near {use.near}` asks for more than all tasks", f"at most {MAX_NEAR} percent can be"
        collector.error("E420", message, use.span, most)
    if use.near == 0:
        collector.warn("W451", "`near 0` asks for nothing", use.span, "no task has to be near", helps=("leave it out",))


def _check_bounds(decl: nodes.SplitDecl, collector: Collector) -> None:
    """Report numbers of a split that no dataset can have."""
    name = decl.name.name
    for wrong, message, label in (
        (
            decl.interaction > MAX_INTERACTION,
            f"an interaction of {decl.interaction} can't be reached",
            f"there are only {MAX_INTERACTION} channels",
        ),
        (decl.count < 1, f"split `{name}` asks for no tasks", "at least 1 is needed"),
        (decl.count > MAX_COUNT, f"split `{name}` asks for {decl.count} tasks", f"at most {MAX_COUNT} are allowed"),
        (not decl.uses, f"split `{name}` uses no archetypes", "add `use ...`"),
        (
            decl.margin > MAX_MARGIN,
            f"a margin of {decl.margin} percent leaves hardly a world",
            f"at most {MAX_MARGIN} percent are allowed",
        ),
    ):
        if wrong:
            collector.error("E420", message, decl.name.span, label)


def _warn_idle(
    decl: nodes.SplitDecl, regions: Mapping[str, str], used: Sequence[CheckedArchetype], collector: Collector
) -> None:
    """Warn of parts of a split that change nothing."""
    if decl.interaction < 1:
        collector.warn(
            "W451",
            f"`require interaction >= {decl.interaction}` asks for nothing",
            decl.name.span,
            "every task has at least 1",
            helps=("leave it out",),
        )
    systems = {archetype.system for archetype in used}
    for ident in (*decl.avoid, *decl.within):
        if used and ident.name in regions and regions[ident.name] not in systems:
            collector.warn(
                "W451",
                f"region `{ident.name}` changes nothing in split `{decl.name.name}`",
                ident.span,
                f"no archetype used here belongs to `{regions[ident.name]}`",
            )
    if decl.boundary and used and not any(archetype.hards for archetype in used):
        collector.warn(
            "W451",
            f"`boundary` changes nothing in split `{decl.name.name}`",
            decl.name.span,
            "no archetype used here has a `hard where`",
        )
