"""The README at the root: its links lead somewhere, and its table has every command."""

from __future__ import annotations

import re
from pathlib import Path

from compiler.cli.app import cli

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_link_leads_to_a_file_or_folder() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_command_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `gtd ([a-z]+)", TEXT, flags=re.MULTILINE)) == set(cli.commands)


def test_it_says_where_the_command_is_after_the_setup() -> None:
    assert "`.venv/bin/gtd`" in TEXT
