"""What the commands of `gtd study` share: options, refusals and warnings.

The numerical libraries are loaded by the commands when they run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from compiler.cli.console import standard_output_failure
from compiler.cli.options import ANY_PATH, FILE
from gpu_train_debug.files import cannot_write
from gpu_train_debug.input_errors import refuse
from gpu_train_debug.tasks import default_folder

_EXTRA = ("numpy", "scipy", "matplotlib")


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what is wrong with the written files or the installation into messages."""
    try:
        yield
    except OSError as error:
        if standard_output_failure() is not None:
            raise
        raise refuse(cannot_write(error.filename or "the output", error)) from error
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise refuse(
            f"studies need {error.name}", helps=("install the extra: pip install 'gpu-train-debug[study]'",)
        ) from error


def warn(notes: Sequence[str]) -> None:
    for note in notes:
        click.echo(f"warning: {note}", err=True)


archives_argument = click.argument("archives", nargs=-1, required=True, type=FILE)


def _known_tasks(_context: click.Context, _option: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Where tasks are if nobody says so: in `out`, or else in the installed package."""
    return paths or (default_folder(),)


study_tasks_option = click.option(
    "--tasks",
    multiple=True,
    type=ANY_PATH,
    callback=_known_tasks,
    help="A split file, or a folder of them; `out` if there is one here, else the frozen splits.",
)
study_split_option = click.option(
    "--split",
    "splits",
    multiple=True,
    metavar="NAME",
    help="Only the tasks of this split; repeat the option for several.",
)
arm_option = click.option(
    "--arm", "arms", multiple=True, metavar="NAME", help="Only this arm; repeat the option for several."
)
samples_option = click.option(
    "--samples",
    type=click.IntRange(1),
    help="Use only this many samples of each task, the first ones; all if not given.",
)
twins_option = click.option(
    "--twins",
    type=FILE,
    help="TOML that names, for archetypes of healthy runs, the faults they resemble; the frozen splits have one.",
)
