"""A line's text to the tokens of formulas: numbers, names, quoted words, and signs from a fixed set.

Lines hold more than formulas, so every other character is a token of its own, which no formula takes.
"""

from __future__ import annotations

import enum
import re
from typing import Final

import attrs

from compiler.reader.text.tree import ReadComparison, ReadConnective, ReadFunction, ReadRounding
from compiler.reader.text.values import NAME, QUOTED


class ReadInfix(enum.Enum):
    """The operators between two operands that are neither comparisons nor connectives."""

    IN = "in"
    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    MODULO = "%"


KEYWORDS: Final = frozenset(
    {"if", "else", "not", "before", "printed", "true", "false"}
    | {"first", "largest", "smallest", "with", "keeping", "unless", "there", "stands", "Always"}
    | {
        operator.value
        for operators in (ReadInfix, ReadComparison, ReadConnective, ReadFunction, ReadRounding)
        for operator in operators
        if NAME.fullmatch(operator.value)
    }
)
"""Words that mean something by themselves and so name nothing."""

_TOKEN: Final = re.compile(
    rf" *(?:(?P<number>[0-9]+)|(?P<name>is not\b|{NAME.pattern})|(?P<word>{QUOTED.pattern})"
    r"|(?P<sign>==|!=|<=|>=|[-+*/%()\[\]{},=<>])|(?P<other>.))",
    re.DOTALL,
)


class ReadTokenKind(enum.Enum):
    """What a token is; keywords are signs."""

    NUMBER = "number"
    NAME = "name"
    WORD = "word"
    SIGN = "sign"
    OTHER = "other"
    END = "end"


@attrs.frozen
class ReadToken:
    """A token, its text and the place after it in the line; the end, after the last one, has no text."""

    kind: ReadTokenKind
    text: str
    end: int


_SIGNS: Final = KEYWORDS | {"is not"}


def split_line(text: str) -> list[ReadToken]:
    """Cut a line into tokens, the last of which is the end."""
    tokens: list[ReadToken] = []
    for found in _TOKEN.finditer(text.rstrip(" ")):
        kind = ReadTokenKind(found.lastgroup)
        part = found[kind.value]
        tokens.append(ReadToken(ReadTokenKind.SIGN if part in _SIGNS else kind, part, found.end()))
    tokens.append(ReadToken(ReadTokenKind.END, "", len(text)))
    return tokens
