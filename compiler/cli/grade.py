"""`gtd grade`: scores of a file of answers."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import click

from compiler.cli.group import GtdCommand
from compiler.cli.options import InputFile, form_option, tasks_folder, tasks_option
from compiler.findings import CLEAN


@click.command("grade", cls=GtdCommand)
@click.argument("file", type=InputFile())
@tasks_option(old="--out")
@form_option("human", "json", old="--json")
def grade_command(file: BinaryIO, folder: Path | None, format_: str) -> int:
    """Score a file of answers, by split and archetype.

    FILE holds JSON objects, one a line, with an `id` and a `completion` or `completions`.
    """
    from gpu_train_debug.grade_file import grade_answers, render_scores, scores_json

    splits = grade_answers(tasks_folder(folder), file, file.name)
    click.echo(scores_json(splits) if format_ == "json" else render_scores(splits))
    return CLEAN
