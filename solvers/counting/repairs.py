"""Which changes mend which worlds: the conditions of a repair, for many candidates and worlds at once.

In: groups of walks, and candidate repairs as arrays with a row for each candidate and a column for each
editable field, which holds the field's new (or old) value. Out: which conditions hold. The meaning is that of
`evaluate.failing`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, assert_never

import attrs
import numpy as np

from solvers.counting.expand import conjuncts, expand, support
from solvers.counting.fold import negate
from solvers.counting.tables import BatchState, BatchValue, BoolArray, IntArray, Tables
from solvers.counting.walks import Group, select_worlds
from solvers.problem import Keep, Sense, Var

GRID_CELLS = 1 << 19
"""Most cells (candidates times worlds) that conditions are evaluated over at once."""


@attrs.frozen(eq=False)
class Bound:
    """A keep in force: its slot among the kept quantities, and what the quantity was."""

    slot: int
    sense: Sense
    earlier: Any


@attrs.frozen(eq=False)
class WorldsToMend:
    """Worlds that took one path, and the keeps that bind their repairs."""

    group: Group
    bounds: tuple[Bound, ...]

    def __len__(self) -> int:
        return len(self.group.rows)

    def only(self, rows: slice | IntArray) -> WorldsToMend:
        """Select worlds by their place in the group."""
        places = np.arange(len(self))[rows]
        group = self.group
        bounds = tuple(
            attrs.evolve(bound, earlier=bound.earlier[places]) if isinstance(bound.earlier, np.ndarray) else bound
            for bound in self.bounds
        )
        chosen = attrs.evolve(group, rows=group.rows[places], start=select_worlds(group.start, places))
        return WorldsToMend(chosen, bounds)


class Conditions:
    """The compiled conditions of a repair: parts of valid and sound, kept quantities, silent guards, in this order.

    Attributes:
        fields: The editable fields, in rank order: the columns of candidates.
        domains: Their values, most preferred first.
        touches: For each condition (row) whether it depends on each field (column).
    """

    def __init__(self, tables: Tables) -> None:
        problem = tables.problem
        self.problem = problem
        self.fields = tuple(variable.name for variable in problem.editable)
        self.domains = tuple(np.array(v.preference or v.domain, np.int64) for v in problem.editable)
        right = [*conjuncts(expand(problem, problem.valid)), *conjuncts(expand(problem, problem.sound))]
        silent = [negate(expand(problem, rule.guard)) for rule in problem.rules]
        keeps = [*problem.keeps, *(keep for rule in problem.rules for keep in rule.keeps)]
        self.kept = tuple(dict.fromkeys(expand(problem, keep.value) for keep in keeps))
        self._slots = {keep: self.kept.index(expand(problem, keep.value)) for keep in keeps}
        self._quantities = tables.compiled(self.kept)
        self._early = tables.compiled([*right, *self.kept])
        self._late = tables.compiled(silent)
        self._right = len(right)
        parts = [*right, *self.kept, *silent]
        self.count = len(parts)
        touched = [[field in support(part) for field in self.fields] for part in parts]
        self.touches: BoolArray = np.array(touched, bool).reshape(len(parts), len(self.fields))

    # ---- keeps -------------------------------------------------------------------------------------

    def worlds_to_mend(self, group: Group) -> WorldsToMend:
        """Find the keeps that bind repairs of the worlds of a group."""
        named = {field for step in group.steps for field in step.sets}
        bounds = list(self._bounds(self.problem.keeps, group.start)) if self.problem.keeps else []
        for step in group.steps:
            keeps = [keep for keep in self.problem.rules[step.rule].keeps if keep.field not in named]
            bounds += self._bounds(keeps, step.before)
        return WorldsToMend(group, tuple(bounds))

    def _bounds(self, keeps: Sequence[Keep], state: BatchState) -> Iterator[Bound]:
        quantities = self._quantities(state)
        for keep in keeps:
            slot = self._slots[keep]
            yield Bound(slot, keep.sense, quantities[slot])

    def allowed(self, patient: WorldsToMend) -> list[IntArray]:
        """List for each field the values that the keeps on that field itself leave to the repairs of one world."""
        allowed = list(self.domains)
        for bound in patient.bounds:
            quantity = self.kept[bound.slot]
            if isinstance(quantity, Var) and quantity.name in self.fields:
                place = self.fields.index(quantity.name)
                allowed[place] = allowed[place][_keeps(bound, allowed[place])]
        return allowed

    # ---- conditions --------------------------------------------------------------------------------

    def failures(self, patient: WorldsToMend, candidates: IntArray) -> BoolArray:
        """Return for each candidate (row) which conditions (column) fail in one world."""
        state = {**patient.group.start, **self._columns(candidates)}
        holds = [*self._hold_early(patient, state), *self._hold_late(patient, state)]
        failed = np.empty((len(candidates), self.count), bool)
        for column, flag in enumerate(holds):
            failed[:, column] = not flag if isinstance(flag, bool) else ~flag
        return failed

    def mending(self, patient: WorldsToMend, candidates: IntArray) -> IntArray:
        """Return the places of the candidates that mend one world. What fails early isn't looked at again."""
        places = np.arange(len(candidates))
        for hold in (self._hold_early, self._hold_late):
            if len(places):
                flags = hold(patient, {**patient.group.start, **self._columns(candidates[places])})
                places = places[np.broadcast_to(_all(flags), len(places))]
        return places

    def mended(self, patients: WorldsToMend, candidates: IntArray) -> BoolArray:
        """Return for each candidate (row) which of the worlds (column) it mends."""
        result = np.empty((len(candidates), len(patients)), bool)
        width = min(len(patients), GRID_CELLS)
        height = max(1, GRID_CELLS // width)
        for left in range(0, len(patients), width):
            part = patients.only(slice(left, left + width)) if width < len(patients) else patients
            for top in range(0, len(candidates), height):
                columns = self._columns(candidates[top : top + height])
                state = {**part.group.start, **{name: _on_rows(cell) for name, cell in columns.items()}}
                mends = _all([*self._hold_early(part, state), *self._hold_late(part, state)])
                result[top : top + height, left : left + width] = mends
        return result

    def _hold_early(self, patients: WorldsToMend, state: BatchState) -> list[Any]:
        values = self._early(state)
        flags: list[Any] = [*values[: self._right], *(True for _ in self.kept)]
        for bound in patients.bounds:
            place = self._right + bound.slot
            flags[place] = flags[place] & _keeps(bound, values[place])
        return flags

    def _hold_late(self, patients: WorldsToMend, state: BatchState) -> Sequence[Any]:
        return self._late(state)

    def _columns(self, candidates: IntArray) -> dict[str, BatchValue]:
        """Return the fields of candidates; a field in which all agree is one integer."""
        agreed = (candidates == candidates[0]).all(axis=0)
        return {
            field: int(candidates[0, place]) if agreed[place] else candidates[:, place]
            for place, field in enumerate(self.fields)
        }


def _all(flags: Sequence[Any]) -> Any:
    """Join truth values and arrays of them, the plain ones first."""
    holds: Any = True
    for flag in sorted(flags, key=np.size):
        holds = holds & flag
    return holds


def _on_rows(cell: BatchValue) -> BatchValue:
    return cell if isinstance(cell, int) else cell[:, None]


def _keeps(bound: Bound, later: Any) -> Any:
    match bound.sense:
        case Sense.EQUAL:
            return later == bound.earlier
        case Sense.NOT_ABOVE:
            return later <= bound.earlier
        case Sense.NOT_BELOW:
            return later >= bound.earlier
    assert_never(bound.sense)
