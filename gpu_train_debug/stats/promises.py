"""What a dataset promises of its tasks, checked on what was measured.

In: `TaskStats`. Out: a sentence for each promise that isn't kept. The limits are those of docs/page.md; they belong to
the form of the tasks and not to any system.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from gpu_train_debug.stats.measure import NEAR_MARGINS, PageLengths, SplitAnswers, TaskStats
from gpu_train_debug.wording import listed

HANDBOOK_MEDIAN, HANDBOOK_MOST = 2100, 2400
"""Tokens of a handbook: in the median of the systems, and at most."""

RUN_MEDIAN, RUN_MOST = 700, 1100
"""Tokens of a run: in the median of a system's tasks, and at most."""

FIELDS_FEWEST, FIELDS_MOST = 15, 30
"""Fields of a config."""

LOG_FEWEST, LOG_MOST = 10, 25
"""Lines of a log."""

GOLD_SHARE = 0.05
"""Share of a split that one answer of a fault may have."""

HARD_CODE_SHARE = 0.21
"""Share of the split `hard` that may have one code."""

LEAST_MARGIN = 10
"""Permille: nothing is decided by less."""

NEAR_SHARE = 1 / 3
"""At least this share of the split `hard` is decided narrowly."""


def broken_promises(stats: TaskStats) -> tuple[str, ...]:
    """Say which promises the tasks don't keep, and by how much; empty if they keep all."""
    return (*_lengths(stats.pages), *_answers(stats), *(line for split in stats.splits for line in _split(split)))


def _lengths(pages: tuple[PageLengths, ...]) -> Iterator[str]:
    if (middle := median(page.handbook for page in pages)) > HANDBOOK_MEDIAN:
        yield f"the median handbook has {middle:,.0f} tokens, more than {HANDBOOK_MEDIAN:,}"
    for page in pages:
        if page.handbooks > 1:
            yield f"`{page.system}`: its tasks have {page.handbooks} different handbooks"
        for what, found, most in (
            ("handbook has", page.handbook, HANDBOOK_MOST),
            ("median run has", page.run_median, RUN_MEDIAN),
            ("longest run has", page.run_most, RUN_MOST),
        ):
            if found > most:
                yield f"`{page.system}`: the {what} {found:,} tokens, more than {most:,}"
        if page.fields_fewest < FIELDS_FEWEST:
            yield f"`{page.system}`: the shortest config has {page.fields_fewest} fields, fewer than {FIELDS_FEWEST}"
        if page.fields_most > FIELDS_MOST:
            yield f"`{page.system}`: the longest config has {page.fields_most} fields, more than {FIELDS_MOST}"
        if page.log_fewest < LOG_FEWEST:
            yield f"`{page.system}`: the shortest log has {page.log_fewest} lines, fewer than {LOG_FEWEST}"
        if page.log_most > LOG_MOST:
            yield f"`{page.system}`: the longest log has {page.log_most} lines, more than {LOG_MOST}"


def _answers(stats: TaskStats) -> Iterator[str]:
    if names := stats.single_gold:
        yield f"all tasks of an archetype have one answer: {listed(names)}"


def _split(split: SplitAnswers) -> Iterator[str]:
    for gold, count in split.fault_golds.items():
        if count > 1 and count > GOLD_SHARE * split.tasks:
            yield f"`{split.split}`: {count} of {split.tasks} tasks have the answer {gold}"
    if split.split == "hard":
        for code, count in split.codes.items():
            if count > HARD_CODE_SHARE * split.tasks:
                yield f"`{split.split}`: {count} of {split.tasks} tasks have the code {code}"
    if not split.margins:
        return
    if split.margins[0] < LEAST_MARGIN:
        yield f"`{split.split}`: the smallest margin is {split.margins[0] / 10:g} percent"
    low, high = NEAR_MARGINS
    if split.split == "hard" and split.near < NEAR_SHARE * split.tasks:
        of = f"{split.near} of {split.tasks} tasks have"
        yield f"`{split.split}`: {of} a margin of {low / 10:g} to {high / 10:g} percent"
