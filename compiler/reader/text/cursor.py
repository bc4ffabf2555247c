"""A cursor over one line of a page: takes expected parts from left to right."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from compiler.reader.text.errors import ReadError
from compiler.reader.text.formula import FormulaParser
from compiler.reader.text.tokens import KEYWORDS, split_line
from compiler.reader.text.tree import ReadFeature, ReadFormula
from compiler.reader.text.values import (
    FLAGS,
    NAME,
    NUMBER_PATTERN,
    QUOTED,
    ReadExact,
    ReadValue,
    kind_of,
    read_integer,
    read_word,
)

LOGGER: Final = re.compile(r"[A-Za-z0-9_./-]+")
_AMOUNT: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?")


class Cursor:
    """Reads one line. Every method that does not find what it needs raises `ReadError`."""

    def __init__(self, text: str, line: int) -> None:
        """Start at the first character of `text`, which is line `line` of the page."""
        self.text = text
        self.line = line
        self.at = 0
        self.parser: FormulaParser | None = None
        self.ends: list[int] = []

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
        """Pass a name that is not a keyword."""
        found = NAME.match(self.text, self.at)
        if found is None or found[0] in KEYWORDS:
            raise self.fail(expected)
        self.at = found.end()
        return found[0]

    def logger(self) -> str:
        """Pass the name of a logger."""
        found = self.match(LOGGER)
        if found is None:
            raise self.fail("a logger")
        return found[0]

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

    def formula(self, *, bare: bool = True) -> ReadFormula:
        """Pass a formula, as far as it goes; `bare` says whether it may be a conditional without brackets."""
        if self.parser is None:
            tokens = split_line(self.text)
            self.parser = FormulaParser(tokens, self.line)
            self.ends = [token.end for token in tokens]
        parser = self.parser
        parser.at = min(bisect_right(self.ends, self.at), len(self.ends) - 1)
        formula = parser.formula(bare=bare)
        self.at = self.ends[parser.at - 1]
        return formula

    @property
    def features(self) -> frozenset[ReadFeature]:
        """What the formulas passed so far use that a page explains."""
        return frozenset(self.parser.features) if self.parser else frozenset()

    def values(self, exact: ReadExact | None = None) -> Sequence[ReadValue]:
        """Pass a list of distinct values of one kind, or a progression.

        Args:
            exact: How its numbers are printed, if with all their decimals.
        """
        read = self.value if exact is None else lambda: self.amount(exact)
        first = read()
        if exact is None and isinstance(first, int) and not isinstance(first, bool):
            down = self.take(" down to ")
            if down or self.take(" to "):
                return self.progression(first, down=down)
        found = [first]
        while self.take(", "):
            found.append(read())
        if len({kind_of(value) for value in found}) > 1:
            raise self.fail("a list of numbers alone, of flags alone or of words alone", "values of several kinds")
        if len(set(found)) < len(found):
            raise self.fail("each value once in the list", "a value twice")
        return tuple(found)

    def amount(self, exact: ReadExact) -> ReadValue:
        """Pass a number printed with all its decimals."""
        found = _AMOUNT.match(self.text, self.at)
        value = exact.read(found[0]) if found else None
        if found is None or value is None:
            raise self.fail(f"a number in parts of 1/{exact.parts}, without needless digits")
        self.at = found.end()
        return value

    def progression(self, first: int, *, down: bool) -> range:
        """Pass the rest of `A to B in steps of S` or `A down to B in steps of S`."""
        last = self.number()
        self.need(" in steps of ")
        step = self.number()
        if step <= 0:
            raise self.fail("steps above zero", f"steps of {step}")
        length, rest = divmod(first - last if down else last - first, step)
        if rest or length < 0:
            raise self.fail("steps that reach the last value", f"steps of {step} from {first} to {last}")
        return range(first, last - 1, -step) if down else range(first, last + 1, step)

    def comment(self) -> str:
        """Pass the optional `  # text` that ends a line; give the text."""
        if self.take("  # "):
            text = self.text[self.at :]
            self.at = len(self.text)
            return text
        self.end()
        return ""

    def end(self) -> None:
        """Need the end of the line."""
        if self.at != len(self.text):
            raise self.fail("the end of the line")
