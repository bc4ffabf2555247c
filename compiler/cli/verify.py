"""`gtd verify`: a compiled dataset against its sources."""

from __future__ import annotations

from pathlib import Path

import click

from compiler.cli.console import progress, publish
from compiler.cli.group import GtdCommand
from compiler.cli.options import (
    FOLDER,
    jobs_option,
    report_options,
    sources_option,
    tasks_folder,
    tasks_option,
)
from compiler.cli.sources import load_plan
from gpu_train_debug.input_errors import refuse


@click.command("verify", cls=GtdCommand)
@click.argument("short", metavar="[TASKS]", type=FOLDER, required=False)
@tasks_option()
@sources_option
@report_options
@jobs_option
@click.option("--rebuild", is_flag=True, help="Also compile again and compare the bytes.")
def verify_command(
    short: Path | None,
    folder: Path | None,
    sources: tuple[Path, ...],
    format_: str,
    junit: Path | None,
    jobs: int,
    rebuild: bool,
) -> int:
    """Check a compiled dataset against its sources.

    Nothing is trusted: every task is read, answered and proved again, from the files and the sources alone.
    `gtd verify FOLDER` is short for `gtd verify --tasks FOLDER`.
    """
    from compiler.verify.folder import UnreadableFolderError, count_rows, verify_folder

    if short is not None and folder is not None:
        raise click.UsageError("the folder of the tasks is given twice, once with --tasks: leave one out")
    folder = tasks_folder(short or folder)
    plan = load_plan(sources)
    try:
        with progress("verifying", count_rows(folder)) as advance:
            outcome = verify_folder(plan, folder, jobs=jobs, rebuild=rebuild, advance=advance)
    except UnreadableFolderError as error:
        raise refuse(str(error), helps=("name the folder of a compiled dataset; `gtd compile` makes one",)) from error
    return publish(
        outcome.findings,
        format_=format_,
        junit=junit,
        suite="gtd verify",
        subjects=outcome.subjects,
        summary=outcome.summary,
    )
