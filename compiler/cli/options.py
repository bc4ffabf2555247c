"""Options and arguments that several commands have, each defined once.

One name for one thing: `--tasks` is a folder of compiled tasks that is read, `--archetype` a choice of archetypes,
`-n/--count` a number of things to make, `--format` the form of what is printed, `-o/--out` what is written, and an
option that ends in `-out` a further file or folder that is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from compiler.cli.console import note
from compiler.cli.formats import FORMATS
from compiler.cli.sources import DEFAULT_SEED, DEFAULT_SOURCES
from compiler.cli.spellings import RenamedOption
from gpu_train_debug.input_errors import refuse
from gpu_train_debug.tasks import default_folder

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class PathName(click.Path):
    """The path of a file, a folder or either. An empty one is wrong usage: Python would read it as this folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


FILE = PathName(dir_okay=False, path_type=Path)
FOLDER = PathName(file_okay=False, path_type=Path)
ANY_PATH = PathName(path_type=Path)
SEED = click.IntRange(0, 2**63 - 1)


class InputFile(click.File):
    """A file to read, in bytes; one that can't be opened is bad input and not wrong usage."""

    def __init__(self) -> None:
        super().__init__("rb")

    def fail(self, message: str, param: click.Parameter | None = None, ctx: click.Context | None = None) -> NoReturn:
        raise refuse(f"can't read {message}")


paths_argument = click.argument("paths", nargs=-1, type=ANY_PATH)
sources_option = click.option(
    "--sources",
    multiple=True,
    type=ANY_PATH,
    help=f"The `.arch` files or folders; `{DEFAULT_SOURCES}` if not given.",
)
dataset_option = click.option(
    "--dataset", "dataset_name", metavar="NAME", help="Which dataset, where the sources declare several."
)
draw_seed_option = click.option(
    "--seed",
    type=SEED,
    help="Seed of the draws. If not given: that of the dataset, where the sources declare exactly one or --dataset "
    f"chooses one, and {DEFAULT_SEED} otherwise.",
)
split_option = click.option(
    "--split", "split_name", metavar="NAME", help="Take the tasks of this split of the dataset, instead of samples."
)
jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 256),
    default=lambda: os.cpu_count() or 1,
    help="Worker processes; one per core if not given.",
)


def form_option(*forms: str, old: str = "") -> Decorator:
    """The form in which the result is printed, by default the first; the command gets `format_`."""
    return click.option(
        "--format",
        "format_",
        cls=RenamedOption,
        old={old: "--format json"} if old else {},
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help="Form of what is printed.",
    )


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How findings are printed; the command gets `format_` and `junit`."""
    junit_option = click.option(
        "--junit-out",
        "junit",
        cls=RenamedOption,
        old={"--junit-xml": "--junit-out"},
        type=FILE,
        help="Also write a JUnit report to this file.",
    )
    return form_option(*FORMATS)(junit_option(command))


archetypes_option = click.option(
    "--archetype",
    "archetypes",
    cls=RenamedOption,
    old={"--only": "--archetype"},
    multiple=True,
    metavar="NAME",
    help="Only this archetype; repeat the option for several.",
)


def count_option(what: str, *, default: int, most: int, old: str = "") -> Decorator:
    """How many things to make; the command gets `count`."""
    return click.option(
        "-n",
        "--count",
        cls=RenamedOption,
        old={old: "--count"} if old else {},
        type=click.IntRange(1, most),
        default=default,
        show_default=True,
        help=what,
    )


def tasks_option(*, old: str = "") -> Decorator:
    """The folder of tasks to read; the command gets `folder`, and asks `tasks_folder` which it is."""
    return click.option(
        "--tasks",
        "folder",
        cls=RenamedOption,
        old={old: "--tasks"} if old else {},
        type=FOLDER,
        help="Folder of the tasks; `out` if there is one here, else the frozen splits.",
    )


def tasks_folder(named: Path | None) -> Path:
    """The folder that `tasks_option` names, or else the default one; says on standard error which it is.

    Raises:
        TasksError: None is named, and there is no default one.
    """
    folder = default_folder() if named is None else named
    note(f"tasks: {folder}")
    return folder
