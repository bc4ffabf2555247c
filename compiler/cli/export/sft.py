"""`gtd export sft`: conversations for supervised training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from compiler.cli.console import note
from compiler.cli.export.rows import out_option, task_options, write_rows
from compiler.cli.group import GtdCommand
from compiler.cli.options import ANY_PATH, tasks_folder
from compiler.cli.sources import choose_dataset, load_plan
from compiler.findings import FOUND
from gpu_train_debug.input_errors import Flaw, refuse
from gpu_train_debug.tasks import MANIFEST, TaskRecord, TasksError, frozen_tasks, sources_folder


@click.command("sft", cls=GtdCommand)
@task_options
@out_option
@click.option("--rationale", is_flag=True, help="Let the reply walk through the runbook in words before it answers.")
@click.option("--sources", multiple=True, type=ANY_PATH, help="`.arch` sources of the tasks, for --rationale.")
def sft_command(
    out: Path | None, rationale: bool, sources: tuple[Path, ...], folder: Path | None, **chosen: Any
) -> int:
    """Write conversations for supervised training, for TRL and prime-rl."""
    from gpu_train_debug.exports import sft_row

    folder = tasks_folder(folder)
    rows = frozen_tasks(folder=folder, **chosen)
    if not rationale:
        return write_rows(out, (sft_row(row) for row in rows))
    from compiler.tasks.redraw import OtherSourcesError

    try:
        reason = _rationales(sources, folder)
        return write_rows(out, (sft_row(row, reason(row)) for row in rows))
    except OtherSourcesError as error:
        note(Flaw(str(error), helps=("name the sources of the tasks with --sources",)).text())
        return FOUND


def _rationales(sources: tuple[Path, ...], folder: Path) -> Callable[[TaskRecord], str]:
    """A writer of rationales for the tasks of `folder`, under the seed that its manifest states."""
    from compiler.dataset.manifest import read_manifest
    from compiler.emit.record import Malformed
    from compiler.explain.rationale import Rationales

    path = folder / MANIFEST
    try:
        manifest = read_manifest(path.read_text(encoding="utf-8"))
        plan = load_plan(sources or (sources_folder(),))
    except (OSError, UnicodeDecodeError, TasksError) as error:
        raise refuse(f"--rationale needs the manifest and the sources of the tasks: {error}") from error
    if isinstance(manifest, Malformed):
        raise refuse("; ".join(manifest.reasons), str(path))
    dataset = choose_dataset(plan, manifest[0].dataset, manifest[0].seed)
    return Rationales(plan, dataset).of
