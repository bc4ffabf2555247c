"""The bytes don't depend on Z3: not on its version, nor on whether it is asked at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.sources import copy_with_sizes
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.splits import split_specs
from compiler.tasks.maker import MadeTask, TaskMaker

ROOT = Path(__file__).parents[2]
OTHER = os.environ.get("GTD_OTHER_Z3", "")
"""A folder with another Z3; `make test` makes one."""


def test_tasks_are_the_same_without_z3(program: ProgramPlan, dataset: DatasetPlan) -> None:
    asking, silent = TaskMaker(program, dataset), TaskMaker(program, dataset, prove=False)
    for split in dataset.splits:
        for spec in split_specs(dataset, split)[:3]:
            with_z3, without = asking.make(spec), silent.make(spec)
            assert isinstance(with_z3, MadeTask)
            assert isinstance(without, MadeTask)
            assert with_z3.record == without.record


def compiled(folder: Path) -> tuple[str, set[bytes]]:
    """The version of Z3 that a dataset was compiled with, and its tasks."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    lines = {line for part in folder.glob("*.jsonl") for line in part.read_bytes().splitlines()}
    return manifest["environment"]["z3"], lines


@pytest.mark.slow
@pytest.mark.skipif(not OTHER, reason="no folder with another Z3: `make test` makes one")
def test_bytes_are_the_same_with_another_z3(tmp_path: Path) -> None:
    """A task depends on its own key alone, so those of smaller splits are tasks of `out`, too."""
    sources = copy_with_sizes(
        ROOT / "archetypes", tmp_path / "sources", {"train": 32, "hard": 16, "test": 16, "ood": 16}
    )
    command = [sys.executable, "-m", "compiler", "compile", sources, "-o", tmp_path / "other", "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": f"{OTHER}{os.pathsep}{ROOT}"}
    subprocess.run(command, check=True, cwd=tmp_path, env=environment)
    (ours, here), (theirs, there) = compiled(ROOT / "out"), compiled(tmp_path / "other")
    assert ours != theirs
    assert len(there) == 80
    assert there <= here
