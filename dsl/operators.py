"""The operators and functions of the language, as written and as checked.

Every stage matches on these enumerations and ends in `assert_never`, so that mypy lists the places that lack a
new member. A value is what the author writes, except that the minus sign of `-a` is `neg`, so that no two
operators have the same value.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class UnaryOp(Enum):
    NEGATE = "neg"
    NOT = "not"


class ArithmeticOp(Enum):
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    MOD = "mod"


class DivisionOp(Enum):
    """The divisions, by how they round: `floor(a / b)` and `ceil(a / b)`."""

    FLOOR = "floor"
    CEIL = "ceil"


class CompareOp(Enum):
    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


class LogicOp(Enum):
    AND = "and"
    OR = "or"
    IMPLIES = "implies"


class ChoiceOp(Enum):
    """`if c then a else b`: a syntax of its own, and an operator with three arguments when checked."""

    IF = "if"


class Function(Enum):
    """Functions of numbers."""

    MIN = "min"
    MAX = "max"
    ABS = "abs"


class Cast(Enum):
    """Functions that change a type and no value; nothing is left of them when checked."""

    NUMBER = "number"


class Quantifier(Enum):
    """Written out when checked, as a chain of another operator."""

    SUM = "sum"
    COUNT = "count"
    ANY = "any"
    ALL = "all"


BinaryOp = ArithmeticOp | DivisionOp | CompareOp | LogicOp
"""What is written between two operands, or with `/` between them."""

Operator = UnaryOp | BinaryOp | ChoiceOp | Function
"""What is applied to arguments in checked forms."""

OPERATORS: Final[tuple[Operator, ...]] = (
    *UnaryOp, *ArithmeticOp, *DivisionOp, *CompareOp, *LogicOp, *ChoiceOp, *Function,
)  # fmt: skip
"""Every operator, for tables and tests."""


class Rounding(Enum):
    """How `e to U` rounds."""

    EXACT = "exact"
    DOWN = "down"
    UP = "up"


class PickBy(Enum):
    """Which value `field = largest where ...` takes."""

    LARGEST = "largest"
    SMALLEST = "smallest"
    FIRST = "first"


class KeepSense(Enum):
    """What a `keep` forbids: any change, a rise, or a fall."""

    EQUAL = "equal"
    NOT_ABOVE = "not above"
    NOT_BELOW = "not below"
