"""`gtd baseline`: reads the splits, has the learners measured, prints, and writes files.

scikit-learn is loaded when the command runs. Exit status: 0 done, whether aims are met or not; 1 the reader misses a
task, which is a fault of the dataset; 2 wrong usage or unreadable input.
"""

from __future__ import annotations

from pathlib import Path

import click

from compiler.cli.console import progress, write_file
from compiler.cli.group import GtdCommand
from compiler.cli.options import FILE, tasks_folder, tasks_option
from compiler.cli.spellings import RenamedOption
from compiler.findings import CLEAN, FOUND
from gpu_train_debug.input_errors import refuse
from gpu_train_debug.tasks import read_split, split_names


@click.command("baseline", cls=GtdCommand)
@tasks_option()
@click.option("--train", default="train", show_default=True, metavar="NAME", help="The split to learn from.")
@click.option(
    "--json-out",
    "json_file",
    cls=RenamedOption,
    old={"--json": "--json-out"},
    type=FILE,
    help="Also write the numbers to this file, as JSON.",
)
@click.option(
    "-o", "--out", cls=RenamedOption, old={"--output": "--out"}, type=FILE, help="Also write the tables to this file."
)
def baseline_command(folder: Path | None, train: str, json_file: Path | None, out: Path | None) -> int:
    """Measure how far shortcuts get on a compiled dataset.

    It trains simple learners on one split, without the runbook, and scores them on every split.
    """
    try:
        from compiler.baseline.measure import READER, BaselineError, baseline_tasks, count_steps, measure
        from compiler.baseline.report import as_data, as_markdown, make_entries
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("sklearn", "threadpoolctl"):
            raise
        raise refuse(
            "baselines need scikit-learn", helps=("install the extra: pip install 'gpu-train-debug[baselines]'",)
        ) from error
    from gpu_train_debug.jsontext import encode

    folder = tasks_folder(folder)
    try:
        rows = {split: list(read_split(split, folder)) for split in dict.fromkeys([train, *split_names(folder)])}
        tasks = baseline_tasks(rows, train)
    except BaselineError as error:
        raise refuse(str(error), str(folder)) from error
    except OSError as error:
        raise refuse(f"cannot read the splits: {error.strerror}", str(folder)) from error
    with progress("learning", count_steps(tasks)) as advance:
        entries = make_entries(measure(tasks, train, advance=advance))
    text = as_markdown(entries, tasks, train)
    click.echo(text, nl=False)
    for path, content in ((json_file, encode(as_data(entries, tasks, train), indent=1) + "\n"), (out, text)):
        if path is not None:
            write_file(path, content)
    return CLEAN if all(entry.met for entry in entries if entry.learner == READER) else FOUND
