"""What verifying a task costs beside making it: the same tasks in turn, one process, with every proof."""

from __future__ import annotations

import statistics

from benchmarks.measure import Cell, Result, cpu_of, median_ratio, per_second
from benchmarks.sources import SHIPPED, load_program, only_dataset, specs_by_system
from benchmarks.tasks import make
from compiler.emit.record import record_line
from compiler.tasks.maker import TaskMaker
from compiler.verify.line import Line, LineChecker


def run(*, quick: bool = False) -> Result:
    program = load_program(SHIPPED)
    dataset = only_dataset(program)
    maker, checker = TaskMaker(program, dataset), LineChecker(program, dataset)
    rows: list[tuple[Cell, ...]] = []
    for name, specs in specs_by_system(program, dataset).items():
        warm, timed = (1, 2) if quick else (40, 60)
        made, verified = [], []
        for number, spec in enumerate(specs[: warm + timed]):
            record = make(maker, spec).record
            line = Line("", number, spec.split, record_line(record).rstrip("\n"))
            making = cpu_of(lambda: make(maker, spec))  # noqa: B023
            verifying = cpu_of(lambda: check(checker, line))  # noqa: B023
            if number >= warm:
                made.append(making)
                verified.append(verifying)
        rows.append(
            (
                name,
                1000 * statistics.mean(made),
                1000 * statistics.mean(verified),
                per_second(len(verified), sum(verified)),
                sum(verified) / sum(made),
                median_ratio(verified, made),
            )
        )
    columns = ("system", "make ms", "verify ms", "verified/s", "verify over make", "median of pairs")
    return Result("verifying", "processor time of verifying a task", columns, tuple(rows))


def check(checker: LineChecker, line: Line) -> None:
    checked = checker.check(line)
    assert not checked.findings, checked.findings
