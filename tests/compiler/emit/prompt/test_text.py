from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.emit.prompt.text import (
    commented,
    decimal,
    display_note,
    exact_decimal,
    is_flag,
    is_rounded,
    scientific,
    shown_text,
    step_text,
    unit_equation,
    values_text,
    word,
)
from compiler.plan import Display

RATE = Display(denominator=10**7, exact=True, scientific=True)
SHARE = Display(denominator=1000, exact=True)


@pytest.mark.parametrize(("label", "text"), [("none", "none"), ("fp8-e4m3", '"fp8-e4m3"'), ("8bit", '"8bit"')])
def test_word_is_quoted_when_the_label_is_no_plain_name(label: str, text: str) -> None:
    assert word(label) == text


@given(st.integers(-(10**9), 10**9), st.integers(1, 4))
def test_decimal_is_the_scaled_number_when_read_as_fraction(shown: int, decimals: int) -> None:
    text = decimal(shown, decimals)
    assert len(text.partition(".")[2]) == decimals
    assert int(text.replace(".", "")) == shown
    assert text.startswith("-") == (shown < 0)


@given(st.integers(-(10**9), 10**9), st.integers(0, 9), st.integers(0, 9))
def test_exact_and_scientific_numbers_read_back_as_themselves(value: int, twos: int, fives: int) -> None:
    number = Fraction(value, 2**twos * 5**fives)
    for text in (exact_decimal(number), scientific(number)):
        assert Fraction(text) == number
        assert not ("." in text and text.partition("e")[0].endswith("0"))
    mantissa = scientific(number).partition("e")[0].lstrip("-")
    assert len(mantissa.partition(".")[0]) == 1


def test_a_third_has_no_decimal_form() -> None:
    with pytest.raises(ValueError, match="no finite decimal form"):
        exact_decimal(Fraction(1, 3))


@pytest.mark.parametrize(
    ("display", "shown", "text"),
    [
        (Display(), -5, "-5"),
        (Display("W"), 40960, "40960 W"),
        (Display("kW", 1, 1000, 1), 126, "12.6 kW"),
        (Display("kW", 1, 1000, 1), -4, "-0.4 kW"),
        (Display("kW", 1, 1000, 0), 13, "13 kW"),
        (Display("ticks", singular="tick"), 1, "1 tick"),
        (Display("ticks", singular="tick"), 11, "11 ticks"),
        (Display("ticks", decimals=1, singular="tick"), 10, "1.0 ticks"),
        (RATE, 3000, "3e-4"),
        (RATE, 150, "1.5e-5"),
        (RATE, 0, "0"),
        (RATE, 10**7, "1e0"),
        (SHARE, 100, "0.1"),
        (SHARE, 1000, "1"),
        (Display(labels={0: "none", 1: "all"}), 1, "all"),
        (Display(labels={0: "none", 1: "half-rye"}), 1, '"half-rye"'),
    ],
)
def test_shown_text_prints_the_evidence_integer(display: Display, shown: int, text: str) -> None:
    assert shown_text(display, shown) == text
    assert shown_text(display, shown, between="") == text.replace(" ", "")


def test_values_text_is_short_when_a_progression_is_long() -> None:
    plain = Display("W")
    assert values_text(tuple(range(12)), plain) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    assert values_text(tuple(range(0, 1537, 128)), plain) == "0 to 1536 in steps of 128"
    assert values_text(tuple(range(1536, -1, -128)), plain) == "1536 down to 0 in steps of 128"
    assert values_text((*range(12), 13), plain).endswith("11, 13")
    assert values_text((1, 0), Display(labels={0: "none", 1: "all"})) == "all, none"
    assert values_text(tuple(range(0, 1300, 100)), SHARE).startswith("0, 0.1, 0.2")


@pytest.mark.parametrize(
    ("unit", "display", "note", "equation", "rounded"),
    [
        ("W", Display("W"), "W", None, False),
        ("", Display(), "", None, False),
        ("", Display(labels={0: "false", 1: "true"}), "", None, False),
        ("W", Display("W", 1, 1, 2), "W, 2 decimals", None, False),
        ("", Display("", 1, 1, 1), "1 decimal", None, False),
        ("ticks", Display("ticks", singular="tick"), "ticks, 1 tick", None, False),
        ("W", Display("kW", 1, 1000, 1), "kW, 1 decimal", "1 kW = 1000 W", True),
        ("W", Display("kW", 1, 1000, 0), "kW, 0 decimals", "1 kW = 1000 W", True),
        ("W", Display("kW", 1, 1000, 3), "kW, 3 decimals", "1 kW = 1000 W", False),
        ("kW", Display("W", 1000, 1, 0), "W", "1000 W = 1 kW", False),
        ("a", Display("b", 4, 6, 0), "b, 0 decimals", "2 b = 3 a", True),
        ("", SHARE, "x 1/1000", None, False),
        ("", RATE, "scientific, x 1e-7", None, False),
        ("", Display(denominator=2000, exact=True, scientific=True), "scientific, x 1/2000", None, False),
    ],
)
def test_a_display_has_its_note_and_equation(
    unit: str, display: Display, note: str, equation: str | None, *, rounded: bool
) -> None:
    assert display_note(display) == note
    assert unit_equation(unit, display) == equation
    assert is_rounded(display) is rounded


def test_a_note_says_the_factor_when_it_is_asked_for() -> None:
    assert display_note(Display("kW", 1, 1000, 1), factor=True) == "kW, 1 decimal, x 1/1000"
    assert display_note(Display("kW"), factor=True) == "kW, x 1"


@pytest.mark.parametrize(("unit", "display"), [("W", Display("W", 1, 1000)), ("", Display("kW", 1, 1000))])
def test_unit_equation_refuses_when_no_equation_says_the_factor(unit: str, display: Display) -> None:
    with pytest.raises(ValueError, match="no equation"):
        unit_equation(unit, display)


@pytest.mark.parametrize(
    ("display", "text"),
    [(RATE, "1e-7"), (SHARE, "1/1000"), (Display(denominator=2000, exact=True, scientific=True), "1/2000, scientific")],
)
def test_step_text_says_what_an_exact_display_counts_in(display: Display, text: str) -> None:
    assert step_text(display) == text


def test_flags_are_told_from_words() -> None:
    assert is_flag(Display(labels={0: "false", 1: "true"}))
    assert not is_flag(Display(labels={0: "true", 1: "false"}))
    assert not is_flag(Display())


def test_a_comment_has_the_parts_that_say_something() -> None:
    assert commented("a = b", "", "x", "y") == "a = b  # x; y"
    assert commented("a = b", "", "") == "a = b"
