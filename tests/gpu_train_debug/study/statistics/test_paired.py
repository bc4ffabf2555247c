"""Paired comparisons of arms."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import bdtrc
from strategies.bakery import arm_of_rates, make_scores, make_task

from gpu_train_debug.study.inputs.plan import Bootstrap, Plan, Primary
from gpu_train_debug.study.statistics.paired import Comparison, compare_arms, flip_test, holm
from gpu_train_debug.study.statistics.scopes import whole_scopes
from gpu_train_debug.study.statistics.score import Scores

PLAN = Plan(
    arms=("base", "tuned"),
    comparisons=(("tuned", "base"),),
    splits=("test",),
    primary=Primary(splits=("test",)),
    bootstrap=Bootstrap(resamples=2000),
)


def exact_rows(scores: Scores, plan: Plan = PLAN) -> list[Comparison]:
    found = compare_arms(scores, whole_scopes(scores.tasks, plan.bootstrap), plan)
    return [row for row in found if row.metric == "exact"]


def test_difference_is_the_mean_over_tasks_of_differences() -> None:
    tasks = [make_task(number) for number in range(4)]
    scores = make_scores(tasks, arm_of_rates("base", [0, 1, 2, 3], 4), arm_of_rates("tuned", [1, 1, 4, 2], 4))
    (row,) = exact_rows(scores)
    assert row.difference.value == pytest.approx((1 + 0 + 2 - 1) / 16)
    assert (row.better, row.worse) == (2, 1)


def test_interval_doesnt_shrink_when_each_sample_is_doubled() -> None:
    """Tasks are resampled, not samples: repeating samples tells nothing new about other tasks."""
    tasks = [make_task(number) for number in range(30)]
    rights = np.random.default_rng(5).integers(0, 5, (2, 30))
    (once,), (twice,) = (
        exact_rows(
            make_scores(
                tasks,
                *(arm_of_rates(arm, list(times * own), 4 * times) for arm, own in zip(PLAN.arms, rights, strict=True)),
            )
        )
        for times in (1, 2)
    )
    assert once == twice


def test_arms_may_differ_in_their_numbers_of_samples() -> None:
    tasks = [make_task(number) for number in range(3)]
    scores = make_scores(tasks, arm_of_rates("base", [1, 1, 1], 2), arm_of_rates("tuned", [4, 4, 4], 4))
    assert exact_rows(scores)[0].difference.value == 0.5


def test_pairing_narrows_the_interval_when_tasks_differ_in_difficulty() -> None:
    generator = np.random.default_rng(6)
    hard = generator.integers(0, 8, 60)
    scores = make_scores(
        [make_task(number) for number in range(60)],
        arm_of_rates("base", list(hard), 8),
        arm_of_rates("tuned", list(hard + 1), 8),
    )
    (row,) = exact_rows(scores)
    assert (row.difference.low, row.difference.high) == (0.125, 0.125)


def test_comparison_is_mirrored_when_its_arms_change_places() -> None:
    tasks = [make_task(number) for number in range(25)]
    base, tuned = np.random.default_rng(7).integers(0, 5, (2, 25))
    scores = make_scores(tasks, arm_of_rates("base", list(base), 4), arm_of_rates("tuned", list(tuned), 4))
    there, back = exact_rows(scores, replace(PLAN, comparisons=(("tuned", "base"), ("base", "tuned"))))
    assert there.difference.low == pytest.approx(-back.difference.high)  # type: ignore[operator]
    assert there.difference.value == pytest.approx(-back.difference.value)  # type: ignore[operator]
    assert there.p == back.p


def test_flips_are_keyed_by_seed_and_split() -> None:
    tasks = [make_task(number) for number in range(12)]
    scores = make_scores(tasks, arm_of_rates("base", [1] * 12, 2), arm_of_rates("tuned", [0, 1, 2, 2] * 3, 2))
    (row,) = exact_rows(scores)
    (found,) = flip_test(np.array([[-0.5], [0], [0.5], [0.5]] * 3), resamples=2000, key="2027/flip/test")
    assert row.p == found


def test_only_primary_comparisons_are_adjusted() -> None:
    tasks = [make_task(number, split=split) for split in ("test", "ood") for number in range(12)]
    scores = make_scores(tasks, arm_of_rates("base", [0] * 24, 2), arm_of_rates("tuned", [0, 2] * 12, 2))
    plan = replace(PLAN, splits=("test", "ood"), primary=Primary(splits=("test", "ood")))
    rows = compare_arms(scores, whole_scopes(scores.tasks, plan.bootstrap), plan)
    assert [(row.split, row.metric) for row in rows if row.primary] == [("test", "exact"), ("ood", "exact")]
    assert all((row.adjusted is not None) == row.primary for row in rows)
    assert {row.split for row in rows} == {"*", "test", "ood"}


def test_holm_matches_its_textbook_steps() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_flip_test_agrees_with_counting_all_flips() -> None:
    values = np.array([0.5, 0.25, -0.125, 0.75, 0.0, 0.375, 0.25])
    total = sum(
        abs(np.dot(flips, values)) >= abs(values.sum()) - 1e-9 for flips in itertools.product((-1, 1), repeat=7)
    )
    (found,) = flip_test(values[:, None], resamples=40_000, key="test")
    assert found == pytest.approx(total / 2**7, abs=0.004)


def test_flip_test_is_never_zero_and_one_for_equal_arms() -> None:
    columns = np.stack([np.ones(40), np.zeros(40)], axis=1)
    assert flip_test(columns, resamples=999, key="test").tolist() == [0.001, 1.0]


def test_flip_test_holds_its_level() -> None:
    columns = np.random.default_rng(8).choice([-0.5, 0, 0, 0.5], size=(40, 2000))
    rejected = int((flip_test(columns, resamples=1999, key="test") <= 0.05).sum())
    assert bdtrc(rejected - 1, 2000, 0.05) > 0.001  # the chance of as many rejections or more
