"""The tree of a formula: one closed union of frozen nodes, without positions."""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs

from compiler.reader.text.values import Value

Comparison: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]


@attrs.frozen
class Const:
    """A number, flag or word."""

    value: Value


@attrs.frozen
class Name:
    """A variable or relation."""

    name: str


@attrs.frozen
class Add:
    """Terms with their signs, `True` for minus."""

    terms: tuple[tuple[bool, Expr], ...]


@attrs.frozen
class Multiply:
    """A product."""

    factors: tuple[Expr, ...]


@attrs.frozen
class Modulo:
    """Remainder with the sign of the divisor."""

    left: Expr
    right: Expr


@attrs.frozen
class Divide:
    """Quotient rounded up or down."""

    up: bool
    left: Expr
    right: Expr


@attrs.frozen
class Negate:
    """The negative of a number."""

    operand: Expr


@attrs.frozen
class Apply:
    """`min`, `max` or `abs`."""

    function: Literal["min", "max", "abs"]
    arguments: tuple[Expr, ...]


@attrs.frozen
class Compare:
    """Two values compared."""

    operator: Comparison
    left: Expr
    right: Expr


@attrs.frozen
class Member:
    """Whether a value is one of those listed."""

    item: Expr
    options: tuple[Expr, ...]


@attrs.frozen
class Not:
    """The opposite flag."""

    operand: Expr


@attrs.frozen
class Logic:
    """Flags joined by `and` or by `or`."""

    operator: Literal["and", "or"]
    operands: tuple[Expr, ...]


@attrs.frozen
class Implies:
    """False only where left is true and right false."""

    left: Expr
    right: Expr


@attrs.frozen
class Choose:
    """One of two values by a condition."""

    condition: Expr
    then: Expr
    otherwise: Expr


@attrs.frozen
class Lookup:
    """A table's entry."""

    table: str
    key: Expr


@attrs.frozen
class With:
    """The body in the state that differs by `changes`, all computed in the present state."""

    body: Expr
    changes: tuple[tuple[str, Expr], ...]


@attrs.frozen
class Before:
    """The body in the state in which the rule fired."""

    body: Expr


Expr: TypeAlias = (
    Const
    | Name
    | Add
    | Multiply
    | Modulo
    | Divide
    | Negate
    | Apply
    | Compare
    | Member
    | Not
    | Logic
    | Implies
    | Choose
    | Lookup
    | With
    | Before
)


@attrs.frozen
class Formula:
    """A parsed formula, the line it stands on and every name in it."""

    expr: Expr
    line: int
    names: frozenset[str]
