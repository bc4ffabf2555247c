"""`gtd sample`: some tasks of an archetype."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from compiler.cli.console import note
from compiler.cli.group import GtdCommand
from compiler.cli.options import seed_option, sources_option
from compiler.cli.sources import choose_dataset, chosen, load_plan
from compiler.findings import CLEAN, FOUND, finding_of
from gpu_train_debug.wording import suggestion

if TYPE_CHECKING:
    from gpu_train_debug.tasks import TaskRecord


@click.command("sample", cls=GtdCommand)
@click.argument("archetype")
@sources_option
@seed_option
@click.option("-n", "--count", type=click.IntRange(1, 1000), default=1, show_default=True, help="How many tasks.")
@click.option("--split", "split_name", help="Draw as for this split of the dataset.")
@click.option("--json", "as_json", is_flag=True, help="Print records, one a line, as in the dataset.")
@click.option("--prompt", "prompt_alone", is_flag=True, help="Print the prompt of one task and nothing else.")
def sample_command(
    archetype: str,
    sources: tuple[Path, ...],
    seed: int | None,
    count: int,
    split_name: str | None,
    as_json: bool,
    prompt_alone: bool,
) -> int:
    """Make some tasks of an archetype and show them."""
    from compiler.explain.missing import missing_task
    from compiler.tasks.maker import MissingTask
    from compiler.tasks.samples import sample_tasks

    if prompt_alone and (as_json or count > 1):
        raise click.UsageError("--prompt prints the prompt of one task; it goes neither with --json nor with -n")
    plan = load_plan(sources)
    chosen(sorted(plan.archetypes), [archetype])
    dataset = choose_dataset(plan, None, seed) if split_name is not None else None
    splits = [split.name for split in dataset.splits] if dataset is not None else []
    if split_name is not None and split_name not in splits:
        raise click.UsageError(f"there is no split `{split_name}`{suggestion(split_name, splits)}")
    for result in sample_tasks(plan, archetype, count=count, seed=seed, dataset=dataset, split_name=split_name):
        if isinstance(result, MissingTask):
            note(finding_of(missing_task(plan, result)).text)
            return FOUND
        _print_record(result.record, as_json=as_json, prompt_alone=prompt_alone)
    return CLEAN


def _print_record(record: TaskRecord, *, as_json: bool, prompt_alone: bool) -> None:
    from compiler.emit.record import record_line

    if as_json:
        click.echo(record_line(record), nl=False)
    elif prompt_alone:
        click.echo(record.prompt.encode(), nl=False)
    else:
        click.echo(f"===== {record.id} =====\n\n{record.prompt}")
        click.echo(f"----- gold -----\n{record.gold}\n{record.meta}\n")
