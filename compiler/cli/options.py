"""Options and arguments that several commands have, each defined once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from compiler.cli.formats import FORMATS
from compiler.cli.sources import DEFAULT_SOURCES
from gpu_train_debug.tasks import TasksError, default_folder

FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
ANY_PATH = click.Path(path_type=Path)


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How findings are printed; the command gets `format_` and `junit`."""
    command = click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        default="human",
        show_default=True,
        help="Form of the findings.",
    )(command)
    return click.option("--junit-xml", "junit", type=FILE, help="Also write a JUnit report here.")(command)


paths_argument = click.argument("paths", nargs=-1, type=ANY_PATH)
sources_option = click.option(
    "--sources",
    multiple=True,
    type=ANY_PATH,
    help=f"The `.arch` files or folders; `{DEFAULT_SOURCES}` if not given.",
)
seed_option = click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Seed; the dataset's own if not given.")
jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 256),
    default=lambda: os.cpu_count() or 1,
    help="Worker processes; one per core if not given.",
)


def tasks_option(name: str) -> Callable[..., Any]:
    """Where the tasks are; the command gets `folder`, and standard error says which it is."""
    return click.option(
        name,
        "folder",
        type=FOLDER,
        callback=_tasks_folder,
        help="Folder of the tasks; `out` if there is one here, else the frozen splits.",
    )


def _tasks_folder(_context: click.Context, _option: click.Parameter, folder: Path | None) -> Path:
    try:
        folder = default_folder() if folder is None else folder
    except TasksError as error:
        raise click.UsageError(str(error)) from error
    click.echo(f"tasks: {folder}", err=True)
    return folder
