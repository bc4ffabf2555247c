"""`gtd verify`: a compiled dataset against its sources."""

from __future__ import annotations

from pathlib import Path

import click

from compiler.cli.console import progress, publish
from compiler.cli.group import GtdCommand
from compiler.cli.options import FOLDER, jobs_option, report_options, sources_option
from compiler.cli.sources import load_plan


@click.command("verify", cls=GtdCommand)
@click.argument("folder", type=FOLDER, default=Path("out"))
@sources_option
@report_options
@jobs_option
@click.option("--rebuild", is_flag=True, help="Also compile again and compare the bytes.")
def verify_command(
    folder: Path, sources: tuple[Path, ...], format_: str, junit: Path | None, jobs: int, rebuild: bool
) -> int:
    """Check a compiled dataset against its sources.

    Nothing is trusted: every task is read, answered and proved again, from the files and the sources alone.
    """
    from compiler.verify.folder import UnreadableFolderError, count_rows, verify_folder

    plan = load_plan(sources)
    try:
        with progress("verifying", count_rows(folder)) as advance:
            outcome = verify_folder(plan, folder, jobs=jobs, rebuild=rebuild, advance=advance)
    except UnreadableFolderError as error:
        raise click.UsageError(str(error)) from error
    return publish(
        outcome.findings,
        format_=format_,
        junit=junit,
        suite="gtd verify",
        subjects=outcome.subjects,
        summary=outcome.summary,
    )
