"""Bootstrap over tasks: how certain a mean, or a ratio of sums, is.

In: one number per task and statistic. Out: an `Estimate` each. Tasks are what is sampled from a population,
so tasks are resampled, each with all its samples: numbers come in here already averaged within a task.
All statistics of one scope use the same resamples, so differences between arms are paired by construction.

The interval is the expanded percentile interval (Hesterberg, "What teachers should know about the
bootstrap", 2015): quantiles of the resampled statistic at levels that are widened for the
number of tasks. Plain percentiles are too narrow by a factor of sqrt((n - 1) / n), and the normal quantile
is short of Student's; both matter for a few dozen tasks. benchmarks/intervals.md has the measured coverage of
this, the plain percentile, BCa and the studentised interval.

The draws come from the raw words of Philox, keyed by a hash: they depend on the seed and the name of the
scope alone, not on other scopes, and NumPy keeps these words the same in all versions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtrit

Floats = npt.NDArray[np.float64]

THIN = 5
"""With fewer informative tasks, an interval covers less than it claims (measured: benchmarks/intervals.md)."""

_CHUNK = 1 << 20  # numbers drawn at a time
_KEPT = 1 << 26  # numbers kept, so as not to be drawn again


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its interval.

    Attributes:
        value: None if no task counts in it.
        low: Lower end; None if a single task counts.
        tasks: How many tasks count.
        informative: How many of them have another value than the most frequent one.
    """

    value: float | None
    low: float | None
    high: float | None
    tasks: int
    informative: int

    @property
    def thin(self) -> bool:
        return self.informative < THIN


class Resampler:
    """Resamples of the tasks of a scope, drawn within strata of fixed size.

    Args:
        strata: The stratum of each task; equal for all to draw from all tasks together.
        key: What the draws depend on.
    """

    def __init__(self, strata: Sequence[str], *, resamples: int, confidence: float, key: str) -> None:
        if not strata:
            raise ValueError("there are no tasks to resample")
        self.tasks = len(strata)
        self.resamples = resamples
        self.confidence = confidence
        self._key = key
        _, self._stratum = np.unique(np.array(strata), return_inverse=True)
        self._kept: list[npt.NDArray[np.uint16]] | None = None

    def sums(self, columns: Floats) -> Floats:
        """Sum each column over each resample: shape (tasks, k) to (resamples, k)."""
        if self._kept is None and self.tasks * self.resamples <= _KEPT:
            self._kept = list(self._draw())
        return np.concatenate([counts.astype(np.float64) @ columns for counts in self._kept or self._draw()])

    def means(self, columns: Floats) -> list[Estimate]:
        """Estimate the mean over tasks of each column, shape (tasks, k)."""
        return self.ratios(columns, np.ones((self.tasks, 1)))

    def ratios(self, numerators: Floats, denominators: Floats) -> list[Estimate]:
        """Estimate sum of numerators over sum of denominators, shapes (tasks, k) and (tasks, k) or (tasks, 1).

        A task counts in a column if its denominator isn't 0; a resample without any such task is left out.
        """
        columns = numerators.shape[1]
        sums = self.sums(np.concatenate([numerators, denominators], axis=1))
        resampled = _divide(sums[:, :columns], sums[:, columns:])
        denominators = np.broadcast_to(denominators, numerators.shape)
        values = _divide(numerators.sum(axis=0), denominators.sum(axis=0))
        rates = _divide(numerators, denominators)
        estimates = []
        for column, value in enumerate(values):
            says = denominators[:, column] > 0
            tasks = int(says.sum())
            if not tasks:
                estimates.append(Estimate(None, None, None, 0, 0))
                continue
            freedom = tasks - np.unique(self._stratum[says]).size
            low = high = None
            if freedom > 0:
                level = _level(self.confidence, tasks, freedom)
                usable = resampled[~np.isnan(resampled[:, column]), column]
                low, high = (float(bound) for bound in np.quantile(usable, [level, 1 - level]))
            estimates.append(Estimate(float(value), low, high, tasks, _informative(rates[says, column])))
        return estimates

    def _draw(self) -> Iterator[npt.NDArray[np.uint16]]:
        """Yield how often each task is in each resample, shape (some, tasks)."""
        order = np.argsort(self._stratum, kind="stable")
        sizes = np.bincount(self._stratum)
        starts = (np.cumsum(sizes) - sizes)[self._stratum[order]].astype(np.uint64)
        spans = sizes[self._stratum[order]].astype(np.uint64)
        source = np.random.Philox(key=np.frombuffer(_digest(self._key), dtype="<u8"))
        for count in _parts(self.resamples, self.tasks):
            words = source.random_raw(count * self.tasks).reshape(count, self.tasks) >> np.uint64(32)
            picked = order[(starts + (words * spans >> np.uint64(32))).astype(np.int64)]
            picked += np.arange(count)[:, None] * self.tasks
            counts = np.bincount(picked.ravel(), minlength=count * self.tasks)
            yield counts.reshape(count, self.tasks).astype(np.uint16)


def signs(tasks: int, *, resamples: int, key: str) -> Iterator[Floats]:
    """Draw random signs, shape (resamples, tasks), some rows at a time."""
    source = np.random.Philox(key=np.frombuffer(_digest(key), dtype="<u8"))
    for count in _parts(resamples, tasks):
        words = source.random_raw(count * (tasks // 64 + 1))
        bits = np.unpackbits(words.astype("<u8").view(np.uint8).reshape(count, -1), axis=1, count=tasks)
        yield bits.astype(np.float64) * 2 - 1


def _parts(rows: int, columns: int) -> Iterator[int]:
    """Divide rows into parts of at most `_CHUNK` numbers, but whole rows."""
    most = max(1, _CHUNK // columns)
    for start in range(0, rows, most):
        yield min(most, rows - start)


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=16).digest()


def _level(confidence: float, tasks: int, freedom: int) -> float:
    """The lower quantile level, widened for few tasks."""
    quantile = float(stdtrit(freedom, (1 + confidence) / 2))
    return float(ndtr(-quantile * np.sqrt(tasks / freedom)))


def _divide(numerators: Floats, denominators: Floats) -> Floats:
    """Divide; NaN where the denominator is 0."""
    shape = np.broadcast_shapes(numerators.shape, denominators.shape)
    quotients: Floats = np.divide(numerators, denominators, out=np.full(shape, np.nan), where=denominators != 0)
    return quotients


def _informative(rates: Floats) -> int:
    _, counts = np.unique(np.round(rates, 9), return_counts=True)
    return int(rates.size - counts.max())
