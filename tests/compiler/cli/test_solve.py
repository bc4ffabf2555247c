"""`gtd solve`: answers from the text of a prompt."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.compiled import first_record
from strategies.incidents import Ran

Gtd = Callable[..., Ran]


def test_solve_answers_a_prompt_from_its_text(gtd: Gtd, compiled: Path, tmp_path: Path) -> None:
    record = first_record(compiled)
    (tmp_path / "prompt.txt").write_text(record["prompt"], encoding="utf-8")
    ran = gtd("solve", "prompt.txt")
    assert (ran.status, ran.out) == (0, record["gold"] + "\n")


def test_solve_takes_a_prompt_with_blank_lines_around_it_and_other_line_ends(
    gtd: Gtd, compiled: Path, tmp_path: Path
) -> None:
    record = first_record(compiled)
    copied = "\n \n" + record["prompt"] + "\n\n  \n"
    (tmp_path / "prompt.txt").write_bytes(copied.replace("\n", "\r\n").encode())
    ran = gtd("solve", "prompt.txt")
    assert (ran.status, ran.out) == (0, record["gold"] + "\n")


def test_solve_shows_the_walk_in_words(gtd: Gtd, compiled: Path, tmp_path: Path) -> None:
    record = first_record(compiled)
    (tmp_path / "prompt.txt").write_text(record["prompt"], encoding="utf-8")
    ran = gtd("solve", "prompt.txt", "--steps")
    gold = json.loads(record["gold"])
    assert ran.out == record["gold"] + "\n"
    assert " what the page prints; the runbook takes " in ran.err
    assert f"  1. rule {gold['diagnosis']} fires and sets " in ran.err
    assert f"  fix: {', '.join(f'{field} = {new}' for field, new in gold['fix'].items())}\n" in ran.err
    assert "Walk(" not in ran.err


@pytest.mark.parametrize("data", [b"", b"hello\n", b"\xff\xfe", b"## Config\n" * 1000, b"\0" * 100])
def test_solve_refuses_what_is_no_prompt(gtd: Gtd, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "prompt.txt").write_bytes(data)
    assert gtd("solve", "prompt.txt").status == 2


def test_an_empty_file_is_said_to_be_empty(gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text("\n \n")
    ran = gtd("solve", "prompt.txt")
    assert ran.status == 2
    assert ran.err.startswith("error: the file is empty\n")
