"""Interval arithmetic never leaves out a value that can occur."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.analysis.bounds import DIVISIONS
from dsl.analysis.intervals import MAYBE, NO, YES, Interval, apply_interval, hull, union
from dsl.operators import (
    OPERATORS,
    ArithmeticOp,
    ChoiceOp,
    CompareOp,
    DivisionOp,
    Function,
    LogicOp,
    Operator,
    UnaryOp,
)

NUMBERS = st.integers(-30, 30)
EXACT = {
    ArithmeticOp.ADD: lambda a, b: a + b,
    ArithmeticOp.SUBTRACT: lambda a, b: a - b,
    ArithmeticOp.MULTIPLY: lambda a, b: a * b,
    DivisionOp.FLOOR: lambda a, b: a // b,
    DivisionOp.CEIL: lambda a, b: -(-a // b),
    ArithmeticOp.MOD: lambda a, b: a % b,
    Function.MIN: min,
    Function.MAX: max,
    CompareOp.EQUAL: lambda a, b: int(a == b),
    CompareOp.UNEQUAL: lambda a, b: int(a != b),
    CompareOp.LESS: lambda a, b: int(a < b),
    CompareOp.AT_MOST: lambda a, b: int(a <= b),
    CompareOp.MORE: lambda a, b: int(a > b),
    CompareOp.AT_LEAST: lambda a, b: int(a >= b),
}
LOGIC = {
    LogicOp.AND: lambda a, b: a and b,
    LogicOp.OR: lambda a, b: a or b,
    LogicOp.IMPLIES: lambda a, b: int(not a or b),
}
CHAINS = [ArithmeticOp.ADD, ArithmeticOp.MULTIPLY, Function.MIN, Function.MAX, LogicOp.AND, LogicOp.OR]


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    return hull(draw(st.lists(NUMBERS, min_size=1, max_size=2)))


@given(op=st.sampled_from([*EXACT]), left=intervals(), right=intervals())
def test_interval_holds_every_value(op: Operator, left: Interval, right: Interval) -> None:
    if op in DIVISIONS and 0 in right:
        right = Interval(1, max(1, right.high))
    result = apply_interval(op, [left, right])
    for a in range(left.low, left.high + 1):
        for b in range(right.low, right.high + 1):
            assert EXACT[op](a, b) in result


@given(op=st.sampled_from(CHAINS), args=st.lists(intervals(), min_size=1, max_size=3))
def test_chain_is_the_same_as_its_steps(op: Operator, args: list[Interval]) -> None:
    step_by_step = args[0]
    for arg in args[1:]:
        step_by_step = apply_interval(op, [step_by_step, arg])
    assert apply_interval(op, args) == step_by_step


@pytest.mark.parametrize("op", [*LOGIC], ids=lambda op: op.value)
@pytest.mark.parametrize("left", [NO, MAYBE, YES], ids=str)
@pytest.mark.parametrize("right", [NO, MAYBE, YES], ids=str)
def test_logic_is_exact(op: Operator, left: Interval, right: Interval) -> None:
    values = [LOGIC[op](a, b) for a in range(left.low, left.high + 1) for b in range(right.low, right.high + 1)]
    assert apply_interval(op, [left, right]) == hull(values)


@given(inner=intervals())
def test_unary_operators_are_exact(inner: Interval) -> None:
    values = range(inner.low, inner.high + 1)
    assert apply_interval(UnaryOp.NEGATE, [inner]) == hull([-value for value in values])
    assert apply_interval(Function.ABS, [inner]) == hull([abs(value) for value in values])


def test_known_condition_chooses_its_branch() -> None:
    then, otherwise = Interval(1, 2), Interval(7, 9)
    assert apply_interval(ChoiceOp.IF, [YES, then, otherwise]) == then
    assert apply_interval(ChoiceOp.IF, [NO, then, otherwise]) == otherwise
    assert apply_interval(ChoiceOp.IF, [MAYBE, then, otherwise]) == union(then, otherwise)


def test_negation_swaps_yes_and_no() -> None:
    assert [apply_interval(UnaryOp.NOT, [each]) for each in (NO, MAYBE, YES)] == [YES, MAYBE, NO]


def test_every_operator_is_tried_here() -> None:
    elsewhere = {*UnaryOp, Function.ABS, *ChoiceOp}
    assert {*EXACT, *LOGIC, *elsewhere} == {*OPERATORS}
