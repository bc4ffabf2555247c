"""The static part of a prompt to a `Handbook`.

One function per section. An unknown line is an error, except in the free text that stands before
the list of some sections. The result is cached by text: all prompts of a system share it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, Protocol, TypeVar

from compiler.reader.text.cursor import Cursor
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import (
    Attribute,
    Event,
    Fact,
    Field,
    Handbook,
    Hidden,
    ReadKeep,
    ReadPick,
    ReadRule,
    ReadSense,
    Relation,
    Setting,
    Table,
)
from compiler.reader.text.limits import MAX_PROMPT_NAMES, MAX_VALUES
from compiler.reader.text.sections import NumberedLine, Section, split_sections
from compiler.reader.text.tree import ReadFormula
from compiler.reader.text.values import ReadDisplay, ReadValue, kind_of

HEALTHY_CODE: Final = "HEALTHY"

_NAMES: Final = (
    "Answer",
    "Diagnosis codes",
    "Fields",
    "Facts",
    "Hidden quantities",
    "Relations",
    "Tables",
    "Log events",
    "Conditions",
    "Runbook",
)
_ITEM: Final = re.compile(r"- |[0-9]+\. ")
_PICKS: Final = {f" = {pick.value} ": pick for pick in (ReadPick.LARGEST, ReadPick.SMALLEST, ReadPick.FIRST)}
_SYSTEM_KEEPS: Final = (
    ("changes ", ReadSense.EQUAL),
    ("raises ", ReadSense.NOT_ABOVE),
    ("lowers ", ReadSense.NOT_BELOW),
)


class _Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def line(self) -> int: ...


N = TypeVar("N", bound=_Named)


@lru_cache(maxsize=32)
def read_handbook(text: str) -> Handbook:
    """Read the lines before the config, which start at line 1.

    Raises:
        ReadError: The text breaks the format.
    """
    head, sections = split_sections(text, 1, _NAMES, frozenset(["Tables"]))
    if not head or not head[0][1].startswith("# ") or head[0][0] != 1:
        raise ReadError(1, "`# ` and the title of the system", repr(text.split("\n", 1)[0]))
    if not sections["Answer"].lines:
        raise ReadError(sections["Answer"].line, "the format of the answer", "nothing")
    _check_size(sections)
    keeps, rules = _runbook(sections["Runbook"])
    valid, sound = _conditions(sections["Conditions"])
    book = Handbook(
        title=head[0][1][2:],
        codes=_codes(sections["Diagnosis codes"]),
        fields=_fields(sections["Fields"]),
        facts=_distinct(_fact(*line) for line in sections["Facts"].lines),
        hidden=_distinct(_hidden(*line) for line in _list(sections["Hidden quantities"])),
        relations=_distinct(_relation(*line) for line in _list(sections["Relations"])),
        tables=_distinct(_table(*line) for line in sections["Tables"].lines),
        events=_events(sections["Log events"]),
        valid=valid,
        sound=sound,
        keeps=keeps,
        rules=rules,
    )
    everything: list[_Named] = [*book.fields, *book.facts, *book.hidden, *book.relations]
    _distinct(everything)
    _check_values(book)
    _check_codes(book, sections["Diagnosis codes"].line)
    return book


def _check_size(sections: Mapping[str, Section]) -> None:
    total = 0
    for name in ("Fields", "Facts", "Hidden quantities", "Relations", "Log events"):
        total += len(sections[name].lines)
        if total > MAX_PROMPT_NAMES:
            raise ReadError(sections[name].line, f"at most {MAX_PROMPT_NAMES} named quantities", str(total))


def _check_values(book: Handbook) -> None:
    left = MAX_VALUES
    items: list[Field | Fact | Hidden] = [*book.fields, *book.facts, *book.hidden]
    for item in items:
        left -= len(item.values or ())
        if left < 0:
            raise ReadError(item.line, f"at most {MAX_VALUES} values in all lists", f"{MAX_VALUES - left}")


def _distinct(items: Iterable[N]) -> tuple[N, ...]:
    """Check that no two items have one name."""
    found: dict[str, N] = {}
    for item in items:
        if item.name in found:
            raise ReadError(item.line, "a new name", f"`{item.name}` again")
        found[item.name] = item
    return tuple(found.values())


def _list(section: Section) -> Sequence[NumberedLine]:
    """Leave out the free text before the list of a section."""
    for at, (_, text) in enumerate(section.lines):
        if _ITEM.match(text):
            return section.lines[at:]
    return ()


def _codes(section: Section) -> dict[str, str]:
    codes: dict[str, str] = {}
    for number, text in section.lines:
        line = Cursor(text, number)
        line.need("- ")
        code = line.name("a diagnosis code")
        line.need(": ")
        if code in codes:
            raise ReadError(number, "a new code", f"`{code}` again")
        codes[code] = line.text[line.at :]
    return codes


def _check_codes(book: Handbook, line: int) -> None:
    seen: set[str] = set()
    for rule in book.rules:
        if rule.code in seen or rule.code not in book.codes or rule.code == HEALTHY_CODE:
            raise ReadError(rule.line, "a listed code that no other rule has", f"`{rule.code}`")
        seen.add(rule.code)
    for code in book.codes:
        if code not in seen and code != HEALTHY_CODE:
            raise ReadError(line, "a rule for each code", f"no rule for `{code}`")
    if HEALTHY_CODE not in book.codes:
        raise ReadError(line, f"the code `{HEALTHY_CODE}`", "no such code")


def _fields(section: Section) -> tuple[Field, ...]:
    fields: list[Field] = []
    for rank, (number, text) in enumerate(_list(section), 1):
        line = Cursor(text, number)
        line.need(f"{rank}. ", f"the field of rank {rank}")
        name = line.name("a field")
        locked = line.take(" (locked)")
        unit = line.unit()
        line.need(": ")
        values = line.values()
        line.text_and_end()
        fields.append(Field(name, unit, locked, values, number))
    return _distinct(fields)


def _fact(number: int, text: str) -> Fact:
    line = Cursor(text, number)
    line.need("- ", "`- ` and a fact")
    name = line.name("a fact")
    unit = line.unit()
    display = line.display(unit)
    values = line.values() if line.take(": ") else None
    if values is None and display is not None and display.factor is None:
        raise line.fail("`: ` and the values of a fact that is printed rounded")
    line.text_and_end()
    return Fact(name, unit, display, values, number)


def _hidden(number: int, text: str) -> Hidden:
    line = Cursor(text, number)
    line.need("- ", "`- ` and a quantity")
    name = line.name("a quantity")
    unit = line.unit()
    line.need(": ")
    values = line.values()
    line.text_and_end()
    return Hidden(name, unit, values, number)


def _defined(line: Cursor, what: str) -> tuple[str, str, ReadDisplay | None, ReadFormula]:
    """Read ``name [unit] (printed ...) = `formula` ``."""
    name = line.name(what)
    unit = line.unit()
    display = line.display(unit)
    line.need(" = ")
    return name, unit, display, line.formula()


def _relation(number: int, text: str) -> Relation:
    line = Cursor(text, number)
    line.need("- ", "`- ` and a relation")
    name, unit, display, formula = _defined(line, "a relation")
    line.text_and_end()
    return Relation(name, unit, display, formula, number)


def _table(number: int, text: str) -> Table:
    line = Cursor(text, number)
    line.need("- ", "`- ` and a table")
    name = line.name("a table")
    line.unit()
    line.need(": ")
    entries: dict[ReadValue, ReadValue] = {}
    while True:
        key = line.value()
        line.need(" ", "a space and the value for the key")
        if key in entries:
            raise line.fail("each key once", repr(key))
        entries[key] = line.value()
        if not line.take(", "):
            break
    line.text_and_end()
    for values in (entries.keys(), entries.values()):
        if len({kind_of(value) for value in values}) > 1:
            raise line.fail("keys of one kind and values of one kind", "several kinds")
    return Table(name, entries, number)


def _events(section: Section) -> tuple[Event, ...]:
    events: list[Event] = []
    for number, text in section.lines:
        line = Cursor(text, number)
        if line.take("  - "):
            if not events:
                raise line.fail("an event before its attributes")
            name, unit, display, formula = _defined(line, "an attribute")
            line.text_and_end()
            attribute = Attribute(name, display or ReadDisplay(unit), formula, number)
            last = events[-1]
            attributes = _distinct([*last.attributes, attribute])
            events[-1] = Event(last.name, last.when, attributes, last.line)
            continue
        line.need("- ", "`- ` and an event")
        name = line.name("an event")
        line.need(": ")
        when = None
        if not line.take("always"):
            line.need("when ", "`always` or `when`")
            when = line.formula()
        line.text_and_end()
        events.append(Event(name, when, (), number))
    return _distinct(events)


def _conditions(section: Section) -> tuple[tuple[ReadFormula, ...], tuple[ReadFormula, ...]]:
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


def _runbook(section: Section) -> tuple[tuple[ReadKeep, ...], tuple[ReadRule, ...]]:
    lines = list(_list(section))
    keeps: list[ReadKeep] = []
    while len(keeps) < len(lines) and lines[len(keeps)][1].startswith("- "):
        keeps.append(_system_keep(*lines[len(keeps)]))
    del lines[: len(keeps)]
    heads = [at for at, (_, text) in enumerate(lines) if not text.startswith("   ")]
    if lines and heads[:1] != [0]:
        raise ReadError(lines[0][0], "`1. ` and a code", repr(lines[0][1]))
    spans = enumerate(pairwise([*heads, len(lines)]), 1)
    rules = [_rule(place, lines[start:end]) for place, (start, end) in spans]
    return tuple(keeps), tuple(rules)


def _system_keep(number: int, text: str) -> ReadKeep:
    line = Cursor(text, number)
    line.need("- no repair ")
    for verb, sense in _SYSTEM_KEEPS:
        if line.take(verb):
            name = line.ticked_name("a field or relation in backticks")
            line.text_and_end()
            return ReadKeep(name, sense, number)
    raise line.fail("`changes`, `raises` or `lowers`")


def _rule(place: int, lines: Sequence[NumberedLine]) -> ReadRule:
    """Read one rule: its head and the indented lines when, set, else set, keep and note, in order."""
    number, text = lines[0]
    head = Cursor(text, number)
    head.need(f"{place}. ", f"rule {place}")
    code = head.name("a diagnosis code")
    head.need(": ")
    cursors = [Cursor(text, number) for number, text in lines[1:]]
    for cursor in cursors:
        cursor.at = len(cursor.text) - len(cursor.text.lstrip(" "))
    if not cursors:
        raise ReadError(number, "`when` below the head of a rule", "nothing")
    cursors[0].need("when ", "`when` and a formula")
    when = cursors[0].formula()
    cursors[0].end()
    alternatives: list[tuple[Setting, ...]] = []
    keeps: list[ReadKeep] = []
    noted = False
    for cursor in cursors[1:]:
        if cursor.take("note: "):
            noted = True
        elif alternatives and not noted and cursor.take("keep "):
            keeps.extend(_rule_keeps(cursor))
        elif not keeps and not noted and cursor.take("else set " if alternatives else "set "):
            alternatives.append(_settings(cursor))
        else:
            raise cursor.fail("`set`, then `else set`, `keep` and `note:`, in this order")
    if not alternatives:
        raise ReadError(lines[-1][0], "`set` in a rule", repr(lines[-1][1]))
    return ReadRule(code, when, tuple(alternatives), tuple(keeps), number)


def _settings(line: Cursor) -> tuple[Setting, ...]:
    settings: list[Setting] = []
    while True:
        field = line.name("a field to set")
        pick = next((pick for words, pick in _PICKS.items() if line.take(words)), ReadPick.VALUE)
        if pick is ReadPick.VALUE:
            line.need(" = ")
        settings.append(Setting(field, pick, line.formula()))
        if not line.take("; "):
            line.end()
            return tuple(settings)


def _rule_keeps(line: Cursor) -> list[ReadKeep]:
    keeps: list[ReadKeep] = []
    while True:
        name = line.ticked_name("a field or relation in backticks")
        sense = ReadSense.EQUAL
        if line.take(" not above"):
            sense = ReadSense.NOT_ABOVE
        elif line.take(" not below"):
            sense = ReadSense.NOT_BELOW
        keeps.append(ReadKeep(name, sense, line.line))
        if not line.take(", "):
            line.end()
            return keeps
