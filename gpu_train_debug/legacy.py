"""`load_environment`, the entrance that older tools look for.

With Verifiers before 0.4 it gives a `SingleTurnEnv`; from 0.4 on, where that class is gone, the environment of the
API v1. The tasks, the prompts and the scores are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gpu_train_debug.grading.rubric import grade
from gpu_train_debug.reward import Completion, completion_text, grade_parts
from gpu_train_debug.tasks import TaskRecord, frozen_tasks


def load_environment(
    split: str = "test",
    *,
    data: Path | str | None = None,
    archetypes: Sequence[str] = (),
    tiers: Sequence[str] = (),
    limit: int | None = None,
    seed: int | None = None,
) -> Any:
    """Make the environment of a split, for training and evaluation alike.

    Args:
        data: Folder that `gtd compile` wrote; the frozen splits of the package if None.
        archetypes, tiers, limit, seed: As in `frozen_tasks`.

    Raises:
        TasksError: There are no such tasks.
        ImportError: Verifiers isn't installed.
    """
    try:
        import verifiers
    except ModuleNotFoundError as error:
        raise ImportError("this needs the extra `verifiers`: pip install 'gpu-train-debug[verifiers]'") from error

    folder = None if data is None else Path(data)
    # read for either API: here an impossible choice is refused
    rows = frozen_tasks(split, folder=folder, archetypes=archetypes, tiers=tiers, limit=limit, seed=seed)
    if hasattr(verifiers, "SingleTurnEnv"):
        tasks = _dataset(rows)
        metrics = [_metric(name) for name in ("exact", "diagnosis", "fix")]
        scores = verifiers.Rubric(funcs=[rubric, *metrics], weights=[1.0, 0.0, 0.0, 0.0])
        return verifiers.SingleTurnEnv(dataset=tasks, eval_dataset=tasks, rubric=scores)
    from gpu_train_debug.environment import TASKSET_ID, DebugEnv, DebugEnvConfig, DebugTasksetConfig

    taskset = DebugTasksetConfig(
        id=TASKSET_ID,
        split=split,
        data=folder,
        archetypes=list(archetypes),
        tiers=list(tiers),
        limit=limit,
        seed=seed,
    )
    return DebugEnv(DebugEnvConfig(taskset=taskset))


def rubric(completion: Completion, answer: str, **_: Any) -> float:
    return grade(completion_text(completion), answer).score


def _metric(name: str) -> Callable[..., float]:
    """A part of the grade in the form that the older API calls; it shows it under the function's name."""

    def part(completion: Completion, answer: str, **_: Any) -> float:
        return grade_parts(grade(completion_text(completion), answer))[name]

    part.__name__ = name
    return part


def _dataset(rows: list[TaskRecord]) -> Any:
    from datasets import Dataset

    return Dataset.from_list(
        [
            {
                "prompt": [{"role": "user", "content": row.prompt}],
                "answer": row.gold,
                "info": {"id": row.id, "archetype": row.archetype, "split": row.split, "tier": row.tier},
            }
            for row in rows
        ]
    )
