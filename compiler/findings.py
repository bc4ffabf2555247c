"""Findings of check, prove and verify, and the exit status that they give.

In: diagnostics of the language, or what is wrong with emitted files. Out: `Finding` values; `compiler.cli.formats`
prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from dsl.diagnostics.diagnostic import Diagnostic, Severity, render_text

CLEAN, FOUND, USAGE, UNDECIDED = 0, 1, 2, 3


@attrs.frozen
class Finding:
    """One thing that is wrong.

    Attributes:
        path: File that it is about, as given on the command line; empty if about no file.
        line: Line and column, from 1; 0 where there is none.
        subject: The archetype or task that it is about, if any.
        text: The whole message for people.
        inconclusive: Only a budget ran out.
    """

    code: str
    severity: Severity
    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    subject: str = ""
    text: str = ""
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()
    inconclusive: bool = False


def finding_of(diagnostic: Diagnostic, *, subject: str = "", inconclusive: bool = False) -> Finding:
    line = column = 0
    path = ""
    if diagnostic.span is not None:
        line, column = diagnostic.span.source.line_column(diagnostic.span.start)
        path = diagnostic.span.source.name
    return Finding(
        code=diagnostic.code,
        severity=diagnostic.severity,
        message=diagnostic.message,
        path=path,
        line=line,
        column=column,
        subject=subject,
        text=render_text(diagnostic),
        notes=diagnostic.notes,
        helps=diagnostic.helps,
        inconclusive=inconclusive,
    )


def finding_about(
    code: str,
    message: str,
    *,
    path: str = "",
    line: int = 0,
    subject: str = "",
    notes: Sequence[str] = (),
    helps: Sequence[str] = (),
    severity: Severity = Severity.ERROR,
    inconclusive: bool = False,
) -> Finding:
    """A finding without a place in a source, such as one about an emitted line."""
    place = f"{path}:{line}" if line else path
    lines = [f"{severity.value}[{code}]: {message}"]
    if place:
        lines.append(f"  --> {place}")
    lines += [f"   = note: {note}" for note in notes]
    lines += [f"   = help: {help_}" for help_ in helps]
    return Finding(
        code, severity, message, path, line, 0, subject, "\n".join(lines), tuple(notes), tuple(helps), inconclusive
    )


def exit_status(findings: Iterable[Finding]) -> int:
    """0 clean, 1 errors found, 3 if all that was found is that a budget ran out."""
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if not errors:
        return CLEAN
    return UNDECIDED if all(finding.inconclusive for finding in errors) else FOUND
