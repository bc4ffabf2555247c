"""Finds the last complete JSON object in a text, in time that grows with its length and no faster.

In: any text. Out: where the object lies and how deeply it nests. Values are not decoded here, so neither
long numbers nor deep nesting cost anything.

A range of the text is a complete object if it is one as RFC 8259 has it: no NaN, no comments, no single
quotes. The last one is the one that ends last; an object around another ends later, so it is never a part
of a larger one. The search runs backwards from the end of the text: usually the first closing brace is its
end, and nothing before the object is read.

Why this is linear: if reading backwards from a brace fails, all braces that are still open then fail at
the same place, and are not tried again. What is left are braces inside strings. Read from there, strings
and structure change places at every quote, and no reading gets past a backslash outside a string; so there
are two readings of any stretch of text, and each is made a fixed number of times.
"""

from __future__ import annotations

import re
from array import array
from typing import NamedTuple

MAX_LENGTH = 1_000_000
"""How many characters are read back from a brace. If they are JSON so far, the search ends there."""

MAX_FAILURES = 100_000
"""How many readings may fail before the search gives up: no sensible reply has that many braces behind its answer."""

# The grammar, back to front: these patterns match reversed text. Brackets that close in a row are one step,
# and so are up to a hundred scalars.
_SPACE = r"[ \t\n\r]*"
_STRING = r'"[^"\\\x00-\x1f]*"'
_NUMBER = r"(?:[0-9]+[+-]?[eE])?(?:[0-9]+\.)?(?:[0-9]*[1-9]|0)-?"
_SCALAR = rf"(?:{_STRING}|{_NUMBER}|eurt|eslaf|llun)"
_KEY = rf"{_SPACE}:{_SPACE}{_STRING}{_SPACE}"
_CLOSED = r"[}\]](?:[}\] \t\n\r]*[}\]])?"
_MEMBER = rf"(?:{_SCALAR}{_KEY}[,{{]|{_CLOSED})"
_MEMBERS = rf"(?:{_SCALAR}{_KEY},{_SPACE}){{0,99}}{_MEMBER}"
_ELEMENT = rf"(?:{_SCALAR}{_SPACE}[,\[]|{_CLOSED})"
_ELEMENTS = rf"(?:{_SCALAR}{_SPACE},{_SPACE}){{0,99}}{_ELEMENT}"

# What may stand before a closing bracket, a comma and a value, by the kind of the container. Each match ends
# with the mark that says how to go on: an opening bracket, a closing one or a comma.
_LAST = {"}": re.compile(rf"{_SPACE}(?:\{{|{_MEMBERS})"), "]": re.compile(rf"{_SPACE}(?:\[|{_ELEMENTS})")}
_EARLIER = {"}": re.compile(_SPACE + _MEMBERS), "]": re.compile(_SPACE + _ELEMENTS)}
_BEFORE = {"}": re.compile(rf"{_KEY}[,{{]"), "]": re.compile(rf"{_SPACE}[,\[]")}

_END = re.compile(rf"\}}(?={_SPACE}(?:[{{}}\]]|{_SCALAR}{_KEY}[,{{]))")
_CLOSED_ROW = "}] \t\n\r"
_SHORT_ESCAPE = re.compile(r'\\["\\/bfnrt]')
_LONG_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}")


class Found(NamedTuple):
    """An object of a text: its range, and how many objects and arrays lie in each other, itself included.

    If the range is longer than `MAX_LENGTH`, it is what was read, and need not be a complete object.
    """

    start: int
    end: int
    depth: int


def last_object(text: str) -> Found | None:
    """Find the complete JSON object that ends last, or one too long to tell.

    None if there is none, or none before `MAX_FAILURES` readings failed.
    """
    size = len(text)
    backwards = _without_escapes(text)[::-1]
    failed = bytearray(size)
    position = failures = 0
    while position >= 0 and failures < MAX_FAILURES and (match := _END.search(backwards, position)):
        end = match.start()
        if failed[end]:
            position = failed.find(0, end)
            continue
        if read := _read_object(backwards, end, failed):
            start, depth = read
            return Found(size - start, size - end, depth)
        failures += 1
        position = end + 1
    return None


def _without_escapes(text: str) -> str:
    """Put letters in place of valid escapes, so that a backslash is an error wherever it stands.

    Positions stay, and so does what is a complete object: outside strings either is an error. The letters are
    no hexadecimal digits, so that they complete no escape before them.
    """
    if "\\" not in text:
        return text
    return _LONG_ESCAPE.sub("zzzzzz", _SHORT_ESCAPE.sub("zz", text))


def _read_object(backwards: str, end: int, failed: bytearray) -> tuple[int, int] | None:
    """Read the object that ends with the brace at `end`; returns how far that went, and its depth.

    If there is none, marks in `failed` the brackets that were open when the reading failed.
    """
    opened = array("q", [end])
    depth = 1
    position = end + 1
    mark = "}"
    while True:
        inside = backwards[opened[-1]]
        pattern = _LAST[inside] if mark in "}]" else _EARLIER[inside] if mark == "," else _BEFORE[inside]
        match = pattern.match(backwards, position)
        if match is None:
            for bracket in opened:
                failed[bracket] = 1
            return None
        position = match.end()
        if position - end > MAX_LENGTH:
            return position, depth
        mark = backwards[position - 1]
        if mark in "}]":
            if backwards[position - 2] in _CLOSED_ROW:
                row = match.start() + len(match.group().rstrip(_CLOSED_ROW))
                opened.extend(place for place in range(row, position) if backwards[place] in "}]")
            else:
                opened.append(position - 1)
            if len(opened) > depth:
                depth = len(opened)
        elif mark != ",":
            opened.pop()
            if not opened:
                return position, depth
