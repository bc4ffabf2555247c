"""A cursor over one line of a prompt: takes expected parts from left to right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from compiler.reader.text.errors import ReadError
from compiler.reader.text.formula import parse_formula
from compiler.reader.text.tokens import KEYWORDS
from compiler.reader.text.tree import ReadFormula
from compiler.reader.text.values import (
    FLAGS,
    NAME,
    NUMBER_PATTERN,
    QUOTED,
    ReadDisplay,
    ReadKind,
    ReadValue,
    format_value,
    kind_of,
    read_integer,
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
    """Reads one line. Every method that does not find what it needs raises `ReadError`."""

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
            raise self.fail(expected or f"`{literal}`")

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
        """Pass a plain decimal integer of at most 2^60 either way."""
        found = NUMBER_PATTERN.match(self.text, self.at)
        if found is None:
            raise self.fail("a number")
        value = read_integer(found[0])
        if value is None:
            raise self.fail("a number of at most 2^60, and zero without a sign")
        self.at = found.end()
        return value

    def value(self) -> ReadValue:
        """Pass a number, a flag or a word."""
        found = NAME.match(self.text, self.at) or QUOTED.match(self.text, self.at)
        if found is None:
            return self.number()
        value = FLAGS.get(found[0], read_word(found[0]))
        if value is None:
            raise self.fail("a word, in double quotes only where it needs them")
        self.at = found.end()
        return value

    def formula(self) -> ReadFormula:
        """Pass a formula in backticks."""
        found = self.match(_IN_TICKS)
        if found is None:
            raise self.fail("a formula in backticks")
        return parse_formula(found[1], self.line)

    def unit(self) -> str:
        """Pass ` [unit]` if it comes next; without one the unit is empty."""
        found = self.match(_BRACKETED_UNIT)
        return found[1] if found else ""

    def display(self, unit: str) -> ReadDisplay | None:
        """Pass ` (printed ...)` if it comes next; `unit` is the unit of the quantity itself."""
        start = self.at
        found = self.match(_NOTE)
        if found is None:
            return None
        decimals = self.decimals(found)
        if found["unit"] is not None:
            if found["decimals"] is None or found["left"] is None:
                self.at = start
                raise self.fail("` (printed as UNIT to N decimals, 1 UNIT = N UNIT)`")
            return self.converted(found, unit, decimals)
        if found["left"] is not None:
            raise self.fail("a ratio of units only after `printed as`", f"`{found[0].strip()}`")
        return ReadDisplay(unit, decimals)

    def decimals(self, note: re.Match[str]) -> int:
        """Give the number of decimals in a note, 0 if it names none."""
        written = note["decimals"]
        if written is None:
            return 0
        number = int(written)
        if number > _MAX_DECIMALS or written != str(number):
            raise self.fail(f"0 to {_MAX_DECIMALS} decimals", written)
        if (note["noun"] == "decimal") != (number == 1):
            raise self.fail("`decimal` after 1 and `decimals` after other numbers", f"`{note[0].strip()}`")
        return number

    def converted(self, note: re.Match[str], unit: str, decimals: int) -> ReadDisplay:
        """Give the display of a quantity in `unit` that a note prints in another one."""
        shown = note["unit"]
        a, b = int(note["a"]), int(note["b"])
        if (note["left"], note["right"]) == (shown, unit):
            return ReadDisplay(shown, decimals, a, b)
        if (note["left"], note["right"]) == (unit, shown):
            return ReadDisplay(shown, decimals, b, a)
        raise self.fail(
            f"the ratio of {shown} and {unit or 'the unit of the quantity, which has none'}", f"`{note[0].strip()}`"
        )

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
            raise self.fail("a list of numbers alone, of flags alone or of words alone", "values of several kinds")
        if len(set(found)) < len(found):
            raise self.fail("each value once in the list", "a value twice")
        return tuple(found)

    def progression(self, first: ReadValue, *, down: bool) -> range:
        """Pass the rest of `A to B in steps of S` or `A down to B in steps of S`."""
        last = self.number()
        self.need(" in steps of ")
        step = self.number()
        if kind_of(first) is not ReadKind.NUMBER or not isinstance(first, int) or step <= 0:
            raise self.fail("numbers in steps above zero", f"`{format_value(first)}` in steps of {step}")
        length, rest = divmod(first - last if down else last - first, step)
        if rest or length < 0:
            raise self.fail("steps that reach the last value", f"steps of {step} from {first} to {last}")
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
