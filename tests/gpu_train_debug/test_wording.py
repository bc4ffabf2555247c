"""Phrases that messages share."""

from __future__ import annotations

import pytest

from gpu_train_debug.wording import counted, did_you_mean, joined, listed, suggestion


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0 tasks"), (1, "1 task"), (2, "2 tasks")], ids=["none", "one", "several"]
)
def test_a_count_agrees_with_its_noun(count: int, shown: str) -> None:
    assert counted(count, "task") == shown


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(2, "entry", "entries") == "2 entries"


def test_texts_are_joined_as_in_a_sentence() -> None:
    assert joined([]) == ""
    assert joined(["a"]) == "a"
    assert joined(["a", "b"]) == "a and b"
    assert joined(["a", "b", "c"], last="or") == "a, b or c"


def test_names_stand_in_backticks() -> None:
    assert listed([]) == ""
    assert listed(["a", "b"], last="or") == "`a` or `b`"


def test_names_beyond_the_limit_are_counted() -> None:
    assert listed("abc", limit=3) == "`a`, `b` and `c`"
    assert listed("abcd", limit=3) == "`a`, `b`, `c` and 1 more"


def test_the_closest_names_are_offered_first() -> None:
    assert did_you_mean("heavyy", ["heavier", "light", "heavy"]) == "did you mean `heavy` or `heavier`?"


def test_capitals_make_no_difference() -> None:
    assert did_you_mean("e201", ["E201"]) == "did you mean `E201`?"


def test_nothing_is_offered_when_no_name_is_close() -> None:
    assert did_you_mean("steam", ["coal", "oil"]) == ""


def test_at_most_so_many_names_as_asked_for_are_offered() -> None:
    assert did_you_mean("rank0", ["rank1", "rank2"], most=1).count("`") == 2


def test_a_suggestion_falls_back_to_the_known_names() -> None:
    assert suggestion("tset", ["test", "train"]) == "; did you mean `test`?"
    assert suggestion("x", ["test", "train"]) == "; known: `test` and `train`"
    assert suggestion("x", "abcdefg") == "; known: `a`, `b`, `c`, `d`, `e` and 2 more"
    assert suggestion("x", []) == ""
