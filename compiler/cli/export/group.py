"""The group `gtd export`."""

from __future__ import annotations

import click

from compiler.cli.export.configs import configs_command
from compiler.cli.export.generations import generations_command
from compiler.cli.export.grpo import grpo_command
from compiler.cli.export.sft import sft_command
from compiler.cli.group import GtdGroup


@click.group("export", cls=GtdGroup)
def export_group() -> None:
    """Write tasks for trainers, and runs for studies."""


export_group.add_command(sft_command)
export_group.add_command(grpo_command)
export_group.add_command(generations_command)
export_group.add_command(configs_command)
