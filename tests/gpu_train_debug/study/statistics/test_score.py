"""Scored replies: when two of them give the same answer."""

from __future__ import annotations

import pytest
from strategies.bakery import RIGHT, make_arm, make_scores, make_task, wrong

from gpu_train_debug.study.statistics.score import failure_notes, score_reply

TASK = make_task(0, codes=("COLD",))


def answer(completion: str) -> str | None:
    return score_reply(completion, TASK).answer


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"diagnosis": "COLD", "fix": {}}', 'Well:\n{"fix": {}, "diagnosis": ["COLD"]}'),
        (
            '{"diagnosis": ["COLD", "WET"], "fix": {"a": 1, "b": 2}}',
            '{"diagnosis": ["WET", "COLD"], "fix": {"b": 2, "a": 1}}',
        ),
    ],
    ids=["layout", "order"],
)
def test_answers_are_the_same_whatever_their_order_and_layout(one: str, other: str) -> None:
    assert answer(one) == answer(other) != answer("{}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"diagnosis": ["COLD", "COLD"]}', '{"diagnosis": "COLD"}'),
        ('{"diagnosis": ["COLD", null]}', '{"diagnosis": "COLD"}'),
        ('{"diagnosis": ["1"]}', '{"diagnosis": [1]}'),
        ('{"fix": {"a": 1}}', '{"fix": {"a": true}}'),
        ('{"fix": {"a": 1}}', '{"fix": {"a": "1"}}'),
        ('{"fix": {"a": 1}}', '{"fix": {"a": 1}, "b": 2}'),
        ('{"fix": {}}', '{"fix": null}'),
    ],
)
def test_answers_differ_where_the_grader_tells_them_apart(one: str, other: str) -> None:
    assert answer(one) != answer(other)


def test_a_reply_without_an_answer_has_none() -> None:
    reply = score_reply("I am not sure yet", TASK)
    assert (reply.answer, reply.codes, reply.diagnosed) == (None, None, False)


def test_a_failed_request_scores_as_no_answer() -> None:
    reply = score_reply(None, TASK)
    assert reply.failed
    assert (reply.score, reply.exact, reply.codes, reply.answer) == (0.0, False, None, None)


def test_failed_requests_are_noted_and_loudly_if_all_did() -> None:
    failed = score_reply(None, TASK)
    some = make_arm("some", [RIGHT, failed], [wrong(None), RIGHT])
    scores = make_scores([TASK, TASK], make_arm("none", [RIGHT, RIGHT], [RIGHT, wrong(None)]), some)
    assert failure_notes(scores) == ["1 of 4 requests of arm some failed (25.0%) and score 0"]
    scores = make_scores([TASK, TASK], make_arm("lost", [failed, failed], [failed, failed]), some)
    assert failure_notes(scores)[0] == "ALL 4 REQUESTS OF ARM lost FAILED: its zeros say nothing about it"
