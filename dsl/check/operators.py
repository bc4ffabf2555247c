"""Types and units of operators: what goes together, and what comes out.

In: an operator's syntax and the `Checker` of its place. Out: a checked form, or None after an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

import attrs

from dsl.check.checker import Checker
from dsl.check.unit_help import Written, described, how_to_meet, in_one_unit, single_unit
from dsl.checked import Constant, Operation, Typed
from dsl.operators import (
    ArithmeticOp,
    BinaryOp,
    Cast,
    ChoiceOp,
    CompareOp,
    DivisionOp,
    Function,
    LogicOp,
    Rounding,
    UnaryOp,
)
from dsl.source import Span
from dsl.syntax import nodes
from dsl.value_types import (
    FLAG,
    NUMBER,
    Dimension,
    Quantity,
    ValueType,
    conversion,
    divide,
    multiply,
    plain_if_zero,
    unify,
)

_CHAINS: Final = frozenset({ArithmeticOp.ADD, ArithmeticOp.MULTIPLY, LogicOp.AND, LogicOp.OR})
"""Associative operators: a chain of one of them becomes one operation."""


def check_unary(checker: Checker, expr: nodes.Unary) -> Typed | None:
    """`-a` and `not a`; a negative literal is a constant."""
    match expr.op:
        case UnaryOp.NOT:
            operand = checker.of_type(expr.operand, FLAG, "the operand of `not`")
            return None if operand is None else Operation(expr.op, (operand,), FLAG, span=expr.span)
        case UnaryOp.NEGATE:
            number = checker.quantity(expr.operand, "the operand of `-`")
            if isinstance(number, Constant):
                return Constant(-number.value, number.type, span=expr.span)
            return None if number is None else Operation(expr.op, (number,), number.type, span=expr.span)
        case _:
            assert_never(expr.op)


def check_binary(checker: Checker, expr: nodes.Binary) -> Typed | None:
    """`a op b`, divisions included."""
    match expr.op:
        case CompareOp():
            return _comparison(checker, expr, expr.op)
        case LogicOp():
            return _logic(checker, expr, expr.op)
        case DivisionOp():
            return _division(checker, expr, expr.op)
        case ArithmeticOp():
            return _arithmetic(checker, expr, expr.op)
        case _:
            assert_never(expr.op)


def _logic(checker: Checker, expr: nodes.Binary, op: LogicOp) -> Typed | None:
    left = checker.of_type(expr.left, FLAG, f"the left side of `{op.value}`")
    right = checker.of_type(expr.right, FLAG, f"the right side of `{op.value}`")
    return None if left is None or right is None else _operation(op, left, right, FLAG, expr.span)


def _division(checker: Checker, expr: nodes.Binary, op: DivisionOp) -> Typed | None:
    sides = _numbers(checker, expr, "/")
    if sides is None:
        return None
    result = Quantity(divide(*map(_dimension, sides)))
    return Operation(op, sides, result, span=expr.span)


def _arithmetic(checker: Checker, expr: nodes.Binary, op: ArithmeticOp) -> Typed | None:
    sides = _numbers(checker, expr, op.value)
    if sides is None:
        return None
    match op:
        case ArithmeticOp.MULTIPLY:
            return _operation(op, *sides, Quantity(multiply(*map(_dimension, sides))), expr.span)
        case ArithmeticOp.ADD:
            refusal = "can't add {right} to {left}"
        case ArithmeticOp.SUBTRACT:
            refusal = "can't subtract {right} from {left}"
        case ArithmeticOp.MOD:
            refusal = "can't take {left} mod {right}"
        case _:
            assert_never(op)
    left, right = in_one_unit(sides, checker.scope.types)
    result = unify(left.type, right.type)
    if result is None:
        message = refusal.format(left=described(left.type), right=described(right.type))
        _cannot(checker, message, (left, expr.left), (right, expr.right))
        return None
    return _operation(op, left, right, result, expr.span)


def _numbers(checker: Checker, expr: nodes.Binary, sign: str) -> tuple[Typed, Typed] | None:
    """Both sides of an operator between numbers; `sign` is how messages show it."""
    left = checker.quantity(expr.left, f"the left side of `{sign}`")
    right = checker.quantity(expr.right, f"the right side of `{sign}`")
    return None if left is None or right is None else (left, right)


def _dimension(number: Typed) -> Dimension | None:
    assert isinstance(number.type, Quantity)
    return number.type.dimension


def _comparison(checker: Checker, expr: nodes.Binary, op: CompareOp) -> Typed | None:
    sides = checker.check_pair(expr.left, expr.right, None)
    if sides is None:
        return None
    left, right = in_one_unit(sides, checker.scope.types)
    both = unify(left.type, right.type)
    if both is None:
        message = f"can't compare {described(left.type)} with {described(right.type)}"
        _cannot(checker, message, (left, expr.left), (right, expr.right))
        return None
    if op not in (CompareOp.EQUAL, CompareOp.UNEQUAL) and not isinstance(both, Quantity):
        checker.collector.error(
            "E303",
            f"`{op.value}` compares numbers, and {described(both)} has no order",
            expr.span,
            "compared here",
            helps=("use `==`, `!=` or `in`",),
        )
        return None
    return Operation(op, (left, right), FLAG, span=expr.span)


def _cannot(checker: Checker, message: str, first: Written, second: Written) -> None:
    """Report two sides that don't go together, at the second one."""
    left, right = first[0], second[0]
    numbers = isinstance(left.type, Quantity) and isinstance(right.type, Quantity)
    checker.collector.error(
        "E302" if numbers else "E301",
        message,
        right.span,
        f"this is {described(right.type)}",
        secondary=((left.span, f"this is {described(left.type)}"),),
        helps=how_to_meet(first, second, checker.scope.types) if numbers else (),
    )


def check_call(checker: Checker, expr: nodes.Call) -> Typed | None:
    """`min`, `max`, `abs` and `number`."""
    function = expr.function
    takes_one = _takes_one(function)
    if not expr.args or (takes_one and len(expr.args) != 1):
        checker.collector.error(
            "E311",
            f"`{function.value}` takes {'one argument' if takes_one else 'at least one argument'}",
            expr.span,
            f"{len(expr.args)} given",
        )
        return None
    args = [checker.quantity(arg, f"an argument of `{function.value}`") for arg in expr.args]
    known = [arg for arg in args if arg is not None]
    if len(known) < len(args):
        return None
    match function:
        case Cast.NUMBER:
            return attrs.evolve(known[0], type=NUMBER, span=expr.span)
        case Function():
            known = in_one_unit(known, checker.scope.types)
            type_ = common_type(checker, known, expr.args, "an argument")
            return None if type_ is None else Operation(function, tuple(known), type_, span=expr.span)
        case _:
            assert_never(function)


def _takes_one(function: Function | Cast) -> bool:
    """Whether a function takes exactly one argument; the others take one or more."""
    match function:
        case Function.ABS | Cast.NUMBER:
            return True
        case Function.MIN | Function.MAX:
            return False
        case _:
            assert_never(function)


def common_type(
    checker: Checker, values: Sequence[Typed], exprs: Sequence[nodes.Expression], what: str
) -> ValueType | None:
    """The type that all of `values`, written as `exprs`, have; `what` says in messages what each is."""
    first, type_ = values[0], values[0].type
    for value, expr in zip(values[1:], exprs[1:], strict=True):
        both = unify(type_, value.type)
        if both is None:
            earlier = attrs.evolve(first, type=type_)
            _cannot(checker, f"expected {described(type_)} as {what}", (earlier, exprs[0]), (value, expr))
            return None
        type_ = both
    return type_


def check_if(checker: Checker, expr: nodes.If, expected: ValueType | None) -> Typed | None:
    """`if c then a else b`."""
    condition = checker.of_type(expr.condition, FLAG, "the condition of `if`")
    branches = checker.check_pair(expr.then, expr.otherwise, expected)
    if branches is None:
        return None
    both = in_one_unit(branches, checker.scope.types)
    type_ = common_type(checker, both, (expr.then, expr.otherwise), "the branch after `else`")
    if condition is None or type_ is None:
        return None
    return Operation(ChoiceOp.IF, (condition, *both), type_, span=expr.span)


def check_first(checker: Checker, expr: nodes.First, expected: ValueType | None) -> Typed | None:
    """`first { a: c, b: d } else e`, as `if c then a else if d then b else e`."""
    conditions = [checker.of_type(condition, FLAG, "the condition after `:` in `first`") for _, condition in expr.cases]
    exprs = (*(value for value, _ in expr.cases), expr.otherwise)
    values = checker.check_alike(exprs, expected)
    if values is None:
        return None
    both = in_one_unit(values, checker.scope.types)
    type_ = common_type(checker, both, exprs, "a value of `first`")
    if type_ is None:
        return None
    chosen = both[-1]
    for condition, value in zip(reversed(conditions), reversed(both[:-1]), strict=True):
        if condition is None:
            return None
        chosen = Operation(ChoiceOp.IF, (condition, value, chosen), type_, span=expr.span)
    return chosen


def check_in(checker: Checker, expr: nodes.In) -> Typed | None:
    """`x in {a, b}`, as equal to one of them."""
    operand = checker.check(expr.operand, None)
    if operand is None:
        return None
    if not expr.values:
        checker.collector.error("E401", "no values after `in`", expr.span, "the set is empty")
        return None
    type_ = plain_if_zero(operand.type)
    values = [checker.value(value, type_, "a value after `in`") for value in expr.values]
    equal = [
        Operation(CompareOp.EQUAL, (operand, value), FLAG, span=expr.span) for value in values if value is not None
    ]
    if len(equal) < len(values):
        return None
    return equal[0] if len(equal) == 1 else Operation(LogicOp.OR, tuple(equal), FLAG, span=expr.span)


def check_to(checker: Checker, expr: nodes.To) -> Typed | None:
    """`e to U`: a conversion within one base unit."""
    number = checker.quantity(expr.operand, "what is converted")
    target = checker.scope.unit(expr.unit, checker.collector)
    if number is None or target is None:
        return None
    source = single_unit(number.type, checker.scope.types)
    ratio = None if source is None else conversion(source, target)
    if source is None or ratio is None:
        checker.collector.error(
            "E306",
            f"can't convert {described(number.type)} to `{target.name}`",
            expr.span,
            "they have no common base unit",
            helps=(f"`as {target.name}` gives a plain number that unit",) if number.type == NUMBER else (),
        )
        return None
    if ratio.denominator > 1 and expr.rounding is Rounding.EXACT:
        checker.collector.error(
            "E306",
            f"{described(number.type)} isn't always a whole number of `{target.name}`",
            expr.span,
            "the conversion must say how it rounds",
            helps=(f"write `to {target.name} down` or `to {target.name} up`",),
        )
        return None
    type_ = Quantity(((target.name, 1),))
    if ratio.numerator > 1:
        number = Operation(
            ArithmeticOp.MULTIPLY, (number, Constant(ratio.numerator, NUMBER, span=expr.span)), type_, span=expr.span
        )
    if ratio.denominator == 1:
        return attrs.evolve(number, type=type_, span=expr.span)
    divisor = Constant(ratio.denominator, NUMBER, span=expr.span)
    division = DivisionOp.FLOOR if expr.rounding is Rounding.DOWN else DivisionOp.CEIL
    return Operation(division, (number, divisor), type_, span=expr.span)


def check_as(checker: Checker, expr: nodes.As) -> Typed | None:
    """`e as U`: a unit for a plain number."""
    number = checker.quantity(expr.operand, "what gets a unit")
    unit = checker.scope.unit(expr.unit, checker.collector)
    if number is None or unit is None:
        return None
    if unify(number.type, NUMBER) is None:
        checker.collector.error(
            "E302",
            f"`as {unit.name}` needs a plain number",
            expr.operand.span,
            f"this is {described(number.type)}",
            helps=(f"use `to {unit.name}` to convert, or `number(...)` to remove the unit",),
        )
        return None
    return attrs.evolve(number, type=Quantity(((unit.name, 1),)), span=expr.span)


def _operation(op: BinaryOp, left: Typed, right: Typed, type_: ValueType, span: Span) -> Operation:
    """Join two operands; a chain of one associative operator becomes one operation."""
    chained = op in _CHAINS and isinstance(left, Operation) and left.op == op
    args = left.args if chained and isinstance(left, Operation) else (left,)
    return Operation(op, (*args, right), type_, span=span)
