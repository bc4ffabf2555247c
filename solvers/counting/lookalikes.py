"""Build lookalikes of a world: other worlds that show the same in some channels.

In: a world and a set of channels. Out: `Lookalikes`.

How: observation by observation. The variables that it depends on and that have no value yet are given all their
values, or random ones if these are too many; worlds that don't show the same are dropped. Variables that a condition
on worlds ties to each other are given joint values, as one (`blocks`). Variables that no observation of the channels
depends on come last. All lookalikes are found if no step had to draw or to thin out:
so it is with channels that print the config, unless there are very many hidden values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import attrs
import numpy as np

from solvers.counting.blocks import Block, blocks_of, combinations
from solvers.counting.expand import expand, support
from solvers.counting.tables import BatchValue, BoolArray, IntArray, Tables
from solvers.counting.walks import select_worlds
from solvers.outcome import Assignment
from solvers.problem import Expr, Var
from solvers.streams import Stream, scaled

Channels = tuple[str, ...]

BUILT = 1 << 15
"""Most worlds that a step builds."""
KEPT = 256
"""Most of them that go on to the next step, besides the world itself."""
LAST = 1024
"""Most worlds that the last step builds."""


@attrs.frozen(eq=False)
class Lookalikes:
    """Worlds that show the same as the one at the place `own`; some variables may have no value yet."""

    state: Mapping[str, BatchValue]
    size: int
    own: int

    def only(self, places: IntArray) -> Lookalikes:
        own = int(np.searchsorted(places, self.own))
        return Lookalikes(select_worlds(self.state, places), len(places), own)


class LookalikeSearch:
    """The lookalikes of one world, built when asked for.

    Those for a set of channels are built from those for the set without its last channel.
    """

    def __init__(self, plans: Mapping[Channels, LookalikePlan], world: Assignment, stream: Stream) -> None:
        self.plans = plans
        self.world = world
        self.stream = stream
        self.built: dict[Channels, Lookalikes] = {(): Lookalikes({}, 1, 0)}

    def find(self, chosen: Channels) -> Lookalikes:
        """Return lookalikes in which every variable has a value."""
        return self.plans[chosen].last.applied(self._partial(chosen), self.world, self.stream, LAST)

    def _partial(self, chosen: Channels) -> Lookalikes:
        """Return lookalikes in which those variables have values that the channels show something of."""
        if chosen not in self.built:
            self.built[chosen] = self.plans[chosen].extended(self._partial(chosen[:-1]), self.world, self.stream)
        return self.built[chosen]


class LookalikePlan:
    """How to build lookalikes for one set of channels from those for all but its last channel.

    Attributes:
        printed: Variables that the last channel shows exactly and that have no value before.
        known: The variables that have a value afterwards.
        last: Gives values to all other variables.
    """

    known: frozenset[str]

    def __init__(self, tables: Tables, blocks: Sequence[Block], chosen: Channels, base: LookalikePlan | None) -> None:
        problem = tables.problem
        known: set[str] = set() if base is None else set(base.known)
        parts = [expand(problem, item.value) for item in problem.observations if item.channel == chosen[-1]]
        self.printed = tuple(part.name for part in parts if isinstance(part, Var) and part.name not in known)
        known |= set(self.printed)
        waiting = [part for part in dict.fromkeys(parts) if not (isinstance(part, Var) and part.name in self.printed)]
        self.steps: list[_Step] = []
        while waiting:
            new = min((blocks_of(blocks, support(part) - known) for part in waiting), key=combinations)
            fixed = frozenset(known)
            known |= {name for block in new for name in block.names}
            self.steps.append(_Step(tables, new, fixed, [part for part in waiting if support(part) <= known]))
            waiting = [part for part in waiting if not support(part) <= known]
        self.known = frozenset(known)
        self.last = _Step(tables, blocks_of(blocks, {v.name for v in problem.variables} - known), self.known, [])

    def extended(self, alike: Lookalikes, world: Assignment, stream: Stream) -> Lookalikes:
        fixed = {name: world[name] for name in self.printed}
        alike = Lookalikes({**alike.state, **fixed}, alike.size, alike.own)
        for step in self.steps:
            alike = step.applied(alike, world, stream, BUILT)
            if alike.size > KEPT:
                drawn = scaled(stream.words(KEPT), alike.size)
                alike = alike.only(np.unique(np.append(drawn, alike.own)))
        return alike


class _Step:
    """Give the variables of some blocks values, and keep the worlds that show the same.

    Variables in `fixed` have a value already, which is that of the task's world or one of several that show the same.
    Rows of a block that differ from that world in them are left out.
    """

    def __init__(self, tables: Tables, blocks: Sequence[Block], fixed: frozenset[str], shown: Sequence[Expr]) -> None:
        self.code = tables.compiled(shown)
        self.needed = frozenset[str]().union(*map(support, shown))
        self.blocks = blocks
        self.fixed = fixed

    def applied(self, alike: Lookalikes, world: Assignment, stream: Stream, most: int) -> Lookalikes:
        blocks = [self._free(block, world) for block in self.blocks]
        kept = [_row_of(block, world) for block in blocks]
        count = combinations(blocks)
        if alike.size * count <= most:
            copied = _all_combined(blocks, kept, alike)
        else:
            copied = _some_combined(blocks, kept, alike, stream, max(1, most // alike.size))
        size = alike.size * copied.copies
        same: BoolArray | bool = True
        shown = copied.values(alike.state, self.needed)
        for value, wanted in zip(self.code(shown), self.code(world), strict=True):
            same = same & (value == wanted)
        if same is True:
            return Lookalikes(copied.values(alike.state), size, copied.own)
        places = np.flatnonzero(np.broadcast_to(same, size))
        own = int(np.searchsorted(places, copied.own))
        return Lookalikes(copied.values(alike.state, places=places), len(places), own)

    def _free(self, block: Block, world: Assignment) -> Block:
        """The block without the variables that have a value, and without rows that would change one of them."""
        places = [place for place, name in enumerate(block.names) if name in self.fixed]
        if not places:
            return block
        wanted = np.array([world[block.names[place]] for place in places])
        rows = block.rows[(block.rows[:, places] == wanted).all(axis=1)]
        left = [place for place in range(len(block.names)) if place not in places]
        return Block(tuple(block.names[place] for place in left), rows[:, left])


@attrs.frozen(eq=False)
class _Combined:
    """Copies of worlds, with values for some more variables. A copy of a world stands next to its other copies.

    Attributes:
        copies: Of each world.
        rows: For each block, the row that each copy has.
        own: The place of the task's world.
    """

    blocks: Sequence[Block]
    copies: int
    rows: Sequence[IntArray]
    own: int

    def values(
        self, old: Mapping[str, BatchValue], names: Set[str] | None = None, places: IntArray | None = None
    ) -> dict[str, BatchValue]:
        """The values in the copies at some places (all of them by default) of some variables (by default all)."""
        values: dict[str, BatchValue] = {}
        for name, value in old.items():
            if names is None or name in names:
                values[name] = value if isinstance(value, int) else _copied(value, self.copies, places)
        for block, rows in zip(self.blocks, self.rows, strict=True):
            chosen = rows if places is None else rows[places]
            for place, name in enumerate(block.names):
                if names is None or name in names:
                    values[name] = block.rows[chosen, place]
        return values


def _copied(values: IntArray, copies: int, places: IntArray | None) -> IntArray:
    return np.repeat(values, copies) if places is None else values[places // copies]


def _all_combined(blocks: Sequence[Block], kept: Sequence[int], alike: Lookalikes) -> _Combined:
    """Every world with every combination of rows."""
    count = combinations(blocks)
    grid = np.indices([len(block.rows) for block in blocks]).reshape(len(blocks), count)
    place = 0
    for block, row in zip(blocks, kept, strict=True):
        place = place * len(block.rows) + row
    return _Combined(blocks, count, [np.tile(rows, alike.size) for rows in grid], alike.own * count + place)


def _some_combined(
    blocks: Sequence[Block], kept: Sequence[int], alike: Lookalikes, stream: Stream, copies: int
) -> _Combined:
    """Every world with drawn rows; a block keeps that of the task's world with probability one half."""
    size, own = alike.size * copies, alike.own * copies
    parts = stream.words(-(-size * len(blocks) // 4)).astype("<u8").view("<u2").astype(np.int64)
    chosen: list[IntArray] = []
    for place, (block, row) in enumerate(zip(blocks, kept, strict=True)):
        drawn = parts[place * size : (place + 1) * size]
        rows = np.where(drawn & 1, row, drawn * len(block.rows) >> 16)
        rows[own] = row
        chosen.append(rows)
    return _Combined(blocks, copies, chosen, own)


def _row_of(block: Block, world: Assignment) -> int:
    """The row of a block that has the values of `world`."""
    return int(np.flatnonzero((block.rows == [world[name] for name in block.names]).all(axis=1))[0])
