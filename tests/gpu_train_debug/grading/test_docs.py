"""The page on grading, the prompt and the grader say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu_train_debug import grade

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8")


def examples() -> Iterator[tuple[str, str, list[float]]]:
    """Gold, reply and the numbers of each row of the tables."""
    gold = ""
    for line in PAGE.splitlines():
        if found := re.search(r"gold `([^`]*)`:$", line):
            gold = found[1]
        elif found := re.match(r"\| `([^`]*)` \| ([0-9.| ]+) \| ", line):
            yield gold, found[1], [float(number) for number in found[2].split("|")]


@pytest.mark.parametrize(("gold", "reply", "numbers"), list(examples()))
def test_an_example_of_the_page_is_graded_as_it_says(gold: str, reply: str, numbers: list[float]) -> None:
    result = grade(reply, gold)
    assert ([result.diagnosis, result.fix] if len(numbers) == 2 else [result.score]) == numbers


def test_every_row_of_the_page_is_an_example() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(rows) == len(list(examples())) > 30


def test_the_page_quotes_the_rubric_of_the_card() -> None:
    quoted = " ".join(line.removeprefix("> ") for line in PAGE.splitlines() if line.startswith("> "))
    template = (ROOT / "compiler" / "emit" / "templates" / "card.md.j2").read_text(encoding="utf-8")
    assert quoted.startswith("Half of the credit")
    assert quoted in template
