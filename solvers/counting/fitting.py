"""The worlds that fit what is known: every valid world in which given conditions hold.

In: conditions. Out: `FittingWorlds`: blocks of joint values, of which every combination is such a world. Variables are
joined only where a condition ties them to each other, and what a condition excludes is left out at once. Of the worlds
that differ only where nothing decides (see `deciding`), there is one: the others lead to the same answer.

Where there are too many worlds or combinations, some are drawn, the same ones each time. All that come out fit, but
others do, too: `FittingWorlds.complete` is false then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final

import attrs
import numpy as np

from solvers.counting.blocks import Block, blocks_of, combinations, row_numbers, single_blocks
from solvers.counting.deciding import deciding_variables
from solvers.counting.expand import conjuncts, expand, support
from solvers.counting.tables import BatchState, BatchValue, IntArray, Tables
from solvers.problem import Expr
from solvers.streams import Stream, key_of, scaled

MOST_FITTING: Final = 1 << 20
"""Most worlds that are looked at one by one."""
MOST_JOINED: Final = 1 << 23
"""Most combinations of tied values that are tried for a condition."""
FITTING_DRAWN: Final = 1 << 16
"""How many worlds, or rows of a block, are drawn where there are more."""
FITTING_CHUNK: Final = 1 << 17
"""How many worlds, or combinations, are held at once."""


@attrs.frozen(eq=False)
class FittingWorlds:
    """Combinations of a row of each block.

    Attributes:
        open: The variables that decide and have more than one value, in the order of the problem.
        told: These, and the variables that have the same value in every world that fits.
        size: How many worlds there are.
        complete: Whether these are all worlds that fit.
        drawn: Where only some worlds were drawn, the row of each block for each of them.
    """

    blocks: tuple[Block, ...]
    open: tuple[str, ...]
    told: frozenset[str]
    size: int
    complete: bool = True
    drawn: tuple[IntArray, ...] | None = None

    @property
    def widest(self) -> tuple[str, ...]:
        """The open variables, those with the most values first."""
        values = _values(self.blocks)
        return tuple(sorted(self.open, key=lambda name: -values[name]))

    def chunks(self) -> Iterator[tuple[BatchState, int]]:
        """Yield all worlds, at most `FITTING_CHUNK` at once, with their number; the order means nothing."""
        for low in range(0, self.size, FITTING_CHUNK):
            places = np.arange(low, min(low + FITTING_CHUNK, self.size))
            state: dict[str, BatchValue] = {}
            for block, rows in zip(self.blocks, self._rows(places), strict=True):
                state |= block.columns(rows)
            yield state, len(places)

    def _rows(self, places: IntArray) -> Iterator[IntArray]:
        """Yield the row of each block for some of the worlds."""
        for number, block in enumerate(self.blocks):
            yield places % len(block.rows) if self.drawn is None else self.drawn[number][places]
            places = places // len(block.rows) if self.drawn is None else places


def worlds_that_fit(tables: Tables, conditions: Iterable[Expr], most: int = MOST_FITTING) -> FittingWorlds:
    """Find the valid worlds in which all `conditions` hold, or some of them if there are more than `most`."""
    problem = tables.problem
    whole = [expand(problem, condition) for condition in (problem.valid, *conditions)]
    parts = list(dict.fromkeys(part for each in whole for part in conjuncts(each)))
    blocks = [_kept(tables, block, parts) for block in single_blocks(problem)]
    fixed = {block.names[0]: int(block.rows[0, 0]) for block in blocks if len(block.rows) == 1}
    deciding = deciding_variables(problem, parts, fixed)
    parts = [part for part in parts if len(support(part)) != 1]
    complete = True
    blocks = [_projected(block, deciding.union(*map(support, parts))) for block in blocks]
    while parts and all(len(block.rows) for block in blocks):
        part = min(parts, key=lambda each: combinations(blocks_of(blocks, support(each))))
        concerned = sorted(blocks_of(blocks, support(part)), key=lambda block: len(block.rows)) or blocks[:1]
        blocks = [block for block in blocks if block not in concerned]
        joint, all_rows = _cut(tables, concerned, parts, deciding)
        blocks.append(joint)
        complete &= all_rows
        parts = [each for each in parts if each is not part]
    values = _values(blocks)
    varying = tuple(each.name for each in problem.variables if each.name in deciding and values[each.name] > 1)
    worlds = FittingWorlds(tuple(blocks), varying, deciding | fixed.keys(), combinations(blocks), complete)
    if worlds.size <= most:
        return worlds
    drawn = tuple(_drawn(len(block.rows), "worlds", *block.names) for block in blocks)
    return attrs.evolve(worlds, size=FITTING_DRAWN, complete=False, drawn=drawn)


def _cut(
    tables: Tables, concerned: Sequence[Block], parts: Sequence[Expr], deciding: frozenset[str]
) -> tuple[Block, bool]:
    """Join blocks one after the other, and keep what satisfies every condition on them alone.

    Returns:
        The block, and whether it has all rows: where there are too many combinations, some are drawn.
    """
    joint, complete = _kept(tables, concerned[0], parts), True
    for block in concerned[1:]:
        if len(joint.rows) * len(block.rows) > MOST_JOINED:
            joint, block, complete = _thinned(joint), _thinned(block), False
            joint = _thinned(joint, max(1, MOST_JOINED // len(block.rows)))
        names = joint.names + block.names
        pending = [part for part in parts if not support(part) <= frozenset(names)]
        needed = deciding.union(*map(support, pending))
        pieces = [_projected(_kept(tables, piece, parts), needed).rows for piece in _combined(joint, block)]
        joint = Block(names, np.concatenate([np.zeros((0, len(names)), np.int64), *pieces]))
        joint = _projected(joint, needed)
        if len(joint.rows) > MOST_FITTING:
            joint, complete = _thinned(joint), False
    return joint, complete


def _combined(one: Block, other: Block) -> Iterator[Block]:
    """Yield every combination of their rows, in pieces."""
    step = max(1, FITTING_CHUNK // len(other.rows))
    for low in range(0, len(one.rows), step):
        yield Block(one.names, one.rows[low : low + step]).joined(other)


def _projected(block: Block, needed: Set[str]) -> Block:
    """The block with the first of the rows that agree in all variables of `needed`."""
    places = [place for place, name in enumerate(block.names) if name in needed]
    if not places or len(block.rows) < 2:
        return Block(block.names, block.rows[:1])
    if len(places) == len(block.names):
        return block
    _, first = np.unique(row_numbers(block.rows[:, places]), return_index=True)
    return Block(block.names, block.rows[np.sort(first)])


def _thinned(block: Block, most: int = FITTING_DRAWN) -> Block:
    """The block itself, or some of its rows if it has more than `most`."""
    count = len(block.rows)
    return block if count <= most else Block(block.names, block.rows[_drawn(count, *block.names)[:most]])


def _drawn(count: int, *key: str) -> IntArray:
    """Draw `FITTING_DRAWN` places below `count`, the same for each `key`, some of them perhaps twice."""
    return scaled(Stream(key_of("fitting", *key)).words(FITTING_DRAWN), count)


def _kept(tables: Tables, block: Block, parts: Sequence[Expr]) -> Block:
    """The rows of a block that satisfy all conditions on its variables alone."""
    names = frozenset(block.names)
    met = [part for part in parts if support(part) <= names]
    kept = np.ones(len(block.rows), bool)
    for holds in tables.compiled(met)(block.columns()):
        kept &= holds
    return Block(block.names, block.rows[kept])


def _values(blocks: Sequence[Block]) -> dict[str, int]:
    """How many values each variable has."""
    return {name: len(np.unique(column)) for block in blocks for name, column in block.columns().items()}
