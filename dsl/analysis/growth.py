"""How large expressions become when relations and `with`s are written out, and how deep.

In: a checked system. Out: sizes without writing anything out, so that later stages can be bounded. Inside
one `with` each relation counts once; a `with` inside a `with` counts again each time its own surroundings do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dsl.checked import CheckedSystem, RelationRef, Typed, Within, expressions_of, subexpressions
from dsl.diagnostics.collector import Collector
from dsl.source import Span

MAX_SIZE: Final = 50_000
"""How many sub-expressions a system may expand to, with every `with` written out."""

MAX_GROWTH_DEPTH: Final = 200
"""How deeply expressions may nest when relations are written out."""


def check_growth(system: CheckedSystem, collector: Collector) -> bool:
    """Report a system that would become too large or too deep; true if it doesn't."""
    growth = _Growth()
    for relation in system.relations:
        size, depth = growth.add(relation.name, relation.value)
        if not _fits(size, depth, f"relation `{relation.name}`", relation.value.span, collector):
            return False
    counted = {id(relation.value) for relation in system.relations}
    total = sum(growth.own.values())
    for expr in expressions_of(system):
        if id(expr) in counted:
            continue
        size, depth = growth.size(expr), growth.depth(expr)
        total += size
        if not _fits(size, depth, "this expression", expr.span, collector):
            return False
    if total > MAX_SIZE:
        collector.error(
            "E424",
            f"system `{system.name}` expands to {total} terms when every `with` is written out",
            system.span,
            f"at most {MAX_SIZE} are allowed",
            helps=("use fewer `with`s, above all in relations that another `with` is applied to",),
        )
    return total <= MAX_SIZE


def _fits(size: int, depth: int, what: str, span: Span, collector: Collector) -> bool:
    if size > MAX_SIZE:
        number = str(size) if size < 10**12 else "more than 10^12"
        collector.error(
            "E424",
            f"{what} expands to {number} terms when every `with` is written out",
            span,
            f"at most {MAX_SIZE} are allowed",
            helps=("a `with` on a relation that itself uses `with` multiplies the terms: write one of them out",),
        )
        return False
    if depth > MAX_GROWTH_DEPTH:
        collector.error(
            "E425",
            f"{what} is {depth} levels deep when relations are written out",
            span,
            f"at most {MAX_GROWTH_DEPTH} are allowed",
            helps=("shorten the chain of relations that build on each other",),
        )
        return False
    return True


class _Growth:
    """Sizes and depths of relations, added in the order in which they use each other."""

    def __init__(self) -> None:
        self.own: dict[str, int] = {}
        self._depths: dict[str, int] = {}
        self._reach: dict[str, frozenset[str]] = {}

    def add(self, name: str, value: Typed) -> tuple[int, int]:
        """Take up a relation; gives its size and its depth."""
        self._depths[name] = self.depth(value)
        self._reach[name] = self._reached(value) | {name}
        self.own[name] = self.size(value)
        return self.own[name], self._depths[name]

    def size(self, expr: Typed) -> int:
        """Terms of `expr` itself, and of what its `with`s expand to."""
        total = 0
        for node in _outside_withins(expr):
            total += 1
            if isinstance(node, Within):
                total += self.size(node.body) + sum(self.size(new) for _, new in node.changes)
                total += sum(self.own[name] for name in self._reached(node.body))
        return total

    def depth(self, expr: Typed) -> int:
        if isinstance(expr, RelationRef):
            return 1 + self._depths[expr.name]
        return 1 + max((self.depth(part) for part in subexpressions(expr)), default=0)

    def _reached(self, expr: Typed) -> frozenset[str]:
        """The relations that `expr` depends on, other than through its `with`s."""
        reached: set[str] = set()
        for node in _outside_withins(expr):
            if isinstance(node, RelationRef):
                reached |= self._reach[node.name]
        return frozenset(reached)


def _outside_withins(expr: Typed) -> Iterator[Typed]:
    """Sub-expressions down to the `with`s, those included."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, Within):
            stack.extend(subexpressions(node))
