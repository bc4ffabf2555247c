"""Rows of an export: which tasks they are made of, and where they go.

Files are written whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from compiler.cli.console import note
from compiler.cli.options import FILE, tasks_option
from compiler.findings import CLEAN
from gpu_train_debug.tasks import TaskRecord, TasksError, frozen_tasks

output_option = click.option("-o", "--output", type=FILE, help="File to write, instead of standard output.")


def task_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which tasks to export."""
    options = (
        click.option("--split", default="train", show_default=True, help="The split."),
        tasks_option("--data"),
        click.option("--archetype", "archetypes", multiple=True, help="Take tasks of these archetypes alone."),
        click.option("--tier", "tiers", multiple=True, help="Take tasks of these tiers alone."),
        click.option("--limit", type=click.IntRange(1), help="Take so many tasks at most."),
        click.option("--seed", type=click.IntRange(0), help="Shuffle by it, before the limit."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def chosen_tasks(folder: Path, chosen: Mapping[str, Any]) -> list[TaskRecord]:
    """The tasks of `folder` that the values of `task_options` choose.

    Raises:
        UsageError: There are none, or a name doesn't exist.
    """
    try:
        return frozen_tasks(folder=folder, **chosen)
    except TasksError as error:
        raise click.UsageError(str(error)) from error


def write_rows(output: Path | None, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write JSON objects, one a line, to a file or to standard output."""
    from gpu_train_debug.files import write_whole
    from gpu_train_debug.jsontext import encode

    if output is None:
        for row in rows:
            click.echo(encode(row))
        return CLEAN
    lines = [encode(row) + "\n" for row in rows]
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_whole(output, "".join(lines).encode())
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror}") from error
    note(f"{output}: {len(lines)} rows")
    return CLEAN
