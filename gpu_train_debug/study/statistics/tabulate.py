"""Statistics of all arms, estimated on each scope: the rows of the report's tables.

In: columns of numbers per task, each with the keys that name it. Out: for each scope and column a row of
keys and estimate, ready for JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from gpu_train_debug.study.statistics.resample import Estimate, Floats
from gpu_train_debug.study.statistics.scopes import TaskScope

Row = dict[str, Any]


class Columns:
    """Columns over the tasks of a study."""

    def __init__(self) -> None:
        self._keys: list[Mapping[str, object]] = []
        self._numerators: list[Floats] = []
        self._denominators: list[Floats] = []

    def add(self, keys: Mapping[str, object], numerators: Floats, denominators: Floats | None = None) -> None:
        """Add a mean over tasks, or with `denominators` a ratio of sums; shapes (tasks,)."""
        self._keys.append(keys)
        self._numerators.append(numerators)
        self._denominators.append(np.ones(len(numerators)) if denominators is None else denominators)

    def rows(self, scopes: Iterable[TaskScope]) -> list[Row]:
        """Estimate each column on each scope; a column is left out if no task of the scope counts in it."""
        if not self._keys:
            return []
        numerators = np.stack(self._numerators, axis=1)
        denominators = np.stack(self._denominators, axis=1)
        found: list[Row] = []
        for scope in scopes:
            estimates = scope.resampler.ratios(numerators[scope.rows], denominators[scope.rows])
            found += (
                {**keys, **scope.keys, **estimate_row(estimate)}
                for keys, estimate in zip(self._keys, estimates, strict=True)
                if estimate.tasks
            )
        return found


def estimate_row(estimate: Estimate) -> Row:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "tasks": estimate.tasks,
        "informative": estimate.informative,
        "thin": estimate.thin,
    }


def rounded(value: Any) -> Any:
    """Round all numbers inside to six decimals, so that the last bits of a sum don't show."""
    match value:
        case float():
            return round(value, 6) + 0.0  # no negative zero
        case dict():
            return {key: rounded(item) for key, item in value.items()}
        case list() | tuple():
            return [rounded(item) for item in value]
        case _:
            return value


def percent(value: float) -> str:
    """The share in percent, with as many digits as it has."""
    return f"{(Decimal(str(value)) * 100).normalize():f}%"


def pick(rows: Sequence[Row], **keys: object) -> list[Row]:
    """The rows with these keys; None asks for rows without the key."""
    return [row for row in rows if all(row.get(key) == value for key, value in keys.items())]
