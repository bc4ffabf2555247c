"""The sections before the runbook, each a list: one function per section.

In: a `Section`. Out: the part of a `Handbook` that the section says. Every line is an item; an unknown one is an
error. Names inside formulas are checked later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from compiler.reader.text.cursor import Cursor
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import (
    ReadAttribute,
    ReadEvent,
    ReadFact,
    ReadField,
    ReadHidden,
    ReadRelation,
    ReadTable,
)
from compiler.reader.text.sections import Section
from compiler.reader.text.tree import ReadFormula
from compiler.reader.text.values import ReadDisplay, ReadValue, kind_of


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


def read_codes(section: Section) -> dict[str, str]:
    """Read the diagnosis codes with their titles."""
    codes: dict[str, str] = {}
    for number, text in section.lines:
        line = Cursor(text, number)
        line.need("- ", "`- ` and a diagnosis code")
        code = line.name("a diagnosis code")
        line.need(": ")
        if code in codes:
            raise ReadError(number, "each code once", f"`{code}` again")
        codes[code] = line.text[line.at :]
    return codes


def read_fields(section: Section) -> tuple[ReadField, ...]:
    """Read the fields, which are numbered by rank."""
    fields: list[ReadField] = []
    for rank, (number, text) in enumerate(section.listed, 1):
        line = Cursor(text, number)
        line.need(f"{rank}. ", f"`{rank}. ` and a field")
        name = line.name("a field")
        locked = line.take(" (locked)")
        unit = line.unit()
        line.need(": ")
        values = line.values()
        line.text_and_end()
        fields.append(ReadField(name, unit, locked, values, number))
    return distinct(fields)


def read_facts(section: Section) -> tuple[ReadFact, ...]:
    """Read the facts."""
    return distinct(_fact(*line) for line in section.lines)


def _fact(number: int, text: str) -> ReadFact:
    line = Cursor(text, number)
    line.need("- ", "`- ` and a fact")
    name = line.name("a fact")
    unit = line.unit()
    display = line.display(unit)
    values = line.values() if line.take(": ") else None
    if values is None and display is not None and display.factor is None:
        raise line.fail("`: ` and the values of a fact that is printed rounded")
    line.text_and_end()
    return ReadFact(name, unit, display, values, number)


def read_hidden(section: Section) -> tuple[ReadHidden, ...]:
    """Read the hidden quantities."""
    return distinct(_hidden(*line) for line in section.listed)


def _hidden(number: int, text: str) -> ReadHidden:
    line = Cursor(text, number)
    line.need("- ", "`- ` and a hidden quantity")
    name = line.name("a hidden quantity")
    unit = line.unit()
    line.need(": ")
    values = line.values()
    line.text_and_end()
    return ReadHidden(name, unit, values, number)


def read_relations(section: Section) -> tuple[ReadRelation, ...]:
    """Read the relations."""
    return distinct(_relation(*line) for line in section.listed)


def _relation(number: int, text: str) -> ReadRelation:
    line = Cursor(text, number)
    line.need("- ", "`- ` and a relation")
    name, unit, display, formula = _defined(line, "a relation")
    line.text_and_end()
    return ReadRelation(name, unit, display, formula, number)


def _defined(line: Cursor, what: str) -> tuple[str, str, ReadDisplay | None, ReadFormula]:
    """Read ``name [unit] (printed ...) = `formula` ``."""
    name = line.name(what)
    unit = line.unit()
    display = line.display(unit)
    line.need(" = ")
    return name, unit, display, line.formula()


def read_tables(section: Section) -> tuple[ReadTable, ...]:
    """Read the tables."""
    return distinct(_table(*line) for line in section.lines)


def _table(number: int, text: str) -> ReadTable:
    line = Cursor(text, number)
    line.need("- ", "`- ` and a table")
    name = line.name("a table")
    line.unit()
    line.need(": ")
    entries: dict[ReadValue, ReadValue] = {}
    while True:
        start = line.at
        key = line.value()
        if key in entries:
            raise line.fail("each key once", f"`{line.text[start : line.at]}` again")
        line.need(" ", "a space and the value for the key")
        entries[key] = line.value()
        if not line.take(", "):
            break
    line.text_and_end()
    for values in (entries.keys(), entries.values()):
        if len({kind_of(value) for value in values}) > 1:
            raise line.fail("keys of one kind and values of one kind", "several kinds")
    return ReadTable(name, entries, number)


def read_events(section: Section) -> tuple[ReadEvent, ...]:
    """Read the log events, each with the attributes on the indented lines below it."""
    events: list[ReadEvent] = []
    for number, text in section.lines:
        line = Cursor(text, number)
        if not line.take("  - "):
            events.append(_event(line))
            continue
        if not events:
            raise line.fail("an event before its attributes")
        last = events[-1]
        attributes = distinct([*last.attributes, _attribute(line)])
        events[-1] = ReadEvent(last.name, last.when, attributes, last.line)
    return distinct(events)


def _event(line: Cursor) -> ReadEvent:
    line.need("- ", "`- ` and an event")
    name = line.name("an event")
    line.need(": ")
    when = None
    if not line.take("always"):
        line.need("when ", "`always` or `when`")
        when = line.formula()
    line.text_and_end()
    return ReadEvent(name, when, (), line.line)


def _attribute(line: Cursor) -> ReadAttribute:
    name, unit, display, formula = _defined(line, "an attribute")
    line.text_and_end()
    return ReadAttribute(name, display or ReadDisplay(unit), formula, line.line)


def read_conditions(section: Section) -> tuple[tuple[ReadFormula, ...], tuple[ReadFormula, ...]]:
    """Read the conditions of every run and those of a sound run."""
    valid: list[ReadFormula] = []
    sound: list[ReadFormula] = []
    for number, text in section.lines:
        line = Cursor(text, number)
        line.need("- ", "`- ` and a condition")
        if line.take("every run satisfies "):
            valid.append(line.formula())
        else:
            line.need("a run is sound when ", "`every run satisfies` or `a run is sound when`")
            sound.append(line.formula())
        line.text_and_end()
    return tuple(valid), tuple(sound)
