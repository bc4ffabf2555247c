"""Collects the diagnostics of a stage, once each, and hands them out sorted by place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final, NoReturn

from dsl.diagnostics.diagnostic import Diagnostic, Severity, sort_diagnostics
from dsl.source import Span

MAX_ERRORS: Final = 200
"""After so many errors a stage stops: the rest would mostly follow from these."""

MAX_COMPARED: Final = 100_000
"""How many names are compared in all, to find suggestions."""


class CheckStoppedError(Exception):
    """Ends a stage early; what was found until then stands."""


class Findings:
    """What a stage has found so far."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int, int, str], Diagnostic] = {}
        self._compared = 0
        self.error_count = 0

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

    def stop(self, code: str, message: str, span: Span, label: str, *, helps: Iterable[str] = ()) -> NoReturn:
        """Report what leaves nothing to check."""
        self.error(code, message, span, label, helps=helps)
        raise CheckStoppedError

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
        if key in self._found:
            return
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
        self.error_count += severity is Severity.ERROR
        if self.error_count >= MAX_ERRORS:
            raise CheckStoppedError

    def suggestion(self, name: str, candidates: Iterable[str]) -> tuple[str, ...]:
        """A help line with the names most like `name`, at most three; none if nothing is near."""
        by_lower: dict[str, str] = {}
        for candidate in sorted(set(candidates)):
            by_lower.setdefault(candidate.lower(), candidate)
        self._compared += len(by_lower)
        if self._compared > MAX_COMPARED:
            return ()
        near = difflib.get_close_matches(name.lower(), sorted(by_lower), n=3, cutoff=0.6)
        return (f"did you mean {listed([by_lower[match] for match in near], last='or')}?",) if near else ()

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All of them by file, place and code."""
        return sort_diagnostics(self._found.values())


def listed(names: Iterable[str], *, last: str = "and", limit: int = 8) -> str:
    """Names in backticks, cut after `limit`; `last` stands before the last one."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > limit:
        return f"{', '.join(quoted[:limit])} and {len(quoted) - limit} more"
    return f" {last} ".join(", ".join(part) for part in (quoted[:-1], quoted[-1:]) if part)
