"""Texts and file names that can't be encoded or used: lone surrogates, names that aren't UTF-8 or are too long.

Each command ends as it should: with its work done, or with a message about what can't be used. None has an internal
error (E699), and all that is printed and written is UTF-8: pytest's stand-ins for a terminal refuse everything else.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from strategies.bakery import write_rows, write_splits
from strategies.incidents import INCIDENTS, Ran

Gtd = Callable[..., Ran]

LONE = "\ud800"
ODD = os.fsdecode(b"odd\xff")


@pytest.fixture
def survives(gtd: Gtd) -> Callable[..., Ran]:
    """Run a command that must end with one of the given statuses."""

    def run(*arguments: str | Path, status: int = 0) -> Ran:
        ran = gtd(*arguments)
        assert "E699" not in ran.err
        assert ran.status == status, ran.out + ran.err
        return ran

    return run


def edit_first(path: Path, **changes: Any) -> None:
    """Change keys of the first line of a file of JSON objects; what it holds is written as escapes."""
    first, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([json.dumps(json.loads(first) | changes) + "\n", *rest]), encoding="utf-8")


def write_run(folder: Path, **changes: Any) -> None:
    """A run of one rollout."""
    trace = {"errors": [], "nodes": [{"message": {"role": "assistant", "content": f"reply {LONE}"}}]}
    (folder / "traces.jsonl").write_text(
        json.dumps({"ok": True, "errors": [], "task": {"data": {"id": "t"}}, "traces": [trace]} | changes) + "\n"
    )


@pytest.fixture
def damaged(compiled: Path, tmp_path: Path) -> Path:
    """A dataset whose first training task has a lone surrogate in its prompt."""
    folder = Path(shutil.copytree(compiled, tmp_path / "damaged"))
    edit_first(folder / "train.jsonl", prompt=f"half {LONE}\n")
    return folder


@pytest.mark.parametrize("options", [(), ("-o", "archive.jsonl"), ("-o", ODD)], ids=["printed", "file", "odd name"])
def test_a_reply_is_exported(survives: Callable[..., Ran], tmp_path: Path, options: tuple[str, ...]) -> None:
    write_run(tmp_path)
    ran = survives("export", "generations", ".", "--arm", "a", *options)
    text = Path(options[1]).read_text(encoding="utf-8") if options else ran.out
    assert json.loads(text)["completion"].startswith("reply ")


def test_the_reason_of_a_failure_is_said(survives: Callable[..., Ran], tmp_path: Path) -> None:
    write_run(tmp_path, ok=False, traces=[], errors=[{"type": "Error", "message": f"half {LONE}"}])
    assert "1 x Error: half " in survives("export", "generations", ".", "--arm", "a", status=1).err


def test_a_task_of_a_run_is_refused(survives: Callable[..., Ran], tmp_path: Path) -> None:
    data = dict.fromkeys(("archetype", "split", "gold", "meta"), "x") | {"id": "t", "prompt": LONE}
    write_run(tmp_path, task={"data": data})
    survives("export", "generations", ".", "--arm", "a", "--tasks-out", "tasks", status=2)
    write_run(tmp_path, task={"data": {"id": LONE}})
    survives("export", "generations", ".", "--arm", "a", status=2)


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (("export", "sft", "--tasks"), 2),
        (("export", "grpo", "--tasks"), 2),
        (("grade", "answers.jsonl", "--tasks"), 2),
        (("baseline", "--tasks"), 2),
        pytest.param(
            ("verify", "--sources", INCIDENTS, "-j", "1", "--junit-out", "report.xml"), 1, marks=pytest.mark.slow
        ),
        (("explain", "x", "--sources", INCIDENTS, "--tasks"), 2),
    ],
    ids=lambda part: str(part[0]) if isinstance(part, tuple) else None,
)
def test_a_damaged_task_is_a_message(
    survives: Callable[..., Ran], damaged: Path, tmp_path: Path, command: tuple[str, ...], status: int
) -> None:
    (tmp_path / "answers.jsonl").touch()
    if command[0] == "baseline":
        pytest.importorskip("sklearn")
    survives(*command, damaged, status=status)


def test_answers_are_graded(survives: Callable[..., Ran], compiled: Path, tmp_path: Path) -> None:
    id_ = json.loads((compiled / "train.jsonl").read_text(encoding="utf-8").partition("\n")[0])["id"]
    write_rows(tmp_path / ODD, [{"id": id_, "completion": f"reply {LONE}"}])
    survives("grade", ODD, "--tasks", compiled)
    write_rows(tmp_path / ODD, [{"id": LONE, "completion": ""}])
    assert "there is no task" in survives("grade", ODD, "--tasks", compiled, status=2).err


@pytest.mark.slow
def test_archives_are_studied(survives: Callable[..., Ran], tmp_path: Path) -> None:
    write_splits(tmp_path / "out", {"test": 2})
    survives("study", "simulate", "--arm", "a=0", "--arm", "b=1", "--samples", "1", "-o", ODD)
    edit_first(tmp_path / ODD, completion=f'{{"diagnosis": "{LONE}", "fix": {{"{LONE}": "{LONE}"}}}}')
    survives("study", "score", ODD, "-o", "scored.jsonl")
    survives("study", "report", ODD, "-o", "report")
    for key in ("arm", "id"):
        shutil.copy(tmp_path / ODD, tmp_path / "edited.jsonl")
        edit_first(tmp_path / "edited.jsonl", **{key: LONE})
        survives("study", "score", "edited.jsonl", status=2)


@pytest.mark.parametrize("key", ["id", "archetype", "gold", "meta"])
def test_split_files_are_refused_by_studies(survives: Callable[..., Ran], tmp_path: Path, key: str) -> None:
    write_splits(tmp_path / "out", {"test": 1})
    edit_first(tmp_path / "out" / "test.jsonl", **{key: LONE})
    survives("study", "simulate", "--arm", "a=0", status=2)


def test_frozen_plans_are_refused(survives: Callable[..., Ran], tmp_path: Path) -> None:
    write_splits(tmp_path / "out", {"test": 1})
    survives("study", "simulate", "--arm", "a=0", "--samples", "1", "-o", "a.jsonl")
    (tmp_path / "plan.toml").write_text('title = "T"\narms = ["a"]\nsamples = 1\n')
    survives("study", "freeze", "plan.toml", "-o", "plan.json")
    plan = tmp_path / "plan.json"
    plan.write_text(plan.read_text().replace('"T"', json.dumps(LONE)))
    survives("study", "report", "a.jsonl", "--plan", "plan.json", status=2)


@pytest.mark.parametrize("format_", ["human", "json", "github", "sarif"])
def test_sources_may_have_odd_names(survives: Callable[..., Ran], tmp_path: Path, format_: str) -> None:
    (tmp_path / f"{ODD}.arch").write_text("unit MiB\nunit MiB\n")
    survives("check", f"{ODD}.arch", "--format", format_, "--junit-out", "report.xml", status=1)
    survives("prove", f"{ODD}.arch", status=1)
    survives("check", f"{ODD}.txt", "--format", format_, status=2)


def test_a_dataset_is_not_compiled_from_sources_that_its_manifest_cannot_name(
    survives: Callable[..., Ran], tmp_path: Path
) -> None:
    for path in INCIDENTS.iterdir():
        shutil.copy(path, tmp_path)
    (tmp_path / "dataset.arch").rename(tmp_path / f"{ODD}.arch")
    assert "`odd\\udcff.arch`" in survives("compile", ".", "-j", "1", status=2).err
    survives("show", "--stage", "parsed", ".")


def test_a_prompt_may_have_an_odd_name(survives: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / ODD).write_text("hello\n")
    survives("solve", ODD, status=2)


@pytest.mark.parametrize("command", ["explain", "sample", "show"])
def test_a_name_may_be_odd(survives: Callable[..., Ran], command: str) -> None:
    survives(command, ODD, "--sources", INCIDENTS, status=2)


LONG = "a" * 300


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", f"{LONG}.arch"),
        ("check", LONG),
        ("prove", LONG),
        ("compile", str(INCIDENTS), "-o", LONG),
        ("verify", LONG, "--sources", str(INCIDENTS)),
        ("verify", ".", "--sources", LONG),
        ("stats", "--tasks", LONG),
        ("grade", __file__, "--tasks", LONG),
        ("grade", LONG),
        ("solve", LONG),
        ("explain", "x", "--tasks", LONG),
        ("export", "sft", "--tasks", LONG, "-o", "rows.jsonl"),
        ("export", "grpo", "--tasks", LONG, "-o", "rows.jsonl"),
        ("export", "generations", LONG, "--arm", "a", "-o", "a.jsonl"),
        ("sample", "x", "--sources", LONG),
    ],
    ids=lambda arguments: " ".join(each if len(each) < 20 else "LONG" for each in arguments),
)
def test_a_name_that_is_too_long_is_told(survives: Callable[..., Ran], arguments: tuple[str, ...]) -> None:
    survives(*arguments, status=2)


def test_an_import_whose_name_is_too_long_is_told(survives: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "first.arch").write_text(f'import "{LONG}.arch"\nunit s\n')
    assert "E130" in survives("check", tmp_path / "first.arch", status=1).out


def test_more_rows_than_a_machine_can_count_are_refused(survives: Callable[..., Ran], compiled: Path) -> None:
    survives("export", "sft", "--tasks", compiled, "--limit", "9" * 23, "-o", "rows.jsonl", status=2)
