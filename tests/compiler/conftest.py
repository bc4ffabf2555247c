"""The small second domain, and the dataset compiled from it once for all tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.incidents import INCIDENTS, Ran

from compiler.cli.app import main
from compiler.dataset.build import build_dataset
from compiler.frontend.run import run_frontend
from compiler.plan import DatasetPlan, ProgramPlan


@pytest.fixture
def gtd(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Ran]:
    """Run the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Ran(int(stopped.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def program() -> ProgramPlan:
    plan = run_frontend([INCIDENTS]).plan
    assert plan is not None
    return plan


@pytest.fixture(scope="session")
def dataset(program: ProgramPlan) -> DatasetPlan:
    return program.datasets["incidents"]


@pytest.fixture(scope="session")
def compiled(program: ProgramPlan, dataset: DatasetPlan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset as `gtd compile` writes it. Read only."""
    folder = tmp_path_factory.mktemp("compiled") / "out"
    build_dataset(program, dataset, folder, jobs=1)
    return folder


@pytest.fixture
def copied(compiled: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    return Path(shutil.copytree(compiled, tmp_path / "copied"))
