"""Blocks: tables of joint values of one or a few variables, cut by the conditions that concern these alone.

In: a problem's `Tables`, and the parts of a condition. Out: `Block`s that together hold each variable once, and the
parts that hold in all of their rows. A row of each block, drawn uniformly, is a world that is uniform over all
that satisfy those parts: so fields that a condition ties to each other don't make nearly all draws useless.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Set

import attrs
import numpy as np

from solvers.counting.expand import conjuncts, expand, support
from solvers.counting.tables import IntArray, Tables
from solvers.problem import Apply, Expr, Op, Problem
from solvers.streams import Stream, scaled

BLOCK_ROWS = 1 << 14
"""Most rows of a block of several variables, before they are cut."""
MOST_NUMBERS = 1 << 62
"""Up to where rows are numbered by their values; beyond, by the ranks of these, which are at most as many as rows."""


@attrs.frozen(eq=False)
class Block:
    """Joint values of some variables: a column for each name."""

    names: tuple[str, ...]
    rows: IntArray

    def joined(self, other: Block) -> Block:
        left = np.repeat(self.rows, len(other.rows), axis=0)
        right = np.tile(other.rows, (len(self.rows), 1))
        return Block(self.names + other.names, np.concatenate([left, right], axis=1))

    def columns(self, rows: IntArray | slice = slice(None)) -> dict[str, IntArray]:
        """The values of each variable in some rows."""
        chosen = self.rows[rows]
        return {name: np.ascontiguousarray(chosen[:, place]) for place, name in enumerate(self.names)}


def single_blocks(problem: Problem) -> list[Block]:
    """A block of each variable's own, with all of its values, in the order of the problem."""
    return [Block((variable.name,), np.array(variable.domain, np.int64)[:, None]) for variable in problem.variables]


def blocks_of(blocks: Iterable[Block], names: Set[str]) -> list[Block]:
    """List the blocks that hold any of these variables."""
    return [block for block in blocks if not names.isdisjoint(block.names)]


def combinations(blocks: Iterable[Block]) -> int:
    """How many ways there are to take a row of each block."""
    return math.prod(len(block.rows) for block in blocks)


def row_numbers(rows: IntArray) -> IntArray:
    """Number the rows of a table: equal rows have one number, and no others have it. Numbers sort faster than rows."""
    numbers, size = np.zeros(len(rows), np.int64), 1
    for column in rows.T:
        values, low = column, int(column.min())
        span = int(column.max()) - low + 1
        if size * span > MOST_NUMBERS:
            kinds, numbers = np.unique(numbers, return_inverse=True)
            ranks, values = np.unique(column, return_inverse=True)
            low, span, size = 0, len(ranks), len(kinds)
        numbers = numbers * span + (values - low)
        size *= span
    return numbers


def cut_blocks(
    tables: Tables, parts: Sequence[Expr], most: int | None = None
) -> tuple[tuple[Block, ...], frozenset[Expr]]:
    """Make blocks and cut their rows by every part of the condition that concerns one of them.

    Equalities come first, since they leave few rows, and then the part that needs the smallest join. A join has up to
    `most` rows (by default `BLOCK_ROWS`).

    Returns:
        The blocks, and the parts that hold in all of their rows.
    """
    most = BLOCK_ROWS if most is None else most
    blocks = single_blocks(tables.problem)
    left = list(parts)
    while left and all(len(block.rows) for block in blocks):
        size, part = min(
            ((combinations(blocks_of(blocks, support(part))), part) for part in left),
            key=lambda item: (item[0] > most, not _ties(item[1]), item[0]),
        )
        if size > most:
            break
        left.remove(part)
        # a part without variables is false, and empties any block
        concerned = blocks_of(blocks, support(part)) or blocks[:1]
        joined = concerned[0]
        for block in concerned[1:]:
            joined = joined.joined(block)
        (holds,) = tables.compiled([part])(joined.columns())
        cut = Block(joined.names, joined.rows[np.broadcast_to(holds, len(joined.rows))])
        blocks = [cut if block is concerned[0] else block for block in blocks if block not in concerned[1:]]
    return tuple(blocks), frozenset(parts) - frozenset(left)


def valid_blocks(tables: Tables, most: int | None = None) -> tuple[Block, ...]:
    """The blocks of a problem, cut by what makes a world valid."""
    return cut_blocks(tables, conjuncts(expand(tables.problem, tables.problem.valid)), most)[0]


def drawn_worlds(blocks: Sequence[Block], stream: Stream, size: int) -> dict[str, IntArray]:
    """Draw `size` independent worlds, a row of each block; not all of them are valid.

    Raises:
        ValueError: A block has no rows: no world is valid.
    """
    worlds: dict[str, IntArray] = {}
    for block in blocks:
        if not len(block.rows):
            raise ValueError(f"no value of {', '.join(block.names)} is valid")
        worlds |= block.columns(scaled(stream.words(size), len(block.rows)))
    return worlds


def _ties(part: Expr) -> bool:
    return isinstance(part, Apply) and part.op is Op.EQ
