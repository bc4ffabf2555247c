"""How often the intervals of a study hold the truth: `python -m benchmarks.intervals`.

Prints, as Markdown, the coverage of four bootstrap intervals over simulated studies with known effects; of the
interval in use, how many of those that miss are marked, and the coverage by the number of informative tasks; and
all of that over whole studies, stratified and compared as `gtd study report` does. The results stand in
intervals.md, with what follows from them; tests/gpu_train_debug/study/statistics/test_coverage.py holds to them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from gpu_train_debug.study.inputs.plan import Bootstrap, Plan, Primary
from gpu_train_debug.study.inputs.tasks import StudyTask, TaskSet
from gpu_train_debug.study.simulate import Simulation, exact_rates, exact_samples, simulate_rows, true_rate
from gpu_train_debug.study.statistics.paired import Comparison, compare_arms
from gpu_train_debug.study.statistics.resample import Estimate, Floats, Resampler
from gpu_train_debug.study.statistics.scopes import whole_scopes
from gpu_train_debug.study.statistics.score import ArmScores, Scores, choose_tasks, score_archives
from gpu_train_debug.tables import markdown_table

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


@dataclass(frozen=True)
class Kind:
    """A kind of whole studies: the arms, and how many tasks each split has."""

    simulation: Simulation
    sizes: dict[str, int]


KINDS = {
    "60 tasks, 4 samples": Kind(Simulation({"base": -0.5, "tuned": 0.3}, samples=4), {"test": 36, "ood": 24}),
    "20 easy tasks, 1 sample": Kind(Simulation(SETTINGS["easy tasks"], samples=1), {"test": 12, "ood": 8}),
}

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


def _resampler(tasks: int) -> Resampler:
    return Resampler([""] * tasks, resamples=RESAMPLES, confidence=1 - 2 * TAIL, key="benchmark")


def estimate_all(columns: Floats) -> list[Estimate]:
    """The interval in use, of each column."""
    return _resampler(len(columns)).means(columns)


HELD = ("coverage", "marked †", "not marked, and missed")


@dataclass(frozen=True)
class Held:
    """Of many intervals, the shares that hold the truth, that are marked as thin, and that neither do nor are."""

    covered: float
    marked: float
    misleading: float

    def cells(self) -> list[str]:
        return [f"{100 * share:.1f}" for share in (self.covered, self.marked, self.misleading)]


def judge(estimates: Sequence[Estimate], truth: float) -> Held:
    ends = [(found.low, found.high) for found in estimates]
    holds = np.array([low is not None and high is not None and low <= truth <= high for low, high in ends])
    marked = np.array([found.thin for found in estimates])
    return Held(holds.mean(), marked.mean(), (~holds & ~marked).mean())


def bounds(columns: Floats) -> Iterator[Bounds]:
    """The bounds of each of `METHODS` for each column."""
    tasks, studies = columns.shape
    resampler = _resampler(tasks)
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
    return markdown_table(["setting", "samples", "tasks", *METHODS], rows)


def marked_table() -> str:
    """The interval in use: what the mark tells where few tasks differ."""
    rows = []
    for setting, abilities in SETTINGS.items():
        for samples in (1, 8):
            simulation = Simulation(abilities, samples=samples)
            for tasks in (20, 60):
                held = judge(estimate_all(differences(simulation, tasks, seed=tasks)), true_difference(simulation))
                rows.append([setting, str(samples), str(tasks), *held.cells()])
    return markdown_table(["setting", "samples", "tasks", *HELD], rows)


def informative_table() -> str:
    """Coverage by how many tasks differ from the most frequent value, over all settings of up to 60 tasks."""
    columns: dict[str, list[tuple[int, bool]]] = {"of differences": [], "of means": []}
    for abilities in SETTINGS.values():
        for samples in (1, 8):
            simulation = Simulation(abilities, samples=samples)
            alone = Simulation({"tuned": abilities["tuned"]}, samples=samples)
            for tasks in (20, 60):
                for name, values, truth in (
                    ("of differences", differences(simulation, tasks, seed=tasks + 1), true_difference(simulation)),
                    ("of means", arm_means(alone, tasks, seed=tasks + 2)[0], true_rate(abilities["tuned"], alone)),
                ):
                    for found in estimate_all(values):
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
    return markdown_table(["informative tasks", *columns], rows)


def whole_studies(kind: Kind, studies: int = 500) -> dict[str, list[Comparison]]:
    """The exact answers compared, for each split and all tasks; no texts, so that many studies take seconds."""
    plan = _plan(kind)
    tasks = choose_tasks(_task_set(kind), plan.splits)
    scopes = whole_scopes(tasks, plan.bootstrap)
    found: dict[str, list[Comparison]] = {}
    for study in range(studies):
        simulation = replace(kind.simulation, seed=study)
        arms = []
        for arm in plan.arms:
            exact = np.array([exact_samples(task, arm, simulation) for task in tasks], dtype=np.float64)
            arms.append(ArmScores(arm, replies=(), score=exact, exact=exact))
        _add_exact(found, compare_arms(Scores(tasks, tuple(arms), (), (), {}), scopes, plan))
    return found


def written_studies(kind: Kind, studies: int) -> dict[str, list[Comparison]]:
    """The first of `whole_studies`, by way of archives that are written, read and graded."""
    task_set, plan = _task_set(kind), _plan(kind)
    found: dict[str, list[Comparison]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "archive.jsonl"
        for study in range(studies):
            simulation = replace(kind.simulation, seed=study)
            path.write_text("".join(json.dumps(row) + "\n" for row in simulate_rows(task_set.tasks, simulation)))
            scores = score_archives([path], task_set, splits=plan.splits, arms=plan.arms)
            _add_exact(found, compare_arms(scores, whole_scopes(scores.tasks, plan.bootstrap), plan))
    return found


def _add_exact(found: dict[str, list[Comparison]], comparisons: Sequence[Comparison]) -> None:
    for row in comparisons:
        if row.metric == "exact":
            found.setdefault(row.split, []).append(row)


def whole_table() -> str:
    rows = []
    for name, kind in KINDS.items():
        truth = true_difference(kind.simulation)
        for split, comparisons in whole_studies(kind).items():
            held = judge([row.difference for row in comparisons], truth)
            power = np.mean([row.p <= 2 * TAIL for row in comparisons])
            rows.append([name, "all" if split == "*" else split, *held.cells(), f"{100 * power:.1f}"])
    return markdown_table(["studies", "split", *HELD, "effect found (p <= 0.05)"], rows)


def _task_set(kind: Kind) -> TaskSet:
    return TaskSet(tuple(_task(split, number) for split, size in kind.sizes.items() for number in range(size)), {}, {})


def _task(split: str, number: int) -> StudyTask:
    gold = json.dumps({"diagnosis": f"CODE_{number % 5}", "fix": {"a": number, "b": True}})
    return StudyTask(f"{split}-{number}", "some", split, "one", "system", gold, (f"CODE_{number % 5}",), control=False)


def _plan(kind: Kind) -> Plan:
    return Plan(
        arms=("base", "tuned"),
        comparisons=(("tuned", "base"),),
        splits=tuple(kind.sizes),
        primary=Primary(splits=("*",)),
        bootstrap=Bootstrap(resamples=RESAMPLES),
    )


def main() -> None:
    print(f"## Four intervals, {STUDIES} studies each, percent\n\n{methods_table()}\n")
    print(f"## The interval in use, percent\n\n{marked_table()}\n")
    print(f"## By informative tasks\n\n{informative_table()}\n")
    print(f"## Whole studies, 500 of each kind, percent\n\n{whole_table()}")


if __name__ == "__main__":
    main()
