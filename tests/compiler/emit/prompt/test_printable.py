from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from compiler.emit.prompt.printable import (
    unprintable,
    unprintable_comment,
    unprintable_texts,
    unprintable_unit,
    unprintable_word,
    unprintable_wording,
)
from compiler.plan import Display, SystemPlan


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a `b`", "backtick"),
        ("see [here](there)", "link"),
        ("two\nlines", "line break (U+000A)"),
        ("two\u2028lines", "line break"),
        ("nul\0", "U+0000"),
        ("\u202eabc", "invisible"),
        ("\ud800", "surrogate"),
        (" a", "space"),
    ],
)
def test_unprintable_names_the_reason_when_a_text_breaks_its_line(text: str, part: str) -> None:
    reason = unprintable(text)
    assert reason is not None
    assert part in reason


@pytest.mark.parametrize("text", ["", "plain", "50% of 1_024 MiB (all)", "schlüssel – größe", "no. #3", "a | b -> c"])
def test_unprintable_is_none_when_a_text_fits(text: str) -> None:
    assert unprintable(text) is None


@pytest.mark.parametrize("text", ["", 'a"b', "a\\b", "a|b", "a # b", "a`"])
def test_a_word_is_refused_when_it_breaks_lists_and_tables(text: str) -> None:
    assert unprintable_word(text) is not None


@pytest.mark.parametrize("text", ["none", "fp8-e4m3", "8bit", "off white", "a, b"])
def test_a_word_fits_when_quotes_can_hold_it(text: str) -> None:
    assert unprintable_word(text) is None


def test_a_comment_has_no_hash_and_no_line_break() -> None:
    assert unprintable_comment("rows; no 3") is None
    assert "`#`" in (unprintable_comment("no. #3") or "")
    assert "line break" in (unprintable_comment("a\nb") or "")


@pytest.mark.parametrize(
    ("unit", "fits"), [("MiB", True), ("rows_read", True), ("m2", False), ("a b", False), ("%", False)]
)
def test_a_unit_is_made_of_letters(unit: str, *, fits: bool) -> None:
    assert (unprintable_unit(unit) is None) is fits


@pytest.mark.parametrize(
    "wording",
    ["{size}", "read {size}, in {n}.", "{other} ({size}): {n}!", "size of n", "a=b", "resize=3, {size}", "n =1"],
)
def test_a_wording_fits_when_its_values_stand_apart(wording: str) -> None:
    assert unprintable_wording(wording, {"size": None, "n": None}) is None


@pytest.mark.parametrize(
    ("wording", "part"),
    [
        ("of{size}", "no space before `{size}`"),
        ("{size}{n}", "behind `{size}`"),
        ("{size}MB", "behind `{size}`"),
        ("{size}.5", "behind `{size}`"),
        ("{size}-{n}", "behind `{size}`"),
        ("{size} {size}", "twice"),
        ("size=3", "`size=`"),
        ("(n=3) {size}", "`n=`"),
        ("a\nb", "line break"),
    ],
)
def test_a_wording_is_refused_when_a_value_could_be_misread(wording: str, part: str) -> None:
    assert part in (unprintable_wording(wording, {"size": None, "n": None}) or "")


def test_both_systems_made_by_hand_can_be_printed(system: SystemPlan, kiln: SystemPlan) -> None:
    assert unprintable_texts(system) == ()
    assert unprintable_texts(kiln) == ()


def _variable(system: SystemPlan, number: int, **changes: object) -> SystemPlan:
    plans = list(system.variables)
    plans[number] = attrs.evolve(plans[number], **changes)
    return attrs.evolve(system, variables=tuple(plans))


def _event(system: SystemPlan, number: int, **changes: object) -> SystemPlan:
    events = list(system.events)
    events[number] = attrs.evolve(events[number], **changes)
    return attrs.evolve(system, events=tuple(events))


def _noise(system: SystemPlan, **changes: object) -> SystemPlan:
    first, *rest = system.noise_lines
    return attrs.evolve(system, noise_lines=(attrs.evolve(first, **changes), *rest))


def _words(*words: str) -> Display:
    return Display(labels=dict(enumerate(words)))


@pytest.mark.parametrize(
    ("break_", "place", "part"),
    [
        (lambda k: attrs.evolve(k, title="a\nb"), "the title of `kiln`", "line break"),
        (lambda k: _variable(k, 0, text="a # b"), "variable `rate`", "`#`"),
        (lambda k: _variable(k, 1, display=Display("h2")), "variable `hold`", "letters"),
        (lambda k: _variable(k, 1, display=Display("h", singular="1")), "variable `hold`", "letters"),
        (lambda k: _variable(k, 1, name="first"), "variable `first`", "a word of the page itself"),
        (lambda k: _variable(k, 1, name="need"), "variable `need`", "the name of something else"),
        (lambda k: _variable(k, 1, name="melt"), "table `melt`", "the name of something else"),
        (lambda k: _variable(k, 1, name="fans"), "noise `fans`", "the name of something else"),
        (lambda k: _variable(k, 3, display=_words("red", 'off "white"')), "variable `clay`", 'character `"`'),
        (lambda k: _variable(k, 3, display=_words("red", "")), "variable `clay`", "no character"),
        (lambda k: _variable(k, 3, display=_words("red", "phase")), "variable `clay`", "also a name"),
        (lambda k: _variable(k, 3, display=_words("red", "true")), "variable `clay`", "a word of the page"),
        (lambda k: _variable(k, 3, group="rate"), "group `rate`", "outside the groups"),
        (lambda k: attrs.evolve(k, stated=(("a # b", k.stated[0][1]),)), "a stated condition", "`#`"),
        (lambda k: attrs.evolve(k, rules=(attrs.evolve(k.rules[0], title="a # b"),)), "the title of rule", "`#`"),
        (lambda k: _event(k, 0, wordings=("up rated=3",)), "a wording of event `up`", "`rated=`"),
        (lambda k: _event(k, 1, wordings=("at hour=3",)), "a wording of event `step`", "`hour=`"),
        (lambda k: _event(k, 1, index="power"), "event `step`", "two values named `power`"),
        (lambda k: _event(k, 1, index="hold"), "event `step`", "also a name"),
        (lambda k: _event(k, 1, index="there"), "attribute `step.there`", "a word of the page"),
        (lambda k: _event(k, 0, logger="a b"), "event `up`", "isn't one word"),
        (lambda k: _event(k, 0, logger="nose"), "event `up`", "shares its logger `nose`"),
        (lambda k: _noise(k, logger="nose"), "a noise line", "with an event"),
        (lambda k: _noise(k, logger="a: b"), "a noise line", "isn't one word"),
        (lambda k: _noise(k, wordings=("{9..3}",)), "a wording of the noise by `radio`", "range"),
        (lambda k: _noise(k, wordings=("```",)), "a wording of the noise by `radio`", "backtick"),
    ],
)
def test_what_a_reader_could_misread_is_named_with_its_place(
    kiln: SystemPlan, break_: Callable[[SystemPlan], SystemPlan], place: str, part: str
) -> None:
    found = [(each.place, each.reason) for each in unprintable_texts(break_(kiln))]
    assert any(each.startswith(place) and part in reason for each, reason in found), found
