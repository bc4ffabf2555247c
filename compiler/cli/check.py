"""`gtd check`: diagnostics of sources, without proofs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from compiler.cli.console import publish
from compiler.cli.group import GtdCommand
from compiler.cli.options import paths_argument, report_options
from compiler.cli.sources import input_status, sources_of
from compiler.findings import FOUND, Finding, finding_of
from dsl.diagnostics.diagnostic import Severity
from gpu_train_debug.wording import counted

if TYPE_CHECKING:
    from compiler.plan import ProgramPlan


@click.command("check", cls=GtdCommand)
@paths_argument
@report_options
@click.option("--unneeded", is_flag=True, help="Also show everything that no answer depends on.")
def check_command(paths: tuple[Path, ...], format_: str, junit: Path | None, unneeded: bool) -> int:
    """Check `.arch` sources, without proofs.

    It checks syntax, names, types and units, and runs the lints, the inline examples and the cases.
    """
    from compiler.frontend.run import run_frontend

    found = run_frontend(sources_of(paths), unneeded=unneeded)
    findings = [finding_of(diagnostic) for diagnostic in found.diagnostics]
    subjects = sorted(found.plan.sources) if found.plan is not None else []
    summary = _check_summary(found.plan, findings)
    status = publish(findings, format_=format_, junit=junit, suite="gtd check", subjects=subjects, summary=summary)
    return input_status(findings) if status == FOUND else status


def _check_summary(plan: ProgramPlan | None, findings: Sequence[Finding]) -> str:
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    counts = f"{counted(errors, 'error')}, {counted(len(findings) - errors, 'warning')}"
    if plan is None:
        return counts
    parts = {"file": plan.sources, "system": plan.systems, "archetype": plan.archetypes, "dataset": plan.datasets}
    nouns = [counted(len(part), noun) for noun, part in parts.items()]
    nouns += [counted(len(plan.cases), "case")] if plan.cases else []
    return f"{', '.join(nouns)}: {counts}"
