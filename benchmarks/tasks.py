"""How many tasks a second are made, with and without proofs, and where the time goes.

The same tasks are made three ways, one after the other: by the task maker with every proof, by the task maker
without Z3 and reader, and stage by stage. Everything that is built once for a system is built before.
"""

from __future__ import annotations

import statistics

from benchmarks.measure import Cell, Clock, Result, cpu_of, median_ratio, per_second
from benchmarks.sources import SHIPPED, load_program, only_dataset, specs_by_system
from compiler.splits import TaskSpec, margin_range
from compiler.tasks.maker import DrawnWorld, MadeTask, ProvedWorld, TaskMaker
from compiler.tasks.tools import ask
from solvers.evaluate import run_walk
from solvers.margins import walk_margin
from solvers.outcome import Verdict

WANTED = 1877
STAGES = ("draw", "count P1 to P3", "interaction", "walk again", "Z3", "render", "reader")


def run(*, quick: bool = False) -> Result:
    program = load_program(SHIPPED)
    dataset = only_dataset(program)
    full, bare = (TaskMaker(program, dataset, prove=prove) for prove in (True, False))
    rows: list[tuple[Cell, ...]] = []
    facts: dict[str, Cell] = {}
    spent_by_system: list[tuple[int, float]] = []
    everything = specs_by_system(program, dataset)
    for name, specs in everything.items():
        warm, timed = (specs[:2], specs[2:4]) if quick else (specs[:60], specs[60:150])
        first = cpu_of(lambda: [make(full, spec) for spec in warm])  # noqa: B023
        for spec in warm:
            make(bare, spec)
        clock, made = Clock(), list[tuple[float, float]]()
        for spec in timed:
            made.append((cpu_of(lambda: make(full, spec)), cpu_of(lambda: make(bare, spec))))  # noqa: B023
            stages(full, spec, clock)
        proved, unproved = (sum(column) for column in zip(*made, strict=True))
        count, whole = len(timed), sum(clock.spent.values())
        rows.append((name, "made and proved", per_second(count, proved), 1000 * proved / count, None))
        rows.append((name, "made, not proved", per_second(count, unproved), 1000 * unproved / count, None))
        for stage in STAGES:
            cost = clock.spent.get(stage, 0.0)
            rows.append((name, stage, per_second(count, cost), 1000 * cost / count, 100 * cost / whole))
        pairs = ([a for a, _ in made], [b for _, b in made])
        facts[f"{name}: proved over unproved, median of pairs"] = median_ratio(*pairs)
        facts[f"{name}: median task, ms"] = 1000 * statistics.median(pairs[0])
        facts[f"{name}: what the first {len(warm)} tasks cost more, s"] = first - proved / count * len(warm)
        spent_by_system.append((len(specs), proved / count))
    total = sum(count for count, _ in spent_by_system)
    mean = sum(count * cost for count, cost in spent_by_system) / total
    facts[f"{WANTED} tasks in this mix, CPU s"] = WANTED * mean
    facts[f"{WANTED} tasks on two cores without loss, s"] = WANTED * mean / 2
    columns = ("system", "stage", "tasks/s", "ms per task", "percent")
    return Result("tasks", "tasks a second of processor time, and its stages", columns, tuple(rows), facts)


def make(maker: TaskMaker, spec: TaskSpec) -> MadeTask:
    made = maker.make(spec)
    assert isinstance(made, MadeTask), f"no task for {spec.id}"
    return made


def stages(maker: TaskMaker, spec: TaskSpec, clock: Clock) -> None:
    """Make one task as the task maker does, stage by stage; dropped candidates count for the stages that they reach."""
    with clock.stage("draw"):
        system = maker.system(maker.archetype(spec).system)
        candidates = maker.draw(spec)
    while True:
        with clock.stage("draw"):
            found = next(candidates)
        assert isinstance(found, DrawnWorld), f"no task for {spec.id}"
        with clock.stage("count P1 to P3"):
            proof = system.check(found.world, spec.id)
        if proof.verdict is not Verdict.UNIQUE:
            continue
        with clock.stage("margin"):
            margin = walk_margin(system.plan.problem, proof.walk)
        low, high = margin_range(spec, maker.split(spec))
        if not low <= margin <= high:
            continue
        with clock.stage("interaction"):
            interaction = system.measure(found.world, spec.id)
        if interaction.interaction >= maker.split(spec).interaction:
            break
    with clock.stage("walk again"):
        run_walk(system.plan.problem, found.world)
    with clock.stage("Z3"):
        ask(system.prover, proof, spec.id)
    with clock.stage("render"):
        rendered = maker.render(ProvedWorld(found, proof, interaction, margin))
    with clock.stage("reader"):
        maker.read_back(rendered)
