"""Which candidates mend which worlds: the conditions of a repair, for many candidates and worlds at once.

In: groups of walks, and candidate repairs as arrays with a row for each candidate and a column for each
editable field, which holds the field's new (or old) value. Out: which conditions hold. The meaning is that of
`evaluate.failing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

import attrs
import numpy as np

from solvers.counting.expand import before_name, before_state, conjuncts, expand, expand_guard, support
from solvers.counting.fold import negate
from solvers.counting.tables import BatchState, BatchValue, BoolArray, IntArray, Tables
from solvers.counting.walks import Group, select_worlds
from solvers.problem import Keep, Sense, Var

GRID_CELLS = 1 << 19
"""Most cells (candidates times worlds) that conditions are evaluated over at once."""


@attrs.frozen(eq=False)
class ActiveKeep:
    """A keep that binds a repair.

    Attributes:
        slot: Its place in `Conditions.kept`.
        earlier: What the quantity was in the state where the keep began to bind: for all worlds, or for each.
    """

    slot: int
    sense: Sense
    earlier: Any


@attrs.frozen(eq=False)
class WorldsToMend:
    """Worlds that took one path, whose repairs the same keeps bind."""

    group: Group
    keeps: tuple[ActiveKeep, ...]

    def __len__(self) -> int:
        return len(self.group.rows)

    def only(self, rows: slice | IntArray) -> WorldsToMend:
        """Select worlds by their place in the group."""
        places = np.arange(len(self))[rows]
        group = self.group
        keeps = tuple(
            attrs.evolve(keep, earlier=keep.earlier[places]) if isinstance(keep.earlier, np.ndarray) else keep
            for keep in self.keeps
        )
        chosen = attrs.evolve(group, rows=group.rows[places], start=select_worlds(group.start, places))
        return WorldsToMend(chosen, keeps)


class Conditions:
    """The compiled conditions of a repair: parts of valid and sound, kept quantities, and that each rule is silent.

    A condition has a number, in this order. Conditions up to the kept quantities are checked early, guards late.

    Attributes:
        fields: The editable fields, in rank order: the columns of candidates.
        domains: Their values, most preferred first.
        kept: The quantities that some keep of the problem keeps, each once.
        count: How many conditions there are.
        touches: For each condition (row), whether it depends on each field (column).
    """

    def __init__(self, tables: Tables) -> None:
        problem = tables.problem
        self.problem = problem
        self.fields = tuple(variable.name for variable in problem.editable)
        self.domains = tuple(np.array(v.preference or v.domain, np.int64) for v in problem.editable)
        right = [*conjuncts(expand(problem, problem.valid)), *conjuncts(expand(problem, problem.sound))]
        silent = [negate(expand_guard(problem, rule)) for rule in problem.rules]
        keeps = [*problem.keeps, *(keep for rule in problem.rules for keep in rule.keeps)]
        self.kept = tuple(dict.fromkeys(expand(problem, keep.value) for keep in keeps))
        self._slots = {keep: self.kept.index(expand(problem, keep.value)) for keep in keeps}
        self._quantities = tables.compiled(self.kept)
        self._early = tables.compiled([*right, *self.kept])
        self._late = tables.compiled(silent)
        read = frozenset[str]().union(*map(support, silent))
        self._looked_back_at = tuple(field for field in self.fields if before_name(field) in read)
        self._right = len(right)
        parts = [*right, *self.kept, *silent]
        self.count = len(parts)
        touched = [[field in support(part) for field in self.fields] for part in parts]
        self.touches: BoolArray = np.array(touched, bool).reshape(len(parts), len(self.fields))

    # ---- keeps -------------------------------------------------------------------------------------

    def worlds_to_mend(self, group: Group) -> WorldsToMend:
        """Find the keeps that bind repairs of the worlds of a group."""
        named = {field for step in group.steps for field in step.sets}
        active = self._active(self.problem.keeps, group.start)
        for step in group.steps:
            binding = [keep for keep in self.problem.rules[step.rule].keeps if keep.field not in named]
            active += self._active(binding, step.before)
        return WorldsToMend(group, tuple(active))

    def _active(self, keeps: Sequence[Keep], state: BatchState) -> list[ActiveKeep]:
        """Measure what `keeps` keep in the state in which they began to bind."""
        if not keeps:
            return []
        quantities = self._quantities(state)
        return [ActiveKeep(self._slots[keep], keep.sense, quantities[self._slots[keep]]) for keep in keeps]

    def allowed(self, world: WorldsToMend) -> list[IntArray]:
        """List for each field the values that the keeps on that field itself leave to the repairs of one world."""
        allowed = list(self.domains)
        for keep in world.keeps:
            quantity = self.kept[keep.slot]
            if isinstance(quantity, Var) and quantity.name in self.fields:
                place = self.fields.index(quantity.name)
                allowed[place] = allowed[place][_keeps(keep, allowed[place])]
        return allowed

    # ---- conditions --------------------------------------------------------------------------------

    def failures(self, world: WorldsToMend, candidates: IntArray) -> BoolArray:
        """Return for each candidate (row) which conditions (column) fail in one world."""
        state = {**world.group.start, **self._columns(candidates)}
        holds = [*self._hold_early(world, state), *self._hold_late(world, state)]
        failed = np.empty((len(candidates), self.count), bool)
        for column, flag in enumerate(holds):
            failed[:, column] = not flag if isinstance(flag, bool) else ~flag
        return failed

    def mending(self, world: WorldsToMend, candidates: IntArray) -> IntArray:
        """Return the places of the candidates that mend one world; those that fail early aren't checked late."""
        places = np.arange(len(candidates))
        for hold in (self._hold_early, self._hold_late):
            if len(places):
                flags = hold(world, {**world.group.start, **self._columns(candidates[places])})
                places = places[np.broadcast_to(_all(flags), len(places))]
        return places

    def mended(self, worlds: WorldsToMend, candidates: IntArray) -> BoolArray:
        """Return for each candidate (row) which of the worlds (column) it mends."""
        result = np.empty((len(candidates), len(worlds)), bool)
        width = min(len(worlds), GRID_CELLS)
        height = max(1, GRID_CELLS // width)
        for left in range(0, len(worlds), width):
            part = worlds.only(slice(left, left + width)) if width < len(worlds) else worlds
            for top in range(0, len(candidates), height):
                columns = self._columns(candidates[top : top + height])
                state = {**part.group.start, **{name: _on_rows(value) for name, value in columns.items()}}
                mends = _all([*self._hold_early(part, state), *self._hold_late(part, state)])
                result[top : top + height, left : left + width] = mends
        return result

    def _hold_early(self, worlds: WorldsToMend, state: BatchState) -> list[Any]:
        values = self._early(state)
        flags: list[Any] = [*values[: self._right], *(True for _ in self.kept)]
        for keep in worlds.keeps:
            place = self._right + keep.slot
            flags[place] = flags[place] & _keeps(keep, values[place])
        return flags

    def _hold_late(self, worlds: WorldsToMend, state: BatchState) -> Sequence[Any]:
        return self._late({**state, **before_state(worlds.group.start, self._looked_back_at)})

    def _columns(self, candidates: IntArray) -> dict[str, BatchValue]:
        """Return the fields of candidates; a field in which all agree is one integer."""
        agreed = (candidates == candidates[0]).all(axis=0)
        return {
            field: int(candidates[0, place]) if agreed[place] else candidates[:, place]
            for place, field in enumerate(self.fields)
        }


def _all(flags: Sequence[Any]) -> Any:
    """Return where all of the flags hold; plain truth values are joined before arrays."""
    holds: Any = True
    for flag in sorted(flags, key=np.size):
        holds = holds & flag
    return holds


def _on_rows(value: BatchValue) -> BatchValue:
    """Put candidates on an axis of their own, before that of the worlds."""
    return value if isinstance(value, int) else value[:, None]


def _keeps(keep: ActiveKeep, later: Any) -> Any:
    """Return where a quantity that is now `later` is as the keep wants it."""
    match keep.sense:
        case Sense.EQUAL:
            return later == keep.earlier
        case Sense.NOT_ABOVE:
            return later <= keep.earlier
        case Sense.NOT_BELOW:
            return later >= keep.earlier
    assert_never(keep.sense)
