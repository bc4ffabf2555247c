"""Collects the diagnostics of a stage, once each, and hands them out sorted by place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NoReturn

from dsl.diagnostics.diagnostic import Diagnostic, Severity, sort_diagnostics
from dsl.source import Span
from gpu_train_debug.wording import did_you_mean

MAX_ERRORS: Final = 200
"""The number of errors after which a stage stops: more would mostly follow from these."""

MAX_COMPARED: Final = 100_000
"""How many names are compared in all, to find suggestions."""


class CheckStoppedError(Exception):
    """Ends a stage early; what was found until then stands."""


class Collector:
    """The diagnostics of a stage, as far as it has come."""

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
        names = set(candidates)
        self._compared += len(names)
        question = did_you_mean(name, names) if self._compared <= MAX_COMPARED else ""
        return (question,) if question else ()

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All of them by file, place and code."""
        return sort_diagnostics(self._found.values())
