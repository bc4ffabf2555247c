"""What the analysis loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

CODE = """
import importlib, pkgutil, sys
import gpu_train_debug.study as study
for module in pkgutil.walk_packages(study.__path__, "gpu_train_debug.study."):
    importlib.import_module(module.name)
print(*sorted({"scipy", "click", "compiler", "solvers", "dsl", "z3", "lark"} & set(sys.modules)))
"""


@pytest.mark.slow
def test_study_knows_no_compiler_and_no_command() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "scipy\n"
