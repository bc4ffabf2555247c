"""Named texts and ranges in them. Every node and diagnostic points into one of these."""

from __future__ import annotations

import bisect
from functools import cached_property

import attrs


@attrs.define(frozen=True, slots=False, eq=False)
class Source:
    """A text with the name under which messages show it."""

    name: str
    text: str

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        return (0, *(i + 1 for i, char in enumerate(self.text) if char == "\n"))

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column of `offset`, both counted from 1."""
        line = bisect.bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        start = self.line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


@attrs.frozen
class Span:
    """Characters `start` up to but not including `end` of `source`."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        return Span(self.source, self.start, max(self.end, other.end))
