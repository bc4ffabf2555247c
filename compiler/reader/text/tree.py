"""The tree of a formula: one closed union of frozen nodes, without positions.

Every node and every operator begins with `Read`, so that none is taken for a node of the language's own tree.
"""

from __future__ import annotations

import enum
from typing import TypeAlias

import attrs

from compiler.reader.text.values import ReadValue


class ReadComparison(enum.Enum):
    """How two values are compared, as the page writes it; `is` and `is not` stand between words."""

    EQUAL = "=="
    UNEQUAL = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="
    IS = "is"
    IS_NOT = "is not"


class ReadConnective(enum.Enum):
    """How flags are joined, as the page writes it."""

    AND = "and"
    OR = "or"


class ReadFunction(enum.Enum):
    """A function of numbers, as the page writes it."""

    MIN = "min"
    MAX = "max"
    ABS = "abs"


class ReadRounding(enum.Enum):
    """Which way a quotient is rounded, as the page writes it."""

    DOWN = "floor"
    UP = "ceil"


@attrs.frozen
class ReadConst:
    """A number, flag or word."""

    value: ReadValue


@attrs.frozen
class ReadName:
    """A variable, relation, column or index by its name; a name that is none of these is a word."""

    name: str


@attrs.frozen
class ReadAdd:
    """Terms with their signs, `True` for minus."""

    terms: tuple[tuple[bool, ReadExpr], ...]


@attrs.frozen
class ReadMultiply:
    """A product."""

    factors: tuple[ReadExpr, ...]


@attrs.frozen
class ReadModulo:
    """Remainder with the sign of the divisor."""

    left: ReadExpr
    right: ReadExpr


@attrs.frozen
class ReadDivide:
    """A rounded quotient."""

    rounding: ReadRounding
    left: ReadExpr
    right: ReadExpr


@attrs.frozen
class ReadNegate:
    """The negative of a number."""

    operand: ReadExpr


@attrs.frozen
class ReadApply:
    """A function and its arguments: one for `abs`, one or more for the others."""

    function: ReadFunction
    arguments: tuple[ReadExpr, ...]


@attrs.frozen
class ReadCompare:
    """Two values compared."""

    operator: ReadComparison
    left: ReadExpr
    right: ReadExpr


@attrs.frozen
class ReadMember:
    """Whether a value is one of those listed."""

    item: ReadExpr
    options: tuple[ReadExpr, ...]


@attrs.frozen
class ReadNot:
    """The opposite flag."""

    operand: ReadExpr


@attrs.frozen
class ReadLogic:
    """Flags joined by one connective."""

    operator: ReadConnective
    operands: tuple[ReadExpr, ...]


@attrs.frozen
class ReadChoose:
    """One of two values by a condition."""

    condition: ReadExpr
    then: ReadExpr
    otherwise: ReadExpr


@attrs.frozen
class ReadLookup:
    """A column's entry in the row of a key."""

    column: str
    key: ReadExpr


@attrs.frozen
class ReadWith:
    """The body in the state that differs by `changes`, all computed in the present state."""

    body: ReadExpr
    changes: tuple[tuple[str, ReadExpr], ...]


@attrs.frozen
class ReadBefore:
    """The body in the state in which the rule was taken."""

    body: ReadExpr


@attrs.frozen
class ReadKept:
    """Whether the body is what it was when the rule was taken."""

    body: ReadExpr


@attrs.frozen
class ReadPrinted:
    """The body in the run as printed."""

    body: ReadExpr


ReadExpr: TypeAlias = (
    ReadConst
    | ReadName
    | ReadAdd
    | ReadMultiply
    | ReadModulo
    | ReadDivide
    | ReadNegate
    | ReadApply
    | ReadCompare
    | ReadMember
    | ReadNot
    | ReadLogic
    | ReadChoose
    | ReadLookup
    | ReadWith
    | ReadBefore
    | ReadKept
    | ReadPrinted
)


@attrs.frozen
class ReadFormula:
    """A parsed formula, the line that it stands on and every name in it."""

    expr: ReadExpr
    line: int
    names: frozenset[str] = frozenset()


class ReadFeature(enum.Enum):
    """What a page explains in a sentence only if it is used."""

    CHANGED = "X[f=a]"
    BEFORE = "before(X)"
    KEEPING = "keeping X"
    PRINTED = "printed(X)"
