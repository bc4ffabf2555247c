from __future__ import annotations

import json
from typing import Any

import pytest

from gpu_train_debug import Grade, grade
from gpu_train_debug.grading.rubric import MAX_REASONS

ONE = {"diagnosis": "A", "fix": {"f": 8}}
PAIR = {"diagnosis": ["A", "B"], "fix": {"f": 8, "g": "x", "h": True}}
HEALTHY: dict[str, Any] = {"diagnosis": "HEALTHY", "fix": {}}
MISSING = 'the field "{}" is missing'.format
BEYOND = 'the field "{}" isn\'t one to change'.format


def scored(answer: object, gold: object) -> Grade:
    return grade(json.dumps(answer), json.dumps(gold))


@pytest.mark.parametrize("gold", [ONE, PAIR, HEALTHY, {"diagnosis": ["A", "B", "C"], "fix": {"f": 1, "g": 2, "h": 3}}])
def test_the_gold_scores_one(gold: dict[str, Any]) -> None:
    assert scored(gold, gold) == Grade(1.0, True, 0.5, 0.5, ())


@pytest.mark.parametrize(
    ("diagnosis", "gold", "earned", "reasons"),
    [
        ("A", ONE, 0.5, ()),
        (["A"], ONE, 0.5, ()),
        ("B", ONE, 0, ('the code "A" is missing', 'the code "B" is wrong')),
        ("a", ONE, 0, ('the code "A" is missing', 'the code "a" is wrong')),
        ("A ", ONE, 0, ('the code "A" is missing', 'the code "A " is wrong')),
        ("", ONE, 0, ('the code "A" is missing', 'the code "" is wrong')),
        ("A, B", PAIR, 0, ('the code "A" is missing', 'the code "B" is missing', 'the code "A, B" is wrong')),
        ([], ONE, 0, ('the code "A" is missing',)),
        (["A", "B"], ONE, 0.25, ('the code "B" is wrong',)),
        (["A", "A"], ONE, 0.25, ('the code "A" is named 2 times',)),
        (["A", "A", "A"], ONE, 0, ('the code "A" is named 3 times',)),
        (["A", None], ONE, 0.25, ("the code null is wrong",)),
        (["A", ["B"]], ONE, 0.25, ("the code a list is wrong",)),
        (["A", {"B": 1}], ONE, 0.25, ("the code an object is wrong",)),
        (["A", 1.5], ONE, 0.25, ("the code 1.5 is wrong",)),
        ([["A"]], ONE, 0, ('the code "A" is missing', "the code a list is wrong")),
        (["A", "B", "C"], ONE, 0, ('the code "B" is wrong', 'the code "C" is wrong')),
        (None, ONE, 0, ("`diagnosis` is neither a code nor a list of codes",)),
        (1, ONE, 0, ("`diagnosis` is neither a code nor a list of codes",)),
        (["B", "A"], PAIR, 0.5, ()),
        ("A", PAIR, 0.25, ('the code "B" is missing',)),
        (["B"], PAIR, 0.25, ('the code "A" is missing',)),
        (["A", "A"], PAIR, 0, ('the code "B" is missing', 'the code "A" is named 2 times')),
        (["A", "C"], PAIR, 0, ('the code "B" is missing', 'the code "C" is wrong')),
        (["C", "B", "A"], PAIR, 0.25, ('the code "C" is wrong',)),
        (["C", "B", "D", "A"], PAIR, 0, ('the code "C" is wrong', 'the code "D" is wrong')),
    ],
)  # fmt: skip
def test_the_diagnosis_earns(diagnosis: object, gold: dict[str, Any], earned: float, reasons: tuple[str, ...]) -> None:
    result = scored({"diagnosis": diagnosis, "fix": gold["fix"]}, gold)
    assert result == Grade(0.5 + earned, earned == 0.5, earned, 0.5, reasons)


def test_three_codes_share_the_half() -> None:
    gold = {"diagnosis": ["A", "B", "C"], "fix": {"f": 1}}
    assert [scored({"diagnosis": codes}, gold).diagnosis for codes in ("A", ["A", "B"], ["A", "B", "D"])] == [
        0.5 / 3,
        1 / 3,
        1 / 3 - 0.25,
    ]


@pytest.mark.parametrize(
    ("fix", "gold", "earned", "reasons"),
    [
        ({"h": True, "g": "x", "f": 8}, PAIR, 3, ()),
        ({"f": 8}, PAIR, 1, ('the field "g" is missing', 'the field "h" is missing')),
        ({"f": 8, "g": "x", "h": False}, PAIR, 2, ('the field "h" is false instead of true',)),
        ({"f": 8, "g": "x", "h": True, "i": 1}, PAIR, 2, ("the field \"i\" isn't one to change",)),
        ({"f": 8, "g": "x", "h": True, "i": 1, "j": 1, "k": 1}, PAIR, 0, tuple(map(BEYOND, "ijk"))),
        ({"f": 8, "i": 1, "j": 1}, PAIR, 0, (*map(MISSING, "gh"), *map(BEYOND, "ij"))),
        ({"F": 8}, ONE, 0, ('the field "f" is missing', "the field \"F\" isn't one to change")),
        ({"f": "8"}, ONE, 0, ('the field "f" is "8" instead of 8',)),
        ({"f": 8.0}, ONE, 0, ('the field "f" is 8.0 instead of 8',)),
        ({"f": None}, ONE, 0, ('the field "f" is null instead of 8',)),
        ({"f": [8]}, ONE, 0, ('the field "f" is a list instead of 8',)),
        ({"f": {"value": 8}}, ONE, 0, ('the field "f" is an object instead of 8',)),
        ({"f": True}, {"diagnosis": "A", "fix": {"f": 1}}, 0, ('the field "f" is true instead of 1',)),
        ({"f": 1}, {"diagnosis": "A", "fix": {"f": True}}, 0, ('the field "f" is 1 instead of true',)),
        ({"f": 0}, {"diagnosis": "A", "fix": {"f": False}}, 0, ('the field "f" is 0 instead of false',)),
        ({"f": "true"}, {"diagnosis": "A", "fix": {"f": True}}, 0, ('the field "f" is "true" instead of true',)),
        ({"f": "X"}, {"diagnosis": "A", "fix": {"f": "x"}}, 0, ('the field "f" is "X" instead of "x"',)),
        ({}, ONE, 0, ('the field "f" is missing',)),
        (None, ONE, 0, ("`fix` isn't an object of fields",)),
        ([["f", 8]], ONE, 0, ("`fix` isn't an object of fields",)),
    ],
)  # fmt: skip
def test_the_fix_earns(fix: object, gold: dict[str, Any], earned: int, reasons: tuple[str, ...]) -> None:
    result = scored({"diagnosis": gold["diagnosis"], "fix": fix}, gold)
    share = 0.5 * earned / len(gold["fix"])
    assert result == Grade(0.5 + share, not reasons, 0.5, share, reasons)


def test_keys_beside_the_two_count_as_further_fields() -> None:
    assert scored({**PAIR, "why": "x"}, PAIR) == Grade(
        0.5 + 1 / 3, False, 0.5, 1 / 3, ('the key "why" isn\'t part of an answer',)
    )
    assert scored({"diagnosis": "A", "f": 8}, ONE) == Grade(
        0.5, False, 0.5, 0.0, ("`fix` isn't an object of fields", 'the key "f" isn\'t part of an answer')
    )
    assert scored({**HEALTHY, "why": "x"}, HEALTHY) == Grade(
        0.5, False, 0.5, 0.0, ('the key "why" isn\'t part of an answer',)
    )


def test_the_halves_are_independent_on_a_faulty_run() -> None:
    result = scored({"diagnosis": "B", "fix": {"f": 8}}, ONE)
    assert (result.score, result.diagnosis, result.fix, result.exact) == (0.5, 0.0, 0.5, False)


@pytest.mark.parametrize(
    ("answer", "diagnosis", "fix"),
    [
        ({"diagnosis": ["HEALTHY"], "fix": {}}, 0.5, 0.5),
        ({"diagnosis": "A", "fix": {}}, 0, 0),
        ({"diagnosis": ["HEALTHY", "A"], "fix": {}}, 0.25, 0),
        ({"diagnosis": ["HEALTHY", "HEALTHY"], "fix": {}}, 0.25, 0),
        ({"diagnosis": [], "fix": {}}, 0, 0),
        ({"fix": {}}, 0, 0),
        ({"diagnosis": "HEALTHY"}, 0.5, 0),
        ({"diagnosis": "HEALTHY", "fix": None}, 0.5, 0),
        ({"diagnosis": "HEALTHY", "fix": []}, 0.5, 0),
        ({"diagnosis": "HEALTHY", "fix": {"f": 8}}, 0.5, 0),
        ({"diagnosis": "A", "fix": {"f": 8}}, 0, 0),
    ],
)
def test_on_a_healthy_run_an_empty_fix_earns_only_with_the_diagnosis(
    answer: object, diagnosis: float, fix: float
) -> None:
    result = scored(answer, HEALTHY)
    assert (result.diagnosis, result.fix) == (diagnosis, fix)
    assert result.exact is (diagnosis + fix == 1)
    assert bool(result.reasons) is not result.exact


def test_the_reason_says_why_an_empty_fix_earns_nothing() -> None:
    assert scored({"diagnosis": "A", "fix": {}}, HEALTHY).reasons == (
        'the code "HEALTHY" is missing',
        'the code "A" is wrong',
        "an empty fix counts only with exactly the right diagnosis",
    )


def test_a_reply_without_answer_earns_nothing() -> None:
    assert grade("no idea", json.dumps(ONE)) == Grade(0.0, False, 0.0, 0.0, ("the reply has no complete JSON object",))


def test_reasons_are_short_few_and_ascii() -> None:
    answer = {"diagnosis": ["\ud800\u00e9" * 5000], "fix": {"f": "\x00" * 5000, **{f"x{i}" * 50: i for i in range(50)}}}
    reasons = scored(answer, ONE).reasons
    assert len(reasons) == MAX_REASONS
    assert reasons[-1] == "and 34 more"
    assert all(reason.isascii() and len(reason) < 1000 for reason in reasons)
    assert (
        scored({"diagnosis": "A", "fix": {"f": 8, **{f"x{i}": i for i in range(20)}}}, ONE).reasons[-1]
        == 'the field "x19" isn\'t one to change'
    )
    assert scored({"diagnosis": ["A", "x" * 60], "fix": {"f": 8}}, ONE).reasons == (f'the code "{"x" * 60}" is wrong',)
    assert scored({"diagnosis": ["A", "x" * 61], "fix": {"f": 8}}, ONE).reasons == (
        f'the code "{"x" * 60}..." is wrong',
    )
    long = grade(f'{{"diagnosis": "A", "fix": {{"f": {"1" * 5000}}}}}', json.dumps(ONE))
    assert long.reasons == (f'the field "f" is {"1" * 60}... instead of 8',)


def test_a_malformed_gold_raises() -> None:
    with pytest.raises(ValueError, match="gold"):
        grade("{}", "{}")


def test_no_text_is_an_empty_one() -> None:
    gold = '{"diagnosis": "A", "fix": {"f": 8}}'
    assert grade(None, gold) == grade("", gold)


@pytest.mark.parametrize("text", ["3e-4", "0.0003", "3.0E-04", "0.00030"])
def test_a_decimal_fraction_is_right_however_it_is_written(text: str) -> None:
    gold = '{"diagnosis": "A", "fix": {"lr": 0.0003}}'
    assert grade(f'{{"diagnosis": "A", "fix": {{"lr": {text}}}}}', gold).exact


@pytest.mark.parametrize("text", ["3e-5", "3", '"3e-4"', "true", "1e-400", "0.0003" + "0" * 100])
def test_another_number_is_wrong(text: str) -> None:
    gold = '{"diagnosis": "A", "fix": {"lr": 0.0003}}'
    assert grade(f'{{"diagnosis": "A", "fix": {{"lr": {text}}}}}', gold).fix == 0


@pytest.mark.parametrize(("text", "right"), [("0", True), ("0.0", True), ("false", False), ("1e-400", False)])
def test_zero_of_a_decimal_field_may_be_whole(text: str, right: bool) -> None:
    gold = '{"diagnosis": "A", "fix": {"dropout": 0.0}}'
    assert grade(f'{{"diagnosis": "A", "fix": {{"dropout": {text}}}}}', gold).exact is right
