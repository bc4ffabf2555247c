"""The section Profiler and log: what the printed values and lines say of the run.

In: a `Section`. Out: a `ReadObservations`. Whether names exist is checked later.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from compiler.reader.text.cursor import Cursor
from compiler.reader.text.displays import Ratios, has_decimals, read_bracketed_note, read_note
from compiler.reader.text.errors import ReadError
from compiler.reader.text.fields import distinct
from compiler.reader.text.handbook import ReadAttribute, ReadEvent, ReadMeasure
from compiler.reader.text.limits import MAX_CHAIN
from compiler.reader.text.sections import Section
from compiler.reader.text.sentences import NOT_AVAILABLE, OTHER_LINES, PROFILER, ROUNDED, need_line
from compiler.reader.text.tree import ReadFeature, ReadFormula, ReadName
from compiler.reader.text.values import NAME, PLAIN_DISPLAY


@attrs.frozen
class ReadObservations:
    """What the section says, in printed order."""

    profiler: tuple[ReadMeasure, ...] = ()
    events: tuple[ReadEvent, ...] = ()
    features: frozenset[ReadFeature] = frozenset()


def read_observations(section: Section, ratios: Ratios) -> ReadObservations:
    """Read the section; `ratios` are those of the sentences of conversion."""
    lines = list(section.lines)
    if len(lines) < 2:
        raise ReadError(section.line, "two sentences on profiler and log", "nothing below the heading")
    opening, closing = lines.pop(0), lines.pop()
    features: set[ReadFeature] = set()
    rounded = False
    profiler: list[ReadMeasure] = []
    events: list[ReadEvent] = []
    for number, text in lines:
        line = Cursor(text, number)
        if _is_measure(text):
            if events:
                raise line.fail("a logger and `:`, as the values of the profiler come first")
            profiler.append(_measure(line, ratios))
        else:
            events.append(_event(line, ratios))
        features |= line.features
        rounded = rounded or has_decimals(line)
    need_line(closing, OTHER_LINES)
    missing = any(each.when for each in profiler)
    need_line(opening, PROFILER + (NOT_AVAILABLE if missing else "") + (ROUNDED if rounded else ""))
    _check_loggers(events)
    return ReadObservations(distinct(profiler), tuple(events), frozenset(features))


def _is_measure(text: str) -> bool:
    """Say whether a line is about a value of the profiler: `NAME`, `NAME = ...` or `NAME  # ...`."""
    found = NAME.match(text)
    return found is not None and (found.end() == len(text) or text.startswith((" = ", "  # "), found.end()))


def _measure(line: Cursor, ratios: Ratios) -> ReadMeasure:
    """Read `NAME`, or `NAME = FORMULA`, with `  # NOTE; n/a unless CONDITION` or a part of that behind it."""
    name = line.name("a value of the profiler")
    formula = line.formula() if line.take(" = ") else ReadFormula(ReadName(name), line.line, frozenset([name]))
    display, when = PLAIN_DISPLAY, None
    if line.take("  # "):
        conditional = line.take("n/a unless ")
        if not conditional:
            display = read_note(line, ratios)
            conditional = line.take("; n/a unless ")
        if conditional:
            when = line.formula()
    line.end()
    return ReadMeasure(name, display, formula, when, line.line)


def _event(line: Cursor, ratios: Ratios) -> ReadEvent:
    """Read `LOGGER (INDEX = 1, 10), there if FLAG: ATTRIBUTES; stands before LOGGER if FLAG` or parts of it."""
    logger = line.logger()
    index, at = _index(line)
    when = None
    attributes: tuple[ReadAttribute, ...] = ()
    if line.take(", there if "):
        when = line.formula()
        if line.take(": "):
            attributes = _attributes(line, ratios)
    elif line.take(": there if "):
        when = line.formula()
    elif line.take(": stands "):
        line.at -= len("stands ")
    else:
        line.need(": ", "`: `, ` (`, `, there if ` or `: there if `")
        attributes = _attributes(line, ratios)
    before, placed = _placed(line, first=when is None and not attributes)
    line.end()
    if at and before:
        raise ReadError(line.line, "no place for a repeated line", f"`stands before {before}`")
    return ReadEvent(logger, index, at, when, attributes, before, placed, line.line)


def _index(line: Cursor) -> tuple[str, tuple[int, ...]]:
    """Pass ` (INDEX = 1, 10, 50)` if it comes next."""
    if not line.take(" ("):
        return "", ()
    index = line.name("the attribute that numbers the lines")
    line.need(" = ")
    values: list[int] = [line.number()]
    while line.take(", "):
        values.append(line.number())
    line.need(")")
    if len(set(values)) < len(values) or len(values) > MAX_CHAIN:
        raise line.fail(f"at most {MAX_CHAIN} numbers, each once")
    return index, tuple(values)


def _attributes(line: Cursor, ratios: Ratios) -> tuple[ReadAttribute, ...]:
    found: list[ReadAttribute] = []
    while True:
        name = line.name("an attribute")
        line.need(" = ")
        formula = line.formula()
        found.append(ReadAttribute(name, read_bracketed_note(line, ratios, joined=True), formula, line.line))
        if not line.take(", "):
            return distinct(found)


def _placed(line: Cursor, *, first: bool) -> tuple[str, ReadFormula | None]:
    """Pass `; stands before LOGGER if CONDITION` if it comes next; `first` says that nothing stands before it."""
    if not line.take("stands before " if first else "; stands before "):
        return "", None
    other = line.logger()
    line.need(" if ")
    return other, line.formula()


def _check_loggers(events: Sequence[ReadEvent]) -> None:
    seen: set[str] = set()
    for event in events:
        if event.logger in seen:
            raise ReadError(event.line, "each logger once", f"`{event.logger}` again")
        seen.add(event.logger)
