"""`gtd study freeze`: a plan sealed with a hash."""

from __future__ import annotations

import os
from pathlib import Path

import click

from compiler.cli.group import GtdCommand
from compiler.cli.options import FILE
from compiler.cli.study.common import refusals, study_tasks_option, twins_option
from compiler.cli.study.plans import with_twins
from compiler.findings import CLEAN


@click.command("freeze", cls=GtdCommand)
@click.argument("plan_file", metavar="PLAN.toml", type=FILE)
@study_tasks_option
@twins_option
@click.option("--amends", type=FILE, help="The frozen plan that this one amends.")
@click.option("--reason", default="", help="Why it is amended.")
@click.option(
    "-o",
    "--out",
    type=FILE,
    default=Path("plan.json"),
    show_default=True,
    help="File to write.",
)
def freeze_command(
    plan_file: Path, tasks: tuple[Path, ...], twins: Path | None, amends: Path | None, reason: str, out: Path
) -> int:
    """Seal a plan with a hash, before its results are known, or amend a sealed plan and record why."""
    with refusals():
        from gpu_train_debug.files import write_whole
        from gpu_train_debug.input_errors import refuse
        from gpu_train_debug.study.inputs.freeze import amend_plan, freeze_plan, parse_frozen
        from gpu_train_debug.study.inputs.plan import read_plan
        from gpu_train_debug.study.inputs.tasks import read_tasks

        if os.path.isfile(out) and (amends is None or not out.samefile(amends)):
            raise refuse(
                "there is a file already, which may be a frozen plan",
                str(out),
                helps=(f"amend it with --amends {out} --reason ..., or choose another name with -o",),
            )
        task_set = read_tasks(tasks)
        plan = with_twins(read_plan(plan_file), twins, tasks, task_set)
        text = freeze_plan(plan, task_set) if amends is None else amend_plan(amends, plan, task_set, reason)
        write_whole(out, text.encode())
        _, seal = parse_frozen(text, str(out))
    for change in seal.links[-1].changes:
        click.echo(change)
    click.echo(f"{seal.status} {seal.hash}")
    return CLEAN
