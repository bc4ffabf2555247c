"""What `gtd compile archetypes -j 2` takes as it is, and with 1,877 tasks: wall, processor time, memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.measure import Cell, Result, per_second, run_command
from benchmarks.sources import SHIPPED, copy_with_sizes, load_program, only_dataset

SCALED = {"train": 1200, "hard": 200, "test": 236, "ood": 241}
QUICK = {"train": 12, "hard": 6, "test": 6, "ood": 6}
AIM = 15.0


def run(*, quick: bool = False) -> Result:
    shipped = {split.name: split.count for split in only_dataset(load_program(SHIPPED)).splits}
    rows: list[tuple[Cell, ...]] = []
    facts: dict[str, Cell] = {}
    with tempfile.TemporaryDirectory() as name:
        for sizes in [QUICK] if quick else [shipped, SCALED]:
            total = sum(sizes.values())
            sources = copy_with_sizes(SHIPPED, Path(name) / f"sources-{total}", sizes)
            out = Path(name) / f"out-{total}"
            took = run_command("compiler", "compile", sources, "-o", out, "-j", "2")
            rows.append((total, took.seconds, took.cpu, took.cpu / 2, per_second(total, took.cpu), took.peak_mib))
    facts["aim for 1,877 tasks on two cores, s"] = AIM
    facts["CPU seconds of the largest over two cores and over the aim"] = took.cpu / 2 / AIM
    columns = ("tasks", "wall s", "CPU s", "CPU s / 2", "tasks/s of CPU", "largest process MiB")
    return Result("compiling", "the real compile with two jobs", columns, tuple(rows), facts)
