"""The compiled dataset as the environment sees it: its rows, its golds, and the wheel of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gpu_train_debug.tasks import TaskRecord, read_split, split_names

if TYPE_CHECKING:
    from .installed import Installed

ROOT = Path(__file__).parent.parent.parent
INCIDENTS = ROOT / "tests" / "domains" / "incidents"


@pytest.fixture(scope="session")
def out(compiled: Path) -> Path:
    return compiled


@pytest.fixture(scope="session")
def rows(out: Path) -> dict[str, list[TaskRecord]]:
    return {split: list(read_split(split, out)) for split in split_names(out)}


@pytest.fixture(scope="session")
def golds(rows: dict[str, list[TaskRecord]]) -> dict[str, str]:
    return {row.prompt: row.gold for split in rows.values() for row in split}


@pytest.fixture(scope="session")
def installed(out: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel of the second domain in a fresh environment."""
    from .installed import Installed, build, copy_checkout, install

    folder = tmp_path_factory.mktemp("installed")
    checkout = copy_checkout(folder / "checkout", out)
    built = build(checkout, "wheel")
    assert built.returncode == 0, built.stderr
    wheel = next((checkout / "dist").glob("*.whl"))
    python = install(wheel, folder / "venv")
    shutil.rmtree(checkout / "gpu_train_debug")
    (folder / "outside").mkdir()
    return Installed(wheel, python, folder / "outside")
