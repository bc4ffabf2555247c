"""`gtd export generations`: the replies of a run, as an archive for studies, and the tasks of the run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from compiler.cli.console import note
from compiler.cli.export.rows import out_option, write_rows
from compiler.cli.group import GtdCommand
from compiler.cli.options import FOLDER
from compiler.findings import CLEAN, FOUND
from gpu_train_debug.files import cannot_write, files_ending
from gpu_train_debug.input_errors import refuse
from gpu_train_debug.tasks import MANIFEST, TaskRecord, TasksError
from gpu_train_debug.wording import joined

MOST_REASONS = 5
"""How many different reasons for failed requests are listed."""


@click.command("generations", cls=GtdCommand)
@click.argument("run", type=FOLDER)
@click.option("--arm", metavar="NAME", required=True, help="What was evaluated, as the study names it.")
@out_option
@click.option("--tasks-out", type=FOLDER, help="Also write the tasks of the run here, for `gtd study --tasks`.")
def generations_command(run: Path, arm: str, out: Path | None, tasks_out: Path | None) -> int:
    """Write the replies of a `vf-eval` run as an archive for `gtd study`.

    RUN is the folder of the run.
    """
    from gpu_train_debug.exports import generation_rows, run_tasks
    from gpu_train_debug.study.inputs.generations import ARM

    if not ARM.fullmatch(arm):
        raise click.UsageError(f"--arm: `{arm}` isn't a name that a study takes: use letters, digits and ._:/@+-")
    rows = list(generation_rows(run, arm))
    if tasks_out is not None:
        _write_tasks(tasks_out, run_tasks(run), out)
    write_rows(out, rows)
    return FOUND if _note_failures(rows) == len(rows) else CLEAN


def _note_failures(rows: Sequence[Mapping[str, Any]]) -> int:
    """Say how many requests failed, and why; gives that number."""
    failures = Counter(row["failed"] for row in rows if "failed" in row)
    if failures:
        note(f"{failures.total()} of {len(rows)} requests failed and count as empty replies:")
        for reason, count in failures.most_common(MOST_REASONS):
            note(f"  {count} x {reason}")
        if len(failures) > MOST_REASONS:
            note(f"  and {len(failures) - MOST_REASONS} more reasons")
    return failures.total()


def _write_tasks(folder: Path, rows: Iterable[TaskRecord], archive: Path | None) -> None:
    """Write a folder that holds these tasks and no others, since a study wants replies to all that it finds.

    Raises:
        InputError: Others are there, or would be: the archive; or it can't be written.
        TasksError: A row isn't what a split file may hold.
    """
    from compiler.dataset.staging import StagedFolder
    from compiler.emit.record import record_line

    lines: dict[str, list[str]] = {}
    for row in rows:
        try:
            lines.setdefault(f"{row.split}.jsonl", []).append(record_line(row))
        except ValueError as error:
            raise TasksError(str(error)) from error
    inside = {path.name for path in [*files_ending(folder, ".jsonl"), folder / MANIFEST] if os.path.exists(path)}
    if archive is not None and archive.parent.resolve() == folder.resolve():
        inside.add(f"the archive {archive.name}")
    if others := inside - lines.keys():
        helps = (f"move {joined(sorted(others))}, or choose another folder with --tasks-out",)
        raise refuse("this folder may hold the tasks of the run and nothing else", str(folder), helps=helps)
    try:
        with StagedFolder(folder) as staged:
            for name in sorted(lines):
                staged.open(name).write("".join(lines[name]))
            staged.publish()
    except OSError as error:
        raise refuse(cannot_write(folder, error)) from error
