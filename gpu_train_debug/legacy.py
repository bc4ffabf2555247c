"""`load_environment`, the entrance that older tools look for.

With Verifiers before 0.4 it gives a `SingleTurnEnv`; from 0.4 on, where that class is gone, the environment of the
API v1. The tasks, the prompts and the scores are the same.
"""

from __future__ import annotations

import json
from typing import Any

from gpu_train_debug.grading.rubric import grade
from gpu_train_debug.reward import Completion, completion_text
from gpu_train_debug.tasks import TaskRow, frozen_tasks


def load_environment(split: str = "test", train_split: str = "train", **options: Any) -> Any:
    """Make the environment of a split.

    Args:
        split: What is evaluated.
        train_split: What a trainer of the older API trains on.
        options: As in `DebugTasksetConfig` for the API v1; those of `frozen_tasks` for the older one.

    Raises:
        TasksError: There are no such tasks.
        ImportError: Verifiers isn't installed.
    """
    import verifiers

    if not hasattr(verifiers, "SingleTurnEnv"):
        from gpu_train_debug.environment import TASKSET_ID, DebugEnv, DebugEnvConfig, DebugTasksetConfig

        taskset = DebugTasksetConfig(id=TASKSET_ID, split=split, **options)
        return DebugEnv(DebugEnvConfig(taskset=taskset))
    return verifiers.SingleTurnEnv(
        dataset=_dataset(frozen_tasks(train_split, **options)),
        eval_dataset=_dataset(frozen_tasks(split, **options)),
        rubric=verifiers.Rubric(funcs=[rubric, exact, diagnosis, fix], weights=[1.0, 0.0, 0.0, 0.0]),
    )


def rubric(completion: Completion, answer: str, **_: Any) -> float:
    return grade(completion_text(completion), answer).score


def exact(completion: Completion, answer: str, **_: Any) -> float:
    return float(grade(completion_text(completion), answer).exact)


def diagnosis(completion: Completion, answer: str, **_: Any) -> float:
    return grade(completion_text(completion), answer).diagnosis


def fix(completion: Completion, answer: str, **_: Any) -> float:
    return grade(completion_text(completion), answer).fix


def _dataset(rows: list[TaskRow]) -> Any:
    from datasets import Dataset

    return Dataset.from_list(
        [
            {
                "prompt": [{"role": "user", "content": row.prompt}],
                "answer": row.gold,
                "task": row.archetype,
                "info": {"id": row.id, "split": row.split, "tier": json.loads(row.meta)["tier"]},
            }
            for row in rows
        ]
    )
