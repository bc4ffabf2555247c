"""Rows for trainers and for studies.

In: task rows, or the folder of a Verifiers run. Out: rows to be written as JSONL, and the ready configs of the
package. Pure but for the files that are read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gpu_train_debug.tasks import TaskRow, TasksError, task_row

CONFIGS = Path(__file__).parent / "configs"

MOST_SAID = 200
"""Characters of the reason for which a rollout failed."""

Row = dict[str, Any]


def sft_row(row: TaskRow, rationale: str = "") -> Row:
    """A conversation for supervised training, for TRL and for prime-rl; the loss falls on `completion` alone.

    The reply is the gold, after `rationale` and an empty line if there is one.
    """
    reply = f"{rationale.rstrip()}\n\n{row.gold}" if rationale else row.gold
    return {
        "id": row.id,
        "prompt": [{"role": "user", "content": row.prompt}],
        "completion": [{"role": "assistant", "content": reply}],
    }


def grpo_row(row: TaskRow) -> Row:
    """A prompt for TRL's GRPOTrainer; `gold` reaches the reward as a column."""
    return {
        "id": row.id,
        "archetype": row.archetype,
        "tier": row.tier,
        "prompt": [{"role": "user", "content": row.prompt}],
        "gold": row.gold,
    }


def generation_rows(run: Path, arm: str) -> Iterator[Row]:
    """The replies of a `vf-eval` run, as an archive for `gtd study`.

    A rollout that failed for good counts as an empty reply, and its row says under `failed` why: an arm isn't
    weak because its server was.

    Args:
        run: The folder that holds the run's `traces.jsonl`.

    Raises:
        TasksError: It holds none, or an empty one, or a line isn't the episode of a task.
    """
    samples: Counter[str] = Counter()
    for place, episode in _episodes(run):
        try:
            task = episode["task"]["data"]["id"]
            if not isinstance(task, str):
                raise TypeError(task)
            row = {"id": task, "arm": arm, "sample": samples[task], "completion": ""}
            if episode["ok"]:
                row["completion"] = _last_reply(episode["traces"])
            else:
                row["failed"] = _failure(episode)
        except (KeyError, TypeError) as error:
            raise TasksError(f"{place}: not an episode of a task") from error
        yield row
        samples[task] += 1


def run_tasks(run: Path) -> list[TaskRow]:
    """The tasks of a `vf-eval` run, each once, by id: what its traces say of them.

    Raises:
        TasksError: As for `generation_rows`.
    """
    tasks: dict[str, TaskRow] = {}
    for place, episode in _episodes(run):
        try:
            row = task_row(episode["task"]["data"], place)
        except (KeyError, TypeError) as error:
            raise TasksError(f"{place}: not an episode of a task") from error
        tasks[row.id] = row
    return [tasks[id_] for id_ in sorted(tasks)]


def _episodes(run: Path) -> Iterator[tuple[str, Any]]:
    """The lines of a run, with their places."""
    path = run / "traces.jsonl"
    if not path.is_file():
        raise TasksError(f"{run} is not the folder of a run: it has no traces.jsonl")
    if not path.stat().st_size:
        raise TasksError(f"{path} is empty: nothing was run")
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            place = f"{path}:{number}"
            try:
                episode = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise TasksError(f"{place}: not an episode of a task") from error
            yield place, episode


def _failure(episode: Mapping[str, Any]) -> str:
    """Why a rollout failed, in one short line."""
    if episode.get("is_timeout"):
        return "timeout"
    errors = [error for trace in episode["traces"] for error in trace["errors"]] + episode["errors"]
    if not errors:
        return "no reply"
    return " ".join(f"{errors[-1]['type']}: {errors[-1]['message']}".split())[:MOST_SAID]


def _last_reply(traces: list[Any]) -> str:
    for node in reversed(traces[-1]["nodes"] if traces else []):
        message = node["message"]
        if message["role"] == "assistant":
            return str(message.get("content") or "")
    return ""


def config_files() -> list[Path]:
    """The training configs of the package."""
    return sorted(path for path in CONFIGS.iterdir() if path.suffix in (".toml", ".yaml"))
