"""The same checks as `make check`, so that no run of the tests passes without them."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = Path(sys.executable).parent

CHECKS = {
    "format": ("ruff", ["format", "--check", "."]),
    "lint": ("ruff", ["check", "."]),
    "types": ("mypy", []),
    "imports": ("importlinter", []),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_quality(name: str) -> None:
    module, arguments = CHECKS[name]
    if find_spec(module) is None:
        pytest.skip(f"{module} isn't installed: it comes with the extra `dev`")
    command = TOOLS / ("lint-imports" if module == "importlinter" else module)
    ran = subprocess.run([command, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
