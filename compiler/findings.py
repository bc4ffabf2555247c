"""Findings of check, prove and verify, and the exit status that they give.

In: diagnostics of the language, or what is wrong with emitted files. Out: `Finding` values; `compiler.cli.formats`
prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from dsl.diagnostics.diagnostic import Diagnostic, Severity, render_text
from dsl.source import Span

CLEAN, FOUND, USAGE, UNDECIDED, INTERRUPTED = 0, 1, 2, 3, 130


@attrs.frozen
class Place:
    """Where a finding is.

    Lines and columns count from 1, in characters; the end is exclusive. None where there is no line, or only a line.
    """

    path: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


@attrs.frozen
class Finding:
    """One thing that is wrong: a diagnostic, and what it is about.

    Attributes:
        emitted: Place in an emitted file, for a diagnostic without a place in a source.
        subject: The archetype or task that it is about, if any.
        inconclusive: Only a budget ran out.
    """

    diagnostic: Diagnostic
    emitted: Place | None = None
    subject: str = ""
    inconclusive: bool = False

    @property
    def code(self) -> str:
        return self.diagnostic.code

    @property
    def severity(self) -> Severity:
        return self.diagnostic.severity

    @property
    def message(self) -> str:
        return self.diagnostic.message

    @property
    def notes(self) -> tuple[str, ...]:
        return self.diagnostic.notes

    @property
    def helps(self) -> tuple[str, ...]:
        return self.diagnostic.helps

    @property
    def place(self) -> Place | None:
        if self.diagnostic.span is not None:
            return place_of(self.diagnostic.span)
        return Place(self.diagnostic.path) if self.diagnostic.path else self.emitted

    @property
    def path(self) -> str:
        """The file of its place, as given on the command line; empty without one."""
        return "" if self.place is None else self.place.path

    @property
    def text(self) -> str:
        """The whole message for people, without colours."""
        return finding_text(self)


def place_of(span: Span) -> Place:
    """The place of a range of a source."""
    source = span.source
    return Place(source.name, *source.line_column(span.start), *source.line_column(span.end))


def finding_of(diagnostic: Diagnostic, *, subject: str = "", inconclusive: bool = False) -> Finding:
    """A finding about a source."""
    return Finding(diagnostic, subject=subject, inconclusive=inconclusive)


def finding_about(
    code: str,
    message: str,
    *,
    path: str = "",
    line: int | None = None,
    subject: str = "",
    notes: Sequence[str] = (),
    helps: Sequence[str] = (),
    severity: Severity = Severity.ERROR,
    inconclusive: bool = False,
) -> Finding:
    """A finding without a place in a source, such as one about an emitted line."""
    diagnostic = Diagnostic(code, message, notes=tuple(notes), helps=tuple(helps), severity=severity)
    return Finding(diagnostic, Place(path, line) if path else None, subject, inconclusive)


def finding_text(finding: Finding, *, colour: bool = False) -> str:
    """The whole message for people, without a final line break."""
    head, *rest = render_text(finding.diagnostic, colour=colour).split("\n")
    arrow = [f" --> {finding.emitted}"] if finding.emitted is not None else []
    return "\n".join([head, *arrow, *rest])


def exit_status(findings: Iterable[Finding]) -> int:
    """0 clean, 1 errors found, 3 if all that was found is that a budget ran out."""
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if not errors:
        return CLEAN
    return UNDECIDED if all(finding.inconclusive for finding in errors) else FOUND
