"""Help texts are whole."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from compiler.cli.app import cli


def walk(command: click.Command, path: str = "gtd") -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from walk(inner, f"{path} {name}")


COMMANDS = dict(walk(cli))


def help_of(path: str) -> str:
    return COMMANDS[path].get_help(click.Context(COMMANDS[path], info_name=path))


@pytest.mark.parametrize("path", COMMANDS)
def test_help_cuts_no_description(path: str) -> None:
    usage, _, rest = help_of(path).partition("\n\n")
    assert usage.startswith("Usage: ")
    assert [line for line in rest.split("\n") if line.rstrip().endswith(("...", "…"))] == []


@pytest.mark.parametrize("path", COMMANDS)
def test_help_is_made_of_sentences(path: str) -> None:
    command = COMMANDS[path]
    assert command.get_short_help_str().endswith(".")
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert option.help.endswith("."), option.name


@pytest.mark.parametrize("path", [path for path in COMMANDS if isinstance(COMMANDS[path], click.Group)])
def test_a_group_shows_each_command_with_its_whole_sentence(path: str) -> None:
    group = COMMANDS[path]
    assert isinstance(group, click.Group)
    shown = " ".join(help_of(path).split()).replace("- ", "-")  # lines may end at a hyphen
    for name, command in group.commands.items():
        assert f"{name} {command.get_short_help_str()}" in shown
