"""Peak memory of `gtd compile` with some tasks and with ten times as many, each in processes of its own."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from benchmarks.measure import Cell, Result, run_command
from benchmarks.sources import SMALL, copy_with_sizes
from gpu_train_debug.wording import counted

SIZES = {"train": 88, "hard": 4, "test": 4, "ood": 4}
QUICK = {"train": 8, "hard": 4, "test": 4, "ood": 4}


def run(*, quick: bool = False) -> Result:
    base = QUICK if quick else SIZES
    once = sum(base.values())
    times = (1, 2) if quick else (1, 10)
    rows: list[tuple[Cell, ...]] = []
    facts: dict[str, Cell] = {}
    with tempfile.TemporaryDirectory() as name:
        for jobs in (1,) if quick else (1, 2):
            peaks = []
            for factor in times:
                sizes = base | {"train": base["train"] + once * (factor - 1)}
                sources = copy_with_sizes(SMALL, Path(name) / f"sources-{jobs}-{factor}", sizes)
                leave_out(sources / "dataset.arch", "starved_pool")
                out = Path(name) / f"out-{jobs}-{factor}"
                took = run_command("compiler", "compile", sources, "-o", out, "-j", str(jobs))
                peaks.append(took.peak_mib)
                rows.append((jobs, once * factor, took.peak_mib, took.cpu))
            facts[f"{times[1]} times the tasks, {counted(jobs, 'job')}: ratio"] = peaks[1] / peaks[0]
    columns = ("jobs", "tasks", "largest process MiB", "CPU s")
    return Result("memory", "peak memory of a compile, by number of tasks", columns, tuple(rows), facts)


def leave_out(path: Path, archetype: str) -> None:
    """Take the use of an archetype with few different tasks out of a dataset."""
    text = path.read_text(encoding="utf-8")
    kept = re.sub(rf"(?m)^ *use {archetype} weight \d+\n", "", text)
    assert kept != text, f"{path} doesn't use {archetype} alone"
    path.write_text(kept, encoding="utf-8")
