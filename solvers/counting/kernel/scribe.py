"""Write pure expressions into a routine, each shared part once.

In: pure expressions (see `counting.fold`), the slots of their variables. Out: cells. A part is computed where it is
first needed: behind a condition it is known within the block of that condition only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import assert_never

from solvers.counting.kernel.writer import Operand, Writer
from solvers.counting.tables import topological
from solvers.problem import Apply, Before, Const, Expr, Lookup, RelationValue, Var, With, children


class Scribe:
    """Writes the expressions of one routine.

    Args:
        slots: Where the variables are.
        kept: Where parts are that another routine has stored, by identity.
    """

    def __init__(self, writer: Writer, slots: Mapping[str, int], kept: Mapping[int, int] | None = None) -> None:
        self.writer = writer
        self.slots = slots
        self.kept = kept or {}
        self.known: list[dict[int, Operand]] = [{}]
        self.written: list[Expr] = []  # held, so that no other expression gets the identity of one of them

    def cell(self, expr: Expr) -> Operand:
        """The value of an expression."""
        self.written.append(expr)
        for part in topological([expr], lambda part: id(part) in self.kept or self._is_known(part)):
            if not self._is_known(part):
                self.known[-1][id(part)] = self._written(part)
        return self._found(expr)

    @contextmanager
    def where(self, condition: Operand) -> Iterator[None]:
        """A block for where a condition holds."""
        with self.writer.if_(condition), self._block():
            yield

    @contextmanager
    def each(self, count: int) -> Iterator[Operand]:
        """A block for each of 0 .. count - 1."""
        with self.writer.loop(count) as place, self._block():
            yield place

    @contextmanager
    def _block(self) -> Iterator[None]:
        self.known.append({})
        yield
        self.known.pop()

    def _is_known(self, expr: Expr) -> bool:
        return any(id(expr) in block for block in self.known)

    def _found(self, expr: Expr) -> Operand:
        return next(block[id(expr)] for block in reversed(self.known) if id(expr) in block)

    def _written(self, part: Expr) -> Operand:
        if id(part) in self.kept:
            return self.writer.load(self.kept[id(part)], part.sort)
        match part:
            case Const(value=value):
                return self.writer.constant(value)
            case Var(name=name, sort=sort):
                return self.writer.load(self.slots[name], sort)
            case Apply(op=op):
                return self.writer.apply(op, [self._found(arg) for arg in children(part)])
            case Lookup(entries=entries, key=key):
                return self.writer.lookup(entries, self._found(key))
            case RelationValue() | With() | Before():
                raise ValueError(f"not a pure expression: {part}")
        assert_never(part)
