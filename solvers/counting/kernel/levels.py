"""The routines of one search: level k tries the values of variable k.

In: an order of variables, and what worlds must meet. Out: a routine for each level, which calls the next one, and one
that starts. A level computes a part of a demand as soon as its variables have values, and keeps it for later levels.

A *dead end* is what a level and those after it read of what has a value already, if no world was walked behind it:
whoever comes to it again turns back. Often many values of the variables come to the same: a flag that only counts
where another one is set, a factor of a product that is 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set

import attrs

from solvers.counting.expand import support
from solvers.counting.kernel.demands import Demand
from solvers.counting.kernel.scribe import Scribe
from solvers.counting.kernel.slots import SearchSlots
from solvers.counting.kernel.walk import WALK
from solvers.counting.kernel.writer import Operand, Writer
from solvers.counting.tables import topological
from solvers.problem import Const, Expr, Op, Sort, Var, children

EXHAUSTED, WITNESSED, STOPPED = 0, 1, 2
"""What a search returns: there is no such world; the world is in the state; it may try no more values."""

DEAD_ENDS = 13
"""A level remembers up to 2 to this power dead ends. With 10, searches of the shipped systems take up to three times as
long; with 16 they take as long as with 13."""


@attrs.frozen(eq=False)
class _DeadEnd:
    """Where a level looks for what it reads now, as `read`: in the slots at `places` behind `table`."""

    table: int
    places: Sequence[Operand]
    read: Sequence[Operand]
    walks: Operand


class LevelRoutines:
    """Writes the routines of one search.

    Args:
        slots: Of the search; more are reserved here.
        variables: Where variables, and what is shown, have their slots.
        name: Of the routine that starts.
        walked: The variables that walks read.
    """

    def __init__(
        self,
        writer: Writer,
        slots: SearchSlots,
        variables: Mapping[str, int],
        name: str,
        order: Sequence[str],
        demands: Sequence[Demand],
        walked: Set[str],
    ) -> None:
        self.writer = writer
        self.slots = slots
        self.variables = variables
        self.name = name
        self.order = order
        self.places = {variable: place for place, variable in enumerate(order)}
        self.demands: list[list[Demand]] = [[] for _ in order]
        for demand in demands:
            self.demands[self._level_of(demand.reads)].append(demand)
        self.walked_at = self._level_of(walked)
        self.parts = topological([demand.condition for demand in demands])
        self.levels = {id(part): self._level_of(support(part)) for part in self.parts}
        self.kept = self._slots_of_parts()
        self.live = [self._live_at(level) for level in range(len(order))]
        self.guarded = self._levels_with_dead_ends()

    def write(self) -> None:
        """Write them all."""
        with self.writer.routine(self.name):
            if self.walked_at < 0:  # the codes are settled: every world that is left has those of the given one
                self.writer.leave(self.writer.constant(EXHAUSTED))
            else:
                self._keep(self._scribe(-1), -1)
                self.writer.leave(self.writer.call(f"{self.name}_0"))
        if self.walked_at >= 0:
            for level in range(len(self.order)):
                self._level(level)

    def _level(self, level: int) -> None:
        writer, slots, variable = self.writer, self.slots, self.order[level]
        count = self._count(variable)
        with writer.routine(f"{self.name}_{level}"):
            scribe = self._scribe(level)
            known = self._turn_back(scribe, level) if level in self.guarded else None
            for part in topological(self._conditions(level, level + 1), lambda part: self._is_stored(part, level)):
                if self.levels[id(part)] < level:  # what all values share
                    scribe.cell(part)
            with scribe.each(count) as turn:
                nodes = writer.load(slots.nodes)
                with scribe.where(writer.apply(Op.LE, [nodes, writer.constant(0)])):
                    writer.leave(writer.constant(STOPPED))
                writer.store(slots.nodes, writer.apply(Op.SUB, [nodes, writer.constant(1)]))
                writer.store(self.variables[variable], writer.load_from(slots.values[variable], turn))
                self._go_on(scribe, level, self.demands[level])
            if known is not None:
                self._remember(scribe, known)

    def _go_on(self, scribe: Scribe, level: int, demands: Sequence[Demand]) -> None:
        """Go to the next level where the demands are met."""
        writer, slots = self.writer, self.slots
        if demands:
            with scribe.where(scribe.cell(demands[0].condition)):
                self._go_on(scribe, level, demands[1:])
        elif self.walked_at == level:
            writer.store(slots.walks, writer.apply(Op.ADD, [writer.load(slots.walks), writer.constant(1)]))
            codes = writer.call(WALK)
            foreign = writer.apply(Op.NE, [codes, writer.load(slots.codes)])
            task = writer.apply(Op.GE, [codes, writer.constant(0)])
            with scribe.where(writer.apply(Op.AND, [task, foreign])):
                self._next(scribe, level)
        else:
            self._next(scribe, level)

    def _next(self, scribe: Scribe, level: int) -> None:
        writer = self.writer
        if level == len(self.order) - 1:
            writer.leave(writer.constant(WITNESSED))
            return
        self._keep(scribe, level)
        outcome = writer.call(f"{self.name}_{level + 1}")
        with scribe.where(writer.apply(Op.NE, [outcome, writer.constant(EXHAUSTED)])):
            writer.leave(outcome)

    # ---- parts that several levels share -----------------------------------------------------------

    def _level_of(self, names: Iterable[str]) -> int:
        """At which level these variables have values; -1 if from the start."""
        return max((self.places.get(name, -1) for name in names), default=-1)

    def _conditions(self, first: int, end: int) -> list[Expr]:
        return [demand.condition for demands in self.demands[first:end] for demand in demands]

    def _slots_of_parts(self) -> dict[int, int]:
        """The slots of parts that a level computes and a later one reads, by identity."""
        read_later = {
            id(arg): arg
            for part in self.parts
            for arg in children(part)
            if self.levels[id(arg)] < self.levels[id(part)] and not isinstance(arg, (Const, Var))
        }
        return {number: self.slots.reserve() for number in read_later}

    def _is_stored(self, part: Expr, level: int) -> bool:
        return id(part) in self.kept and self.levels[id(part)] < level

    def _scribe(self, level: int) -> Scribe:
        """A scribe that finds the parts that earlier levels have kept."""
        kept = {number: slot for number, slot in self.kept.items() if self.levels[number] < level}
        return Scribe(self.writer, self.variables, kept)

    def _keep(self, scribe: Scribe, level: int) -> None:
        """Store the parts of this level that later ones read."""
        for part in self.parts:
            if id(part) in self.kept and self.levels[id(part)] == level:
                self.writer.store(self.kept[id(part)], scribe.cell(part))

    # ---- dead ends ---------------------------------------------------------------------------------

    def _live_at(self, level: int) -> list[Expr]:
        """What this level and later ones read of what has a value before: parts that are kept, and variables."""
        parts = topological(self._conditions(level, len(self.order)), lambda part: self._is_stored(part, level))
        return [
            part
            for part in parts
            if self._is_stored(part, level) or (isinstance(part, Var) and 0 <= self.places.get(part.name, -1) < level)
        ]

    def _levels_with_dead_ends(self) -> frozenset[int]:
        """The levels from which on more variables count only through parts, if enough values are tried behind them."""
        found, before = set(), frozenset[str]()
        for level in range(1, len(self.order)):
            read = {part.name for part in self.live[level] if isinstance(part, Var)}
            indirect = frozenset(self.order[:level]) - read
            if indirect - before and self.live[level] and math.prod(map(self._count, self.order[level:])) >= 4:
                found.add(level)
            before = indirect
        return frozenset(found)

    def _count(self, variable: str) -> int:
        return self.slots.counts[variable]

    def _turn_back(self, scribe: Scribe, level: int) -> _DeadEnd:
        """Leave where this level has come to a dead end that it remembers."""
        writer, slots = self.writer, self.slots
        read = [writer.load(slots.epoch), *(self._as_number(scribe.cell(part)) for part in self.live[level])]
        table = slots.reserve(len(read) << DEAD_ENDS)
        row = writer.apply(Op.MUL, [writer.hashed(read, DEAD_ENDS), writer.constant(len(read))])
        places = [writer.apply(Op.ADD, [row, writer.constant(number)]) for number in range(len(read))]
        stored = [writer.load_from(table, place) for place in places]
        same = [writer.apply(Op.EQ, [old, new]) for old, new in zip(stored, read, strict=True)]
        with scribe.where(writer.apply(Op.AND, same)):
            writer.leave(writer.constant(EXHAUSTED))
        return _DeadEnd(table, places, read, writer.load(slots.walks))

    def _remember(self, scribe: Scribe, found: _DeadEnd) -> None:
        """Remember a dead end, in the place of another one, if no world was walked behind it."""
        writer = self.writer
        with scribe.where(writer.apply(Op.EQ, [writer.load(self.slots.walks), found.walks])):
            for place, cell in zip(found.places, found.read, strict=True):
                writer.store_to(found.table, place, cell)

    def _as_number(self, cell: Operand) -> Operand:
        writer = self.writer
        if cell.sort is Sort.INT:
            return cell
        return writer.apply(Op.ITE, [cell, writer.constant(1), writer.constant(0)])
