"""Prompt texts for the reader's tests: the hand-written ones in `prompts/`, and a tiny system with parts to fill in."""

from __future__ import annotations

from pathlib import Path

_PROMPTS = Path(__file__).parents[1] / "compiler" / "reader" / "prompts"


def prompt(name: str) -> str:
    """Give the whole text of a hand-written prompt, `system-case`."""
    system, _, _ = name.partition("-")
    return (_PROMPTS / f"{system}.txt").read_text() + "\n" + (_PROMPTS / f"{name}.txt").read_text()


def line_of(text: str, part: str) -> int:
    """Give the number of the first line that contains `part`."""
    return next(number for number, line in enumerate(text.split("\n"), 1) if part in line)


def tiny(
    *,
    fields: str = "1. a: 1, 2, 3, 4 | one\n2. b: 0, 1, 2 | two\n3. on: false, true | flag\n4. mood: calm, wild | word",
    facts: str = "",
    hidden: str = "",
    relations: str = "",
    tables: str = "",
    events: str = "",
    conditions: str = "",
    runbook: str = "",
    config: str = "a = 2\nb = 1\non = true\nmood = calm",
    profiler: str = "",
    log: str = "",
) -> str:
    """Write a small prompt; the codes are those of the numbered lines in `runbook`."""
    rules = [line for line in runbook.split("\n") if line[:1].isdigit()]
    codes = "".join(f"- {line.split('. ')[1].split(':')[0]}: title\n" for line in rules)
    if tables:
        tables = f"## Tables\n{tables}\n\n"
    return (
        f"# Tiny\n\nIntro.\n\n## Answer\nJSON.\n\n## Diagnosis codes\n{codes}- HEALTHY: fine\n\n"
        f"## Fields\nBest first.\n{fields}\n\n## Facts\n{facts}\n\n## Hidden quantities\n{hidden}\n\n"
        f"## Relations\n{relations}\n\n{tables}## Log events\n{events}\n\n## Conditions\n{conditions}\n\n"
        f"## Runbook\nOne at a time.\n{runbook}\n\n"
        f"## Config\n{config}\n\n## Profiler\n{profiler}\n\n## Log\n{log}".rstrip("\n")
        + "\n"
    )
