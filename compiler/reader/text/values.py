"""Values as a page prints them: numbers with unit and rounding, exact decimals, flags, words.

Flags are Python bools, numbers ints, enum values strings.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, assert_never

import attrs

from compiler.reader.text.limits import MAX_NUMBER

ReadValue: TypeAlias = int | str
"""A number, a flag (bool, so also an int) or a word."""

NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
QUOTED: Final = re.compile(r'"[^"\\|#\n]+"')
NUMBER_PATTERN: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")

FLAGS: Final[Mapping[str, bool]] = {"true": True, "false": False}

_EXACT: Final = re.compile(r"(-?)(0|[1-9][0-9]{0,24})(?:\.([0-9]{1,24}))?(?:e(-?[0-9]{1,2}))?")
_NUMERAL: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


class ReadKind(enum.Enum):
    """What sort of value a quantity has."""

    NUMBER = "a number"
    FLAG = "a flag"
    WORD = "a word"


def kind_of(value: ReadValue) -> ReadKind:
    """Give the kind of `value`."""
    if isinstance(value, bool):
        return ReadKind.FLAG
    return ReadKind.NUMBER if isinstance(value, int) else ReadKind.WORD


def format_value(value: ReadValue) -> str:
    """Write a plain value: a whole number, a flag or a word."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return value if NAME.fullmatch(value) else f'"{value}"'


@attrs.frozen
class ReadExact:
    """A number printed with all its decimals: value / parts, as `0.1` or as `3e-4`."""

    parts: int
    scientific: bool = False

    def text(self, value: int) -> str:
        """Write `value`."""
        digits, places = abs(value), 0
        parts = self.parts
        while parts > 1 and places <= 60:  # parts divide a power of ten
            digits, parts, places = _shifted(digits, parts, places)
        while places and digits % 10 == 0:
            digits, places = digits // 10, places - 1
        sign = "-" if value < 0 else ""
        return sign + (_scientific(digits, places) if self.scientific else _decimal(digits, places))

    def read(self, text: str) -> int | None:
        """Give the value that prints as `text`; None if none does."""
        found = _EXACT.fullmatch(text)
        if found is None:
            return None
        fraction = found[3] or ""
        power = int(found[4] or 0) - len(fraction)
        digits = int(found[2] + fraction) * self.parts * 10 ** max(power, 0)
        value, rest = divmod(digits, 10 ** max(-power, 0))
        value = -value if found[1] else value
        return value if not rest and self.text(value) == text else None


def _shifted(digits: int, parts: int, places: int) -> tuple[int, int, int]:
    """Move the point by one place: digits / parts stays the same times ten."""
    for factor, rest in ((10, 1), (5, 2), (2, 5)):
        if parts % factor == 0:
            return digits * rest, parts // factor, places + 1
    return digits, 1, places


def _decimal(digits: int, places: int) -> str:
    text = str(digits).rjust(places + 1, "0")
    return f"{text[:-places]}.{text[-places:]}" if places else text


def _scientific(digits: int, places: int) -> str:
    if not digits:
        return "0"
    text = str(digits)
    power = len(text) - 1 - places
    text = text.rstrip("0")
    return (f"{text[0]}.{text[1:]}" if text[1:] else text) + f"e{power}"


@attrs.frozen
class ReadDisplay:
    """How a number is printed: shown amount = value * times / per, rounded half up.

    Attributes:
        singular: The unit after a printed 1, if it is another word.
        exact: Set if the number is printed with all its decimals; then nothing else but this matters.
        joined: Whether the unit follows without a blank.
    """

    unit: str = ""
    decimals: int = 0
    times: int = 1
    per: int = 1
    singular: str = ""
    exact: ReadExact | None = None
    joined: bool = False

    @property
    def plain(self) -> bool:
        """Whether a number is printed as it is."""
        return self.exact is None and self.factor == 1 and not self.decimals

    @property
    def factor(self) -> int | None:
        """Printed steps per unit of the value if printing loses nothing, else None."""
        if self.exact is not None:
            return 1
        steps: int = self.times * 10**self.decimals
        return None if steps % self.per else steps // self.per

    def scaled(self, value: int) -> int:
        """Give the printed amount in units of its last decimal; the value itself for an exact display."""
        if self.exact is not None:
            return value
        steps: int = 10**self.decimals
        return (2 * value * self.times * steps + self.per) // (2 * self.per)

    def text(self, value: int) -> str:
        """Write `value` as the page prints it."""
        return self.amount_text(self.scaled(value))

    def amount_text(self, amount: int) -> str:
        """Write an amount, which is in units of the last decimal."""
        if self.exact is not None:
            return self.exact.text(amount)
        text = ("-" if amount < 0 else "") + _decimal(abs(amount), self.decimals)
        unit = self.singular if text == "1" and self.singular else self.unit
        return f"{text}{unit}" if self.joined or not unit else f"{text} {unit}"

    @property
    def pattern(self) -> str:
        """Regular expression for the texts that `text` can give."""
        if self.exact is not None:
            return r"-?[0-9]{1,25}(?:\.[0-9]{1,25})?(?:e-?[0-9]{1,2})?"
        digits = "-?(?:0|[1-9][0-9]{0,24})"
        if self.decimals:
            digits += rf"\.[0-9]{{{self.decimals}}}"
        blank = "" if self.joined else " "
        units = [re.escape(f"{blank}{unit}") for unit in (self.unit, self.singular) if unit]
        return digits + (f"(?:{'|'.join(sorted(units, key=len, reverse=True))})" if units else "")

    def read(self, text: str) -> int | None:
        """Give the amount, in units of the last decimal, from a text that fits the pattern.

        None if it would be written otherwise, as a minus sign before zero would.
        """
        if self.exact is not None:
            return self.exact.read(text)
        found = _NUMERAL.match(text)
        if found is None:
            return None
        number = found[0]
        amount = int(number.replace(".", ""))
        if self.singular:
            return amount if self.amount_text(amount) == text else None
        return None if not amount and number.startswith("-") else amount


PLAIN_DISPLAY: Final = ReadDisplay()
"""Whole numbers without a unit."""


def printed_pattern(kind: ReadKind, display: ReadDisplay) -> str:
    """Regular expression for a printed value of this kind."""
    match kind:
        case ReadKind.NUMBER:
            return display.pattern
        case ReadKind.FLAG:
            return "true|false"
        case ReadKind.WORD:
            return f"{NAME.pattern}|{QUOTED.pattern}"
    assert_never(kind)


def printed_reader(kind: ReadKind, display: ReadDisplay) -> Callable[[str], ReadValue | None]:
    """Give the function from a text that fits `printed_pattern` to what it stands for.

    Numbers come in units of their last decimal. None means that the text is not as printed.
    """
    match kind:
        case ReadKind.NUMBER:
            return display.read
        case ReadKind.FLAG:
            return FLAGS.get
        case ReadKind.WORD:
            return read_word
    assert_never(kind)


def read_integer(text: str) -> int | None:
    """Give the integer that `text`, which fits `NUMBER_PATTERN`, stands for; None for `-0` and beyond 2^60."""
    if text == "-0" or len(text) > len(str(-MAX_NUMBER)):
        return None
    value = int(text)
    return value if abs(value) <= MAX_NUMBER else None


def read_word(text: str) -> str | None:
    """Give the word that a bare name or a quoted text stands for; None if it is written otherwise, or is a flag."""
    if not text.startswith('"'):
        return None if text in FLAGS else text
    word = text[1:-1]
    return None if NAME.fullmatch(word) else word
