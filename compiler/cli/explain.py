"""`gtd explain`: why the gold of a task is right, and what a diagnostic means."""

from __future__ import annotations

import re
from pathlib import Path

import click

from compiler.cli.group import GtdCommand
from compiler.cli.options import sources_option, tasks_folder, tasks_option
from compiler.cli.sources import load_plan
from compiler.codes import CODES
from compiler.findings import CLEAN
from gpu_train_debug.input_errors import refuse, similar


@click.command("explain", cls=GtdCommand)
@click.argument("subject")
@sources_option
@tasks_option(old="--out")
def explain_command(subject: str, sources: tuple[Path, ...], folder: Path | None) -> int:
    """Explain a task by its id, or a diagnostic by its code.

    `gtd explain E305` says what a diagnostic means, `gtd explain train-NAME-000` why the gold of a task is right.
    """
    if re.fullmatch(r"[A-Za-z][0-9]+", subject):
        click.echo(_explain_code(subject))
        return CLEAN
    from compiler.dataset.lookup import UnknownTaskError, find_task
    from compiler.explain.writeup import explain_task
    from compiler.tasks.redraw import OtherSourcesError

    folder = tasks_folder(folder)
    plan = load_plan(sources)
    try:
        found = find_task(plan, folder, subject)
        click.echo(explain_task(plan, found.dataset, found.record), nl=False)
    except UnknownTaskError as error:
        raise refuse(str(error), helps=error.helps) from error
    except OtherSourcesError as error:
        raise refuse(str(error)) from error
    return CLEAN


def _explain_code(name: str) -> str:
    code = CODES.get(name.upper())
    if code is None:
        raise refuse(
            f"there is no diagnostic with the code `{name}`",
            helps=similar(name.upper(), CODES) or ("docs/diagnostics.md lists all codes",),
        )
    text = f"{code.code}: {code.title}\n\n{code.explanation}"
    if code.sample is None:
        return text
    program = "\n".join(f"    {line}" for line in code.sample.rstrip("\n").split("\n"))
    return f"{text}\n\nThe smallest program that gives it:\n\n{program}"
