"""`gtd export configs`: the training configs of the package."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from compiler.cli.group import GtdCommand
from compiler.cli.options import FOLDER
from compiler.cli.spellings import RenamedOption
from compiler.findings import CLEAN
from gpu_train_debug.files import cannot_write
from gpu_train_debug.input_errors import refuse
from gpu_train_debug.wording import joined


@click.command("configs", cls=GtdCommand)
@click.option(
    "-o",
    "--out",
    cls=RenamedOption,
    old={"--output": "--out"},
    type=FOLDER,
    default=Path("."),
    show_default=True,
    help="Folder to copy them to.",
)
@click.option("--force", is_flag=True, help="Overwrite configs that were edited.")
def configs_command(out: Path, force: bool) -> int:
    """Copy training configs for TRL and prime-rl."""
    from gpu_train_debug.exports import config_files

    copies = {path: out / path.name for path in config_files()}
    try:
        edited = [
            str(copy)
            for path, copy in copies.items()
            if os.path.exists(copy) and copy.read_bytes() != path.read_bytes()
        ]
        if edited and not force:
            raise refuse(f"{joined(edited)} would be overwritten", helps=("--force overwrites what was edited",))
        out.mkdir(parents=True, exist_ok=True)
        for path, copy in copies.items():
            shutil.copyfile(path, copy)
    except OSError as error:
        raise refuse(cannot_write(out, error)) from error
    for copy in copies.values():
        click.echo(copy)
    return CLEAN
