"""Rates of printing and of reading: prompts, records, the independent reader and its answers."""

from __future__ import annotations

from benchmarks.measure import Cell, Clock, Result, per_second
from benchmarks.sources import SHIPPED, load_program, only_dataset, specs_by_system
from benchmarks.tasks import make
from compiler.emit.record import read_record, record_line
from compiler.reader import read_prompt, solve
from compiler.tasks.maker import TaskMaker
from solvers.evaluate import observe

STAGES = ("evidence", "render", "record line", "record read", "prompt read", "solved")


def run(*, quick: bool = False) -> Result:
    program = load_program(SHIPPED)
    dataset = only_dataset(program)
    maker = TaskMaker(program, dataset, prove=False)
    rows: list[tuple[Cell, ...]] = []
    facts: dict[str, Cell] = {}
    for name, specs in specs_by_system(program, dataset).items():
        system = maker.system(name)
        made = [make(maker, spec) for spec in specs[: 2 if quick else 60]]
        read_prompt(made[0].record.prompt)  # the static part is read once
        clock = Clock()
        for _ in range(1 if quick else 3):
            for task in made:
                with clock.stage("evidence"):
                    evidence = observe(system.plan.problem, task.world)
                with clock.stage("render"):
                    system.renderer.render(evidence, lambda _: 0)
                with clock.stage("record line"):
                    line = record_line(task.record)
                with clock.stage("record read"):
                    read_record(line.rstrip("\n"))
                with clock.stage("prompt read"):
                    document = read_prompt(task.record.prompt)
                with clock.stage("solved"):
                    solve(document)
        count = len(made) * (1 if quick else 3)
        characters = sum(len(task.record.prompt) for task in made) / len(made)
        for stage in STAGES:
            spent = clock.spent[stage]
            rows.append((name, stage, per_second(count, spent), 1000 * spent / count))
        facts[f"{name}: characters of a prompt"] = characters
    columns = ("system", "stage", "per second", "ms")
    return Result("reading", "printing and reading, a second of processor time", columns, tuple(rows), facts)
