"""The tree of a formula: one closed union of frozen nodes, without positions."""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs

from compiler.reader.text.values import ReadValue

ComparisonSign: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]


@attrs.frozen
class ReadConst:
    """A number, flag or word."""

    value: ReadValue


@attrs.frozen
class ReadName:
    """A variable or relation."""

    name: str


@attrs.frozen
class Add:
    """Terms with their signs, `True` for minus."""

    terms: tuple[tuple[bool, ReadExpr], ...]


@attrs.frozen
class Multiply:
    """A product."""

    factors: tuple[ReadExpr, ...]


@attrs.frozen
class Modulo:
    """Remainder with the sign of the divisor."""

    left: ReadExpr
    right: ReadExpr


@attrs.frozen
class Divide:
    """Quotient rounded up or down."""

    up: bool
    left: ReadExpr
    right: ReadExpr


@attrs.frozen
class Negate:
    """The negative of a number."""

    operand: ReadExpr


@attrs.frozen
class ReadApply:
    """`min`, `max` or `abs`."""

    function: Literal["min", "max", "abs"]
    arguments: tuple[ReadExpr, ...]


@attrs.frozen
class Compare:
    """Two values compared."""

    operator: ComparisonSign
    left: ReadExpr
    right: ReadExpr


@attrs.frozen
class Member:
    """Whether a value is one of those listed."""

    item: ReadExpr
    options: tuple[ReadExpr, ...]


@attrs.frozen
class Not:
    """The opposite flag."""

    operand: ReadExpr


@attrs.frozen
class Logic:
    """Flags joined by `and` or by `or`."""

    operator: Literal["and", "or"]
    operands: tuple[ReadExpr, ...]


@attrs.frozen
class Implies:
    """False only where left is true and right false."""

    left: ReadExpr
    right: ReadExpr


@attrs.frozen
class ReadChoose:
    """One of two values by a condition."""

    condition: ReadExpr
    then: ReadExpr
    otherwise: ReadExpr


@attrs.frozen
class ReadLookup:
    """A table's entry."""

    table: str
    key: ReadExpr


@attrs.frozen
class ReadWith:
    """The body in the state that differs by `changes`, all computed in the present state."""

    body: ReadExpr
    changes: tuple[tuple[str, ReadExpr], ...]


@attrs.frozen
class ReadBefore:
    """The body in the state in which the rule fired."""

    body: ReadExpr


ReadExpr: TypeAlias = (
    ReadConst
    | ReadName
    | Add
    | Multiply
    | Modulo
    | Divide
    | Negate
    | ReadApply
    | Compare
    | Member
    | Not
    | Logic
    | Implies
    | ReadChoose
    | ReadLookup
    | ReadWith
    | ReadBefore
)


@attrs.frozen
class ReadFormula:
    """A parsed formula, the line it stands on and every name in it."""

    expr: ReadExpr
    line: int
    names: frozenset[str]
