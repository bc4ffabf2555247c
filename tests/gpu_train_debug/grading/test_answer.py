from __future__ import annotations

import json
import sys

import pytest

from gpu_train_debug.grading.answer import (
    MAX_ANSWER_DEPTH,
    MAX_DIGITS,
    Answer,
    Gold,
    NoAnswer,
    OtherNumber,
    read_answer,
    read_gold,
)
from gpu_train_debug.grading.scan import MAX_LENGTH

TEXT = '{"diagnosis": "A", "fix": {"f": 1}}'
ANSWER = Answer(("A",), {"f": 1}, ())
OTHER = '{"diagnosis": "B", "fix": {}}'

NOT_AN_OBJECT = "the gold isn't a JSON object that holds another, and nothing else"
BAD_DIAGNOSIS = "the diagnosis of the gold is neither a code nor a list of different codes"
BAD_FIX = "the fix of the gold isn't an object of numbers, strings and truth values"


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```\nThat is all.",
        f"\ufeff{TEXT}",
        f"\x00{TEXT}\x00",
        f"\ud800{TEXT}\udfff",
        f"Not {OTHER} but {TEXT}.",
        '{"fix":{"f":1},"diagnosis":"A"}',
        '\n{\r\n\t"diagnosis" :\n"A" , "fix" : { "f" : 1 } }\n',
        '{"\\u0064iagnosis": "\\u0041", "fix": {"\\u0066": 1}}',
        f"<think>{OTHER}</think>{TEXT}",
        f"\n <think>{OTHER}</think>\n\n{TEXT}",
        f"{OTHER}</think>{TEXT}",
        f"<think>a <think>b</think> {OTHER} </think> {TEXT}",
        f"<think>a <think>b {OTHER} </think> {TEXT}",
        f"I <think> so: {TEXT}",
        f"<thinking>{OTHER}</thinking>{TEXT}",
        f"{TEXT}\n<think>",
    ],
)
def test_the_answer_is_read_from(reply: str) -> None:
    assert read_answer(reply) == ANSWER


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "the reply has no complete JSON object"),
        ("A", "the reply has no complete JSON object"),
        (TEXT[:-1].replace('{"f": 1}', "{"), "the reply has no complete JSON object"),
        (TEXT.replace('"', "'"), "the reply has no complete JSON object"),
        (f"<think>{TEXT}", "the reply has no complete JSON object behind its thinking"),
        (f" \n<think>{TEXT}", "the reply has no complete JSON object behind its thinking"),
        (f"<think>{OTHER}</think><think>{TEXT}", "the reply has no complete JSON object behind its thinking"),
        (f"<think>{OTHER}</think>\n<think>{TEXT}", "the reply has no complete JSON object behind its thinking"),
        (f"<think>{TEXT}</think>", "the reply has no complete JSON object behind its thinking"),
        (f"{TEXT}</think>", "the reply has no complete JSON object behind its thinking"),
        ('{"diagnosis": "A", "diagnosis": "A", "fix": {"f": 1}}', "the JSON object has a key twice"),
        ('{"diagnosis": "A", "fix": {"f": 1, "\\u0066": 1}}', "the JSON object has a key twice"),
        ('{"diagnosis": "A", "fix": {"f": 1}, "x": [{"y": 0, "y": 1}]}', "the JSON object has a key twice"),
        (f'{{"fix": {{"f": {"1" * 1_000_000}}}}}', "the JSON object is longer than 1000000 characters"),
        ('{"a":' * 17 + "1" + "}" * 17, "the JSON object nests deeper than 16 levels"),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, "the JSON object nests deeper than 16 levels"),
        (f'{{"diagnosis": "A", "fix": {{"f": {"[" * 15}{"]" * 15}}}}}', "the JSON object nests deeper than 16 levels"),
    ],
    ids=lambda text: text[:40],
)
def test_there_is_no_answer_in(reply: str, reason: str) -> None:
    assert read_answer(reply) == NoAnswer(reason)


def test_the_limits_are_those_of_the_page() -> None:
    assert (MAX_ANSWER_DEPTH, MAX_DIGITS, MAX_LENGTH) == (16, 100, 1_000_000)


def test_an_answer_counts_however_much_stands_before_it() -> None:
    assert read_answer("so " * 300_000 + TEXT) == ANSWER


def test_an_answer_of_the_greatest_length_counts() -> None:
    longest = TEXT[:-1].ljust(MAX_LENGTH - 1) + "}"
    assert read_answer(longest) == ANSWER
    assert read_answer(" " + longest + " ") == ANSWER
    assert isinstance(read_answer(longest[:-1] + " }"), NoAnswer)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("{}", Answer(None, None, ())),
        ('{"diagnosis": ["A", "B"]}', Answer(("A", "B"), None, ())),
        ('{"diagnosis": []}', Answer((), None, ())),
        ('{"diagnosis": ["A", null, ["B"], 1]}', Answer(("A", None, ["B"], 1), None, ())),
        ('{"diagnosis": null, "fix": null}', Answer(None, None, ())),
        ('{"diagnosis": {"A": 1}, "fix": ["f", 1]}', Answer(None, None, ())),
        ('{"diagnosis": true, "fix": "f"}', Answer(None, None, ())),
        ('{"Diagnosis": "A", "fix ": {}, "x": 1}', Answer(None, None, ("Diagnosis", "fix ", "x"))),
        (f'{{"answer": {TEXT}}}', Answer(None, None, ("answer",))),
        (f"[{OTHER}, {TEXT}]", ANSWER),
        (TEXT[:-1], Answer(None, None, ("f",))),
    ],
)
def test_what_is_not_of_the_form_is_kept_for_the_rubric(reply: str, answer: Answer) -> None:
    assert read_answer(reply) == answer


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("-0", 0),
        ("8.0", 8.0),
        ("3e-4", 0.0003),
        ("0.0003000", 0.0003),
        ("0e9", 0.0),
        ("0." + "3" * MAX_DIGITS, OtherNumber("0." + "3" * MAX_DIGITS)),
        ("1e400", OtherNumber("1e400")),
        ("-1E-400", OtherNumber("-1E-400")),
        ("9" * MAX_DIGITS, int("9" * MAX_DIGITS)),
        ("9" * (MAX_DIGITS + 1), OtherNumber("9" * (MAX_DIGITS + 1))),
        ("1" * 5000, OtherNumber("1" * 5000)),
        ("true", True),
        ("null", None),
        ('"\\ud800"', "\ud800"),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ("[" * 14 + "]" * 14, json.loads("[" * 14 + "]" * 14)),
    ],
    ids=lambda text: str(text)[:20],
)
def test_a_value_is_read_with_its_type(text: str, value: object) -> None:
    answer = read_answer(f'{{"fix": {{"f": {text}}}}}')
    assert isinstance(answer, Answer)
    assert answer.fix is not None
    assert type(answer.fix["f"]) is type(value)
    assert answer.fix["f"] == value


def test_reading_does_not_depend_on_the_limits_of_the_process() -> None:
    long = f'{{"fix": {{"f": {"1" * 700}}}}}'
    deep = '{"a":' * MAX_ANSWER_DEPTH + "1" + "}" * MAX_ANSWER_DEPTH
    expected = read_answer(long), read_answer(deep)
    digits, frames = sys.get_int_max_str_digits(), sys.getrecursionlimit()
    try:
        for digits_here in (0, 640):
            sys.set_int_max_str_digits(digits_here)
            sys.setrecursionlimit(frames + 5000)
            assert (read_answer(long), read_answer(deep)) == expected
    finally:
        sys.set_int_max_str_digits(digits)
        sys.setrecursionlimit(frames)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        (TEXT, Gold(("A",), {"f": 1})),
        ('{"diagnosis": ["A", "B"], "fix": {"f": "x", "g": false}}', Gold(("A", "B"), {"f": "x", "g": False})),
        ('{"diagnosis": "A", "fix": {"f": -3}}', Gold(("A",), {"f": -3})),
        ('{"diagnosis": ["A"], "fix": {"f": "x"}}', Gold(("A",), {"f": "x"})),
        ('{"diagnosis": "HEALTHY", "fix": {}}', Gold(("HEALTHY",), {})),
    ],
)  # fmt: skip
def test_a_gold_is_read(text: str, gold: Gold) -> None:
    assert read_gold(text) == gold


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NOT_AN_OBJECT),
        ("[]", NOT_AN_OBJECT),
        (f"x{TEXT}", NOT_AN_OBJECT),
        (f" {TEXT}", NOT_AN_OBJECT),
        (f"{TEXT}\n", NOT_AN_OBJECT),
        (f"[{TEXT}]", NOT_AN_OBJECT),
        (f"<think></think>{TEXT}", NOT_AN_OBJECT),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, NOT_AN_OBJECT),
        ('{"diagnosis": "A"}', NOT_AN_OBJECT),
        ('{"diagnosis": "A", "fix": null}', NOT_AN_OBJECT),
        ('{"diagnosis": "A", "fix": {"f": [1]}}', NOT_AN_OBJECT),
        ('{"diagnosis": "A", "diagnosis": "A", "fix": {"f": 1}}', "the gold has a key twice"),
        ('{"fix": {"f": 1}}', BAD_DIAGNOSIS),
        ('{"diagnosis": [], "fix": {"f": 1}}', BAD_DIAGNOSIS),
        ('{"diagnosis": 1, "fix": {"f": 1}}', BAD_DIAGNOSIS),
        ('{"diagnosis": {"A": 1}, "fix": {"f": 1}}', BAD_DIAGNOSIS),
        ('{"diagnosis": ["A", 1], "fix": {"f": 1}}', BAD_DIAGNOSIS),
        ('{"diagnosis": ["A", "A"], "fix": {"f": 1}}', BAD_DIAGNOSIS),
        ('{"diagnosis": ["A", "B"], "fix": null}', BAD_FIX),
        ('{"diagnosis": ["A", "B"]}', BAD_FIX),
        ('{"diagnosis": "A", "fix": {"f": null}}', BAD_FIX),
        ('{"diagnosis": "A", "fix": {"f": 1}, "why": "x"}', BAD_FIX),
    ],
    ids=lambda text: text[:40],
)
def test_a_malformed_gold_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        read_gold(text)
