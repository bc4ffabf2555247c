"""Simulated arms: their truth, and what the analysis finds in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from strategies.bakery import write_rows, write_splits

from gpu_train_debug.study.inputs.tasks import TaskSet, read_tasks
from gpu_train_debug.study.simulate import Simulation, exact_rates, simulate_rows, true_rate, truth
from gpu_train_debug.study.statistics.errors import error_kind
from gpu_train_debug.study.statistics.score import Scores, score_archives


def scored(simulation: Simulation, task_set: TaskSet, folder: Path) -> Scores:
    path = write_rows(folder / "simulated.jsonl", simulate_rows(task_set.tasks, simulation))
    return score_archives([path], task_set)


def test_true_rate_is_the_mean_over_tasks() -> None:
    simulation = Simulation({"base": 0.7})
    shared, own = np.random.default_rng(1).standard_normal((2, 1_000_000))
    assert true_rate(0.7, simulation) == pytest.approx(exact_rates(0.7, simulation, shared, own).mean(), abs=0.002)


def test_true_rate_is_the_logistic_when_tasks_are_alike() -> None:
    assert true_rate(1.0, Simulation({}, spread=0.0, own=0.0)) == pytest.approx(1 / (1 + np.exp(-1)))


def test_truth_has_all_differences(task_set: TaskSet) -> None:
    found: dict[str, Any] = truth(task_set.tasks, Simulation({"base": 0.0, "tuned": 1.0}))
    assert found["exact"]["base"] == 0.5
    for part in (found, *found["splits"].values()):
        (there, back) = part["differences"]
        assert (there["arm"], there["other"]) == ("base", "tuned")
        assert there["exact"] == -back["exact"] < 0
        assert there["exact"] == pytest.approx(part["exact"]["base"] - part["exact"]["tuned"], abs=1e-8)


@pytest.mark.slow
def test_truth_of_a_split_is_what_endless_samples_would_give(task_set: TaskSet, tmp_path: Path) -> None:
    simulation = Simulation({"base": 0.0}, samples=300)
    splits: dict[str, Any] = truth(task_set.tasks, simulation)["splits"]  # type: ignore[assignment]
    assert [(name, split["tasks"]) for name, split in splits.items()] == [("*", 28), ("ood", 14), ("test", 14)]
    scores = scored(simulation, task_set, tmp_path)
    for name, split in splits.items():
        inside = [row for row, task in enumerate(scores.tasks) if name in ("*", task.split)]
        assert scores.arm("base").exact[inside].mean() == pytest.approx(split["exact"]["base"], abs=0.02)
    assert abs(splits["ood"]["exact"]["base"] - splits["test"]["exact"]["base"]) > 0.04


def test_rows_depend_on_their_key_alone(task_set: TaskSet) -> None:
    """Another arm, fewer samples or another order of tasks change no other row."""
    few = list(simulate_rows(task_set.tasks[::-1], Simulation({"base": 0.0}, samples=2)))
    many = list(simulate_rows(task_set.tasks, Simulation({"tuned": 1.0, "base": 0.0}, samples=3)))
    assert all(row in many for row in few)
    other = list(simulate_rows(task_set.tasks, Simulation({"base": 0.0}, samples=2, seed=1)))
    assert sorted(map(json.dumps, other)) != sorted(map(json.dumps, few))


def test_wrong_answers_are_wrong_and_right_ones_exact(task_set: TaskSet, tmp_path: Path) -> None:
    sure = scored(Simulation({"all": 100.0, "none": -100.0}, samples=3), task_set, tmp_path)
    assert sure.arm("all").exact.all()
    assert not sure.arm("none").exact.any()
    assert 0 < sure.arm("none").score.mean() < 0.7


def test_stuck_tasks_give_one_wrong_answer(task_set: TaskSet, tmp_path: Path) -> None:
    arm = scored(Simulation({"none": -100.0}, stuck=1.0), task_set, tmp_path).arm("none")
    assert {error_kind(row) for row in arm.replies} == {"same"}


def test_other_tasks_give_different_wrong_answers(task_set: TaskSet, tmp_path: Path) -> None:
    arm = scored(Simulation({"none": -100.0}, stuck=0.0), task_set, tmp_path).arm("none")
    assert {error_kind(row) for row in arm.replies} == {"scattered"}


@pytest.mark.slow
def test_effects_are_found_again(tmp_path: Path) -> None:
    tasks = read_tasks([write_splits(tmp_path / "out", {"test": 60})])
    simulation = Simulation({"base": -0.5, "tuned": 0.5})
    scores = scored(simulation, tasks, tmp_path)
    for arm, ability in simulation.abilities.items():
        assert scores.arm(arm).exact.mean() == pytest.approx(true_rate(ability, simulation), abs=0.05)
