"""The reward for trainers is the grader, in the form that they call."""

from __future__ import annotations

import pytest

from gpu_train_debug.grading.rubric import grade
from gpu_train_debug.reward import completion_text, task_reward

GOLD = '{"diagnosis": "TOO_MANY", "fix": {"workers": 4}}'
REPLIES = [GOLD, '{"diagnosis": "TOO_MANY", "fix": {}}', "no answer", ""]


def test_plain_texts_and_conversations_earn_what_the_grader_says() -> None:
    expected = [grade(reply, GOLD).score for reply in REPLIES]
    assert expected[:3] == [1.0, 0.5, 0.0]
    golds = [GOLD] * len(REPLIES)
    assert task_reward(REPLIES, golds) == expected
    conversations = [[{"role": "assistant", "content": reply}] for reply in REPLIES]
    assert task_reward(conversations, golds, prompts=REPLIES, id=["x"] * 4) == expected


def test_the_share_of_exact_answers_is_logged() -> None:
    logged: dict[str, float] = {}
    task_reward(REPLIES, [GOLD] * 4, log_metric=logged.__setitem__)
    assert logged == {"exact": 0.25}


def test_an_empty_batch_logs_nothing() -> None:
    logged: dict[str, float] = {}
    assert task_reward([], [], log_metric=logged.__setitem__) == []
    assert logged == {}


def test_a_batch_with_too_few_golds_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="shorter"):
        task_reward(REPLIES, [GOLD])


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        pytest.param([], "", id="no message"),
        pytest.param([{"role": "assistant", "content": None}], "", id="no content"),
        pytest.param([{"role": "assistant"}], "", id="content left out"),
        pytest.param([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "b", id="last message"),
        pytest.param([{"content": [{"text": "a"}, {"type": "image"}, {"text": "b"}]}], "ab", id="parts"),
    ],
)
def test_the_reply_of_a_conversation(completion: list[dict[str, object]], text: str) -> None:
    assert completion_text(completion) == text
