"""Collects the diagnostics of a stage, once each, and hands them out sorted by place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from dsl.diagnostics import Diagnostic, Severity, sort_diagnostics
from dsl.source import Span


class Findings:
    """What a stage has found so far."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int, int, str], Diagnostic] = {}

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        *,
        secondary: Iterable[tuple[Span, str]] = (),
        notes: Iterable[str] = (),
        helps: Iterable[str] = (),
    ) -> None:
        self._add(Severity.ERROR, code, message, span, label, secondary, notes, helps)

    def warn(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        *,
        secondary: Iterable[tuple[Span, str]] = (),
        notes: Iterable[str] = (),
        helps: Iterable[str] = (),
    ) -> None:
        self._add(Severity.WARNING, code, message, span, label, secondary, notes, helps)

    def _add(
        self,
        severity: Severity,
        code: str,
        message: str,
        span: Span,
        label: str,
        secondary: Iterable[tuple[Span, str]],
        notes: Iterable[str],
        helps: Iterable[str],
    ) -> None:
        key = (code, span.source.name, span.start, span.end, message)
        if key not in self._found:
            self._found[key] = Diagnostic(
                code=code,
                message=message,
                span=span,
                label=label,
                secondary=tuple(secondary),
                notes=tuple(notes),
                helps=tuple(helps),
                severity=severity,
            )

    @property
    def error_count(self) -> int:
        return sum(diagnostic.severity is Severity.ERROR for diagnostic in self._found.values())

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All of them by file, place and code."""
        return sort_diagnostics(self._found.values())


def suggestion(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """A help line with the names most like `name`, at most three; none if nothing is near."""
    by_lower: dict[str, str] = {}
    for candidate in sorted(set(candidates)):
        by_lower.setdefault(candidate.lower(), candidate)
    near = difflib.get_close_matches(name.lower(), sorted(by_lower), n=3, cutoff=0.6)
    if not near:
        return ()
    quoted = [f"`{by_lower[match]}`" for match in near]
    if len(quoted) == 1:
        return (f"did you mean {quoted[0]}?",)
    return (f"did you mean {', '.join(quoted[:-1])} or {quoted[-1]}?",)


def listed(names: Iterable[str], *, limit: int = 8) -> str:
    """Names in backticks, cut after `limit`."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > limit:
        return ", ".join(quoted[:limit]) + f" and {len(quoted) - limit} more"
    return ", ".join(quoted)
