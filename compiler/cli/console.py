"""What commands print: results on standard output, notes and progress on standard error, bars only on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TextIO

import click

from compiler.cli.formats import format_findings, junit_xml
from compiler.findings import Finding, exit_status
from gpu_train_debug.files import cannot_write, write_whole
from gpu_train_debug.input_errors import refuse

COLOURS = ("auto", "always", "never")


def wants_colour(choice: str, environment: Mapping[str, str]) -> bool | None:
    """Whether the user wants colours: always, never, or (None) where the stream is a terminal.

    Args:
        choice: One of `COLOURS`; `auto` lets NO_COLOR, FORCE_COLOR and TERM decide, in this order.
    """
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return False if environment.get("TERM") == "dumb" else None


def _colour_on(stream: TextIO) -> bool:
    """Whether to print colours there; the root command keeps the user's wish in the context, as click wants it."""
    context = click.get_current_context(silent=True)
    wish = None if context is None else context.color
    return stream.isatty() if wish is None else wish


def note(text: str) -> None:
    """Say something beside the result, on standard error; where that can't be written, the exit status must do."""
    try:
        click.echo(text, err=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """Let go of all that waits to be written there, so that Python doesn't fail over it when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class _StandardOutput(FileIO):
    """Standard output that remembers why it couldn't be written."""

    failure: OSError | None = None

    def write(self, data: Any, /) -> Any:
        try:
            return super().write(data)
        except OSError as error:
            self.failure = error
            raise


def standard_output_failure() -> OSError | None:
    """Why a write to standard output failed, after `prepare_streams`; None if none did."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.failure if isinstance(raw, _StandardOutput) else None


def note_findings(findings: Sequence[Finding]) -> None:
    """Say on standard error what stands in the way of the result."""
    note(format_findings(findings, "human", colour=_colour_on(sys.stderr)))


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on standard error if that is a terminal; the value advances it by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    with click.progressbar(length=total, label=title, show_pos=True, file=sys.stderr) as bar:
        yield lambda: bar.update(1)


def encodable(text: str) -> str:
    """The text with its lone surrogates as escapes; texts of others may hold them."""
    return text.encode("utf-8", "backslashreplace").decode()


def write_file(path: Path, text: str) -> None:
    """Write a text file whole or not at all, and the folder that it is in if that isn't there.

    Raises:
        InputError: It can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, encodable(text).encode())
    except OSError as error:
        raise refuse(cannot_write(path, error)) from error


def prepare_folder(path: Path) -> None:
    """Make a folder if it isn't there, and try to write into it, before the work whose results go there.

    Raises:
        InputError: It can't be made or written.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise refuse(cannot_write(path, error)) from error


def prepare_streams() -> None:
    """Let standard output and standard error escape what they can't encode, and notice what can't be written."""
    out = sys.stdout
    if out is sys.__stdout__ and isinstance(out, TextIOWrapper) and sys.platform != "win32":
        raw = _StandardOutput(out.fileno(), "wb", closefd=False)
        sys.stdout = TextIOWrapper(BufferedWriter(raw), out.encoding, line_buffering=out.isatty())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def publish(
    findings: Sequence[Finding],
    *,
    format_: str,
    junit: Path | None,
    suite: str,
    subjects: Sequence[str],
    summary: str,
    results: Mapping[str, Any] | None = None,
) -> int:
    """Write the JUnit file, print the findings in the asked format, and give the exit status.

    Each is done even if the other fails.
    """
    try:
        if junit is not None:
            write_file(junit, junit_xml(suite, subjects, findings))
    finally:
        text = format_findings(findings, format_, summary=summary, results=results, colour=_colour_on(sys.stdout))
        if text:
            click.echo(text)
        if format_ in ("github", "sarif") and summary:
            note(summary)
    return exit_status(findings)
