"""The reward for trainers: the grader on a batch of completions.

`task_reward` has the form that TRL's GRPOTrainer asks for. Every column of the data set reaches it as a list;
it needs `gold` and leaves the others alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpu_train_debug.grading.rubric import Grade, grade

Completion = str | Sequence[Mapping[str, Any]]
"""A plain text, or a conversation whose last message is the reply."""


def completion_text(completion: Completion) -> str:
    """The reply that a completion holds; empty if the last message has no text."""
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else None
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))


def grade_parts(found: Grade) -> dict[str, float]:
    """The numbers of a grade beside its score, as metrics."""
    return {"exact": float(found.exact), "diagnosis": found.diagnosis, "fix": found.fix}


def task_reward(
    completions: Sequence[Completion],
    gold: Sequence[str],
    log_metric: Callable[[str, float], None] | None = None,
    **columns: Any,
) -> list[float]:
    """Grade completions; also logs the share of exact answers, if the trainer takes metrics.

    Raises:
        ValueError: A gold is malformed, or there are fewer or more of them than completions.
    """
    grades = [grade(completion_text(each), right) for each, right in zip(completions, gold, strict=True)]
    if log_metric is not None and grades:
        log_metric("exact", sum(each.exact for each in grades) / len(grades))
    return [each.score for each in grades]
