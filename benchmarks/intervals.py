"""How often the intervals of a study hold the truth: `python -m benchmarks.intervals`.

Prints, as Markdown, the coverage of four bootstrap intervals over simulated studies with known effects; that
of the interval in use by the number of informative tasks; and that over whole studies, each with an archive
that is written, read, graded and compared. The results stand in intervals.md, with what follows from them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from gpu_train_debug.study.markdown import table
from gpu_train_debug.study.paired import compare_arms
from gpu_train_debug.study.plan import Bootstrap, Plan, Primary
from gpu_train_debug.study.resample import Floats, Resampler
from gpu_train_debug.study.scopes import whole_scopes
from gpu_train_debug.study.score import score_archives
from gpu_train_debug.study.simulate import Simulation, exact_rates, simulate_rows, true_rate
from gpu_train_debug.study.tasks import Task, TaskSet

STUDIES = 4000
RESAMPLES = 2000
TAIL = 0.025
METHODS = ("expanded percentile", "percentile", "BCa", "studentised")
SETTINGS = {
    "medium": {"base": 0.0, "tuned": 0.8},
    "no effect": {"base": 0.0, "tuned": 0.0},
    "hard tasks": {"base": -3.0, "tuned": -2.0},
    "easy tasks": {"base": 3.0, "tuned": 4.0},
}
"""Abilities of two arms, in logits."""

Bounds = tuple[Floats, Floats]


def arm_means(simulation: Simulation, tasks: int, seed: int) -> list[Floats]:
    """Mean exact rate of each task, shape (tasks, studies), for each arm."""
    generator = np.random.default_rng(seed)
    shared = generator.standard_normal((tasks, STUDIES))
    means = []
    for ability in simulation.abilities.values():
        rates = exact_rates(ability, simulation, shared, generator.standard_normal((tasks, STUDIES)))
        means.append(generator.binomial(simulation.samples, rates) / simulation.samples)
    return means


def differences(simulation: Simulation, tasks: int, seed: int) -> Floats:
    """Paired differences between two arms, shape (tasks, studies)."""
    base, tuned = arm_means(simulation, tasks, seed)
    return np.asarray(tuned - base)


def true_difference(simulation: Simulation) -> float:
    base, tuned = (true_rate(ability, simulation) for ability in simulation.abilities.values())
    return tuned - base


def bounds(columns: Floats) -> Iterator[Bounds]:
    """The bounds of each of `METHODS` for each column."""
    tasks, studies = columns.shape
    resampler = Resampler([""] * tasks, resamples=RESAMPLES, confidence=1 - 2 * TAIL, key="benchmark")
    own = resampler.means(columns)
    yield np.array([found.low for found in own], dtype=float), np.array([found.high for found in own], dtype=float)

    means = columns.mean(axis=0)
    resampled = resampler.sums(columns) / tasks
    low, high = np.quantile(resampled, [TAIL, 1 - TAIL], axis=0)
    yield low, high

    ordered = np.sort(resampled, axis=0)
    below = (resampled < means - 1e-9).mean(axis=0) + (np.abs(resampled - means) <= 1e-9).mean(axis=0) / 2
    centred = columns - means
    cubes, squares = (centred**3).sum(axis=0), (centred**2).sum(axis=0)
    skew = np.divide(cubes, 6 * squares**1.5, out=np.zeros(studies), where=squares > 0)
    bias = ndtri(below)

    def corrected(level: float) -> Floats:
        shifted = bias + ndtri(level)
        levels = np.nan_to_num(ndtr(bias + shifted / (1 - skew * shifted)), nan=0.5)
        places = np.clip(np.rint(levels * (RESAMPLES - 1)), 0, RESAMPLES - 1).astype(int)
        return np.asarray(ordered[places, np.arange(studies)])

    yield corrected(TAIL), corrected(1 - TAIL)

    variances = np.maximum(resampler.sums(columns**2) / tasks - resampled**2, 0) / (tasks - 1)
    with np.errstate(all="ignore"):
        quotients = np.nan_to_num((resampled - means) / np.sqrt(variances), nan=0.0, posinf=np.inf, neginf=-np.inf)
    first, last = np.quantile(quotients, [TAIL, 1 - TAIL], axis=0, method="nearest")
    error = columns.std(axis=0, ddof=1) / np.sqrt(tasks)
    with np.errstate(all="ignore"):
        yield np.nan_to_num(means - last * error, nan=0.0), np.nan_to_num(means - first * error, nan=0.0)


def methods_table() -> str:
    rows = []
    for setting, abilities in SETTINGS.items():
        for samples in (1, 8):
            simulation = Simulation(abilities, samples=samples)
            truth = true_difference(simulation)
            for tasks in (20, 60, 240):
                columns = differences(simulation, tasks, seed=tasks)
                held = [np.mean((low <= truth) & (truth <= high)) for low, high in bounds(columns)]
                rows.append([setting, str(samples), str(tasks), *(f"{100 * share:.1f}" for share in held)])
    return table(["setting", "samples", "tasks", *METHODS], rows)


def informative_table() -> str:
    """Coverage by how many tasks differ from the most frequent value, over all settings of up to 60 tasks."""
    columns: dict[str, list[tuple[int, bool]]] = {"of differences": [], "of means": []}
    for abilities in SETTINGS.values():
        for samples in (1, 8):
            simulation = Simulation(abilities, samples=samples)
            alone = Simulation({"tuned": abilities["tuned"]}, samples=samples)
            for tasks in (20, 60):
                resampler = Resampler([""] * tasks, resamples=RESAMPLES, confidence=1 - 2 * TAIL, key="benchmark")
                for name, values, truth in (
                    ("of differences", differences(simulation, tasks, seed=tasks + 1), true_difference(simulation)),
                    ("of means", arm_means(alone, tasks, seed=tasks + 2)[0], true_rate(abilities["tuned"], alone)),
                ):
                    for found in resampler.means(values):
                        assert found.low is not None
                        assert found.high is not None
                        columns[name].append((found.informative, found.low <= truth <= found.high))
    rows = []
    for low, high in pairwise((0, 3, 5, 10, 15, 20, 61)):
        cells = [f"{low} to {high - 1}"]
        for studies in columns.values():
            inside = [holds for count, holds in studies if low <= count < high]
            cells.append(f"{100 * np.mean(inside):.1f} ({len(inside)})")
        rows.append(cells)
    return table(["informative tasks", *columns], rows)


def whole_studies(studies: int = 500) -> str:
    """Archives of 60 tasks in two splits, written, read, graded, and compared: exact answers, all and one split."""
    tasks = tuple(_task(split, number) for split, size in (("test", 36), ("ood", 24)) for number in range(size))
    task_set = TaskSet(tasks, {}, {})
    plan = Plan(
        arms=("base", "tuned"),
        comparisons=(("tuned", "base"),),
        splits=("test", "ood"),
        primary=Primary(splits=("*",)),
        bootstrap=Bootstrap(resamples=RESAMPLES),
    )
    held = {"*": 0, "test": 0, "ood": 0}
    rejected = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "archive.jsonl"
        for study in range(studies):
            simulation = Simulation({"base": -0.5, "tuned": 0.3}, samples=4, seed=study)
            path.write_text("".join(json.dumps(row) + "\n" for row in simulate_rows(tasks, simulation)))
            scores = score_archives([path], task_set, splits=plan.splits, arms=plan.arms)
            truth = true_difference(simulation)
            for row in compare_arms(scores, whole_scopes(scores.tasks, plan.bootstrap), plan):
                if row.metric == "exact":
                    low, high = row.difference.low, row.difference.high
                    held[row.split] += low is not None and high is not None and low <= truth <= high
                    rejected += row.split == "*" and row.p <= 2 * TAIL
    cells = [[split, f"{100 * count / studies:.1f}"] for split, count in held.items()]
    found = f"Effect found (p <= 0.05, all tasks): {100 * rejected / studies:.1f} percent of the studies."
    return f"{table(['split', 'coverage'], cells)}\n\n{found}"


def _task(split: str, number: int) -> Task:
    gold = json.dumps({"diagnosis": f"CODE_{number % 5}", "fix": {"a": number, "b": True}})
    return Task(f"{split}-{number}", "some", split, "one", "system", gold, (f"CODE_{number % 5}",), control=False)


def main() -> None:
    print(f"## Four intervals, {STUDIES} studies each, percent\n\n{methods_table()}\n")
    print(f"## By informative tasks\n\n{informative_table()}\n")
    print(f"## Whole studies\n\n{whole_studies()}")


if __name__ == "__main__":
    main()
