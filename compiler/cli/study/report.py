"""`gtd study report`: a JSON report, a Markdown report and pictures.

Exit status 1 says that the plan was altered or the run departs from it.
"""

from __future__ import annotations

from pathlib import Path

import click

from compiler.cli.group import GtdCommand
from compiler.cli.options import FILE, FOLDER
from compiler.cli.study.common import (
    archives_argument,
    arm_option,
    refusals,
    samples_option,
    study_split_option,
    study_tasks_option,
    twins_option,
    warn,
)
from compiler.cli.study.plans import plan_of, with_twins
from compiler.findings import CLEAN, FOUND


@click.command("report", cls=GtdCommand)
@archives_argument
@study_tasks_option
@click.option(
    "--plan",
    "plan_file",
    type=FILE,
    help="A plan: frozen (JSON), or a draft (TOML).",
)
@click.option("--expect", metavar="HASH", help="The published hash of the plan, or its first 8 or more digits.")
@study_split_option
@arm_option
@samples_option
@click.option("--reference", help="The arm that the others are compared with; the first if not given.")
@twins_option
@click.option(
    "--pictures",
    type=click.Choice(["svg", "png", "none"]),
    default="svg",
    show_default=True,
    help="Form of the pictures.",
)
@click.option(
    "-o",
    "--out",
    type=FOLDER,
    default=Path("study"),
    show_default=True,
    help="Folder to write.",
)
def report_command(
    archives: tuple[Path, ...],
    tasks: tuple[Path, ...],
    plan_file: Path | None,
    expect: str | None,
    splits: tuple[str, ...],
    arms: tuple[str, ...],
    samples: int | None,
    reference: str | None,
    twins: Path | None,
    pictures: str,
    out: Path,
) -> int:
    """Analyse archives of generations: one JSON report, one Markdown report, pictures."""
    if expect is not None and len(expect) < 8:
        raise click.UsageError("--expect needs at least 8 digits of the hash")
    with refusals():
        from gpu_train_debug.study.inputs.freeze import with_departures
        from gpu_train_debug.study.inputs.plan import complete_plan
        from gpu_train_debug.study.inputs.tasks import read_tasks, split_files
        from gpu_train_debug.study.report.content import analyse
        from gpu_train_debug.study.report.write import report_files, spare_inputs, write_report
        from gpu_train_debug.study.statistics.score import failure_notes, score_archives

        others = [path for path in (plan_file, twins) if path is not None]
        spare_inputs(report_files(out), [*archives, *split_files(tasks), *others])
        options = {"splits": splits, "arms": arms, "samples": samples, "reference": reference}
        plan, seal = plan_of(plan_file, {key: value for key, value in options.items() if value})
        task_set = read_tasks(tasks)
        if not seal.links:
            plan = with_twins(plan, twins, tasks, task_set)
        elif twins is not None:
            raise click.UsageError("the plan is frozen: change its twins there, and amend it")
        seal = with_departures(seal, task_set, expected=expect or "")
        warn(seal.departures)  # first, since a plan that was altered may be refused for what was done to it
        scores = score_archives(archives, task_set, splits=plan.splits, arms=plan.arms, samples=plan.samples)
        plan = complete_plan(plan, task_set.tasks, {arm.name: arm.samples for arm in scores.arms})
        files = write_report(
            analyse(scores, plan, seal, task_set), out, pictures=None if pictures == "none" else pictures
        )
    warn(failure_notes(scores))
    click.echo(f"plan {seal.status}{f' {seal.hash[:16]}' if seal.hash else ''}; wrote {len(files)} files to {out}")
    return FOUND if seal.departures else CLEAN
