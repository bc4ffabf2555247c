"""`gtd cases`: what the runbooks say about real runs whose cause was confirmed."""

from __future__ import annotations

from pathlib import Path

import click

from compiler.cli.console import progress, publish
from compiler.cli.group import GtdCommand
from compiler.cli.options import paths_argument, report_options
from compiler.cli.sources import load_plan
from compiler.findings import finding_of
from gpu_train_debug.tables import plain_table
from gpu_train_debug.wording import counted


@click.command("cases", cls=GtdCommand)
@paths_argument
@report_options
def cases_command(paths: tuple[Path, ...], format_: str, junit: Path | None) -> int:
    """Answer the real cases of the sources by the runbooks.

    A case says what is known of a real run, and what was confirmed about it. Its answer is confirmed if the runbook
    gives it in every world that fits the facts. Worlds are counted apart only where some walk may tell them apart.
    """
    from compiler.frontend.cases import CASE_COLUMNS, CaseVerdict, case_rows, cases_json, judge_cases

    plan = load_plan(paths)
    with progress("cases", len(plan.cases)) as advance:
        results = judge_cases(plan, advance)
    confirmed = sum(result.verdict is CaseVerdict.CONFIRMED for result in results)
    if format_ == "human" and results:
        click.echo(f"{plain_table(CASE_COLUMNS, case_rows(results))}\n")
    return publish(
        [finding_of(each.diagnostic, subject=each.case.name) for each in results if each.diagnostic is not None],
        format_=format_,
        junit=junit,
        suite="gtd cases",
        subjects=[result.case.name for result in results],
        summary=f"{counted(len(results), 'case')}, {confirmed} confirmed",
        results=cases_json(results),
    )
