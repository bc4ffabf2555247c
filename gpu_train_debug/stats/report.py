"""What was measured, as text and as JSON.

In: `TaskStats` and the promises that aren't kept. Out: tables for a terminal, or an object for `encode`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from gpu_train_debug.stats.measure import NEAR_MARGINS, SplitAnswers, TaskStats
from gpu_train_debug.tables import plain_table


def stats_text(stats: TaskStats, broken: Sequence[str]) -> str:
    """Tables of lengths, answers and margins; then the broken promises, one a line."""
    pages = [
        (
            page.system,
            *map(_number, (page.tasks, page.handbook, page.run_median, page.run_most)),
            _range(page.fields_fewest, page.fields_most),
            _range(page.log_fewest, page.log_most),
        )
        for page in stats.pages
    ]
    parts = [
        f"Tokens of a page, by {stats.tokenizer}\n"
        + plain_table(("system", "tasks", "handbook", "run, median", "run, most", "fields", "log lines"), pages),
        "Answers\n" + plain_table(_ANSWERS, [_answers_row(split) for split in stats.splits]),
    ]
    if any(split.margins for split in stats.splits):
        low, high = (f"{bound / 10:g}" for bound in NEAR_MARGINS)
        head = ("split", "smallest margin", "median", f"{low} to {high} percent")
        rows = [_margins_row(split) for split in stats.splits if split.margins]
        parts.append("Margins: by how little a comparison on the walk is decided\n" + plain_table(head, rows))
    if broken:
        parts.append("Promises that aren't kept\n" + "\n".join(f"- {line}" for line in broken))
    return "\n\n".join(parts)


def stats_data(stats: TaskStats, broken: Sequence[str]) -> dict[str, Any]:
    """The same, for programs; keys are those of the attributes."""
    return {**asdict(stats), "broken": list(broken)}


_ANSWERS = ("split", "tasks", "healthy", "pairs", "answers", "most frequent", "most frequent code", "interaction")


def _answers_row(split: SplitAnswers) -> tuple[str, ...]:
    return (
        split.split,
        _number(split.tasks),
        _share(split.healthy, split.tasks),
        _share(split.pairs, split.tasks),
        _number(len(split.golds)),
        _share(max(split.fault_golds.values(), default=0), split.tasks),
        _most(split.codes, split.tasks),
        ", ".join(f"{size}: {count}" for size, count in split.interaction.items()),
    )


def _margins_row(split: SplitAnswers) -> tuple[str, ...]:
    smallest, middle = split.margins[0], median(split.margins)
    return (split.split, f"{smallest / 10:.1f}%", f"{middle / 10:.1f}%", _share(split.near, len(split.margins)))


def _most(counts: Mapping[str, int], whole: int) -> str:
    return next((f"{name} {_share(count, whole)}" for name, count in counts.items()), "none")


def _number(count: int) -> str:
    return f"{count:,}"


def _range(fewest: int, most: int) -> str:
    return _number(most) if fewest == most else f"{fewest} to {most}"


def _share(count: int, whole: int) -> str:
    return f"{count / whole:.0%}"
