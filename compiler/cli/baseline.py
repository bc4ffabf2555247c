"""`gtd baseline`: reads the splits, has the learners measured, prints, and writes files.

scikit-learn is loaded when the command runs. Exit status: 0 done, whether aims are met or not; 1 the reader misses a
task, which is a fault of the dataset, or with --check an aim of tells isn't met; 2 wrong usage or unreadable input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from compiler.cli.console import progress, write_file
from compiler.cli.group import GtdCommand
from compiler.cli.options import FILE, jobs_option, sources_option, tasks_folder, tasks_option
from compiler.cli.spellings import RenamedOption
from compiler.findings import CLEAN, FOUND
from gpu_train_debug.input_errors import refuse
from gpu_train_debug.tasks import TaskRecord, read_split, split_names

FRESH_SEED = 1
"""Of the draws that tells are judged on."""


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
@click.option("--tells", "tells_only", is_flag=True, help="Look for tells alone; no learner is trained.")
@click.option(
    "--fresh",
    type=click.IntRange(0, 100_000),
    default=0,
    metavar="N",
    help="Judge tells of `hard` and `ood` on N fresh tasks of each, too.",
)
@sources_option
@jobs_option
@click.option(
    "--check",
    "aims",
    is_flag=True,
    help="Exit with status 1 if an aim of tells or trees isn't met; with --fresh, `hard` and `ood` by those tasks.",
)
def baseline_command(
    folder: Path | None,
    train: str,
    json_file: Path | None,
    out: Path | None,
    tells_only: bool,
    fresh: int,
    sources: tuple[Path, ...],
    jobs: int,
    aims: bool,
) -> int:
    """Measure how far shortcuts get on a compiled dataset.

    It trains simple learners on one split, without the runbook, and scores them on every split. Then it lists tells:
    conditions on one printed value, or on two of them, that give a code away.
    """
    try:
        from compiler.baseline.measure import READER, BaselineError, baseline_tasks, count_steps, measure
        from compiler.baseline.report import as_data, as_markdown, make_entries
        from compiler.baseline.tell_report import tells_data, tells_markdown
        from compiler.baseline.tells import find_tells
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
        judged = baseline_tasks({**rows, **_fresh_rows(folder, rows, fresh, sources, jobs)}, train) if fresh else tasks
    except BaselineError as error:
        raise refuse(str(error), str(folder)) from error
    except OSError as error:
        raise refuse(f"can't read the splits: {error.strerror}", str(folder)) from error
    text, data, right = "", {}, True
    if not tells_only:
        with progress("learning", count_steps(tasks)) as advance:
            entries = make_entries(measure(tasks, train, advance=advance))
        text, data = as_markdown(entries, tasks, train) + "\n", as_data(entries, tasks, train)
        right = all(entry.met for entry in entries if entry.learner == READER)
    tells, trees = find_tells(judged, train)
    text, data = text + tells_markdown(tells, trees, train), {**data, **tells_data(tells, trees)}
    click.echo(text, nl=False)
    for path, content in ((json_file, encode(data, indent=1) + "\n"), (out, text)):
        if path is not None:
            write_file(path, content)
    return CLEAN if right and not (aims and data["broken"]) else FOUND


def _fresh_rows(
    folder: Path, frozen: Mapping[str, Sequence[TaskRecord]], count: int, sources: tuple[Path, ...], jobs: int
) -> dict[str, list[TaskRecord]]:
    """Fresh tasks of the splits whose shortcuts are bounded most tightly, as splits of their own."""
    from compiler.baseline.tell_report import TREE_SPLITS
    from gpu_train_debug.fresh import fresh_tasks

    if len(sources) > 1:
        raise click.UsageError("--fresh takes one --sources")
    rows: dict[str, list[TaskRecord]] = {}
    for split in (name for name in TREE_SPLITS if name in frozen):
        found = fresh_tasks(
            split, seed=FRESH_SEED, count=count, sources=sources[0] if sources else None, folder=folder, jobs=jobs
        )
        with progress(f"drawing {split}", count) as advance:
            for record in found:
                rows.setdefault(record.split, []).append(record)
                advance()
    return rows
