"""Each promise is noticed when it is broken, and only then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpu_train_debug.stats.measure import PageLengths, SplitAnswers, TaskStats
from gpu_train_debug.stats.promises import broken_promises

PAGE = PageLengths(
    "pump",
    tasks=60,
    handbooks=1,
    handbook=2000,
    run_median=600,
    run_most=1000,
    fields_fewest=15,
    fields_most=30,
    log_fewest=10,
    log_most=25,
)
GOLD = '{"diagnosis": "A", "fix": {"f": 1}}'
SPLIT = SplitAnswers(
    split="hard",
    tasks=60,
    healthy=6,
    pairs=40,
    codes={"A": 12},
    golds={'{"diagnosis": "HEALTHY", "fix": {}}': 6, GOLD: 3},
    interaction={2: 60},
    uniqueness={"any": 60},
    margins=[10, *[50] * 20, *[500] * 39],
)
STATS = TaskStats("words", (PAGE,), (SPLIT,), ())


def test_kept_promises_say_nothing() -> None:
    assert broken_promises(STATS) == ()


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (replace(PAGE, handbook=2101), ["the median handbook has 2,101 tokens, more than 2,100"]),
        (
            replace(PAGE, handbook=2401),
            [
                "the median handbook has 2,401 tokens, more than 2,100",
                "`pump`: the handbook has 2,401 tokens, more than 2,400",
            ],
        ),
        (replace(PAGE, run_median=701), ["`pump`: the median run has 701 tokens, more than 700"]),
        (replace(PAGE, run_most=1101), ["`pump`: the longest run has 1,101 tokens, more than 1,100"]),
        (replace(PAGE, fields_fewest=14), ["`pump`: the shortest config has 14 fields, fewer than 15"]),
        (replace(PAGE, fields_most=31), ["`pump`: the longest config has 31 fields, more than 30"]),
        (replace(PAGE, log_fewest=9), ["`pump`: the shortest log has 9 lines, fewer than 10"]),
        (replace(PAGE, log_most=26), ["`pump`: the longest log has 26 lines, more than 25"]),
        (replace(PAGE, handbooks=2), ["`pump`: its tasks have 2 different handbooks"]),
    ],
)
def test_long_pages_are_told(page: PageLengths, told: list[str]) -> None:
    assert list(broken_promises(replace(STATS, pages=(page,)))) == told


@pytest.mark.parametrize(
    ("split", "told"),
    [
        (replace(SPLIT, golds={GOLD: 4}), [f"`hard`: 4 of 60 tasks have the answer {GOLD}"]),
        (replace(SPLIT, codes={"A": 13}), ["`hard`: 13 of 60 tasks have the code A"]),
        (replace(SPLIT, margins=[9, *SPLIT.margins[1:]]), ["`hard`: the smallest margin is 0.9 percent"]),
        (
            replace(SPLIT, margins=[10, *[50] * 19, *[500] * 40]),
            ["`hard`: 19 of 60 tasks have a margin of 2 to 10 percent"],
        ),
        (replace(SPLIT, split="test", codes={"A": 13}, margins=[500] * 60), []),
        (replace(SPLIT, margins=[]), []),
    ],
)
def test_answers_and_margins_are_told(split: SplitAnswers, told: list[str]) -> None:
    assert list(broken_promises(replace(STATS, splits=(split,)))) == told


def test_single_golds_are_told() -> None:
    (line,) = broken_promises(replace(STATS, single_gold=("dry", "blocked")))
    assert line == "all tasks of an archetype have one answer: `dry` and `blocked`"
