"""`gtd compile`: the whole dataset, with every proof."""

from __future__ import annotations

import os
from pathlib import Path

import click

from compiler.cli.console import encodable, note, note_findings, progress
from compiler.cli.group import GtdCommand
from compiler.cli.options import FOLDER, SEED, archetypes_option, dataset_option, jobs_option, paths_argument
from compiler.cli.sources import choose_dataset, chosen, load_plan
from compiler.findings import CLEAN, INTERRUPTED, USAGE, exit_status
from gpu_train_debug.input_errors import refuse


@click.command("compile", cls=GtdCommand)
@paths_argument
@click.option("-o", "--out", type=FOLDER, default=Path("out"), show_default=True, help="Folder to write.")
@click.option("--seed", type=SEED, help="Seed; the dataset's own if not given.")
@jobs_option
@dataset_option
@archetypes_option
def compile_command(
    paths: tuple[Path, ...],
    out: Path,
    seed: int | None,
    jobs: int,
    dataset_name: str | None,
    archetypes: tuple[str, ...],
) -> int:
    """Compile the whole dataset, with every proof.

    It writes the splits, the card and the manifest.
    """
    from compiler.dataset.build import BuildFailedError, BuildInterruptedError, build_dataset
    from compiler.splits import split_specs

    plan = load_plan(paths)
    dataset = choose_dataset(plan, dataset_name, seed)
    kept = frozenset(chosen(sorted(plan.archetypes), archetypes)) if archetypes else frozenset[str]()
    if kept and os.path.exists(out / "manifest.json"):
        raise refuse(
            "there is a dataset already, and --archetype would put a part in its place",
            str(out),
            helps=("choose another folder with -o",),
        )
    for name in plan.sources:
        if encodable(name) != name:
            raise refuse(
                f"the manifest can't hold the file name `{encodable(name)}`", helps=("give the file a name in UTF-8",)
            )
    total = sum(not kept or spec.archetype in kept for split in dataset.splits for spec in split_specs(dataset, split))
    try:
        with progress("compiling", total) as advance:
            result = build_dataset(plan, dataset, out, jobs=jobs, only=kept, advance=advance)
    except BuildFailedError as failure:
        note_findings(failure.findings)
        return USAGE if any(finding.code == "E620" for finding in failure.findings) else exit_status(failure.findings)
    except BuildInterruptedError:
        note("interrupted; nothing was changed")
        return INTERRUPTED
    click.echo(result.summary)
    return CLEAN
