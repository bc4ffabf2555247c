from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.emit.prompt.text import (
    decimal,
    is_rounded,
    printing_note,
    shown_text,
    unprintable,
    unprintable_texts,
    unprintable_word,
    values_text,
    word,
)
from compiler.plan import Display, SystemPlan


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a `b`", "backtick"),
        ("a | b", "vertical bar"),
        ("see [here](there)", "link"),
        ("# title", "`#`"),
        ("two\nlines", "line break (U+000A)"),
        ("two\u2028lines", "line break"),
        ("nul\0", "U+0000"),
        ("\u202eabc", "invisible"),
        ("\ud800", "surrogate"),
        (" a", "space"),
    ],
)
def test_unprintable_names_the_reason_when_a_text_breaks_the_layout(text: str, part: str) -> None:
    reason = unprintable(text)
    assert reason is not None
    assert part in reason


@pytest.mark.parametrize("text", ["", "plain", "50% of 1_024 MiB (all)", "schlüssel – größe", "no. #3", "a -> b"])
def test_unprintable_is_none_when_a_text_fits(text: str) -> None:
    assert unprintable(text) is None


@pytest.mark.parametrize("text", ["", 'a"b', "a\\b", "a, b", "f(x)", "[x]", "a`"])
def test_unprintable_word_refuses_when_a_member_breaks_lists(text: str) -> None:
    assert unprintable_word(text) is not None


def test_unprintable_texts_names_the_places_when_several_texts_are_bad(system: SystemPlan) -> None:
    assert unprintable_texts(system) == ()
    event = attrs.evolve(system.events[0], wordings=("up\n- fake line",))
    rule = attrs.evolve(system.rules[0], says="a | b")
    bad = attrs.evolve(system, events=(event, *system.events[1:]), rules=(rule, *system.rules[1:]))
    assert [found.place for found in unprintable_texts(bad)] == [
        "a wording of event `started`",
        "the text of rule `overload`",
    ]


@pytest.mark.parametrize(("label", "text"), [("none", "none"), ("fp8-e4m3", '"fp8-e4m3"'), ("8bit", '"8bit"')])
def test_word_quotes_when_the_label_is_no_plain_word(label: str, text: str) -> None:
    assert word(label) == text


@given(st.integers(-(10**9), 10**9), st.integers(1, 4))
def test_decimal_is_the_scaled_number_when_read_as_fraction(shown: int, decimals: int) -> None:
    text = decimal(shown, decimals)
    assert len(text.partition(".")[2]) == decimals
    assert int(text.replace(".", "")) == shown
    assert text.startswith("-") == (shown < 0)


@pytest.mark.parametrize(
    ("display", "shown", "text"),
    [
        (Display(), -5, "-5"),
        (Display("W"), 40960, "40960 W"),
        (Display("kW", 1, 1000, 1), 126, "12.6 kW"),
        (Display("kW", 1, 1000, 1), -4, "-0.4 kW"),
        (Display("kW", 1, 1000, 0), 13, "13 kW"),
        (Display(labels={0: "none", 1: "half-rye"}), 1, '"half-rye"'),
    ],
)
def test_shown_text_prints_the_evidence_integer(display: Display, shown: int, text: str) -> None:
    assert shown_text(display, shown) == text


def test_values_text_is_short_when_a_progression_is_long() -> None:
    assert values_text(tuple(range(12)), None) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    assert values_text(tuple(range(0, 1537, 128)), None) == "0 to 1536 in steps of 128"
    assert values_text(tuple(range(1536, -1, -128)), None) == "1536 down to 0 in steps of 128"
    assert values_text((*range(12), 13), None).endswith("11, 13")
    assert values_text((1, 0), {0: "none", 1: "all"}) == "all, none"


@pytest.mark.parametrize(
    ("unit", "display", "note", "rounded"),
    [
        ("W", Display("W"), "(printed)", False),
        ("", Display(), "(printed)", False),
        ("", Display(labels={0: "false", 1: "true"}), "(printed)", False),
        ("W", Display("W", 1, 1, 2), "(printed to 2 decimals)", False),
        ("", Display("", 1, 1, 1), "(printed to 1 decimal)", False),
        ("W", Display("kW", 1, 1000, 1), "(printed as kW to 1 decimal, 1 kW = 1000 W)", True),
        ("W", Display("kW", 1, 1000, 3), "(printed as kW to 3 decimals, 1 kW = 1000 W)", False),
        ("kW", Display("W", 1000, 1, 0), "(printed as W to 0 decimals, 1 kW = 1000 W)", False),
        ("a", Display("b", 4, 6, 0), "(printed as b to 0 decimals, 2 b = 3 a)", True),
        ("a", Display("b", 6, 4, 0), "(printed as b to 0 decimals, 2 a = 3 b)", True),
        ("a", Display("b"), "(printed as b to 0 decimals, 1 b = 1 a)", False),
    ],
)
def test_printing_note_states_unit_and_rounding(unit: str, display: Display, note: str, rounded: bool) -> None:
    assert printing_note(unit, display) == f" {note}"
    assert is_rounded(display) is rounded


@pytest.mark.parametrize(("unit", "display"), [("W", Display("W", 1, 1000)), ("", Display("kW", 1, 1000))])
def test_printing_note_refuses_when_no_equation_says_the_factor(unit: str, display: Display) -> None:
    with pytest.raises(ValueError, match="no equation"):
        printing_note(unit, display)
