"""Frozen values as text, for `gtd show`: the names of their classes and fields, indented where a line is too short.

It knows no class: any value of attrs, and tuples, mappings, sets and plain values in it. Fields that don't take part in
comparison, such as spans, are left out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any

import attrs

TREE_WIDTH = 110
_INDENT = 2
SHORT = 40  # items up to this width share lines


def tree_text(value: object, *, width: int = TREE_WIDTH) -> str:
    """The value as text of lines no wider than `width` where that is possible, without a final line break."""
    return "\n".join(_rows(value, width))


def _rows(value: object, width: int) -> list[str]:
    match value:
        case Enum():
            return [value.name]
        case Mapping():
            return _bracketed("{", "}", ((f"{_key(key)}: ", item) for key, item in value.items()), width)
        case AbstractSet():
            return _bracketed("{", "}", (("", item) for item in sorted(value, key=repr)), width)
        case tuple() | list():
            return _bracketed("[", "]", (("", item) for item in value), width)
        case _ if attrs.has(type(value)):
            return _bracketed(f"{type(value).__name__}(", ")", _fields(value), width, fill=False)
        case _:
            return [repr(value)]


def _fields(value: object) -> Iterator[tuple[str, object]]:
    kind: Any = type(value)
    for field in attrs.fields(kind):
        if field.eq:
            yield f"{field.name}=", getattr(value, field.name)


def _key(key: object) -> str:
    return key if isinstance(key, str) else tree_text(key)


def _bracketed(
    opening: str, closing: str, items: Iterator[tuple[str, object]], width: int, *, fill: bool = True
) -> list[str]:
    """The items on one line if they fit; otherwise below each other, or with `fill` side by side if all are short."""
    parts: list[list[str]] = []
    for label, item in items:
        first, *rest = _rows(item, width - _INDENT)
        parts.append([label + first, *rest])
    if all(len(rows) == 1 for rows in parts):
        line = opening + ", ".join(rows[0] for rows in parts) + closing
        if len(line) <= width:
            return [line]
        if fill and all(len(rows[0]) <= SHORT for rows in parts):
            return [opening, *_filled([rows[0] for rows in parts], width - _INDENT), closing]
    inner = [row for *rows, last in parts for row in (*rows, f"{last},")]
    return [opening, *(" " * _INDENT + row for row in inner), closing]


def _filled(words: list[str], width: int) -> list[str]:
    """Short texts, as many on a line as fit."""
    rows = [""]
    for word in words:
        if rows[-1] and len(rows[-1]) + len(word) + 2 > width:
            rows.append("")
        rows[-1] += f"{' ' if rows[-1] else ''}{word},"
    return textwrap.indent("\n".join(rows), " " * _INDENT).split("\n")
