"""Rows of an export: which tasks they are made of, and where they go.

Files are written whole or not at all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from compiler.cli.console import note, write_file
from compiler.cli.options import FILE, SEED, archetypes_option, tasks_option
from compiler.cli.spellings import RenamedOption
from compiler.findings import CLEAN
from gpu_train_debug.wording import counted

out_option = click.option(
    "-o",
    "--out",
    cls=RenamedOption,
    old={"--output": "--out"},
    type=FILE,
    help="File to write, instead of standard output.",
)


def task_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which tasks to export; the command gives the values to `frozen_tasks`."""
    options = (
        click.option(
            "--split", default="train", show_default=True, metavar="NAME", help="Take the tasks of this split."
        ),
        tasks_option(old="--data"),
        archetypes_option,
        click.option(
            "--tier",
            "tiers",
            multiple=True,
            metavar="NAME",
            help="Only the tasks of this tier; repeat the option for several.",
        ),
        click.option("--limit", type=click.IntRange(1, sys.maxsize), help="Take at most this many tasks."),
        click.option("--seed", type=SEED, help="Shuffle the tasks with this seed, before the limit."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def write_rows(out: Path | None, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write JSON objects, one a line, to a file or to standard output."""
    from gpu_train_debug.jsontext import encode

    if out is None:
        for row in rows:
            click.echo(encode(row))
        return CLEAN
    lines = [encode(row) + "\n" for row in rows]
    write_file(out, "".join(lines))
    note(f"{out}: {counted(len(lines), 'row')}")
    return CLEAN
