"""Options that were renamed: an old spelling still works, says the new one on standard error, and isn't in the help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from compiler.cli.console import note


class RenamedOption(click.Option):
    """An option with old spellings.

    Args:
        old: The new spelling of each old one: an option that takes the same values, such as `--tasks`, or an option
            with its value, such as `--format json`.
    """

    def __init__(self, declarations: Sequence[str], *, old: Mapping[str, str], **settings: Any) -> None:
        super().__init__(declarations, **settings)
        self.old = old

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        super().add_to_parser(parser, ctx)
        for old, new in self.old.items():
            value = new.partition(" ")[2]
            action = "store_const" if value else "append" if self.multiple else "store"
            parser.add_option(obj=self, opts=[old], dest=old, action=action, nargs=self.nargs, const=value or None)

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        merged = dict(opts)
        for old, new in self.old.items():
            if old not in opts:
                continue
            if not ctx.resilient_parsing:
                note(f"note: `{old}` is now spelled `{new}`")
            if self.multiple:
                merged[self.name] = [*merged.get(self.name, ()), *opts[old]]
            elif self.name in merged:
                raise click.UsageError(f"`{old}` is an old spelling of `{new}`: give one of them", ctx)
            else:
                merged[self.name] = opts[old]
        return super().handle_parse_result(ctx, merged, args)
