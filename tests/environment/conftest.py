"""The second domain as the environment sees it: compiled once, its rows, its golds."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.build import build_dataset
from compiler.frontend import run_frontend
from compiler.plan import DatasetPlan, ProgramPlan
from gpu_train_debug.tasks import TaskRow, read_split, split_names

ROOT = Path(__file__).parent.parent.parent
INCIDENTS = ROOT / "tests" / "domains" / "incidents"


@pytest.fixture(scope="session")
def program() -> ProgramPlan:
    plan = run_frontend([INCIDENTS]).plan
    assert plan is not None
    return plan


@pytest.fixture(scope="session")
def dataset(program: ProgramPlan) -> DatasetPlan:
    return program.datasets["incidents"]


@pytest.fixture(scope="session")
def out(program: ProgramPlan, dataset: DatasetPlan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset as `gtd compile` writes it. Read only."""
    folder = tmp_path_factory.mktemp("environment") / "out"
    build_dataset(program, dataset, folder, jobs=1)
    return folder


@pytest.fixture(scope="session")
def rows(out: Path) -> dict[str, list[TaskRow]]:
    return {split: list(read_split(split, out)) for split in split_names(out)}


@pytest.fixture(scope="session")
def golds(rows: dict[str, list[TaskRow]]) -> dict[str, str]:
    return {row.prompt: row.gold for split in rows.values() for row in split}
