"""`gtd export`: rows for trainers and studies, and training configs.

In: the frozen tasks or those of a folder, or the folder of a run. Out: JSONL on standard output or in a file,
which is written whole or not at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from compiler.report import CLEAN, FOUND
from gpu_train_debug.tasks import TaskRow, TasksError, data_folder, frozen_tasks

folder_path = click.Path(file_okay=False, path_type=Path)
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write, instead of standard output.",
)


def task_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which tasks to export."""
    options = (
        click.option("--split", default="train", show_default=True, help="The split."),
        click.option("--data", type=folder_path, help="Folder of the splits, instead of the package's."),
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
def sft(output: Path | None, rationale: bool, sources: tuple[Path, ...], data: Path | None, **chosen: Any) -> int:
    """Conversations for supervised training, for TRL and prime-rl."""
    from compiler.rationale import OtherSourcesError
    from gpu_train_debug.exports import sft_row

    rows = _tasks(data, chosen)
    try:
        if rationale:
            reason = _rationales(sources, data)
            return _write(output, (sft_row(row, reason(row)) for row in rows))
        return _write(output, (sft_row(row) for row in rows))
    except OtherSourcesError as error:
        click.echo(f"error: {error}", err=True)
        return FOUND


@export.command()
@task_options
@output_option
def grpo(output: Path | None, data: Path | None, **chosen: Any) -> int:
    """Prompts with their golds for TRL's GRPOTrainer and `gpu_train_debug.reward.task_reward`."""
    from gpu_train_debug.exports import grpo_row

    return _write(output, map(grpo_row, _tasks(data, chosen)))


@export.command()
@click.argument("run", type=folder_path)
@click.option("--arm", required=True, help="What was evaluated, as the study names it.")
@output_option
def generations(run: Path, arm: str, output: Path | None) -> int:
    """The replies of a `vf-eval` run (its folder), as an archive for `gtd study`."""
    from gpu_train_debug.exports import generation_rows

    try:
        return _write(output, list(generation_rows(run, arm)))
    except TasksError as error:
        raise click.UsageError(str(error)) from error


@export.command()
@click.option("-o", "--output", type=folder_path, default=Path("."), show_default=True, help="Folder to copy them to.")
def configs(output: Path) -> int:
    """Training configs for TRL and prime-rl."""
    from gpu_train_debug.exports import config_files

    try:
        output.mkdir(parents=True, exist_ok=True)
        for path in config_files():
            click.echo(shutil.copyfile(path, output / path.name))
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror}") from error
    return CLEAN


def _tasks(data: Path | None, chosen: Mapping[str, Any]) -> list[TaskRow]:
    try:
        return frozen_tasks(chosen["split"], folder=data, **{name: chosen[name] for name in chosen if name != "split"})
    except TasksError as error:
        raise click.UsageError(str(error)) from error


def _rationales(sources: tuple[Path, ...], data: Path | None) -> Callable[[TaskRow], str]:
    """A writer of rationales for the tasks of `data`, under the seed that its manifest states."""
    from compiler.cli import choose_dataset, load_plan
    from compiler.emit.manifest import MANIFEST_NAME, read_manifest
    from compiler.emit.record import Malformed, TaskRecord
    from compiler.rationale import Rationales
    from gpu_train_debug.tasks import sources_folder

    path = (data_folder() if data is None else data) / MANIFEST_NAME
    try:
        manifest = read_manifest(path.read_text(encoding="utf-8"))
        plan = load_plan(sources or (sources_folder(),))
    except (OSError, UnicodeDecodeError, TasksError) as error:
        raise click.UsageError(f"--rationale needs the manifest and the sources of the tasks: {error}") from error
    if isinstance(manifest, Malformed):
        raise click.UsageError(f"{path}: {'; '.join(manifest.reasons)}")
    dataset = choose_dataset(plan, manifest[0].dataset, manifest[0].seed)
    writer = Rationales(plan, dataset)
    return lambda row: writer.of(TaskRecord(row.id, row.archetype, row.split, row.prompt, row.gold, row.meta))


def _write(output: Path | None, rows: Iterable[Mapping[str, Any]]) -> int:
    from compiler.emit.jsonl import StagedFolder
    from compiler.emit.jsontext import encode

    lines: Iterator[str] = (encode(row) + "\n" for row in rows)
    if output is None:
        for line in lines:
            click.echo(line, nl=False)
        return CLEAN
    try:
        with StagedFolder(output.parent) as staged:
            file = staged.open(output.name)
            for line in lines:
                file.write(line)
            count = file.entry().rows
            staged.publish()
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror}") from error
    click.echo(f"{output}: {count} rows", err=True)
    return CLEAN
