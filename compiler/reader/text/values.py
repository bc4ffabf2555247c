"""Values as a prompt prints them: numbers with unit and rounding, flags, words.

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
NUMBER_PATTERN: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")
QUOTED: Final = re.compile(r'"(?:[^"\\\n]|\\["\\n])*"')

FLAGS: Final[Mapping[str, bool]] = {"true": True, "false": False}

_ESCAPE: Final = re.compile(r'\\(["\\n])')


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


def unquote(text: str) -> str:
    """Give the word that the double-quoted `text` stands for."""
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[1], text[1:-1])


def quoted_word(word: str) -> str:
    """Give `word` in double quotes."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def format_value(value: ReadValue, unit: str = "") -> str:
    """Write an exactly printed value, a number with its unit."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value} {unit}" if unit else str(value)
    return value if NAME.fullmatch(value) else quoted_word(value)


@attrs.frozen
class ReadDisplay:
    """How a number is printed: shown amount = value * times / per, rounded half up."""

    unit: str
    decimals: int = 0
    times: int = 1
    per: int = 1

    @property
    def factor(self) -> int | None:
        """Printed steps per unit of the value if printing loses nothing, else None."""
        steps: int = self.times * 10**self.decimals
        return None if steps % self.per else steps // self.per

    def scaled(self, value: int) -> int:
        """Give the printed amount in units of its last decimal."""
        steps: int = 10**self.decimals
        return (2 * value * self.times * steps + self.per) // (2 * self.per)

    def text(self, value: int) -> str:
        """Write `value` as the prompt prints it."""
        scaled = self.scaled(value)
        digits = str(abs(scaled)).rjust(self.decimals + 1, "0")
        if self.decimals:
            digits = f"{digits[: -self.decimals]}.{digits[-self.decimals :]}"
        sign = "-" if scaled < 0 else ""
        return f"{sign}{digits} {self.unit}" if self.unit else f"{sign}{digits}"

    @property
    def pattern(self) -> str:
        """Regular expression for the texts that `text` can give."""
        digits = "-?(?:0|[1-9][0-9]{0,24})"
        if self.decimals:
            digits += rf"\.[0-9]{{{self.decimals}}}"
        return digits + (re.escape(f" {self.unit}") if self.unit else "")

    def read(self, text: str) -> int | None:
        """Give the amount, in units of the last decimal, from a text that fits the pattern.

        None for a minus sign before zero, which is never printed.
        """
        number = text.split(" ", 1)[0].replace(".", "")
        scaled = int(number)
        return None if scaled == 0 and number.startswith("-") else scaled


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
    """Give the word that a bare or quoted text stands for; None if it is written otherwise."""
    word = unquote(text) if text.startswith('"') else text
    return word if format_value(word) == text and text not in FLAGS else None


def read_plain(text: str) -> ReadValue | None:
    """Give the number, flag or word that `text` is, written without a unit; None if it is none of them."""
    if text in FLAGS:
        return FLAGS[text]
    if NUMBER_PATTERN.fullmatch(text):
        return read_integer(text)
    return read_word(text) if NAME.fullmatch(text) or QUOTED.fullmatch(text) else None
