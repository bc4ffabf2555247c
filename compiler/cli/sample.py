"""`gtd sample`: some tasks of an archetype."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from compiler.cli.console import note_findings
from compiler.cli.group import GtdCommand
from compiler.cli.options import (
    count_option,
    dataset_option,
    draw_seed_option,
    form_option,
    sources_option,
    split_option,
)
from compiler.cli.sources import chosen, load_plan, note_beyond_split, task_choice
from compiler.findings import CLEAN, FOUND, finding_of

if TYPE_CHECKING:
    from gpu_train_debug.tasks import TaskRecord


@click.command("sample", cls=GtdCommand)
@click.argument("archetype")
@sources_option
@draw_seed_option
@dataset_option
@count_option("How many tasks to make.", default=1, most=1000)
@split_option
@form_option("human", "json", old="--json")
@click.option("--prompt", "prompt_alone", is_flag=True, help="Print the prompt of one task and nothing else.")
def sample_command(
    archetype: str,
    sources: tuple[Path, ...],
    seed: int | None,
    dataset_name: str | None,
    count: int,
    split_name: str | None,
    format_: str,
    prompt_alone: bool,
) -> int:
    """Make some tasks of an archetype and show them.

    With --format json it prints records, one a line, as they stand in a dataset.
    """
    from compiler.explain.missing import missing_task
    from compiler.tasks.maker import MissingTask
    from compiler.tasks.samples import sample_tasks

    if prompt_alone and (format_ == "json" or count > 1):
        raise click.UsageError("--prompt prints the prompt of one task: leave out --format json and -n")
    plan = load_plan(sources)
    chosen(sorted(plan.archetypes), [archetype])
    dataset, split = task_choice(plan, archetype, dataset_name, split_name, seed)
    note_beyond_split(dataset, split_name, archetype, count)
    for result in sample_tasks(plan, archetype, count=count, dataset=dataset, split_name=split):
        if isinstance(result, MissingTask):
            note_findings([finding_of(missing_task(plan, result))])
            return FOUND
        _print_record(result.record, as_json=format_ == "json", prompt_alone=prompt_alone)
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
