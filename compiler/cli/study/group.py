"""The group `gtd study`."""

from __future__ import annotations

import click

from compiler.cli.group import GtdGroup
from compiler.cli.study.freeze import freeze_command
from compiler.cli.study.report import report_command
from compiler.cli.study.score import score_command
from compiler.cli.study.simulate import simulate_command


@click.group("study", cls=GtdGroup)
def study_group() -> None:
    """Compare models on archived generations.

    It reports means, paired comparisons, kinds of errors and controls.
    """


study_group.add_command(score_command)
study_group.add_command(report_command)
study_group.add_command(freeze_command)
study_group.add_command(simulate_command)
