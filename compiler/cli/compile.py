"""`gtd compile`: the whole dataset, with every proof."""

from __future__ import annotations

from pathlib import Path

import click

from compiler.cli.console import note, progress
from compiler.cli.formats import format_findings
from compiler.cli.group import GtdCommand
from compiler.cli.options import FOLDER, jobs_option, paths_argument, seed_option
from compiler.cli.sources import choose_dataset, chosen, load_plan
from compiler.findings import CLEAN, exit_status


@click.command("compile", cls=GtdCommand)
@paths_argument
@click.option("-o", "--out", type=FOLDER, default=Path("out"), show_default=True, help="Folder to write.")
@seed_option
@jobs_option
@click.option("--dataset", "dataset_name", help="Which dataset, where the sources declare several.")
@click.option("--only", multiple=True, metavar="ARCHETYPE", help="Make the tasks of these archetypes only.")
def compile_command(
    paths: tuple[Path, ...], out: Path, seed: int | None, jobs: int, dataset_name: str | None, only: tuple[str, ...]
) -> int:
    """Compile the whole dataset, with every proof.

    Writes its splits, its card and its manifest.
    """
    from compiler.dataset.build import BuildFailedError, build_dataset
    from compiler.splits import split_specs

    plan = load_plan(paths)
    dataset = choose_dataset(plan, dataset_name, seed)
    kept = frozenset(chosen(sorted(plan.archetypes), only)) if only else frozenset[str]()
    if kept and (out / "manifest.json").exists():
        raise click.UsageError(f"{out} holds a dataset, and --only makes a part of one; choose another folder with -o")
    total = sum(not kept or spec.archetype in kept for split in dataset.splits for spec in split_specs(dataset, split))
    try:
        with progress("compiling", total) as advance:
            result = build_dataset(plan, dataset, out, jobs=jobs, only=kept, advance=advance)
    except BuildFailedError as failure:
        note(format_findings(failure.findings, "human"))
        return exit_status(failure.findings)
    click.echo(result.summary)
    return CLEAN
