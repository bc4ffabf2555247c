"""`gtd explain`: tasks and diagnostics."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.compiled import first_record
from strategies.incidents import INCIDENTS, Ran

from compiler.codes import CODES

Gtd = Callable[..., Ran]


def test_explain_walks_through_a_task(gtd: Gtd, compiled: Path) -> None:
    record = first_record(compiled, "hard")
    ran = gtd("explain", record["id"], "--sources", INCIDENTS, "--tasks", compiled)
    assert ran.status == 0
    gold = json.loads(record["gold"])
    assert all(f"`{field} = " in ran.out for field in gold["fix"])
    assert "## What each channel alone leaves open" in ran.out


@pytest.mark.parametrize("code", sorted(CODES))
def test_explain_knows_every_code(gtd: Gtd, code: str) -> None:
    ran = gtd("explain", code)
    assert ran.status == 0
    assert ran.out.startswith(f"{code}: ")


@pytest.mark.parametrize("code", ["e305", "E305"])
def test_explain_takes_a_code_in_either_case(gtd: Gtd, code: str) -> None:
    assert gtd("explain", code).out.startswith("E305: ")


def test_explain_says_that_a_code_is_unknown_and_names_close_ones(gtd: Gtd) -> None:
    ran = gtd("explain", "E999")
    assert ran.status == 2
    assert "there is no diagnostic with the code `E999`\n   = help: did you mean `E" in ran.err


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("hard.jsonl", None, "can't read"),
        ("manifest.json", b"{\xff", "manifest.json isn't UTF-8 at byte 1"),
        ("manifest.json", None, "can't read"),
    ],
)
def test_explain_says_what_is_wrong_with_a_folder(
    gtd: Gtd, compiled: Path, tmp_path: Path, name: str, data: bytes | None, said: str
) -> None:
    folder = tmp_path / "tasks"
    shutil.copytree(compiled, folder)
    (folder / name).unlink()
    if data is None:
        (folder / name).mkdir()
    else:
        (folder / name).write_bytes(data)
    ran = gtd("explain", first_record(compiled, "hard")["id"], "--sources", INCIDENTS, "--tasks", folder)
    assert ran.status == 2
    assert f"{folder} isn't a compiled dataset" in ran.err
    assert said in ran.err


def test_explain_says_how_many_lines_it_passed_over(gtd: Gtd, compiled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    shutil.copytree(compiled, folder)
    with (folder / "hard.jsonl").open("ab") as file:
        file.write(b"\xff\n{}\n")
    with (folder / "train.jsonl").open("ab") as file:
        file.write(b"{}\n")
    ran = gtd("explain", "no-such-000", "--sources", INCIDENTS, "--tasks", "tasks")
    assert ran.status == 2
    assert "there is no task `no-such-000` among the 24 in tasks" in ran.err
    assert "= help: 2 lines of hard.jsonl aren't tasks; run `gtd verify tasks`" in ran.err
    assert "= help: 1 line of train.jsonl isn't a task; run `gtd verify tasks`" in ran.err


@pytest.mark.parametrize("empty", [True, False])
def test_explain_says_that_a_folder_holds_no_tasks(gtd: Gtd, tmp_path: Path, empty: bool) -> None:
    if empty:
        (tmp_path / "nope").mkdir()
    ran = gtd("explain", "train-small_cache-000", "--sources", INCIDENTS, "--tasks", "nope")
    assert (ran.status, ran.err) == (2, "tasks: nope\nerror: there are no compiled tasks in nope\n")
