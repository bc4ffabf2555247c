"""The calibration band: whether a split is too easy or too hard for a reference arm, and which mix of tiers would fit.

In: per split the tiers, with the reference's scores. Out: a `Calibration`. The suggestion is the mix of tiers
that is closest to the present one (smallest relative entropy) among those with the wanted mean: shares are
multiplied by exp(t * mean of the tier), with one t for all. Tiers of controls keep their share, since it is
by design. It aims at the middle of what can be reached of the band: at an edge, every second sample of tasks
would lie outside. Whole numbers of tasks may miss what shares would reach; unlike a band
out of reach, more tasks help then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from gpu_train_debug.study.inputs.plan import Band
from gpu_train_debug.study.statistics.resample import Floats

INSIDE, MIXABLE, TOO_FEW, OUT_OF_REACH = "inside", "mix", "too few tasks", "out of reach"

SMALL = 20
"""The mean of fewer tasks is hardly known to 0.15, the width of the usual band."""

_TIE = 1e-9  # means that are nearer to each other, or to an edge, are equal to it
_NOTHING = 50.0  # a tilt by exp(-50) leaves nothing of a tier


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier of a split: how many tasks, their mean, and whether they are controls."""

    name: str
    tasks: int
    mean: float
    control: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where a split lies, and what would bring it into the band.

    Attributes:
        mean: Of the split as it is.
        counts: Tasks of each tier in the largest suggested mix that repeats no task; as they are if the mean
            is inside; empty if no mix gets there.
        expected: Mean of these counts.
        reach: Lowest and highest mean that mixing can give, both included.
    """

    status: str
    mean: float
    tiers: tuple[Tier, ...]
    counts: tuple[int, ...]
    expected: float | None
    reach: tuple[float, float]

    @property
    def small(self) -> bool:
        """There is a suggestion, but it has too few tasks for its mean to mean much."""
        return self.status == MIXABLE and sum(self.counts) < SMALL


def tiers_of(names: Sequence[str], controls: Sequence[bool], means: Floats) -> tuple[Tier, ...]:
    """Gather tasks by tier, in order of appearance; a tier of nothing but controls is one of controls."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    return tuple(
        Tier(name, len(inside), float(means[inside].mean()), all(controls[row] for row in inside))
        for name, inside in rows.items()
    )


def calibrate(tiers: Sequence[Tier], band: Band) -> Calibration:
    """Say where a split of these tiers lies, and suggest a mix."""
    counts = np.array([tier.tasks for tier in tiers])
    means = np.array([tier.mean for tier in tiers])
    free = np.array([not tier.control for tier in tiers])
    shares = counts / counts.sum()
    reach = _reach(shares, means, free)
    mean = float(np.clip(shares @ means, *reach))
    if _inside(mean, band):
        return Calibration(INSIDE, mean, tuple(tiers), tuple(tier.tasks for tier in tiers), mean, reach)
    low, high = max(band.low, reach[0]), min(band.high, reach[1])
    if low > high + _TIE:
        return Calibration(OUT_OF_REACH, mean, tuple(tiers), (), None, reach)
    mixed = _tilt(shares, means, free, (low + high) / 2)
    most = min(tier.tasks / share for tier, share in zip(tiers, mixed, strict=True) if share > _TIE)
    suggested = _rounded(mixed, most, counts)
    expected = float(suggested @ means / suggested.sum())
    if not _inside(expected, band):
        return Calibration(TOO_FEW, mean, tuple(tiers), (), None, reach)
    return Calibration(MIXABLE, mean, tuple(tiers), tuple(int(n) for n in suggested), expected, reach)


def _inside(mean: float, band: Band) -> bool:
    return band.low - _TIE <= mean <= band.high + _TIE


def _reach(shares: Floats, means: Floats, free: npt.NDArray[np.bool_]) -> tuple[float, float]:
    fixed = float(shares[~free] @ means[~free])
    if not free.any():
        return fixed, fixed
    left = float(shares[free].sum())
    return fixed + left * float(means[free].min()), fixed + left * float(means[free].max())


def _tilt(shares: Floats, means: Floats, free: npt.NDArray[np.bool_], target: float) -> Floats:
    """Shares tilted so that the mean is `target`, within reach; at an end of that, only outermost tiers are left."""

    def tilted(steepness: float) -> Floats:
        exponents = np.where(free, steepness * means, -np.inf)
        weights = shares * np.exp(exponents - exponents.max())
        return np.where(free, weights / weights.sum() * shares[free].sum(), shares)

    def miss(steepness: float) -> float:
        return float(tilted(steepness) @ means) - target

    gaps = np.diff(np.unique(means[free]))
    steepest = _NOTHING / max(_TIE, float(gaps.min(initial=1.0)))
    if miss(-steepest) >= 0:
        return tilted(-steepest)
    if miss(steepest) <= 0:
        return tilted(steepest)
    return tilted(float(brentq(miss, -steepest, steepest, xtol=1e-12)))


def _rounded(shares: Floats, total: float, available: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Whole numbers of tasks: largest remainders, never more than there are."""
    wanted = np.minimum(shares * total, available)
    counts: npt.NDArray[np.int64] = np.floor(wanted + 1e-9).astype(np.int64)
    short = int(np.floor(wanted.sum() + 1e-9)) - int(counts.sum())
    for index in np.argsort(counts - wanted, kind="stable")[:short]:
        counts[index] += counts[index] < available[index]
    return counts
