"""`gtd export`: rows for trainers and studies, and training configs.

In: the tasks of a folder, or the folder of a run. Out: JSONL on standard output or in files, which are written
whole or not at all.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compiler.findings import CLEAN, FOUND
from gpu_train_debug.tasks import MANIFEST, TaskRow, TasksError, default_folder, frozen_tasks

if TYPE_CHECKING:
    from compiler.emit.record import TaskRecord

MOST_REASONS = 5
"""Different reasons for failed requests that are told."""

folder_path = click.Path(file_okay=False, path_type=Path)
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write, instead of standard output.",
)


def tasks_option(name: str) -> Callable[..., Any]:
    """Where the tasks are; the command gets `folder` and names it on standard error."""
    return click.option(
        name,
        "folder",
        type=folder_path,
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


@click.group()
def export() -> None:
    """Write tasks for trainers, and runs for studies."""


@export.command()
@task_options
@output_option
@click.option("--rationale", is_flag=True, help="Let the reply walk through the runbook in words before it answers.")
@click.option(
    "--sources",
    multiple=True,
    type=click.Path(path_type=Path),
    help="`.arch` sources of the tasks, for --rationale.",
)
def sft(output: Path | None, rationale: bool, sources: tuple[Path, ...], folder: Path, **chosen: Any) -> int:
    """Conversations for supervised training, for TRL and prime-rl."""
    from gpu_train_debug.exports import sft_row

    rows = _tasks(folder, chosen)
    if not rationale:
        return _write(output, (sft_row(row) for row in rows))
    from compiler.tasks.redraw import OtherSourcesError

    try:
        reason = _rationales(sources, folder)
        return _write(output, (sft_row(row, reason(row)) for row in rows))
    except OtherSourcesError as error:
        click.echo(f"error: {error}", err=True)
        return FOUND


@export.command()
@task_options
@output_option
def grpo(output: Path | None, folder: Path, **chosen: Any) -> int:
    """Prompts with their golds for TRL's GRPOTrainer and `gpu_train_debug.reward.task_reward`."""
    from gpu_train_debug.exports import grpo_row

    rows = _tasks(folder, chosen)
    try:
        return _write(output, list(map(grpo_row, rows)))
    except TasksError as error:
        raise click.UsageError(str(error)) from error


@export.command()
@click.argument("run", type=folder_path)
@click.option("--arm", required=True, help="What was evaluated, as the study names it.")
@output_option
@click.option("--tasks-out", type=folder_path, help="Also write the tasks of the run here, for `gtd study --tasks`.")
def generations(run: Path, arm: str, output: Path | None, tasks_out: Path | None) -> int:
    """The replies of a `vf-eval` run (its folder), as an archive for `gtd study`."""
    from gpu_train_debug.exports import generation_rows, run_tasks
    from gpu_train_debug.study.inputs.generations import ARM

    if not ARM.fullmatch(arm):
        raise click.UsageError(f"--arm: `{arm}` is no name that a study takes: letters, digits and ._:/@+-")
    try:
        rows = list(generation_rows(run, arm))
        if tasks_out is not None:
            _write_tasks(tasks_out, run_tasks(run), output)
    except TasksError as error:
        raise click.UsageError(str(error)) from error
    _write(output, rows)
    failures = Counter(row["failed"] for row in rows if "failed" in row)
    if failures:
        click.echo(f"{failures.total()} of {len(rows)} requests failed and count as empty replies:", err=True)
        for reason, count in failures.most_common(MOST_REASONS):
            click.echo(f"  {count} x {reason}", err=True)
        if len(failures) > MOST_REASONS:
            click.echo(f"  and {len(failures) - MOST_REASONS} more reasons", err=True)
    return FOUND if failures.total() == len(rows) else CLEAN


@export.command()
@click.option("-o", "--output", type=folder_path, default=Path("."), show_default=True, help="Folder to copy them to.")
@click.option("--force", is_flag=True, help="Overwrite configs that were edited.")
def configs(output: Path, force: bool) -> int:
    """Training configs for TRL and prime-rl."""
    from gpu_train_debug.exports import config_files

    copies = {path: output / path.name for path in config_files()}
    try:
        edited = [
            str(copy) for path, copy in copies.items() if copy.exists() and copy.read_bytes() != path.read_bytes()
        ]
        if edited and not force:
            raise click.UsageError(f"{', '.join(edited)} would be overwritten; --force does so")
        output.mkdir(parents=True, exist_ok=True)
        for path, copy in copies.items():
            click.echo(shutil.copyfile(path, copy))
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror}") from error
    return CLEAN


def _tasks(folder: Path, chosen: Mapping[str, Any]) -> list[TaskRow]:
    try:
        return frozen_tasks(folder=folder, **chosen)
    except TasksError as error:
        raise click.UsageError(str(error)) from error


def _rationales(sources: tuple[Path, ...], folder: Path) -> Callable[[TaskRow], str]:
    """A writer of rationales for the tasks of `folder`, under the seed that its manifest states."""
    from compiler.cli.app import choose_dataset, load_plan
    from compiler.dataset.manifest import read_manifest
    from compiler.emit.record import Malformed
    from compiler.explain.rationale import Rationales
    from gpu_train_debug.tasks import sources_folder

    path = folder / MANIFEST
    try:
        manifest = read_manifest(path.read_text(encoding="utf-8"))
        plan = load_plan(sources or (sources_folder(),))
    except (OSError, UnicodeDecodeError, TasksError) as error:
        raise click.UsageError(f"--rationale needs the manifest and the sources of the tasks: {error}") from error
    if isinstance(manifest, Malformed):
        raise click.UsageError(f"{path}: {'; '.join(manifest.reasons)}")
    dataset = choose_dataset(plan, manifest[0].dataset, manifest[0].seed)
    writer = Rationales(plan, dataset)
    return lambda row: writer.of(_record(row))


def _record(row: TaskRow) -> TaskRecord:
    from compiler.emit.record import TaskRecord

    return TaskRecord(row.id, row.archetype, row.split, row.prompt, row.gold, row.meta)


def _write_tasks(folder: Path, rows: Iterable[TaskRow], archive: Path | None) -> None:
    """Write a folder that holds these tasks and no others, since a study wants replies to all that it finds.

    Raises:
        TasksError: Others are there, or would be: the archive; or a row isn't what a split file may hold.
    """
    from compiler.dataset.staging import StagedFolder
    from compiler.emit.record import record_line

    lines: dict[str, list[str]] = {}
    for row in rows:
        try:
            lines.setdefault(f"{row.split}.jsonl", []).append(record_line(_record(row)))
        except ValueError as error:
            raise TasksError(str(error)) from error
    inside = {path.name for path in [*folder.glob("*.jsonl"), folder / MANIFEST] if path.exists()}
    if archive is not None and archive.parent.resolve() == folder.resolve():
        inside.add(f"the archive {archive.name}")
    if others := inside - lines.keys():
        raise TasksError(f"{folder} is for the tasks of the run alone, without {', '.join(sorted(others))}")
    try:
        with StagedFolder(folder) as staged:
            for name in sorted(lines):
                staged.open(name).write("".join(lines[name]))
            staged.publish()
    except OSError as error:
        raise click.ClickException(f"cannot write {folder}: {error.strerror}") from error


def _write(output: Path | None, rows: Iterable[Mapping[str, Any]]) -> int:
    from compiler.emit.jsontext import encode
    from gpu_train_debug.files import write_whole

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
    click.echo(f"{output}: {len(lines)} rows", err=True)
    return CLEAN
