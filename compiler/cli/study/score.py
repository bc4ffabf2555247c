"""`gtd study score`: the means of each arm."""

from __future__ import annotations

import json
from pathlib import Path

import click

from compiler.cli.group import GtdCommand
from compiler.cli.options import FILE, form_option
from compiler.cli.study.common import (
    archives_argument,
    arm_option,
    refusals,
    samples_option,
    study_split_option,
    study_tasks_option,
    warn,
)
from compiler.findings import CLEAN


@click.command("score", cls=GtdCommand)
@archives_argument
@study_tasks_option
@study_split_option
@arm_option
@samples_option
@click.option(
    "--by",
    type=click.Choice(["split", "archetype", "tier"]),
    default="split",
    show_default=True,
    help="What to average over.",
)
@form_option("human", "json", old="--json")
@click.option("-o", "--out", type=FILE, help="Write each sample's score here, as JSONL.")
def score_command(
    archives: tuple[Path, ...],
    tasks: tuple[Path, ...],
    splits: tuple[str, ...],
    arms: tuple[str, ...],
    samples: int | None,
    by: str,
    format_: str,
    out: Path | None,
) -> int:
    """Score archives of generations: the means of each arm, exact and partial."""
    with refusals():
        from gpu_train_debug.files import write_whole
        from gpu_train_debug.jsontext import encode
        from gpu_train_debug.study.inputs.plan import Bootstrap
        from gpu_train_debug.study.inputs.tasks import read_tasks, split_files
        from gpu_train_debug.study.report.summary import mean_rows, mean_table
        from gpu_train_debug.study.report.write import spare_inputs
        from gpu_train_debug.study.statistics.score import failure_notes, score_archives, score_rows

        if out is not None:
            spare_inputs([out], [*archives, *split_files(tasks)])
        scores = score_archives(archives, read_tasks(tasks), splits=splits, arms=arms, samples=samples)
        rows = mean_rows(scores, Bootstrap(), by)
        if out is not None:
            write_whole(out, "".join(encode(row) + "\n" for row in score_rows(scores)).encode())
    warn(failure_notes(scores))
    click.echo(json.dumps(rows, indent=1) if format_ == "json" else mean_table(rows, by))
    return CLEAN
