"""The worlds that fit what is known: every valid world in which given conditions hold.

In: conditions. Out: `FittingWorlds`: blocks of joint values, of which every combination is such a world. Variables are
joined only where a condition ties them to each other, and what a condition excludes is left out at once. A variable
on which neither a condition nor any walk depends has one value, its first: the others lead to the same answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import attrs
import numpy as np

from solvers.counting.expand import before_name, conjuncts, expand, support
from solvers.counting.tables import BatchState, IntArray, Tables
from solvers.problem import Assign, Expr, Problem, Variable

MOST_FITTING: Final = 1 << 22
"""Most worlds that are looked at one by one."""
MOST_JOINED: Final = 1 << 24
"""Most combinations of tied values that are tried for a condition."""
FITTING_CHUNK: Final = 1 << 17
"""How many worlds, or combinations, are held at once."""


class TooManyFittingError(Exception):
    """More worlds or combinations than are looked at. The argument names the variables that are too open."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(names)
        self.names = names


@attrs.frozen(eq=False)
class _JointValues:
    """Joint values of some variables: a column for each."""

    names: tuple[str, ...]
    rows: IntArray

    def columns(self, rows: IntArray | slice = slice(None)) -> dict[str, IntArray]:
        chosen = self.rows[rows]
        return {name: np.ascontiguousarray(chosen[:, place]) for place, name in enumerate(self.names)}

    def joined(self, other: _JointValues) -> Iterator[_JointValues]:
        """Yield every combination with the rows of another block, in pieces."""
        step = max(1, FITTING_CHUNK // len(other.rows))
        for low in range(0, len(self.rows), step):
            part = self.rows[low : low + step]
            left, right = np.repeat(part, len(other.rows), axis=0), np.tile(other.rows, (len(part), 1))
            yield _JointValues(self.names + other.names, np.concatenate([left, right], axis=1))


@attrs.frozen(eq=False)
class FittingWorlds:
    """All combinations of a row of each block.

    Attributes:
        open: The variables that have more than one value, in the order of the problem.
    """

    blocks: tuple[_JointValues, ...]
    open: tuple[str, ...]

    @property
    def size(self) -> int:
        return math.prod(len(block.rows) for block in self.blocks)

    def chunks(self) -> Iterator[tuple[BatchState, int]]:
        """Yield all worlds, at most `FITTING_CHUNK` at once, with their number; the order means nothing."""
        for low in range(0, self.size, FITTING_CHUNK):
            places = np.arange(low, min(low + FITTING_CHUNK, self.size))
            state: dict[str, IntArray] = {}
            rest = places
            for block in self.blocks:
                state |= block.columns(rest % len(block.rows))
                rest = rest // len(block.rows)
            yield state, len(places)


def worlds_that_fit(tables: Tables, conditions: Iterable[Expr], most: int = MOST_FITTING) -> FittingWorlds:
    """Find the valid worlds in which all `conditions` hold.

    Raises:
        TooManyFittingError: There are more than `most`, or too many combinations to try for a condition.
    """
    problem = tables.problem
    whole = [expand(problem, condition) for condition in (problem.valid, *conditions)]
    parts = list(dict.fromkeys(part for each in whole for part in conjuncts(each)))
    needed = variables_that_decide(problem).union(*map(support, parts))
    blocks = [_first_block(variable, needed) for variable in problem.variables]
    while parts and all(len(block.rows) for block in blocks):
        part = min(parts, key=lambda each: _combinations(_concerned(blocks, each)))
        concerned = sorted(_concerned(blocks, part), key=lambda block: len(block.rows)) or blocks[:1]
        blocks = [block for block in blocks if block not in concerned]
        blocks.append(_cut(tables, concerned, parts))
        parts = [each for each in parts if each is not part]
    worlds = FittingWorlds(tuple(blocks), _open(problem, blocks))
    if worlds.size > most:
        raise TooManyFittingError(_widest(blocks))
    return worlds


def variables_that_decide(problem: Problem) -> frozenset[str]:
    """Name the variables on which some walk may depend: those that the runbook reads or sets, or `sound` reads."""
    exprs = [problem.sound, *(rule.guard for rule in problem.rules)]
    items = [item for rule in problem.rules for alternative in rule.alternatives for item in alternative.sets]
    exprs += [item.value if isinstance(item, Assign) else item.where for item in items]
    read = frozenset[str]().union(*(support(expand(problem, expr)) for expr in exprs))
    names = frozenset(variable.name for variable in problem.variables)
    looked_back = frozenset(name for name in names if before_name(name) in read)
    return (read & names) | looked_back | frozenset(item.field for item in items)


def _first_block(variable: Variable, needed: frozenset[str]) -> _JointValues:
    domain = variable.domain if variable.name in needed else variable.domain[:1]
    return _JointValues((variable.name,), np.array(domain, np.int64)[:, None])


def _cut(tables: Tables, concerned: Sequence[_JointValues], parts: Sequence[Expr]) -> _JointValues:
    """Join blocks one after the other, and keep what satisfies every condition on them alone."""
    joint = _kept(tables, concerned[0], parts)
    for block in concerned[1:]:
        if len(joint.rows) * len(block.rows) > MOST_JOINED:
            raise TooManyFittingError(_widest([joint, block]))
        pieces = [_kept(tables, piece, parts).rows for piece in joint.joined(block)]
        names = joint.names + block.names
        joint = _JointValues(names, np.concatenate([np.zeros((0, len(names)), np.int64), *pieces]))
        if len(joint.rows) > MOST_FITTING:
            raise TooManyFittingError(_widest([joint]))
    return joint


def _kept(tables: Tables, block: _JointValues, parts: Sequence[Expr]) -> _JointValues:
    """The rows of a block that satisfy all conditions on its variables alone."""
    names = frozenset(block.names)
    met = [part for part in parts if support(part) <= names]
    kept = np.ones(len(block.rows), bool)
    for holds in tables.compiled(met)(block.columns()):
        kept &= holds
    return _JointValues(block.names, block.rows[kept])


def _concerned(blocks: Sequence[_JointValues], part: Expr) -> list[_JointValues]:
    return [block for block in blocks if not support(part).isdisjoint(block.names)]


def _combinations(blocks: Sequence[_JointValues]) -> int:
    return math.prod(len(block.rows) for block in blocks)


def _open(problem: Problem, blocks: Sequence[_JointValues]) -> tuple[str, ...]:
    values = _values(blocks)
    return tuple(variable.name for variable in problem.variables if values[variable.name] > 1)


def _widest(blocks: Sequence[_JointValues]) -> tuple[str, ...]:
    """The variables that have more than one value, those with the most first."""
    values = _values(blocks)
    return tuple(sorted((name for name, count in values.items() if count > 1), key=lambda name: -values[name]))


def _values(blocks: Sequence[_JointValues]) -> dict[str, int]:
    """How many values each variable has."""
    return {name: len(np.unique(column)) for block in blocks for name, column in block.columns().items()}
