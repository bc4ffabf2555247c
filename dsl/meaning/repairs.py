"""Repairs: which changes mend a run, and which of two costs less.

In: a walk and a change, which is a new value for some fields. Out: why the change is no repair, or what it costs. The
walk is needed because a repair also leaves alone what the rules that fired keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from dsl.checked import CheckedKeep, CheckedSystem
from dsl.meaning.expressions import PlainValue, PlainWorld, RunState, domain_values, holds, plain_value
from dsl.meaning.walks import PlainWalk, sound_run, valid_run
from dsl.operators import KeepSense

RepairCost = tuple[int, tuple[int, ...], tuple[int, ...]]
"""How many fields change, their ranks, and the ranks of their new values: the smaller tuple is the cheaper repair."""


def why_no_repair(walk: PlainWalk, change: PlainWorld) -> tuple[str, ...]:
    """Say why `change` doesn't mend the run in which `walk` starts; empty if it does.

    The reasons are `FIELD is not editable` and `FIELD cannot be VALUE`, and if there are none of these `invalid`,
    `unsound`, `rule CODE fires` and `keep NAME`.
    """
    out_of_reach = tuple(_out_of_reach(walk.start.system, change))
    return out_of_reach or tuple(dict.fromkeys(_flaws(walk, change)))


def _out_of_reach(system: CheckedSystem, change: PlainWorld) -> Iterator[str]:
    editable = {variable.name: variable for variable in system.variables if variable.editable}
    for field, new in change.items():
        if field not in editable:
            yield f"{field} isn't editable"
        elif new not in domain_values(editable[field]):
            yield f"{field} can't be {new}"


def _flaws(walk: PlainWalk, change: PlainWorld) -> Iterator[str]:
    start, system = walk.start, walk.start.system
    mended = walk.final if dict(change) == walk.fix else start.changed(change)
    if not valid_run(mended):
        yield "invalid"
    if not sound_run(mended):
        yield "unsound"
    yield from (f"rule {rule.code} fires" for rule in system.rules if holds(rule.guard, mended, start))
    yield from (f"keep {keep.name}" for keep in system.keeps if not _kept(keep, start, mended))
    for step in walk.steps:
        for keep in step.rule.keeps:
            given_way = keep.field and keep.name in walk.named_fields
            if not given_way and not _kept(keep, step.fired_in, mended):
                yield f"keep {keep.name}"


def _kept(keep: CheckedKeep, earlier: RunState, later: RunState) -> bool:
    old, new = _quantity(keep, earlier), _quantity(keep, later)
    if keep.sense is KeepSense.EQUAL:
        return new == old
    assert isinstance(old, int), "only numbers rise and fall"
    assert isinstance(new, int), "only numbers rise and fall"
    match keep.sense:
        case KeepSense.NOT_ABOVE:
            return new <= old
        case KeepSense.NOT_BELOW:
            return new >= old
    assert_never(keep.sense)


def _quantity(keep: CheckedKeep, run: RunState) -> PlainValue:
    return run.world[keep.name] if keep.field else run.relation(keep.name)


def repair_cost(start: RunState, change: PlainWorld) -> RepairCost:
    """What a change of editable fields costs in the run `start`; no change at all costs least."""
    fields = [variable for variable in start.system.variables if variable.kind == "config"]
    changed = [
        (rank, [plain_value(value, field.type) for value in field.preference].index(change[field.name]))
        for rank, field in enumerate(fields)
        if field.name in change and change[field.name] != start.world[field.name]
    ]
    return len(changed), tuple(rank for rank, _ in changed), tuple(place for _, place in changed)
