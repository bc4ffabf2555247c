"""The command in an empty folder, and a copy of the compiled dataset."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.incidents import Ran

from compiler.cli.app import main


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


@pytest.fixture
def copied(compiled: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    return Path(shutil.copytree(compiled, tmp_path / "copied"))
