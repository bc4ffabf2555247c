"""Clocks and results: processor time of this process or of another, medians, tables.

In: functions to time, commands to run. Out: `Result`s, which print as text and as JSON. Rates rest on processor
time: other work on the machine then changes them little, while it changes wall time at will.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import attrs

from gpu_train_debug.tables import markdown_table

ROOT = Path(__file__).resolve().parent.parent
Cell = str | int | float | None


@attrs.define
class Clock:
    """Processor seconds by stage, summed over all times that a stage was entered."""

    spent: dict[str, float] = attrs.field(factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.process_time()
        try:
            yield
        finally:
            self.spent[name] = self.spent.get(name, 0.0) + time.process_time() - started


def cpu_of(action: Callable[[], object]) -> float:
    """Processor seconds of one call."""
    started = time.process_time()
    action()
    return time.process_time() - started


def per_second(count: float, seconds: float) -> float:
    return count / seconds if seconds > 0 else float("inf")


def median_ratio(left: Sequence[float], right: Sequence[float]) -> float:
    """The median of ratios of pairs measured one after the other."""
    return statistics.median(a / b for a, b in zip(left, right, strict=True))


@attrs.frozen
class Took:
    """What a command took; `cpu` and `peak_mib` cover the processes that it started and waited for."""

    seconds: float
    cpu: float
    peak_mib: float


class CommandError(Exception):
    """A measured command failed; the argument is its error output."""


def run_command(*arguments: str | Path) -> Took:
    """Run a Python module of the project with `arguments` and measure it.

    Raises:
        CommandError: Its exit status isn't 0.
    """
    launcher = [sys.executable, "-S", "-E", str(Path(__file__).with_name("launch.py"))]
    command = [sys.executable, "-m", *map(str, arguments)]
    done = subprocess.run([*launcher, *command], cwd=ROOT, capture_output=True, text=True, check=True)
    took = json.loads(done.stdout)
    if took.pop("status"):
        raise CommandError(done.stderr)
    return Took(**took)


@attrs.frozen
class Result:
    """The answer to one question.

    Attributes:
        rows: Cells under `columns`; None where there is nothing to say.
        facts: Single numbers by name.
    """

    name: str
    question: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    facts: Mapping[str, Cell] = attrs.field(factory=dict)

    def as_json(self) -> dict[str, Any]:
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"name": self.name, "question": self.question, "rows": rows, "facts": dict(self.facts)}

    def as_text(self) -> str:
        """A Markdown table below the question, then the single numbers."""
        table = markdown_table(self.columns, [tuple(map(shown, row)) for row in self.rows])
        facts = [f"- {name}: {shown(value)}" for name, value in self.facts.items()]
        return "\n".join([f"## {self.name}: {self.question}", "", table, *([""] * bool(facts)), *facts])


def shown(cell: Cell) -> str:
    """Three digits of a fraction, all digits of what is larger."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.3g}"
    return str(cell)


def machine() -> dict[str, Cell]:
    """What the numbers were made on; the load says how much else the cores were doing."""
    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "processor": _processor(),
        "python": platform.python_version(),
        "z3": metadata.version("z3-solver"),
        "numpy": metadata.version("numpy"),
        "load at start": round(os.getloadavg()[0], 1),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
