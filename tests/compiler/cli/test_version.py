"""`gtd --version`, installed or not."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from strategies.incidents import Ran

import compiler.cli.version

Gtd = Callable[..., Ran]


def test_version_is_shown_with_and_without_an_install(
    gtd: Gtd, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert re.fullmatch(r"gtd, version \d+\.\d+\.\d+\n", gtd("--version").out)

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert re.fullmatch(r"gtd, version \d+\.\d+\.\d+\n", gtd("--version").out)
    monkeypatch.setattr(compiler.cli.version, "PROJECT", tmp_path / "nowhere.toml")
    ran = gtd("--version")
    assert (ran.status, ran.out) == (0, "gtd, version unknown\n")
