"""What the reader says when a text is not a page that it can read, or when a page has no answer in its limits."""

from __future__ import annotations

_SHOWN = 80


class ReadError(Exception):
    """A text that breaks the format of pages or one of the reader's limits.

    The message is one printable line, `line N: expected ..., found ...`.

    Attributes:
        line: Line number in the text, from 1.
        expected: What the format allows at that place.
        found: What the text has there, shortened.
    """

    def __init__(self, line: int, expected: str, found: str) -> None:
        """Say that `expected` should stand on `line` where `found` stands."""
        if len(found) > _SHOWN:
            found = found[:_SHOWN] + "..."
        self.line = line
        self.expected = _printable(expected)
        self.found = _printable(found)
        super().__init__(f"line {line}: expected {self.expected}, found {self.found}")


class UndefinedError(Exception):
    """A formula has no value in a world: zero divisor, missing table key, or too large a number."""


class TooMuchWorkError(Exception):
    """The worlds that fit need more evaluation than the reader's limit allows."""


def _printable(text: str) -> str:
    """Escape what a terminal would act on or could not show."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
