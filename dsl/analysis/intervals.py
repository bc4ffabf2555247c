"""Interval arithmetic: between which two integers a result lies, given that for the operands.

Pure functions over closed intervals. A truth value is 0 or 1, so that `Interval(1, 1)` is surely true.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final, assert_never

import attrs

from dsl.operators import ArithmeticOp, ChoiceOp, CompareOp, DivisionOp, Function, LogicOp, Operator, UnaryOp


@attrs.frozen
class Interval:
    """All integers from `low` to `high`."""

    low: int
    high: int

    def __contains__(self, value: int) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


NO: Final = Interval(0, 0)
YES: Final = Interval(1, 1)
MAYBE: Final = Interval(0, 1)


def hull(values: Sequence[int]) -> Interval:
    """The least interval with all of `values`, at least one."""
    return Interval(min(values), max(values))


def union(left: Interval, right: Interval) -> Interval:
    return Interval(min(left.low, right.low), max(left.high, right.high))


def apply_interval(op: Operator, args: Sequence[Interval]) -> Interval:
    """The result of an operation of the language; no divisor contains 0."""
    match op:
        case ArithmeticOp.ADD:
            return Interval(sum(arg.low for arg in args), sum(arg.high for arg in args))
        case ArithmeticOp.SUBTRACT:
            return Interval(args[0].low - args[1].high, args[0].high - args[1].low)
        case UnaryOp.NEGATE:
            return Interval(-args[0].high, -args[0].low)
        case ArithmeticOp.MULTIPLY:
            return _product(args)
        case DivisionOp():
            return _quotient(op, args[0], args[1])
        case ArithmeticOp.MOD:
            return _remainder(args[0], args[1])
        case Function.MIN:
            return Interval(min(arg.low for arg in args), min(arg.high for arg in args))
        case Function.MAX:
            return Interval(max(arg.low for arg in args), max(arg.high for arg in args))
        case Function.ABS:
            inner = args[0]
            low = 0 if 0 in inner else min(abs(inner.low), abs(inner.high))
            return Interval(low, max(abs(inner.low), abs(inner.high)))
        case ChoiceOp.IF:
            return _choice(*args)
        case CompareOp():
            return _comparison(op, args[0], args[1])
        case LogicOp.AND:
            return Interval(min(arg.low for arg in args), min(arg.high for arg in args))
        case LogicOp.OR:
            return Interval(max(arg.low for arg in args), max(arg.high for arg in args))
        case UnaryOp.NOT:
            return Interval(1 - args[0].high, 1 - args[0].low)
        case LogicOp.IMPLIES:
            return Interval(max(1 - args[0].high, args[1].low), max(1 - args[0].low, args[1].high))
    assert_never(op)


def _product(args: Sequence[Interval]) -> Interval:
    if all(arg.low >= 0 for arg in args):
        return Interval(prod(arg.low for arg in args), prod(arg.high for arg in args))
    result = args[0]
    for arg in args[1:]:
        result = hull([a * b for a in (result.low, result.high) for b in (arg.low, arg.high)])
    return result


def _quotient(op: DivisionOp, above: Interval, below: Interval) -> Interval:
    def divided(a: int, b: int) -> int:
        match op:
            case DivisionOp.FLOOR:
                return a // b
            case DivisionOp.CEIL:
                return -(-a // b)
            case _:
                assert_never(op)

    return hull([divided(a, b) for a in (above.low, above.high) for b in (below.low, below.high)])


def _remainder(above: Interval, below: Interval) -> Interval:
    """The remainder has the sign of the divisor, and a smaller size."""
    if below.low > 0:
        return above if above.low >= 0 and above.high < below.low else Interval(0, below.high - 1)
    return above if above.high <= 0 and above.low > below.high else Interval(below.low + 1, 0)


def _choice(condition: Interval, then: Interval, otherwise: Interval) -> Interval:
    if condition == YES:
        return then
    return otherwise if condition == NO else union(then, otherwise)


def _comparison(op: CompareOp, left: Interval, right: Interval) -> Interval:
    match op:
        case CompareOp.EQUAL:
            if left.high < right.low or right.high < left.low:
                return NO
            return YES if left.low == left.high == right.low == right.high else MAYBE
        case CompareOp.LESS:
            if left.high < right.low:
                return YES
            return NO if left.low >= right.high else MAYBE
        case CompareOp.AT_MOST:
            if left.high <= right.low:
                return YES
            return NO if left.low > right.high else MAYBE
        case CompareOp.UNEQUAL:
            return apply_interval(UnaryOp.NOT, [_comparison(CompareOp.EQUAL, left, right)])
        case CompareOp.MORE:
            return _comparison(CompareOp.LESS, right, left)
        case CompareOp.AT_LEAST:
            return _comparison(CompareOp.AT_MOST, right, left)
        case _:
            assert_never(op)
