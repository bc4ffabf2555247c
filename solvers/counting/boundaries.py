"""Worlds on which the two sides of a comparison are equal, where a wrong comparison shows.

In: the tables of a problem. Out: worlds, valid or not, a few for each comparison of the problem. The runs of
tasks seldom lie there, since each keeps a margin from what decides it: with `>=` instead of `>` they would be the same.
Where there are any, they come from worlds in which the whole expression turns with the comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from solvers.counting.blocks import Block, drawn_worlds, single_blocks, valid_blocks
from solvers.counting.expand import before_state, expand, support
from solvers.counting.tables import IntArray, Tables
from solvers.counting.walks import world_at
from solvers.outcome import Assignment
from solvers.problem import Apply, Before, Const, Expr, Lookup, Op, Problem, RelationValue, Var, With, prescribed
from solvers.streams import Stream, key_of

DRAWS: Final = 2048
"""How many worlds are drawn to start from: this many mostly valid ones, and as many of any kind."""
WORLDS: Final = 3
"""Worlds, at most, for one comparison."""
CHANGES: Final = 6
"""Variables, at most, that are changed in turn to bring the sides of a comparison together."""

_OPPOSITE: Final = {Op.LT: Op.GE, Op.GE: Op.LT, Op.GT: Op.LE, Op.LE: Op.GT}

_Batch = dict[str, IntArray]


class _Compared(NamedTuple):
    """A comparison: its two sides, the expression that holds it, and the same with the opposite comparison."""

    difference: Expr
    whole: Expr
    turned: Expr


def boundary_worlds(tables: Tables) -> Iterator[Assignment]:
    """Yield worlds on the boundaries of the problem's comparisons; none for one that no way was found to."""
    drawn = _drawn(tables)
    yield from (world_at(drawn, start + row) for start in range(0, _size(drawn), DRAWS) for row in range(WORLDS))
    for compared in _comparisons(tables.problem):
        held, turned = (_values(tables, expr, drawn) for expr in (compared.whole, compared.turned))
        decisive = np.nonzero(held != turned)[0]
        found = _brought_together(tables, compared.difference, _rows(drawn, decisive) if len(decisive) else drawn)
        yield from (world_at(found, row) for row in range(min(WORLDS, _size(found))))


def _drawn(tables: Tables) -> _Batch:
    """Worlds of which the first half are mostly valid, and the others any; these alone where no world is valid."""
    stream = Stream(key_of("boundaries", tables.problem.name))
    kinds: list[Sequence[Block]] = [valid_blocks(tables), single_blocks(tables.problem)]
    parts = [drawn_worlds(blocks, stream, DRAWS) for blocks in kinds if all(len(block.rows) for block in blocks)]
    return {each.name: np.concatenate([part[each.name] for part in parts]) for each in tables.problem.variables}


def _rows(batch: _Batch, rows: IntArray) -> _Batch:
    return {name: column[rows] for name, column in batch.items()}


def _size(batch: _Batch) -> int:
    return len(next(iter(batch.values())))


def _values(tables: Tables, expr: Expr, batch: _Batch) -> IntArray:
    """The value of an expression in each world of a batch; what it looks back at is the world itself."""
    (values,) = tables.evaluate([expr], {**batch, **before_state(batch, batch)})
    return np.broadcast_to(values, _size(batch)).astype(np.int64)


def _brought_together(tables: Tables, difference: Expr, batch: _Batch) -> _Batch:
    """Those of the batch where the difference is zero, or the nearest with variables changed until it is."""
    gap = np.abs(_values(tables, difference, batch))
    if (gap == 0).any():
        return _rows(batch, np.nonzero(gap == 0)[0])
    nearest = _rows(batch, np.argsort(gap, kind="stable")[:1])
    least = int(gap.min())
    names = support(expand(tables.problem, difference))
    for _ in range(CHANGES):
        changed = _neighbours(tables.problem, nearest, names)
        gap = np.abs(_values(tables, difference, changed))
        if gap.min() >= least:
            break
        least = int(gap.min())
        nearest = _rows(changed, np.nonzero(gap == least)[0] if least == 0 else np.argsort(gap, kind="stable")[:1])
        if least == 0:
            return nearest
    return _rows(batch, np.array([], np.int64))


def _neighbours(problem: Problem, world: _Batch, names: frozenset[str]) -> _Batch:
    """The worlds that differ from the only one of a batch in the value of one of these variables."""
    changes = [
        (variable.name, value) for variable in problem.variables if variable.name in names for value in variable.domain
    ]
    batch = {name: np.repeat(column, len(changes)) for name, column in world.items()}
    for row, (name, value) in enumerate(changes):
        batch[name][row] = value
    return batch


def _comparisons(problem: Problem) -> Iterator[_Compared]:
    """The comparisons of numbers in a problem, each as often as another expression holds it."""
    definitions = (definition for _, definition in problem.relations)
    shown = (observation.value for observation in problem.observations)
    ruled = (expr for rule in problem.rules for expr in (rule.guard, *prescribed(rule)))
    for whole in dict.fromkeys((*definitions, *shown, *ruled, problem.valid, problem.stated, problem.sound)):
        for part in dict.fromkeys(_compared_here(whole)):
            turned = Apply(_OPPOSITE[part.op], part.args)
            yield _Compared(Apply(Op.SUB, part.args), whole, _with_part(whole, part, turned))


def _compared_here(expr: Expr) -> Iterator[Apply]:
    """The comparisons of an expression that are made in its own world: none inside `With`."""
    match expr:
        case Apply(op=op, args=args):
            if op in _OPPOSITE:
                yield expr
            for arg in args:
                yield from _compared_here(arg)
        case Lookup(key=part) | Before(body=part):
            yield from _compared_here(part)
        case Const() | Var() | RelationValue() | With():
            pass


def _with_part(expr: Expr, old: Expr, new: Expr) -> Expr:
    """The expression with one of its parts, outside `With`, exchanged."""
    if expr == old:
        return new
    match expr:
        case Apply(op=op, args=args):
            return Apply(op, tuple(_with_part(arg, old, new) for arg in args))
        case Lookup(table=table, entries=entries, key=key):
            return Lookup(table, entries, _with_part(key, old, new))
        case Before(body=body):
            return Before(_with_part(body, old, new))
        case _:
            return expr
