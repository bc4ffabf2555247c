"""`gtd export grpo`: prompts with their golds, for training by reward."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from compiler.cli.export.rows import out_option, task_options, write_rows
from compiler.cli.group import GtdCommand
from compiler.cli.options import tasks_folder
from gpu_train_debug.tasks import frozen_tasks


@click.command("grpo", cls=GtdCommand)
@task_options
@out_option
def grpo_command(out: Path | None, folder: Path | None, **chosen: Any) -> int:
    """Write prompts with their golds, for TRL's GRPOTrainer and `gpu_train_debug.reward.task_reward`."""
    from gpu_train_debug.exports import grpo_row

    return write_rows(out, list(map(grpo_row, frozen_tasks(folder=tasks_folder(folder), **chosen))))
