"""Pools of workers: what happens to those that never start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

UNGUARDED = """
from compiler.tasks.workers import worker_pool

with worker_pool(2, len, (b"x" * 1_000_000,)) as pool:
    print(pool.submit(abs, -1).result())
"""


@pytest.mark.slow
def test_a_script_that_starts_workers_while_it_is_loaded_ends_with_an_error(tmp_path: Path) -> None:
    """Each worker loads the script again, and dies of it, before it has read what it should start from."""
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    ran = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 1
    assert "__main__" in ran.stderr
    assert "BrokenProcessPool" in ran.stderr
