"""What holds for every answer: no mutation of a gold reaches its score, and nothing wrong ever helps."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from gpu_train_debug import grade
from gpu_train_debug.grading.rubric import MAX_REASONS

Object = dict[str, Any]

AROUND = [
    ("", ""),
    ("```json\n", "\n```"),
    ("```\n", "\n```\n"),
    ("~~~ json\r\n", "\r\n~~~"),
    ("So:\n\n", "\n\nDone."),
    ("\ufeff", " \n"),
    ('<think>{"diagnosis": "HEALTHY", "fix": {}} or so</think>\n', ""),
    ("<think><think></think></think>", ""),
]

CODES = ("A", "B", "C", "D", "E", "HEALTHY")
FIELDS = ("f", "g", "h", "i", "j")
GOLD_VALUES = st.sampled_from([0, 1, 8, -1, 2**60, True, False, "x", "8", "true", ""])
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["A", "x", 8, 8.0])
)
ANY_JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["diagnosis", "fix", *FIELDS]) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def faulty_golds() -> st.SearchStrategy[Object]:
    codes = st.lists(st.sampled_from(CODES[:-1]), min_size=1, max_size=2, unique=True)
    fix = st.dictionaries(st.sampled_from(FIELDS), GOLD_VALUES, min_size=1)
    return st.builds(lambda c, f: {"diagnosis": c[0] if len(c) == 1 else c, "fix": f}, codes, fix)


HEALTHY: Object = {"diagnosis": "HEALTHY", "fix": {}}
GOLDS = faulty_golds() | st.just(HEALTHY)


def answers(gold: Object) -> st.SearchStrategy[Object]:
    """Answers that are often partly right for `gold`."""
    codes = st.sampled_from([*CODES, *codes_of(gold)])
    diagnosis = codes | st.lists(codes, max_size=4) | st.just(gold["diagnosis"])
    own = [st.just(pair) for pair in gold["fix"].items()]
    pairs = st.one_of(*own, st.tuples(st.sampled_from(FIELDS), GOLD_VALUES))
    fix = st.lists(pairs, max_size=6).map(dict) | st.just(gold["fix"])
    return st.fixed_dictionaries({"diagnosis": diagnosis, "fix": fix})


def codes_of(answer: Object) -> list[str]:
    diagnosis = answer["diagnosis"]
    return list(diagnosis) if isinstance(diagnosis, list) else [diagnosis]


def score(answer: object, gold: Object) -> float:
    return grade(json.dumps(answer), json.dumps(gold)).score


def same(answer: Any, gold: Object) -> bool:
    """Whether `answer` says what `gold` says, by comparing JSON texts; the order of codes and fields is free."""
    if not isinstance(answer, dict) or set(answer) != {"diagnosis", "fix"} or not isinstance(answer["fix"], dict):
        return False
    if not isinstance(answer["diagnosis"], str | list):
        return False
    if sorted(map(json.dumps, codes_of(answer))) != sorted(map(json.dumps, codes_of(gold))):
        return False
    return json.dumps(answer["fix"], sort_keys=True) == json.dumps(gold["fix"], sort_keys=True)


def check(reply: str, gold: Object) -> None:
    result = grade(reply, json.dumps(gold))
    assert result == grade(reply, json.dumps(gold))
    assert result.score == result.diagnosis + result.fix
    assert 0 <= result.diagnosis <= 0.5
    assert 0 <= result.fix <= 0.5
    assert result.exact is (result.score == 1)
    assert result.exact is (not result.reasons)
    assert len(result.reasons) <= MAX_REASONS
    assert all(reason.isascii() for reason in result.reasons)


@given(st.text(st.characters(exclude_categories=())), GOLDS)
@example("<think>", HEALTHY)
@example('{"diagnosis": "HEALTHY", "fix": {}', HEALTHY)
def test_any_text_gets_a_grade(reply: str, gold: Object) -> None:
    check(reply, gold)


@given(ANY_JSON, GOLDS, st.booleans())
def test_any_json_gets_a_grade_and_one_only_if_it_says_what_the_gold_says(
    answer: Any, gold: Object, ascii_: bool
) -> None:
    reply = json.dumps(answer, ensure_ascii=ascii_)
    check(reply, gold)
    if isinstance(answer, dict) and "NaN" not in reply and "Infinity" not in reply:
        assert grade(reply, json.dumps(gold)).exact is same(answer, gold)


@given(st.data(), GOLDS)
def test_only_what_says_the_same_as_the_gold_scores_one(data: st.DataObject, gold: Object) -> None:
    answer = data.draw(answers(gold))
    check(json.dumps(answer), gold)
    assert grade(json.dumps(answer), json.dumps(gold)).exact is same(answer, gold)


@given(st.data(), GOLDS)
def test_replacing_any_part_of_the_gold_by_other_json_scores_below_one(data: st.DataObject, gold: Object) -> None:
    places: list[tuple[str, ...]] = [("diagnosis",), ("fix",), *(("fix", field) for field in gold["fix"])]
    place = data.draw(st.sampled_from(places))
    mutant = json.loads(json.dumps(gold))
    target = mutant if len(place) == 1 else mutant["fix"]
    target[place[-1]] = data.draw(ANY_JSON)
    assume(not same(mutant, gold))
    assert score(mutant, gold) < 1


@given(st.data(), GOLDS)
def test_removing_or_changing_characters_of_the_gold_scores_one_only_if_it_still_says_the_same(
    data: st.DataObject, gold: Object
) -> None:
    text = json.dumps(gold)
    place = data.draw(st.integers(0, len(text) - 1))
    reply = (
        text[:place] + data.draw(st.sampled_from(["", "0", " ", '"', "}", "x", "\\", "\x00", "."])) + text[place + 1 :]
    )
    check(reply, gold)
    if grade(reply, text).exact:
        assert same(json.loads(reply), gold)


@given(st.data(), GOLDS)
def test_a_wrong_code_more_never_helps(data: st.DataObject, gold: Object) -> None:
    answer = data.draw(answers(gold))
    wrong = data.draw(st.sampled_from([*CODES, "Z", None, 1]).filter(lambda code: code not in codes_of(gold)))
    place = data.draw(st.integers(0, len(codes_of(answer))))
    codes = [*codes_of(answer)[:place], wrong, *codes_of(answer)[place:]]
    assert score({**answer, "diagnosis": codes}, gold) <= score(answer, gold)


@given(st.data(), GOLDS)
def test_a_code_named_again_never_helps(data: st.DataObject, gold: Object) -> None:
    answer = data.draw(answers(gold).filter(codes_of))
    again = data.draw(st.sampled_from(codes_of(answer)))
    assert score({**answer, "diagnosis": [*codes_of(answer), again]}, gold) <= score(answer, gold)


@given(st.data(), GOLDS, SCALARS)
def test_a_wrong_field_more_never_helps(data: st.DataObject, gold: Object, value: object) -> None:
    answer = data.draw(answers(gold))
    field = data.draw(st.sampled_from([*FIELDS, "z"]).filter(lambda name: name not in answer["fix"]))
    assume(field not in gold["fix"] or json.dumps(value) != json.dumps(gold["fix"][field]))
    assert score({**answer, "fix": {**answer["fix"], field: value}}, gold) <= score(answer, gold)
    assert score({**answer, field: value}, gold) <= score(answer, gold)


@given(st.data(), faulty_golds())
def test_a_right_code_or_field_more_never_hurts(data: st.DataObject, gold: Object) -> None:
    answer = data.draw(answers(gold))
    for code in set(codes_of(gold)) - set(codes_of(answer)):
        assert score({**answer, "diagnosis": [*codes_of(answer), code]}, gold) >= score(answer, gold)
    for field, value in gold["fix"].items():
        if field not in answer["fix"]:
            assert score({**answer, "fix": {**answer["fix"], field: value}}, gold) >= score(answer, gold)


@given(st.data(), GOLDS)
def test_the_way_of_writing_an_answer_never_matters(data: st.DataObject, gold: Object) -> None:
    answer = data.draw(answers(gold))
    shuffle = data.draw(st.randoms(use_true_random=False))
    plain = grade(json.dumps(answer), json.dumps(gold))
    written = json.dumps(
        {key: shuffled(answer[key], shuffle) for key in shuffled(list(answer), shuffle)},
        indent=data.draw(st.sampled_from([None, 0, 2, "\t"])),
        separators=data.draw(st.sampled_from([(",", ":"), (" ,\n", " : ")])),
    )
    before, after = data.draw(st.sampled_from(AROUND))
    other = grade(before + written + after, json.dumps(gold))
    assert (other.score, other.diagnosis, other.fix) == (plain.score, plain.diagnosis, plain.fix)
    assert sorted(other.reasons) == sorted(plain.reasons)


def shuffled(value: Any, shuffle: random.Random) -> Any:
    """Codes or fields in another order."""
    items = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(items, list):
        return value
    mixed = shuffle.sample(items, len(items))
    return dict(mixed) if isinstance(value, dict) else mixed


@given(st.data(), GOLDS)
def test_of_several_objects_the_last_is_graded(data: st.DataObject, gold: Object) -> None:
    first, last = data.draw(ANY_JSON), data.draw(answers(gold))
    text = json.dumps(first) + data.draw(st.sampled_from(["", " ", "\nno:\n", "```"])) + json.dumps(last)
    assert grade(text, json.dumps(gold)) == grade(json.dumps(last), json.dumps(gold))


@given(st.data(), GOLDS)
def test_a_truncated_answer_scores_below_one(data: st.DataObject, gold: Object) -> None:
    text = json.dumps(gold, indent=data.draw(st.sampled_from([None, 1])))
    cut = data.draw(st.integers(0, len(text) - 1))
    assert grade(text[:cut], json.dumps(gold)).score == 0
