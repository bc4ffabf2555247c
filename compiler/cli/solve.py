"""`gtd solve`: the answer to a page in a file, and the walks of the reader in words.

The reader itself is strict; what copying does to a file is taken away here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, BinaryIO

import click

from compiler.cli.console import note
from compiler.cli.group import GtdCommand
from compiler.cli.options import InputFile
from compiler.findings import CLEAN, FOUND
from gpu_train_debug.input_errors import Flaw, refuse
from gpu_train_debug.wording import counted

if TYPE_CHECKING:
    from compiler.reader import Document, ReadWalk, Solution

SHOWN_WALKS = 12


@click.command("solve", cls=GtdCommand)
@click.argument("file", type=InputFile())
@click.option("--steps", is_flag=True, help="Also show how the answer was found, on standard error.")
def solve_command(file: BinaryIO, steps: bool) -> int:
    """Answer a page from its text alone.

    FILE holds the page of one task and nothing else, as `gtd sample ARCHETYPE --prompt` prints it; `-` reads
    standard input. The answer comes from the independent reader.
    """
    from compiler.reader import ReadError, answer_json, read_prompt, solve

    try:
        text = prompt_text(file.read())
    except UnicodeDecodeError as error:
        raise refuse(f"not UTF-8 at byte {error.start}", file.name) from error
    if not text.strip():
        raise refuse("the file is empty", file.name, helps=("`gtd sample ARCHETYPE --prompt` prints a page",))
    try:
        document = read_prompt(text)
    except ReadError as error:
        raise refuse(f"not the prompt of a task: {error}", file.name) from error
    solution = solve(document)
    if steps:
        note(render_steps(document, solution))
    if solution.answer is None:
        note(Flaw(f"the prompt has no single answer: {solution.reason}", file.name, (solution.detail,)).text())
        return FOUND
    click.echo(answer_json(solution))
    return CLEAN


def prompt_text(data: bytes) -> str:
    """The page in a file, without blank lines around it and with plain line feeds.

    Raises:
        UnicodeDecodeError: It isn't UTF-8.
    """
    lines = data.decode("utf-8").replace("\r\n", "\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return "".join(f"{line}\n" for line in lines)


def render_steps(document: Document, solution: Solution) -> str:
    """How the reader came to its answer: each way that the runbook goes in the worlds that fit."""
    return "\n".join(_lines(document, solution))


def _lines(document: Document, solution: Solution) -> Iterator[str]:
    count = len(solution.walks)
    paths = "the same path in all of them" if count == 1 < solution.worlds else counted(count, "path")
    yield f"{_worlds(solution.worlds)} what the page prints; the runbook takes {paths}"
    for number, walk in enumerate(solution.walks[:SHOWN_WALKS], start=1):
        yield ""
        title = "The path" if count == 1 else f"Path {number}, in {counted(walk.worlds, 'world')}"
        yield f"{title}, for example with {_settings(document, walk.world)}:" if walk.world else f"{title}:"
        yield from _walk(document, walk)
    if count > SHOWN_WALKS:
        yield f"\nand {counted(count - SHOWN_WALKS, 'more path')}"


def _walk(document: Document, walk: ReadWalk) -> Iterator[str]:
    if not walk.steps:
        yield "  no rule fires"
    for number, step in enumerate(walk.steps, start=1):
        used = f" (alternative {step.alternative + 1})" if step.alternative else ""
        yield f"  {number}. rule {step.code} fires and sets {_settings(document, dict(step.settings))}{used}"
    yield f"  ends: {walk.ending.value}"
    yield f"  fix: {_settings(document, walk.fix) or 'nothing to change'}"


def _worlds(count: int) -> str:
    return "1 world fits" if count == 1 else f"{count} worlds fit"


def _settings(document: Document, values: Mapping[str, int | str]) -> str:
    return ", ".join(f"{name} = {text}" for name, text in document.texts(values).items())
