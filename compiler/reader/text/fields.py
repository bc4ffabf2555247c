"""The sections of the fields, the fixed values and the hidden quantities: one line for each.

In: a `Section`. Out: that part of a `Handbook`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from compiler.reader.text.cursor import Cursor
from compiler.reader.text.displays import Ratios, read_bracketed_note, read_parts
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import ReadField, ReadFixed, ReadHidden
from compiler.reader.text.sections import Section
from compiler.reader.text.sentences import HIDDEN, need_line
from compiler.reader.text.values import PLAIN_DISPLAY, ReadDisplay, ReadExact, ReadKind, ReadValue, kind_of


class NamedItem(Protocol):
    """An item of a list: it has a name and stands on a line."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def line(self) -> int:
        """Its line number."""


_N = TypeVar("_N", bound=NamedItem)


def distinct(items: Iterable[_N]) -> tuple[_N, ...]:
    """Check that each name occurs once.

    Raises:
        ReadError: Two items have the same name.
    """
    found: dict[str, _N] = {}
    for item in items:
        if item.name in found:
            raise ReadError(item.line, "a name that nothing else has", f"`{item.name}` again")
        found[item.name] = item
    return tuple(found.values())


def read_fields(section: Section) -> tuple[ReadField, ...]:
    """Read the fields that can be changed."""
    return distinct(_field(*line) for line in section.lines)


def _field(number: int, text: str) -> ReadField:
    return ReadField(*_listed(number, text, "a field"), number)


def read_fixed(section: Section, ratios: Ratios) -> tuple[ReadFixed, ...]:
    """Read the values that can't be changed; `ratios` are those of the sentences of conversion."""
    return distinct(_fixed(*line, ratios) for line in section.lines)


def _fixed(number: int, text: str, ratios: Ratios) -> ReadFixed:
    line = Cursor(text, number)
    name = line.name("a fixed value")
    exact = read_parts(line)
    display = _exact_display(exact)
    values = None
    if line.take(": "):
        values = line.values(exact)
        if exact is None and kind_of(values[0]) is ReadKind.NUMBER:
            note = read_bracketed_note(line, ratios)
            display = ReadDisplay("", note.decimals, note.times, note.per)
    line.comment()
    return ReadFixed(name, display, values, number)


def read_hidden(section: Section) -> tuple[ReadHidden, ...]:
    """Read the hidden quantities below their sentence."""
    if not section.lines:
        raise ReadError(section.line, f"`{HIDDEN}`", "nothing below the heading")
    need_line(section.lines[0], HIDDEN)
    return distinct(_hidden(*line) for line in section.lines[1:])


def _hidden(number: int, text: str) -> ReadHidden:
    return ReadHidden(*_listed(number, text, "a hidden quantity"), number)


def _listed(number: int, text: str, what: str) -> tuple[str, Sequence[ReadValue], ReadDisplay]:
    """Read a name with its values: the name, the values, and how they are printed."""
    line = Cursor(text, number)
    name = line.name(what)
    line.need(": ")
    exact = read_parts(line)
    values = line.values(exact)
    line.comment()
    return name, values, _exact_display(exact)


def _exact_display(exact: ReadExact | None) -> ReadDisplay:
    """How numbers are printed that count in these parts, or in none."""
    return ReadDisplay(exact=exact) if exact else PLAIN_DISPLAY
