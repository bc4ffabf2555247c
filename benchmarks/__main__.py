"""`python -m benchmarks [NAME ...]`: measure, print tables, and write JSON on request."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from benchmarks import compiling, drawing, evenness, memory, proofs, reading, tasks, verifying
from benchmarks.measure import Result, machine

BENCHMARKS: Mapping[str, Callable[..., Result]] = {
    "tasks": tasks.run,
    "compiling": compiling.run,
    "proofs": proofs.run,
    "drawing": drawing.run,
    "evenness": evenness.run,
    "verifying": verifying.run,
    "memory": memory.run,
    "reading": reading.run,
}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(BENCHMARKS)), metavar="[NAME]...")
@click.option("--quick", is_flag=True, help="The smallest sizes: shows that it works, measures nothing.")
@click.option(
    "--json-out",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the numbers to this file, as JSON.",
)
def main(names: tuple[str, ...], quick: bool, target: Path | None) -> None:
    """Measure what the NAMEs stand for, by default everything: tasks, compiling, proofs, drawing, evenness,
    verifying, memory, reading."""
    here = machine()
    click.echo(", ".join(f"{name} {value}" for name, value in here.items()))
    results = []
    for name in names or BENCHMARKS:
        result = BENCHMARKS[name](quick=quick)
        results.append(result.as_json())
        click.echo(f"\n{result.as_text()}")
    if target is not None:
        target.write_text(json.dumps({"machine": here, "results": results}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
