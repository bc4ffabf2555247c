"""The short table that `gtd study score` prints: means of each arm by split, archetype or tier."""

from __future__ import annotations

from collections.abc import Sequence

from gpu_train_debug.study.paired import task_means
from gpu_train_debug.study.plan import ALL, METRICS, Bootstrap
from gpu_train_debug.study.scopes import part_scopes, whole_scopes
from gpu_train_debug.study.score import Scores
from gpu_train_debug.study.tabulate import Columns, Row, rounded


def mean_rows(scores: Scores, bootstrap: Bootstrap, by: str) -> list[Row]:
    """Estimate the means of all arms and metrics.

    Args:
        by: `split`, or the part of a split: `archetype` or `tier`.
    """
    scopes = whole_scopes(scores.tasks, bootstrap) if by == "split" else part_scopes(scores.tasks, bootstrap, by)
    columns = Columns()
    for arm in scores.arms:
        for metric in METRICS:
            columns.add({"arm": arm.name, "samples": arm.samples, "metric": metric}, task_means(arm.metric(metric)))
    rows: list[Row] = rounded(columns.rows(scopes))
    return rows


def mean_table(rows: Sequence[Row], by: str) -> str:
    """Lay the rows out in columns, one line for each arm and scope."""
    named = ["split", "tasks", "arm", "samples"] if by == "split" else ["split", by, "tasks", "arm", "samples"]
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        key = tuple("all" if row[name] == ALL else str(row[name]) for name in named)
        low, high = row["low"], row["high"]
        interval = "" if low is None else f" [{low:.3f}, {high:.3f}]"
        lines.setdefault(key, {})[str(row["metric"])] = f"{row['value']:.3f}{interval}"
    cells = [[*named, *METRICS], *([*key, *(found[metric] for metric in METRICS)] for key, found in lines.items())]
    widths = [max(len(line[place]) for line in cells) for place in range(len(cells[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )
