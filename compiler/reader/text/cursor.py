"""A cursor over one line of a prompt: takes expected parts from left to right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from compiler.reader.text.errors import ReadError
from compiler.reader.text.formula import KEYWORDS, parse_formula
from compiler.reader.text.limits import MAX_NUMBER
from compiler.reader.text.tree import ReadFormula
from compiler.reader.text.values import (
    NAME,
    NUMBER_PATTERN,
    QUOTED,
    ReadDisplay,
    ReadKind,
    ReadValue,
    kind_of,
    read_word,
)

_UNIT: Final = r"[^\[\]()`|:,=]+?"
_BRACKETED_UNIT: Final = re.compile(rf" \[({_UNIT})\]")
_NOTE: Final = re.compile(
    rf" \(printed(?: as (?P<unit>{_UNIT}))?(?: to (?P<decimals>[0-9]{{1,2}}) (?P<noun>decimals?))?"
    rf"(?:, (?P<a>[1-9][0-9]{{0,17}}) (?P<left>{_UNIT}) = (?P<b>[1-9][0-9]{{0,17}}) (?P<right>{_UNIT}))?\)"
)
_MAX_DECIMALS: Final = 12
_IN_TICKS: Final = re.compile(rf"`((?:{QUOTED.pattern}|[^`\"])*)`")


class Cursor:
    """Reads one line. Every method that finds something else than it needs raises `ReadError`."""

    def __init__(self, text: str, line: int) -> None:
        """Start at the first character of `text`, which is line `line` of the prompt."""
        self.text = text
        self.line = line
        self.at = 0

    def fail(self, expected: str, found: str | None = None) -> ReadError:
        """Make the error for the present place."""
        rest = self.text[self.at :]
        return ReadError(self.line, expected, found or (repr(rest) if rest else "the end of the line"))

    def take(self, literal: str) -> bool:
        """Pass `literal` if it comes next."""
        if not self.text.startswith(literal, self.at):
            return False
        self.at += len(literal)
        return True

    def need(self, literal: str, expected: str | None = None) -> None:
        """Pass `literal`."""
        if not self.take(literal):
            raise self.fail(expected or repr(literal))

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Pass what `pattern` matches here."""
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def name(self, expected: str) -> str:
        """Pass a name that is not a keyword of the formulas."""
        found = NAME.match(self.text, self.at)
        if found is None or found[0] in KEYWORDS:
            raise self.fail(expected)
        self.at = found.end()
        return found[0]

    def ticked_name(self, expected: str) -> str:
        """Pass a name in backticks."""
        self.need("`", expected)
        name = self.name(expected)
        self.need("`")
        return name

    def number(self) -> int:
        """Pass a plain decimal integer of at most 2^60."""
        found = NUMBER_PATTERN.match(self.text, self.at)
        if found is None or found[0] == "-0":
            raise self.fail("a number")
        if len(found[0]) > 20 or abs(int(found[0])) > MAX_NUMBER:
            raise self.fail("a number of at most 2^60")
        self.at = found.end()
        return int(found[0])

    def value(self) -> ReadValue:
        """Pass a number, a flag or a word."""
        found = NAME.match(self.text, self.at) or QUOTED.match(self.text, self.at)
        if found is None:
            return self.number()
        value = {"true": True, "false": False}.get(found[0], read_word(found[0]))
        if value is None:
            raise self.fail("a word, in double quotes only if it needs them")
        self.at = found.end()
        return value

    def formula(self) -> ReadFormula:
        """Pass a formula in backticks."""
        found = self.match(_IN_TICKS)
        if found is None:
            raise self.fail("a formula in backticks")
        return parse_formula(found[1], self.line)

    def unit(self) -> str:
        """Pass ` [unit]` if it comes next; empty without."""
        found = self.match(_BRACKETED_UNIT)
        return found[1] if found else ""

    def display(self, unit: str) -> ReadDisplay | None:
        """Pass ` (printed ...)` if it comes next; `unit` is the unit of the quantity itself."""
        start = self.at
        found = self.match(_NOTE)
        if found is None:
            return None
        shown, decimals, left = found["unit"], found["decimals"], found["left"]
        number = int(decimals or 0)
        if decimals is not None:
            if number > _MAX_DECIMALS or decimals != str(number):
                raise self.fail(f"at most {_MAX_DECIMALS} decimals", decimals)
            if (found["noun"] == "decimal") != (number == 1):
                raise self.fail("`decimal` after 1 and `decimals` after other numbers", found[0].strip())
        if shown is None:
            if left is not None:
                raise self.fail("a ratio only after `printed as`", found[0].strip())
            return ReadDisplay(unit, number)
        if decimals is None or left is None:
            self.at = start
            raise self.fail("` (printed as UNIT to N decimals, 1 UNIT = N UNIT)`")
        a, b, right = int(found["a"]), int(found["b"]), found["right"]
        if (left, right) == (shown, unit):
            return ReadDisplay(shown, number, a, b)
        if (left, right) == (unit, shown):
            return ReadDisplay(shown, number, b, a)
        raise self.fail(f"the ratio of {shown} and {unit or 'the quantity, which has no unit'}", found[0])

    def values(self) -> Sequence[ReadValue]:
        """Pass a list of distinct values of one kind, or a progression, up to ` | ` or the end."""
        first = self.value()
        down = self.take(" down to ")
        if down or self.take(" to "):
            return self.progression(first, down=down)
        found = [first]
        while self.take(", "):
            found.append(self.value())
        if len({kind_of(value) for value in found}) > 1:
            raise self.fail("values of one kind", "values of several kinds")
        if len(set(found)) < len(found):
            raise self.fail("each value once", "a value twice")
        return tuple(found)

    def progression(self, first: ReadValue, *, down: bool) -> range:
        """Pass the rest of `A to B in steps of S` or `A down to B in steps of S`."""
        last = self.number()
        self.need(" in steps of ")
        step = self.number()
        if kind_of(first) is not ReadKind.NUMBER or not isinstance(first, int) or step <= 0:
            raise self.fail("a progression of numbers", f"steps of {step}")
        length, rest = divmod(first - last if down else last - first, step)
        if rest or length < 0:
            raise self.fail("a progression that reaches its last value", f"steps of {step}")
        return range(first, last - 1, -step) if down else range(first, last + 1, step)

    def text_and_end(self) -> str:
        """Pass the optional ` | text` that ends a line."""
        if self.take(" | "):
            text = self.text[self.at :]
            self.at = len(self.text)
            return text
        self.end()
        return ""

    def end(self) -> None:
        """Need the end of the line."""
        if self.at != len(self.text):
            raise self.fail("the end of the line")
