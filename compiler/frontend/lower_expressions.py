"""Lowers expressions: from checked forms to expressions of the solver side.

In: checked expressions without errors. Out: `solvers.problem` expressions. A truth value never reaches a
variable there: flags and enumerations are integers with labels, and a flag as a condition is `flag == true`.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import Final, assert_never

from compiler.frontend.simplify import simplified
from compiler.plan import Display
from dsl.checked import (
    CheckedCondition,
    Constant,
    Earlier,
    Operation,
    RelationRef,
    TableRef,
    Typed,
    VariableRef,
    Within,
)
from dsl.operators import ArithmeticOp, ChoiceOp, CompareOp, DivisionOp, Function, LogicOp, Operator, UnaryOp
from dsl.value_types import Enumeration, Flag, Quantity, ValueType
from solvers.problem import Apply, Before, Const, Expr, Lookup, Op, RelationValue, Sort, Var, With, conjunction

_OPS: Final[dict[Operator, Op]] = {
    ArithmeticOp.ADD: Op.ADD,
    ArithmeticOp.SUBTRACT: Op.SUB,
    ArithmeticOp.MULTIPLY: Op.MUL,
    UnaryOp.NEGATE: Op.NEG,
    DivisionOp.FLOOR: Op.FLOORDIV,
    DivisionOp.CEIL: Op.CEILDIV,
    ArithmeticOp.MOD: Op.MOD,
    Function.MIN: Op.MIN,
    Function.MAX: Op.MAX,
    Function.ABS: Op.ABS,
    ChoiceOp.IF: Op.ITE,
    CompareOp.EQUAL: Op.EQ,
    CompareOp.UNEQUAL: Op.NE,
    CompareOp.LESS: Op.LT,
    CompareOp.AT_MOST: Op.LE,
    CompareOp.MORE: Op.GT,
    CompareOp.AT_LEAST: Op.GE,
    LogicOp.AND: Op.AND,
    LogicOp.OR: Op.OR,
    UnaryOp.NOT: Op.NOT,
    LogicOp.IMPLIES: Op.IMPLIES,
}

ON, OFF = Const(1, "true"), Const(0, "false")


def lower_condition(expr: Typed) -> Expr:
    """An expression of truth values, as one."""
    return _condition(simplified(expr))


def lower_integer(expr: Typed) -> Expr:
    """Any expression as an integer: flags are 0 and 1, members of enumerations their codes."""
    return _integer(simplified(expr))


def lower_value(expr: Typed) -> Expr:
    """An expression in the sort of its type."""
    return _value(simplified(expr))


def _condition(expr: Typed) -> Expr:
    match expr:
        case Constant(value=value):
            return Const(bool(value))
        case VariableRef(name=name):
            return Apply(Op.EQ, (Var(name), ON))
        case TableRef():
            return Apply(Op.EQ, (_lookup(expr), ON))
        case _:
            return _shared(expr)


def _integer(expr: Typed) -> Expr:
    match expr:
        case Constant():
            return _constant(expr.value, expr.type)
        case VariableRef(name=name):
            return Var(name)
        case TableRef():
            return _lookup(expr)
        case _:
            value = _shared(expr)
            return Apply(Op.ITE, (value, ON, OFF)) if value.sort is Sort.BOOL else value


def _value(expr: Typed) -> Expr:
    return _condition(expr) if isinstance(expr.type, Flag) else _integer(expr)


def _shared(expr: Typed) -> Expr:
    """What doesn't depend on the sort that is asked for."""
    match expr:
        case RelationRef(name=name, type=type_):
            return RelationValue(name, sort_of(type_))
        case Operation(op=CompareOp.EQUAL | CompareOp.UNEQUAL as op, args=(left, right)) if isinstance(left.type, Flag):
            return _flags_equal(op, left, right)
        case Operation(op=op, args=args):
            return Apply(_OPS[op], tuple(_value(arg) for arg in args))
        case Within(body=body, changes=changes):
            return With(_value(body), tuple((name, _integer(new)) for name, new in changes))
        case Earlier(body=body):
            return Before(_value(body))
        case Constant() | VariableRef() | TableRef():
            return _value(expr)
    assert_never(expr)


def _flags_equal(op: CompareOp, left: Typed, right: Typed) -> Expr:
    """Comparisons of flags: those with a constant or between variables stay comparisons of integers."""
    simple = all(isinstance(side, Constant | VariableRef) for side in (left, right))
    side = _integer if simple else _condition
    return Apply(_OPS[op], (side(left), side(right)))


def _lookup(expr: TableRef) -> Expr:
    return Lookup(expr.table, expr.entries, _integer(expr.key))


def all_of(conditions: Iterable[CheckedCondition]) -> Expr:
    return conjunction(lower_condition(each.condition) for each in conditions)


def sort_of(type_: ValueType) -> Sort:
    """The sort of a value of this type: flags are truth values, all else integers."""
    return Sort.BOOL if isinstance(type_, Flag) else Sort.INT


def _constant(value: int, type_: ValueType) -> Const:
    match type_:
        case Flag():
            return ON if value else OFF
        case Enumeration(members=members):
            return Const(value, members[value])
        case Quantity():
            return Const(value)


def shown_amount(value: Expr, display: Display) -> Expr:
    """The integer in the evidence for `value`, as `Display.shown` computes it."""
    if display.exact:
        return value
    above = display.numerator * 10**display.decimals
    common = gcd(above, display.denominator)
    above, below = above // common, display.denominator // common
    if below == 1:
        return value if above == 1 else Apply(Op.MUL, (value, Const(above)))
    half, factor, divisor = (below // 2, above, below) if below % 2 == 0 else (below, 2 * above, 2 * below)
    scaled = value if factor == 1 else Apply(Op.MUL, (value, Const(factor)))
    return Apply(Op.FLOORDIV, (Apply(Op.ADD, (scaled, Const(half))), Const(divisor)))


def as_integer(expr: Expr) -> Expr:
    """A value of either sort as an integer."""
    if isinstance(expr, Const):
        return expr if expr.sort is Sort.INT else (ON if expr.value else OFF)
    return Apply(Op.ITE, (expr, ON, OFF)) if expr.sort is Sort.BOOL else expr
