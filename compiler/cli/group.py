"""The base classes of the commands, and how a command stops early."""

from __future__ import annotations

import inspect
import os
from typing import Any

import click

from compiler.cli.console import COLOURS, wants_colour


class HaltError(Exception):
    """Stop with findings already printed."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def _set_colour(context: click.Context, _parameter: click.Parameter, choice: str | None) -> None:
    if choice is not None:
        context.color = wants_colour(choice, os.environ)


class GtdCommand(click.Command):
    """A command whose description in a list is a whole sentence; it takes the option `--color` of `gtd`, too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        colour = click.Option(
            ["--color"],
            type=click.Choice(COLOURS),
            expose_value=False,
            callback=_set_colour,
            is_eager=True,
            hidden=True,
            help="Colours in messages, as for `gtd` itself.",
        )
        self.params.append(colour)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse options; a misspelt one is compared with present spellings alone."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            present = {name for option in self.get_params(ctx) for name in option.opts}
            possible = [name for name in error.possibilities or () if name in present]
            raise click.NoSuchOption(error.option_name, possibilities=possible, ctx=error.ctx) from None

    def get_short_help_str(self, limit: int = 0) -> str:
        return summary(self)


class GtdGroup(click.Group):
    """A group of such commands."""

    command_class = GtdCommand
    group_class = type

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they were added, which is that of use."""
        return list(self.commands)

    def get_short_help_str(self, limit: int = 0) -> str:
        return summary(self)


def summary(command: click.Command) -> str:
    """The first paragraph of a command's help, on one line; unlike click's own, it is never cut."""
    return " ".join(inspect.cleandoc(command.help or "").partition("\n\n")[0].split())
