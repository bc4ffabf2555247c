"""P1 to P3 by the letter of their definitions, by plain interpretation of the sources. Only for small systems."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dsl.checked import CheckedSystem
from dsl.meaning.evidence import PrintedFact, printed_facts
from dsl.meaning.expressions import PlainValue, PlainWorld, RunState, domain_values
from dsl.meaning.repairs import repair_cost, why_no_repair
from dsl.meaning.walks import PlainEnding, PlainWalk, follow_runbook, follow_told_runbook, stated_run, valid_run

Verdict = tuple[str, str]
"""The verdict and, where it is "unique", how strong P3 is; the words are those of `solvers.outcome`."""


def every_run(system: CheckedSystem) -> Iterator[RunState]:
    names = [variable.name for variable in system.variables]
    for values in itertools.product(*map(domain_values, system.variables)):
        yield RunState(system, dict(zip(names, values, strict=True)))


def by_evidence(runs: Iterable[RunState]) -> Mapping[tuple[PrintedFact, ...], list[RunState]]:
    """Those of `runs` that satisfy what is stated, by what they show."""
    groups = defaultdict[tuple[PrintedFact, ...], list[RunState]](list)
    for run in runs:
        if stated_run(run):
            groups[tuple(printed_facts(run))].append(run)
    return groups


def plain_verdict(run: RunState, alike: Sequence[RunState]) -> Verdict:
    """What is true of a run, given all runs that satisfy what is stated and show the same."""
    if not alike or not valid_run(run):
        return "vacuous", ""
    walk, told = follow_runbook(run), [follow_told_runbook(other) for other in alike]
    if any(not _gives_task(other) or _answer(other) != _answer(walk) for other in (walk, *told)):
        return "ambiguous", ""
    walks = [other for other in told if valid_run(other.start)]
    if any(why_no_repair(other, walk.fix) for other in walks):
        return "ambiguous", ""
    named = frozenset().union(*(other.named_fields for other in told))
    found = [change for change in _rivals(walk) if not any(why_no_repair(other, change) for other in walks)]
    over_named = [change for change in found if change.keys() <= named]
    price = repair_cost(run, walk.fix)
    if any(repair_cost(run, change) <= price for change in over_named):
        return "ambiguous", ""
    return "unique", "preferred" if over_named else "named" if found else "any"


def _gives_task(walk: PlainWalk) -> bool:
    return walk.ending in (PlainEnding.ANSWER, PlainEnding.HEALTHY)


def _answer(walk: PlainWalk) -> tuple[frozenset[str], PlainWorld]:
    return frozenset(walk.codes), walk.fix


def _rivals(walk: PlainWalk) -> Iterator[dict[str, PlainValue]]:
    """Every change of editable fields, other than the fix, that changes no more of them."""
    fields = [variable for variable in walk.start.system.variables if variable.editable]
    for values in itertools.product(*map(domain_values, fields)):
        pairs = zip(fields, values, strict=True)
        change = {field.name: new for field, new in pairs if new != walk.start.world[field.name]}
        if len(change) <= len(walk.fix) and change != walk.fix:
            yield change
