"""The short table that `gtd study score` prints: means of each arm by split, archetype or tier."""

from __future__ import annotations

from collections.abc import Sequence

from gpu_train_debug.study.inputs.plan import ALL, METRICS, Bootstrap
from gpu_train_debug.study.statistics.paired import task_means
from gpu_train_debug.study.statistics.scopes import part_scopes, whole_scopes
from gpu_train_debug.study.statistics.score import Scores
from gpu_train_debug.study.statistics.tabulate import Columns, Row, rounded
from gpu_train_debug.tables import plain_table


def mean_rows(scores: Scores, bootstrap: Bootstrap, by: str) -> list[Row]:
    """Estimate the means of all arms and metrics.

    Args:
        by: `split`, or the part of a split: `archetype` or `tier`.

    Returns:
        As `Columns.rows`, each with `failed`: how many requests of the arm failed there.
    """
    scopes = whole_scopes(scores.tasks, bootstrap) if by == "split" else part_scopes(scores.tasks, bootstrap, by)
    columns = Columns()
    for arm in scores.arms:
        for metric in METRICS:
            columns.add({"arm": arm.name, "samples": arm.samples, "metric": metric}, task_means(arm.metric(metric)))
    failed = {arm.name: arm.failed for arm in scores.arms}
    rows: list[Row] = rounded(
        [
            {**row, "failed": int(failed[row["arm"]][scope.rows].sum())}
            for scope in scopes
            for row in columns.rows([scope])
        ]
    )
    return rows


def mean_table(rows: Sequence[Row], by: str) -> str:
    """Lay the rows out in columns, one line for each arm and scope; `failed` is a column if any request did."""
    named = ["split", "tasks", "arm", "samples"] if by == "split" else ["split", by, "tasks", "arm", "samples"]
    shown = [*METRICS, "failed"] if any(row["failed"] for row in rows) else [*METRICS]
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        key = tuple("all" if row[name] == ALL else str(row[name]) for name in named)
        low, high = row["low"], row["high"]
        interval = "" if low is None else f" [{low:.3f}, {high:.3f}]"
        line = lines.setdefault(key, {})
        line[str(row["metric"])] = f"{row['value']:.3f}{interval}"
        line["failed"] = f"{row['failed']} ({row['failed'] / (row['tasks'] * row['samples']):.1%})"
    cells = ([*key, *(found[name] for name in shown)] for key, found in lines.items())
    return plain_table([*named, *shown], cells)
