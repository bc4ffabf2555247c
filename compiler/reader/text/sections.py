"""Text to sections: heading lines and the lines below them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import attrs

from compiler.reader.text.errors import ReadError

NumberedLine: TypeAlias = tuple[int, str]
"""A line number and what stands on the line."""


@attrs.frozen
class Section:
    """A heading's line number and the lines below it that are not empty."""

    line: int
    lines: tuple[NumberedLine, ...]


def split_sections(
    text: str, first_line: int, names: Sequence[str], *, end: str, optional: frozenset[str] = frozenset()
) -> tuple[tuple[NumberedLine, ...], dict[str, Section]]:
    """Cut `text` at its headings, which must be `names` in order; those in `optional` may be absent.

    Args:
        first_line: Number of the first line of `text`.
        end: What follows `text`, for messages.

    Returns:
        The lines before the first heading, empty ones left out, and the sections by name.

    Raises:
        ReadError: A section is missing, or stands where none or another one should.
    """
    before: list[NumberedLine] = []
    found: dict[str, Section] = {}
    lines = before
    heading = ""
    start = first_line
    waiting = list(names)
    for number, line in enumerate(text.split("\n"), first_line):
        if line.startswith("## "):
            if heading:
                found[heading] = Section(start, tuple(lines))
            heading, start, lines = line[3:], number, []
            _pass_heading(waiting, heading, optional, number)
        elif line:
            lines.append((number, line))
    if heading:
        found[heading] = Section(start, tuple(lines))
    last_line = first_line + text.count("\n")
    if missing := next((name for name in waiting if name not in optional), None):
        raise ReadError(last_line, f"the section `## {missing}`", end)
    return tuple(before), found


def _pass_heading(waiting: list[str], heading: str, optional: frozenset[str], line: int) -> None:
    """Take `heading`, and the optional ones before it, from the names that may still come."""
    while waiting:
        name = waiting.pop(0)
        if name == heading:
            return
        if name not in optional:
            raise ReadError(line, f"the section `## {name}`", f"`## {heading}`")
    raise ReadError(line, "no further section", f"`## {heading}`")
