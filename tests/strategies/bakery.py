"""Tasks of an invented domain, a bakery; replies and arms made by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpu_train_debug.study.inputs.tasks import StudyTask
from gpu_train_debug.study.statistics.score import ArmScores, Reply, Scores, scored_arm

FAULTS: dict[str, tuple[str, str, tuple[str, ...], dict[str, object]]] = {
    "cold_oven": ("oven", "lookup", ("OVEN_TOO_COLD",), {"degrees": 220}),
    "wet_dough": ("dough", "computed", ("TOO_MUCH_WATER",), {"water": 600, "rest": True}),
    "old_yeast": ("dough", "computed", ("YEAST_DEAD",), {"yeast": "fresh"}),
    "wet_then_old": ("dough", "pair", ("TOO_MUCH_WATER", "YEAST_DEAD"), {"water": 600, "yeast": "fresh"}),
    "hot_oven": ("oven", "lookup", ("OVEN_TOO_HOT",), {"degrees": 180}),
    "oven_humming": ("oven", "healthy", ("HEALTHY",), {}),
    "sticky_rye": ("dough", "healthy", ("HEALTHY",), {}),
}
"""Archetype: system, tier, codes, fix."""


def task_row(archetype: str, split: str, number: int) -> dict[str, str]:
    system, tier, codes, fix = FAULTS[archetype]
    varied = {field: value + number if type(value) is int else value for field, value in fix.items()}
    return {
        "id": f"{split}-{archetype}-{number:03d}",
        "archetype": archetype,
        "split": split,
        "prompt": "A loaf that went wrong.\n",
        "gold": json.dumps({"diagnosis": codes[0] if len(codes) == 1 else list(codes), "fix": varied}),
        "meta": json.dumps({"tier": tier, "system": system, "depth": 2}),
    }


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_splits(folder: Path, sizes: Mapping[str, int]) -> Path:
    """Write split files with a given number of tasks of each archetype."""
    folder.mkdir(exist_ok=True)
    for split, size in sizes.items():
        rows = [task_row(archetype, split, number) for archetype in FAULTS for number in range(size)]
        write_rows(folder / f"{split}.jsonl", rows)
    return folder


RIGHT = Reply(1.0, True, True, ("RIGHT",), "right")


def wrong(answer: str | None, score: float = 0.0, codes: tuple[str, ...] | None = None) -> Reply:
    """A wrong reply that answers `answer`, its diagnosis too."""
    return Reply(score, False, False, codes, answer)


def make_task(number: int, *, split: str = "test", codes: tuple[str, ...] = ("RIGHT",), **named: object) -> StudyTask:
    values: dict[str, Any] = {"archetype": "some", "tier": "lookup", "system": "oven", "control": codes == ("HEALTHY",)}
    gold = json.dumps({"diagnosis": list(codes), "fix": {} if codes == ("HEALTHY",) else {"degrees": 220}})
    return StudyTask(id=f"{split}-{number:03d}", split=split, gold=gold, codes=codes, **(values | named))


def make_arm(name: str, *rows: Sequence[Reply]) -> ArmScores:
    """An arm with a row of replies for each task."""
    return scored_arm(name, tuple(tuple(row) for row in rows))


def arm_of_rates(name: str, rights: Sequence[int], samples: int) -> ArmScores:
    """An arm that has a given number of `samples` right on each task."""
    return make_arm(name, *([RIGHT] * right + [wrong("other")] * (samples - right) for right in rights))


def make_scores(tasks: Sequence[StudyTask], *arms: ArmScores) -> Scores:
    return Scores(tasks=tuple(tasks), arms=arms, dropped=(), cut=(), digests={})
