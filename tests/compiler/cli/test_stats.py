"""`gtd stats`: tables, JSON, and the status of broken promises."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from strategies.incidents import Ran

Gtd = Callable[..., Ran]


def test_tables_tell_lengths_and_answers(gtd: Gtd, compiled: Path) -> None:
    ran = gtd("stats", "--tasks", compiled, "--estimate")
    assert ran.status == 0
    assert ran.out.startswith("Tokens of a page, by characters / 3.25\n")
    assert "\nAnswers\n" in ran.out


def test_json_holds_the_same_and_check_asks_for_the_promises(gtd: Gtd, compiled: Path) -> None:
    ran = gtd("stats", "--tasks", compiled, "--estimate", "--format", "json", "--check")
    found = json.loads(ran.out)
    assert sum(split["tasks"] for split in found["splits"]) == 24
    assert ran.status == (1 if found["broken"] else 0)


def test_a_folder_without_tasks_is_told(gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = gtd("stats", "--tasks", "empty")
    assert ran.status == 2
    assert ran.err == "tasks: empty\nerror: there are no compiled tasks in empty\n"
