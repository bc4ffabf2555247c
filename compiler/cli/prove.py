"""`gtd prove`: verdicts on worlds drawn from each archetype."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from compiler.cli.console import prepare_folder, progress, publish
from compiler.cli.group import GtdCommand
from compiler.cli.options import (
    FOLDER,
    archetypes_option,
    count_option,
    dataset_option,
    draw_seed_option,
    jobs_option,
    paths_argument,
    report_options,
)
from compiler.cli.sources import chosen, load_plan, seed_of_draws
from compiler.cli.spellings import RenamedOption
from gpu_train_debug.files import cannot_write
from gpu_train_debug.input_errors import refuse
from gpu_train_debug.wording import counted

if TYPE_CHECKING:
    from compiler.plan import ProgramPlan
    from compiler.trials.archetypes import ArchetypeResult


@click.command("prove", cls=GtdCommand)
@paths_argument
@report_options
@draw_seed_option
@dataset_option
@jobs_option
@count_option("Worlds to draw from each archetype.", default=20, most=100_000, old="--draws")
@archetypes_option
@click.option("--rlimit", type=click.IntRange(1), help="Budget of each solver query, in Z3 resource units.")
@click.option("--recheck", type=click.Choice(["cvc5"]), help="Prove each exported claim again with a second solver.")
@click.option(
    "--smt-lib-out",
    "smt_folder",
    cls=RenamedOption,
    old={"--smt-lib": "--smt-lib-out"},
    type=FOLDER,
    help="Write each claim as SMT-LIB 2 into this folder.",
)
def prove_command(
    paths: tuple[Path, ...],
    format_: str,
    junit: Path | None,
    seed: int | None,
    dataset_name: str | None,
    jobs: int,
    count: int,
    archetypes: tuple[str, ...],
    rlimit: int | None,
    recheck: str | None,
    smt_folder: Path | None,
) -> int:
    """Draw worlds of each archetype and prove their answers.

    An answer is proved if it is the only one that the evidence allows, and no other repair is as good.
    """
    from compiler.dataset.build import disagreement_finding
    from compiler.tasks.tools import DisagreementError
    from compiler.trials.archetypes import (
        ProveOptions,
        prove_archetypes,
        rechecked,
        results_json,
    )

    plan = load_plan(paths)
    names = chosen(sorted(plan.archetypes), archetypes)
    options = ProveOptions(
        draws=count,
        seed=seed_of_draws(plan, dataset_name, seed),
        rlimit=rlimit,
        recheck=recheck == "cvc5",
        smt_folder=smt_folder,
    )
    if smt_folder is not None:
        prepare_folder(smt_folder)
    try:
        with progress("proving", len(names)) as advance:
            results = prove_archetypes(plan, names, options, jobs=jobs, advance=advance)
    except DisagreementError as error:
        findings = [disagreement_finding(error)]
        return publish(findings, format_=format_, junit=junit, suite="gtd prove", subjects=names, summary="")
    except OSError as error:
        if smt_folder is None:
            raise
        raise refuse(cannot_write(error.filename or smt_folder, error)) from error
    findings = [finding for result in results for finding in result.findings]
    summary = f"{counted(len(results), 'archetype')}, {counted(sum(r.drawn for r in results), 'world')} drawn"
    if options.recheck:
        summary += f"; {rechecked(results)}"
    if format_ == "human":
        _print_tables(plan, results)
    return publish(
        findings,
        format_=format_,
        junit=junit,
        suite="gtd prove",
        subjects=names,
        summary=summary,
        results=results_json(results),
    )


def _print_tables(plan: ProgramPlan, results: Sequence[ArchetypeResult]) -> None:
    """Print what came of each archetype, and of the printed values of each system."""
    from compiler.trials.archetypes import TABLE_LEGEND, render_table
    from compiler.trials.census import census, render_census

    click.echo(f"{render_table(results)}\n\n{TABLE_LEGEND}\n")
    for system in sorted({plan.archetypes[result.name].system for result in results}):
        click.echo(render_census(system, census(plan, system)))
