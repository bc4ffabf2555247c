"""The bootstrap: draws, strata, intervals."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy.special import chdtrc, ndtri, stdtrit

from gpu_train_debug.study.statistics import resample
from gpu_train_debug.study.statistics.paired import flip_test
from gpu_train_debug.study.statistics.resample import Estimate, Resampler, signs


def resampler(strata: list[str], *, resamples: int = 2000, key: str = "test", confidence: float = 0.95) -> Resampler:
    return Resampler(strata, resamples=resamples, confidence=confidence, key=key)


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)[:, None]


def test_draws_are_pinned() -> None:
    """Whatever the version of NumPy: a report made again has the same intervals."""
    counts = resampler([""] * 6, resamples=4).sums(np.eye(6))
    assert counts.astype(int).tolist() == [
        [1, 0, 1, 1, 1, 2],
        [2, 1, 0, 2, 1, 0],
        [1, 2, 0, 3, 0, 0],
        [2, 0, 0, 2, 2, 0],
    ]


def test_draws_depend_on_the_key_alone() -> None:
    values = np.arange(30.0)[:, None]
    same = [resampler([""] * 30).sums(values) for _ in range(2)]
    assert (same[0] == same[1]).all()
    assert (resampler([""] * 30, key="other").sums(values) != same[0]).any()


def test_more_resamples_begin_with_the_same_ones() -> None:
    few, many = (resampler([""] * 9, resamples=count).sums(np.eye(9)) for count in (300, 400))
    assert (many[:300] == few).all()


def test_chunks_join_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn() -> tuple[np.ndarray, np.ndarray]:
        return (
            resampler(["a", "b", "a", "b", "b"]).sums(np.eye(5)),
            np.concatenate(list(signs(5, resamples=2000, key="test"))),
        )

    whole = drawn()
    monkeypatch.setattr(resample, "_CHUNK", 37)
    assert all((part == same).all() for part, same in zip(drawn(), whole, strict=True))


def test_draws_that_are_too_many_to_keep_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(30.0)[:, None]
    kept = resampler([""] * 30).sums(values)
    monkeypatch.setattr(resample, "_KEPT", 100)
    again = resampler([""] * 30)
    assert all((again.sums(values) == kept).all() for _ in range(2))


@pytest.mark.slow
def test_the_most_resamples_of_many_tasks_fit_into_memory() -> None:
    """All draws at once would be 700 tasks times 100,000 resamples: 140 MB as counts, 560 MB as signs."""
    values = np.random.default_rng(9).standard_normal((700, 1))
    tracemalloc.start()
    try:
        resampler([""] * 700, resamples=100_000).means(values)
        flip_test(values, resamples=100_000, key="test")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100e6


def test_tasks_are_drawn_uniformly() -> None:
    counts = resampler([""] * 20, resamples=20_000).sums(np.eye(20))
    drawn = counts.sum(axis=0)
    assert chdtrc(19, ((drawn - drawn.mean()) ** 2 / drawn.mean()).sum()) > 0.001
    assert counts.var() == pytest.approx(1 - 1 / 20, rel=0.02)


def test_strata_keep_their_sizes() -> None:
    strata = ["b", "a", "b", "b", "a"]
    counts = resampler(strata).sums(np.eye(5))
    assert (counts[:, [1, 4]].sum(axis=1) == 2).all()
    assert (counts[:, [0, 2, 3]].sum(axis=1) == 3).all()


def test_spread_is_that_of_the_bootstrap() -> None:
    """The variance of a resampled mean is known: the uncorrected variance over the number of tasks."""
    values = np.random.default_rng(1).gamma(2, size=(40, 1))
    means = resampler([""] * 40, resamples=40_000).sums(values) / 40
    assert means.mean() == pytest.approx(values.mean(), abs=0.01)
    assert means.var() == pytest.approx(values.var() / 40, rel=0.03)


@pytest.mark.slow
def test_percentiles_agree_with_scipy_when_there_are_many_tasks() -> None:
    from scipy import stats  # takes a second to load

    values = np.random.default_rng(2).random(3000)
    (found,) = resampler([""] * 3000, resamples=4000).means(values[:, None])
    other = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=4000, rng=3).confidence_interval
    assert found.low == pytest.approx(other.low, abs=0.001)
    assert found.high == pytest.approx(other.high, abs=0.001)


def test_interval_is_as_wide_as_students_when_tasks_are_few_and_normal() -> None:
    values = ndtri((np.arange(12) + 0.5) / 12)
    (found,) = resampler([""] * 12, resamples=50_000).means(values[:, None])
    assert found.low is not None
    half = stdtrit(11, 0.975) * values.std(ddof=1) / np.sqrt(12)
    assert -found.low == pytest.approx(half, rel=0.03)


def test_confidence_widens_the_interval() -> None:
    values = np.random.default_rng(4).random((30, 1))
    narrow, wide = (resampler([""] * 30, confidence=level).means(values)[0] for level in (0.8, 0.99))
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low


def test_ratio_leaves_out_tasks_and_resamples_without_a_say() -> None:
    numerators, denominators = column(1, 0, 0, 0), column(2, 2, 0, 0)
    (found,) = resampler([""] * 4).ratios(numerators, denominators)
    assert found == Estimate(value=0.25, low=0.0, high=0.5, tasks=2, informative=1)


def test_nothing_is_estimated_when_no_task_has_a_say() -> None:
    assert resampler(["", ""]).ratios(column(0, 0), column(0, 0)) == [Estimate(None, None, None, 0, 0)]


def test_a_single_task_has_no_interval() -> None:
    assert resampler([""]).means(column(0.5)) == [Estimate(0.5, None, None, 1, 0)]


def test_a_stratum_each_has_no_interval() -> None:
    (found,) = resampler(["a", "b"]).means(column(0, 1))
    assert (found.value, found.low) == (0.5, None)


def test_equal_tasks_are_thin() -> None:
    (found,) = resampler([""] * 50).means(np.ones((50, 1)))
    assert (found.low, found.high, found.informative, found.thin) == (1.0, 1.0, 0, True)


def test_signs_are_fair_and_pinned() -> None:
    drawn = np.concatenate(list(signs(100, resamples=2000, key="test")))
    assert set(np.unique(drawn)) == {-1.0, 1.0}
    assert abs(drawn.mean()) < 0.01
    assert drawn[:2, :6].tolist() == [[-1, -1, -1, 1, -1, 1], [1, 1, 1, 1, -1, 1]]


def test_resampling_nothing_is_misuse() -> None:
    with pytest.raises(ValueError, match="no tasks"):
        resampler([])
