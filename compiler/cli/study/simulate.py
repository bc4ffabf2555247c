"""`gtd study simulate`: an archive of arms whose true rates are known."""

from __future__ import annotations

from pathlib import Path

import click

from compiler.cli.group import GtdCommand
from compiler.cli.options import FILE
from compiler.cli.study.common import refusals, study_split_option, study_tasks_option
from compiler.findings import CLEAN


@click.command("simulate", cls=GtdCommand)
@study_tasks_option
@study_split_option
@click.option(
    "--arm",
    "arms",
    multiple=True,
    required=True,
    metavar="NAME=ABILITY",
    help="An arm and its ability in logits: 0 solves about half.",
)
@click.option("--samples", type=click.IntRange(1, 1000), default=8, show_default=True, help="Samples of each task.")
@click.option("--seed", type=click.IntRange(0), default=2027, show_default=True, help="Seed of the draws.")
@click.option(
    "-o",
    "--out",
    type=FILE,
    default=Path("simulated.jsonl"),
    show_default=True,
    help="Archive to write; the truth goes beside it.",
)
def simulate_command(
    tasks: tuple[Path, ...], splits: tuple[str, ...], arms: tuple[str, ...], samples: int, seed: int, out: Path
) -> int:
    """Make an archive of simulated arms, whose true rates are known."""
    abilities = dict(map(_ability, arms))
    if len(abilities) < len(arms):
        raise click.UsageError("two arms have the same name")
    with refusals():
        from gpu_train_debug.files import write_whole
        from gpu_train_debug.jsontext import encode
        from gpu_train_debug.study.inputs.tasks import read_tasks, split_files
        from gpu_train_debug.study.report.write import spare_inputs
        from gpu_train_debug.study.simulate import Simulation, simulate_rows, truth
        from gpu_train_debug.study.statistics.score import choose_tasks

        true = out.with_suffix(".truth.json")
        spare_inputs([out, true], split_files(tasks))
        simulation = Simulation(abilities, samples=samples, seed=seed)
        chosen = choose_tasks(read_tasks(tasks), splits)
        lines = [encode(row) + "\n" for row in simulate_rows(chosen, simulation)]
        write_whole(out, "".join(lines).encode())
        write_whole(true, (encode(truth(chosen, simulation), indent=1) + "\n").encode())
    click.echo(f"wrote {len(lines)} generations to {out}, the truth to {true}")
    return CLEAN


def _ability(text: str) -> tuple[str, float]:
    from math import isfinite

    from gpu_train_debug.study.inputs.generations import ARM

    name, _, number = text.rpartition("=")
    try:
        ability = float(number)
    except ValueError:
        ability = float("nan")
    if not ARM.fullmatch(name) or not isfinite(ability):
        raise click.UsageError(f"`{text}` isn't a name and a number, such as base=-0.5")
    return name, ability
