"""Pools of workers: their results, and what happens to those that never start."""

from __future__ import annotations

import operator
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.tasks.workers import crew

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


def adder(first: int) -> Callable[[int], int]:
    return lambda second: first + second


def test_one_job_works_here_item_by_item() -> None:
    items = iter(range(40))
    with crew(adder, (1,), jobs=1) as workers:
        assert next(iter(workers.each(items))) == 1
        assert workers.one(6) == 7
    assert next(items) == 1


@pytest.mark.slow
def test_results_come_in_the_order_of_the_items() -> None:
    with crew(operator.methodcaller, ("bit_count",), jobs=2, chunk=3) as workers:
        assert list(workers.each(range(100))) == [item.bit_count() for item in range(100)]
        assert workers.one(255) == 8
