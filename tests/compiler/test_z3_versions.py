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


def compiled_by(path: str, sources: Path, target: Path) -> tuple[str, dict[str, bytes]]:
    """Compile with what stands first on the path; gives the version of Z3 and the bytes of the splits."""
    command = [sys.executable, "-m", "compiler", "compile", sources, "-o", target, "--jobs", "1"]
    subprocess.run(command, check=True, cwd=target.parent, env={**os.environ, "PYTHONPATH": path})
    manifest = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
    return manifest["environment"]["z3"], {part.name: part.read_bytes() for part in target.glob("*.jsonl")}


@pytest.mark.slow
@pytest.mark.skipif(not OTHER, reason="no folder with another Z3: `make test` makes one")
def test_bytes_are_the_same_with_another_z3(tmp_path: Path) -> None:
    """Of most of the shipped archetypes there is a task or more."""
    sizes = {"train": 32, "hard": 16, "test": 16, "ood": 16}
    sources = copy_with_sizes(ROOT / "archetypes", tmp_path / "sources", sizes)
    (ours, here), (theirs, there) = (
        compiled_by(path, sources, tmp_path / name)
        for name, path in (("this", str(ROOT)), ("other", f"{OTHER}{os.pathsep}{ROOT}"))
    )
    assert ours != theirs
    assert {name: data.count(b"\n") for name, data in here.items()} == {f"{name}.jsonl": n for name, n in sizes.items()}
    assert here == there
