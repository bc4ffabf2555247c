"""Scored replies: when two of them give the same answer."""

from __future__ import annotations

import pytest
from study.bakery import make_task

from gpu_train_debug.study.score import score_reply

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
