"""Kinds of errors, agreement of wrong answers, groups without variance, pass@k."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from strategies.bakery import RIGHT, arm_of_rates, make_arm, wrong

from gpu_train_debug.study.statistics.errors import ERROR_KINDS, agreeing_pairs, error_counts, error_kind, flat_groups
from gpu_train_debug.study.statistics.passk import pass_at, pass_rates
from gpu_train_debug.study.statistics.score import Reply

A, B, SILENT = wrong("a"), wrong("b"), wrong(None)


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ((RIGHT, RIGHT, RIGHT), None),
        ((A, A, A), "same"),
        ((A, A, B), "scattered"),
        ((A, A, SILENT), "scattered"),
        ((SILENT, SILENT, SILENT), "silent"),
        ((A, A, RIGHT), "unstable"),
        ((SILENT, RIGHT, RIGHT), "unstable"),
    ],
    ids=str,
)
def test_kind_of_a_task(row: tuple[Reply, ...], kind: str | None) -> None:
    assert error_kind(row) == kind


def test_errors_are_counted_by_the_kind_of_their_task() -> None:
    arm = make_arm("base", (A, A, A), (A, RIGHT, B), (RIGHT, RIGHT, RIGHT), (SILENT, SILENT, SILENT))
    counts, errors = error_counts(arm)
    assert dict(zip(ERROR_KINDS, counts.sum(axis=0), strict=True)) == {
        "same": 3,
        "silent": 3,
        "scattered": 0,
        "unstable": 2,
    }
    assert errors[:, 0].tolist() == [3, 2, 0, 3]
    assert (counts.sum(axis=1) == errors[:, 0]).all()


def test_pairs_of_wrong_answers_agree_as_counted() -> None:
    arm = make_arm("base", (A, A, B, RIGHT), (A, A, A, SILENT), (A, RIGHT, RIGHT, RIGHT), (SILENT,) * 4)
    agreeing, pairs = agreeing_pairs(arm)
    assert agreeing.tolist() == pytest.approx([1 / 6, 3 / 6, 0, 0])
    assert pairs.tolist() == pytest.approx([3 / 6, 3 / 6, 0, 0])


CONVINCED = {A: 0.9, RIGHT: 0.1}
GUESSING = {RIGHT: 0.7, A: 0.1, B: 0.1, SILENT: 0.1}


@pytest.mark.parametrize("samples", [2, 3, 5])
def test_agreement_doesnt_depend_on_the_number_of_samples(samples: int) -> None:
    """Of tasks of two kinds, the mean of both sums over all that can be sampled is that of a single pair.

    With few samples the guesses hardly ever come in pairs, so a mean over the tasks that have one would rise.
    """
    sums = np.zeros(2)
    for chances in (CONVINCED, GUESSING):
        rows = list(itertools.product(chances, repeat=samples))
        weights = np.array([np.prod([chances[reply] for reply in row]) for row in rows])
        sums += [weights @ column for column in agreeing_pairs(make_arm("base", *rows))]
    assert sums == pytest.approx([0.9**2 + 2 * 0.1**2, 0.9**2 + 0.2**2])


def test_flat_groups_agree_with_counting_all_groups() -> None:
    row = (RIGHT, RIGHT, RIGHT, wrong("a", 0.25), wrong("b", 0.25), wrong("c"), wrong(None))
    groups = list(itertools.combinations([reply.score for reply in row], 2))
    expected = [
        sum(len(set(group)) == 1 for group in groups),
        sum(set(group) == {1.0} for group in groups),
        sum(set(group) == {0.0} for group in groups),
    ]
    assert flat_groups(make_arm("base", row), 2)[0] * len(groups) == pytest.approx(expected)


def test_whole_group_is_flat_only_when_all_scores_are_equal() -> None:
    arm = make_arm("base", (A, B), (RIGHT, RIGHT), (wrong("a", 0.5), wrong("b", 0.5)), (RIGHT, A))
    assert flat_groups(arm, 2).tolist() == [[1, 0, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(("samples", "k"), [(1, 1), (4, 1), (5, 3), (6, 6)])
def test_pass_at_agrees_with_counting_all_choices(samples: int, k: int) -> None:
    for right in range(samples + 1):
        choices = list(itertools.combinations([True] * right + [False] * (samples - right), k))
        assert pass_at(samples, right, k) == pytest.approx(sum(map(any, choices)) / len(choices))


def test_pass_at_is_unbiased() -> None:
    """Its mean over the binomial of 6 samples is 1 - (1 - p)^k, exactly."""
    p, samples, k = Fraction(1, 3), 6, 4
    ways = [1, 6, 15, 20, 15, 6, 1]
    mean = sum(
        float(ways[right] * p**right * (1 - p) ** (samples - right)) * pass_at(samples, right, k)
        for right in range(samples + 1)
    )
    assert mean == pytest.approx(float(1 - (1 - p) ** k))


def test_pass_at_more_than_there_are_is_misuse() -> None:
    with pytest.raises(ValueError, match="pass@3 needs at least 3 samples, there are 2"):
        pass_at(2, 1, 3)


def test_partial_credit_is_no_pass() -> None:
    arm = make_arm("base", (wrong("a", 0.75), wrong("b", 0.75)))
    assert pass_rates(arm, (1, 2)).tolist() == [[0, 0]]


def test_pass_rates_have_a_row_for_each_task() -> None:
    assert pass_rates(arm_of_rates("base", [0, 2, 4], 4), (1, 4)).tolist() == [[0, 0], [0.5, 1], [1, 1]]
