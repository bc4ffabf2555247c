"""Rows for trainers and for studies.

In: task rows, or the folder of a Verifiers run. Out: rows to be written as JSONL, and the ready configs of the
package. Pure but for the files that are read.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gpu_train_debug.input_errors import Flaw, InputError
from gpu_train_debug.jsonlines import read_objects
from gpu_train_debug.jsontext import without_surrogates
from gpu_train_debug.tasks import TaskRecord, TasksError, task_record

CONFIGS = Path(__file__).parent / "configs"

MOST_SAID = 200
"""Characters of the reason for which a rollout failed."""

ExportedRow = dict[str, Any]


def sft_row(row: TaskRecord, rationale: str = "") -> ExportedRow:
    """A conversation for supervised training, for TRL and for prime-rl; the loss falls on `completion` alone.

    The reply is the gold, after `rationale` and an empty line if there is one.
    """
    reply = f"{rationale.rstrip()}\n\n{row.gold}" if rationale else row.gold
    return {
        "id": row.id,
        "prompt": [{"role": "user", "content": row.prompt}],
        "completion": [{"role": "assistant", "content": reply}],
    }


def grpo_row(row: TaskRecord) -> ExportedRow:
    """A prompt for TRL's GRPOTrainer; `gold` reaches the reward as a column."""
    return {
        "id": row.id,
        "archetype": row.archetype,
        "tier": row.tier,
        "prompt": [{"role": "user", "content": row.prompt}],
        "gold": row.gold,
    }


def generation_rows(run: Path, arm: str) -> Iterator[ExportedRow]:
    """The replies of a `vf-eval` run, as an archive for `gtd study`.

    A rollout that failed in the end counts as an empty reply, and its row says why under `failed`: an arm isn't
    weak because its server was. Lone surrogates in a reply are replaced by U+FFFD, since no file can hold them.

    Args:
        run: The folder that holds the run's `traces.jsonl`.

    Raises:
        TasksError: It holds none, or an empty one, or a line isn't the episode of a task.
    """
    samples: Counter[str] = Counter()
    for place, episode in _episodes(run):
        try:
            task = episode["task"]["data"]["id"]
            if not isinstance(task, str) or task != without_surrogates(task):
                raise TypeError(task)
            row = {"id": task, "arm": arm, "sample": samples[task], "completion": ""}
            if episode["ok"]:
                row["completion"] = _last_reply(episode["traces"])
            else:
                row["failed"] = _failure(episode)
        except (KeyError, TypeError) as error:
            raise TasksError("not an episode of a task", place) from error
        yield row
        samples[task] += 1


def run_tasks(run: Path) -> list[TaskRecord]:
    """The tasks of a `vf-eval` run, each once, by id: what its traces say of them.

    Raises:
        TasksError: As for `generation_rows`.
    """
    tasks: dict[str, TaskRecord] = {}
    for place, episode in _episodes(run):
        try:
            task = task_record(episode["task"]["data"], place)
        except (KeyError, TypeError) as error:
            raise TasksError("not an episode of a task", place) from error
        if isinstance(task, Flaw):
            raise TasksError(f"not an episode of a task: {task.message}", place)
        tasks[task.id] = task
    return [tasks[id_] for id_ in sorted(tasks)]


def _episodes(run: Path) -> Iterator[tuple[str, Any]]:
    """The lines of a run, with their places."""
    path = run / "traces.jsonl"
    if not os.path.isfile(path):
        raise TasksError(f"{run} isn't the folder of a run: it has no traces.jsonl")
    if not path.stat().st_size:
        raise TasksError(f"{path} is empty: nothing was run")
    try:
        for place, episode in read_objects(path, foreign=True):
            if isinstance(episode, Flaw):
                raise TasksError(f"not an episode of a task: {episode.message}", place)
            yield place, episode
    except InputError as error:
        raise TasksError(error.flaws[0].message, str(path)) from error


def _failure(episode: Mapping[str, Any]) -> str:
    """Why a rollout failed, in one short line."""
    if episode.get("is_timeout"):
        return "timeout"
    errors = [error for trace in episode["traces"] for error in trace["errors"]] + episode["errors"]
    if not errors:
        return "no reply"
    return " ".join(without_surrogates(f"{errors[-1]['type']}: {errors[-1]['message']}").split())[:MOST_SAID]


def _last_reply(traces: list[Any]) -> str:
    for node in reversed(traces[-1]["nodes"] if traces else []):
        message = node["message"]
        if message["role"] == "assistant":
            return without_surrogates(str(message.get("content") or ""))
    return ""


def config_files() -> list[Path]:
    """The training configs of the package."""
    return sorted(path for path in CONFIGS.iterdir() if path.suffix in (".toml", ".yaml"))
