"""Units, types and the sizes of domains."""

from __future__ import annotations

import pytest

from dsl.value_types import (
    FLAG,
    NUMBER,
    ZERO,
    Conversion,
    Enumeration,
    Quantity,
    Unit,
    conversion,
    dimension_text,
    divide,
    multiply,
    plain_if_zero,
    pow2_values,
    range_size,
    repeated,
    type_text,
    unify,
    value_text,
)

MS = (("ms", 1),)
MIB = (("MiB", 1),)


def test_products_add_exponents_and_drop_zeros() -> None:
    assert multiply(MS, MS) == (("ms", 2),)
    assert multiply(MS, MIB) == (("MiB", 1), ("ms", 1))
    assert divide(multiply(MS, MIB), MS) == MIB
    assert divide(MS, MS) == ()


def test_zero_takes_any_dimension() -> None:
    assert multiply(None, MS) is None
    assert divide(None, MS) is None
    assert divide(MS, None) == MS
    assert unify(ZERO, Quantity(MS)) == Quantity(MS)
    assert unify(Quantity(MS), ZERO) == Quantity(MS)
    assert plain_if_zero(ZERO) == NUMBER


def test_types_unify_only_with_their_like() -> None:
    mode = Enumeration("", ("a", "b"))
    assert unify(mode, Enumeration("", ("a", "b"))) == mode
    assert unify(mode, Enumeration("Mode", ("a", "b"))) is None
    assert unify(FLAG, NUMBER) is None
    assert unify(Quantity(MS), NUMBER) is None


@pytest.mark.parametrize(
    ("dimension", "text"),
    [
        ((), ""),
        (MS, "ms"),
        ((("MiB", 1), ("ms", -1)), "MiB/ms"),
        ((("MiB", 1), ("ms", 1)), "MiB*ms"),
        ((("ms", -2),), "1/ms^2"),
        ((("ms", 2),), "ms^2"),
    ],
)
def test_dimensions_read_as_people_write_them(dimension: tuple[tuple[str, int], ...], text: str) -> None:
    assert dimension_text(dimension) == text


def test_values_read_as_people_write_them() -> None:
    assert value_text(1, FLAG) == "true"
    assert value_text(1, Enumeration("Mode", ("a", "b"))) == "b"
    assert value_text(-3, Quantity(MS)) == "-3 ms"
    assert value_text(7, NUMBER) == "7"
    assert [type_text(each) for each in (FLAG, NUMBER, Quantity(MS), Enumeration("", ("a", "b")))] == [
        "bool",
        "int",
        "ms",
        "{a, b}",
    ]


def test_conversion_is_in_lowest_terms() -> None:
    ms, s, minute = Unit("ms", "ms", 1), Unit("s", "ms", 1000), Unit("min", "ms", 60_000)
    assert conversion(minute, s) == Conversion(60, 1)
    assert conversion(s, minute) == Conversion(1, 60)
    assert conversion(s, s) == Conversion(1, 1)
    assert conversion(ms, Unit("MiB", "MiB", 1)) is None


@pytest.mark.parametrize(
    ("low", "high", "values"),
    [(1, 8, (1, 2, 4, 8)), (3, 9, (4, 8)), (-4, 2, (1, 2)), (9, 15, ()), (5, 1, ()), (0, 0, ())],
)
def test_powers_of_two_of_a_range(low: int, high: int, values: tuple[int, ...]) -> None:
    assert pow2_values(low, high) == values


@pytest.mark.parametrize(("low", "high", "step"), [(0, 9, 1), (0, 10, 3), (-5, 5, 4), (3, 3, 7), (4, 3, 1), (9, 0, 2)])
def test_size_of_a_range_is_its_length(low: int, high: int, step: int) -> None:
    assert range_size(low, high, step) == len(range(low, high + 1, step))


def test_size_of_a_huge_range_needs_no_list() -> None:
    assert range_size(-(2**60), 2**60, 1) == 2**61 + 1


def test_first_repeat_is_found() -> None:
    assert repeated([1, 2, 3, 2, 1]) == 2
    assert repeated("abc") is None
