"""Every old spelling of an option still works, names the new one, and isn't shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from compiler.cli.app import cli
from compiler.cli.spellings import RenamedOption

OLD = {
    "check": ["--junit-xml FILE"],
    "prove": ["--junit-xml FILE", "--draws 3", "--only a", "--smt-lib FOLDER"],
    "compile": ["--only a"],
    "verify": ["--junit-xml FILE"],
    "sample": ["--json"],
    "explain": ["--out FOLDER"],
    "grade": ["--out FOLDER", "--json"],
    "baseline": ["--json FILE", "--output FILE"],
    "export sft": ["--data FOLDER", "--only a", "--output FILE"],
    "export grpo": ["--data FOLDER", "--only a", "--output FILE"],
    "export generations": ["--output FILE"],
    "export configs": ["--output FOLDER"],
    "study score": ["--json"],
    "cases": ["--junit-xml FILE"],
}
CASES = [(path, spelling) for path, spellings in OLD.items() for spelling in spellings]

REQUIRED = {
    "sample": ["x"],
    "explain": ["x"],
    "grade": ["answers.jsonl"],
    "export generations": ["run", "--arm", "x"],
    "study score": ["archive.jsonl"],
}


def commands(group: click.Group = cli, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


COMMANDS = dict(commands())


def renamed(command: click.Command) -> Iterator[tuple[str, str]]:
    for option in command.params:
        if isinstance(option, RenamedOption):
            yield from option.old.items()


@pytest.fixture(autouse=True)
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "answers.jsonl").touch()


def parsed(path: str, *arguments: str) -> dict[str, object]:
    """The values that a command gets, but for open files."""
    context = COMMANDS[path].make_context(path, [*arguments, *REQUIRED.get(path, [])])
    with context:
        return {name: value for name, value in context.params.items() if name != "file"}


def test_the_table_here_has_every_old_spelling() -> None:
    found = {path: sorted(old for old, _ in renamed(command)) for path, command in COMMANDS.items()}
    expected = {path: sorted(text.split()[0] for text in OLD.get(path, [])) for path in COMMANDS}
    assert found == expected


@pytest.mark.parametrize(("path", "spelling"), CASES, ids=lambda part: part.replace(" ", "-"))
def test_an_old_spelling_means_the_new_one_and_says_so(
    path: str, spelling: str, capsys: pytest.CaptureFixture[str]
) -> None:
    old, *value = spelling.split()
    new = dict(renamed(COMMANDS[path]))[old]
    given = parsed(path, old, *value)
    assert f"note: `{old}` is now spelled `{new}`\n" in capsys.readouterr().err
    assert given == parsed(path, *new.split(), *value) != parsed(path)
    assert "is now spelled" not in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted(OLD))
def test_help_shows_new_spellings_alone(path: str) -> None:
    command = COMMANDS[path]
    words = command.get_help(click.Context(command)).split()
    assert {new.split()[0] for _, new in renamed(command)} <= set(words)
    assert {old for old, _ in renamed(command)}.isdisjoint(words)


def test_both_spellings_add_up_where_several_values_are_taken() -> None:
    assert parsed("prove", "--only", "a", "--archetype", "b", "--only", "c")["archetypes"] == ("b", "a", "c")


def test_both_spellings_are_refused_where_one_value_is_taken() -> None:
    with pytest.raises(click.UsageError, match="`--out` is an old spelling of `--tasks`: give one of them"):
        parsed("explain", "--out", "a", "--tasks", "b")


@pytest.mark.parametrize(("path", "misspelt"), [("sample", "--jsn"), ("prove", "--onl"), ("baseline", "--outpt")])
def test_a_misspelt_option_never_suggests_an_old_spelling(path: str, misspelt: str) -> None:
    command = COMMANDS[path]
    with pytest.raises(click.NoSuchOption) as caught:
        command.make_context(path, [misspelt])
    old = {spelling for spelling, _ in renamed(command)}
    assert old.isdisjoint(caught.value.possibilities or ())


def test_a_misspelt_option_suggests_the_one_that_was_meant() -> None:
    with pytest.raises(click.NoSuchOption) as caught:
        COMMANDS["prove"].make_context("prove", ["--archetyp", "x"])
    assert "--archetype" in (caught.value.possibilities or ())
