from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gpu_train_debug


def test_importing_the_package_loads_neither_compiler_nor_solver_nor_numpy() -> None:
    root = Path(gpu_train_debug.__file__).parent.parent
    code = "import gpu_train_debug, sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "gpu_train_debug" in loaded
    assert loaded.isdisjoint(
        {"dsl", "compiler", "solvers", "z3", "lark", "numpy", "attrs", "attr", "click", "jinja2", "networkx", "rich"}
    )


def test_the_package_offers_the_grader() -> None:
    assert {"Grade", "grade"} <= set(gpu_train_debug.__all__)
    assert gpu_train_debug.grade("", '{"diagnosis": "A", "fix": {"a": 1}}').score == 0
