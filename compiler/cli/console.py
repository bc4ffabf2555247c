"""What commands print: results on standard output, notes and progress on standard error, bars only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from compiler.cli.formats import format_findings, junit_xml
from compiler.findings import Finding, exit_status


def note(text: str) -> None:
    click.echo(text, err=True)


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on standard error if that is a terminal; the value advances it by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(title, total=total)
        yield lambda: bars.advance(bar)


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
    """Print the findings in the asked format, write the JUnit file, and give the exit status."""
    text = format_findings(findings, format_, summary=summary, results=results)
    if text:
        click.echo(text)
    if format_ in ("github", "sarif") and summary:
        note(summary)
    if junit is not None:
        try:
            junit.write_text(junit_xml(suite, subjects, findings), encoding="utf-8")
        except OSError as error:
            raise click.ClickException(f"cannot write {junit}: {error.strerror}") from error
    return exit_status(findings)
