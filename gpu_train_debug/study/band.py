"""The calibration band: is a split neither too easy nor too hard for a reference arm, and if not, what mix is?

In: per split the tiers, with the reference's scores. Out: a `Calibration`. The suggestion is the mix of tiers
that is closest to the present one (smallest relative entropy) among those with the wanted mean: shares are
multiplied by exp(t * mean of the tier), with one t for all. Tiers of controls keep their share, since it is
by design. It aims at the middle of what can be reached of the band: at an edge, every second sample of tasks
would lie outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from gpu_train_debug.study.plan import Band
from gpu_train_debug.study.resample import Floats

INSIDE, MIXABLE, OUT_OF_REACH = "inside", "mix", "out of reach"

_STEEPEST = 500.0  # of t; means lie between 0 and 1, so this leaves nothing of a tier that is worse by a tenth


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
        reach: Lowest and highest mean that mixing can give.
    """

    status: str
    mean: float
    tiers: tuple[Tier, ...]
    counts: tuple[int, ...]
    expected: float | None
    reach: tuple[float, float]


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
    mean = float(shares @ means)
    reach = _reach(shares, means, free)
    if band.low <= mean <= band.high:
        return Calibration(INSIDE, mean, tuple(tiers), tuple(tier.tasks for tier in tiers), mean, reach)
    mixed = _tilt(shares, means, free, (max(band.low, reach[0]) + min(band.high, reach[1])) / 2)
    if mixed is not None:
        most = min(tier.tasks / share for tier, share in zip(tiers, mixed, strict=True) if share > 0)
        suggested = _rounded(mixed, most, counts)
        expected = float(suggested @ means / suggested.sum())
        if band.low <= expected <= band.high:
            return Calibration(MIXABLE, mean, tuple(tiers), tuple(int(n) for n in suggested), expected, reach)
    return Calibration(OUT_OF_REACH, mean, tuple(tiers), (), None, reach)


def _reach(shares: Floats, means: Floats, free: npt.NDArray[np.bool_]) -> tuple[float, float]:
    fixed = float(shares[~free] @ means[~free])
    if not free.any():
        return fixed, fixed
    left = float(shares[free].sum())
    return fixed + left * float(means[free].min()), fixed + left * float(means[free].max())


def _tilt(shares: Floats, means: Floats, free: npt.NDArray[np.bool_], target: float) -> Floats | None:
    """Shares tilted so that the mean is `target`; None if no tilt does it."""

    def tilted(steepness: float) -> Floats:
        exponents = np.where(free, steepness * means, 0.0)
        weights = np.where(free, shares * np.exp(exponents - exponents[free].max()), 0.0)
        return np.where(free, weights / weights.sum() * shares[free].sum(), shares)

    def miss(steepness: float) -> float:
        return float(tilted(steepness) @ means) - target

    if not free.any() or miss(-_STEEPEST) >= 0 or miss(_STEEPEST) <= 0:
        return None
    return tilted(float(brentq(miss, -_STEEPEST, _STEEPEST, xtol=1e-12)))


def _rounded(shares: Floats, total: float, available: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Whole numbers of tasks: largest remainders, never more than there are."""
    wanted = np.minimum(shares * total, available)
    counts: npt.NDArray[np.int64] = np.floor(wanted + 1e-9).astype(np.int64)
    short = int(np.floor(wanted.sum() + 1e-9)) - int(counts.sum())
    for index in np.argsort(counts - wanted, kind="stable")[:short]:
        counts[index] += counts[index] < available[index]
    return counts
