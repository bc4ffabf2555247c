"""`gtd stats`: what a folder of tasks is like, from its files alone."""

from __future__ import annotations

from pathlib import Path

import click

from compiler.cli.group import GtdCommand
from compiler.cli.options import form_option, tasks_folder, tasks_option
from compiler.findings import CLEAN, FOUND


@click.command("stats", cls=GtdCommand)
@tasks_option()
@click.option("--estimate", is_flag=True, help="Estimate tokens from characters instead of counting them.")
@click.option("--check", "promises", is_flag=True, help="Exit with status 1 if a promise isn't kept.")
@form_option("human", "json")
def stats_command(folder: Path | None, estimate: bool, promises: bool, format_: str) -> int:
    """Print lengths of pages, answers and margins of a folder of tasks, and the promises that it doesn't keep."""
    from gpu_train_debug.jsontext import encode
    from gpu_train_debug.stats.measure import measure_tasks
    from gpu_train_debug.stats.promises import broken_promises
    from gpu_train_debug.stats.report import stats_data, stats_text
    from gpu_train_debug.stats.tokens import token_counter
    from gpu_train_debug.tasks import read_split, split_names

    folder = tasks_folder(folder)
    splits = {split: list(read_split(split, folder)) for split in split_names(folder)}
    stats = measure_tasks(splits, token_counter(estimate=estimate))
    broken = broken_promises(stats)
    click.echo(encode(stats_data(stats, broken), indent=2) if format_ == "json" else stats_text(stats, broken))
    return FOUND if promises and broken else CLEAN
