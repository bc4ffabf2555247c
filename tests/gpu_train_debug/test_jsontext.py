"""JSON that every program reads alike."""

from __future__ import annotations

import json

import pytest

from gpu_train_debug.jsontext import decode, decode_foreign_object, decode_object, encode, without_surrogates


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [float("-inf")]}, "\udfff"])
def test_encode_refuses_when_json_has_no_such_value(value: object) -> None:
    with pytest.raises(ValueError):
        encode(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: Expecting value at column 1"),
        ('{"a": "b', "not JSON: Unterminated string starting at column 7"),
        ('{\n"a" 1}', "at line 2, column 5"),
        ("NaN", "NaN isn't a JSON number"),
        ("-Infinity", "-Infinity isn't a JSON number"),
        ('{"a": 1, "a": 1}', "the key `a` occurs twice"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "a number of 5000 digits is too large"),
        ("1e999", "1e999 is too large a number"),
        ('"\\ud800"', "half a surrogate pair"),
    ],
    ids=["empty", "cut", "syntax", "nan", "infinity", "key", "depth", "integer", "fraction", "surrogate"],
)
def test_decode_says_why_it_refuses_what_readers_would_disagree_about(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decode(text)


def test_a_lone_surrogate_is_read_where_it_is_allowed() -> None:
    assert decode('"\\ud800"', lone_surrogates=True) == "\ud800"
    with pytest.raises(ValueError, match="too large"):
        decode("1e999", lone_surrogates=True)


def test_an_object_is_read_and_nothing_else() -> None:
    assert decode_object('{"a": 1}') == {"a": 1}
    with pytest.raises(ValueError, match="not a JSON object"):
        decode_object("[]")


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "\N{GRINNING FACE}"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("\u00e4", "\u00e4"),
    ],
    ids=["lone", "pair", "swapped", "none"],
)
def test_lone_surrogates_are_replaced_and_pairs_joined(text: str, sound: str) -> None:
    assert without_surrogates(text) == sound
    assert json.loads(encode(sound)) == sound


def test_a_number_that_python_refuses_is_said_in_plain_words() -> None:
    with pytest.raises(ValueError, match="a number has too many digits"):
        decode_foreign_object('{"a": ' + "9" * 5000 + "}")
