"""Interval arithmetic never leaves out a value that can occur."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.analysis.intervals import MAYBE, NO, YES, Interval, apply_interval, hull, union

NUMBERS = st.integers(-30, 30)
EXACT = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "floor": lambda a, b: a // b,
    "ceil": lambda a, b: -(-a // b),
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
}
LOGIC = {
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "implies": lambda a, b: int(not a or b),
}


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    return hull(draw(st.lists(NUMBERS, min_size=1, max_size=2)))


@given(op=st.sampled_from(sorted(EXACT)), left=intervals(), right=intervals())
def test_interval_holds_every_value(op: str, left: Interval, right: Interval) -> None:
    if op in ("floor", "ceil", "mod") and 0 in right:
        right = Interval(1, max(1, right.high))
    result = apply_interval(op, [left, right])
    for a in range(left.low, left.high + 1):
        for b in range(right.low, right.high + 1):
            assert EXACT[op](a, b) in result


@given(op=st.sampled_from(["+", "*", "min", "max", "and", "or"]), args=st.lists(intervals(), min_size=1, max_size=3))
def test_chain_is_the_same_as_its_steps(op: str, args: list[Interval]) -> None:
    step_by_step = args[0]
    for arg in args[1:]:
        step_by_step = apply_interval(op, [step_by_step, arg])
    assert apply_interval(op, args) == step_by_step


@pytest.mark.parametrize("op", sorted(LOGIC))
@pytest.mark.parametrize("left", [NO, MAYBE, YES], ids=str)
@pytest.mark.parametrize("right", [NO, MAYBE, YES], ids=str)
def test_logic_is_exact(op: str, left: Interval, right: Interval) -> None:
    values = [LOGIC[op](a, b) for a in range(left.low, left.high + 1) for b in range(right.low, right.high + 1)]
    assert apply_interval(op, [left, right]) == hull(values)


@given(inner=intervals())
def test_unary_operators_are_exact(inner: Interval) -> None:
    values = range(inner.low, inner.high + 1)
    assert apply_interval("neg", [inner]) == hull([-value for value in values])
    assert apply_interval("abs", [inner]) == hull([abs(value) for value in values])


def test_known_condition_chooses_its_branch() -> None:
    then, otherwise = Interval(1, 2), Interval(7, 9)
    assert apply_interval("if", [YES, then, otherwise]) == then
    assert apply_interval("if", [NO, then, otherwise]) == otherwise
    assert apply_interval("if", [MAYBE, then, otherwise]) == union(then, otherwise)


def test_negation_swaps_yes_and_no() -> None:
    assert [apply_interval("not", [each]) for each in (NO, MAYBE, YES)] == [YES, MAYBE, NO]


def test_unknown_operator_is_misuse() -> None:
    with pytest.raises(ValueError, match="no operator"):
        apply_interval("xor", [YES, YES])
