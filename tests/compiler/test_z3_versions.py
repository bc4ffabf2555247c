"""The bytes don't depend on Z3: not on its version, nor on whether it is asked at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.plan import DatasetPlan, ProgramPlan
from compiler.splits import split_specs
from compiler.tasks.maker import MadeTask, TaskMaker

from .conftest import INCIDENTS

OTHER = os.environ.get("GTD_OTHER_Z3", "")
"""A Python interpreter of an environment with another Z3; `make test` makes one."""


def test_tasks_are_the_same_without_z3(program: ProgramPlan, dataset: DatasetPlan) -> None:
    asking, silent = TaskMaker(program, dataset), TaskMaker(program, dataset, prove=False)
    for split in dataset.splits:
        for spec in split_specs(dataset, split)[:3]:
            with_z3, without = asking.make(spec), silent.make(spec)
            assert isinstance(with_z3, MadeTask)
            assert isinstance(without, MadeTask)
            assert with_z3.record == without.record


@pytest.mark.slow
@pytest.mark.skipif(not OTHER, reason="no environment with another Z3: `make test` makes one")
@pytest.mark.parametrize("sources", [INCIDENTS, INCIDENTS.parents[2] / "archetypes"], ids=["incidents", "shipped"])
def test_bytes_are_the_same_with_another_z3(tmp_path: Path, sources: Path) -> None:
    root = Path(__file__).parents[2]
    outputs = []
    for name, python in (("this", sys.executable), ("other", OTHER)):
        command = [python, "-m", "compiler", "compile", sources, "-o", tmp_path / name, "-j", "2"]
        subprocess.run(command, check=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(root)})
        outputs.append({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.jsonl")})
    assert outputs[0] == outputs[1]
