"""Split files and archives of the bakery."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.bakery import write_rows, write_splits

from gpu_train_debug.study.inputs.tasks import TaskSet, read_tasks


@pytest.fixture
def bakery(tmp_path: Path) -> Path:
    """A folder of two splits, 14 tasks each."""
    return write_splits(tmp_path / "out", {"test": 2, "ood": 2})


@pytest.fixture
def task_set(bakery: Path) -> TaskSet:
    return read_tasks([bakery])


@pytest.fixture
def archive(tmp_path: Path) -> Callable[..., Path]:
    """Write an archive of given rows; each is (id, arm, sample, completion)."""

    def write(*rows: tuple[str, str, int, str], name: str = "archive.jsonl") -> Path:
        keys = ("id", "arm", "sample", "completion")
        return write_rows(tmp_path / name, [dict(zip(keys, row, strict=True)) for row in rows])

    return write
