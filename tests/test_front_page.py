"""The README at the root: its task is a task of the dataset, and its table has every command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.cli.app import cli, main

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `gtd ([a-z]+)", TEXT, flags=re.MULTILINE)) == set(cli.commands)


def test_it_says_where_the_command_is_after_the_setup() -> None:
    assert "`.venv/bin/gtd`" in TEXT


@pytest.mark.slow
def test_the_task_at_the_top_is_a_task_of_the_dataset(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["sample", "copy_then_logits", "--split", "train", "--sources", str(ROOT / "archetypes")])
    page, _, gold = capsys.readouterr().out.partition("----- gold -----\n")
    lines, answer = re.findall(r"```(?:text|json)\n(.*?)\n```", TEXT, flags=re.DOTALL)[:2]
    assert len(lines.splitlines()) == 10
    assert set(lines.splitlines()) <= set(page.splitlines())
    assert answer == gold.splitlines()[0]
