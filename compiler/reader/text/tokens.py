"""A formula's text to tokens: numbers, names, words, and signs from a fixed set."""

from __future__ import annotations

import enum
import re
from typing import Final

import attrs

from compiler.reader.text.errors import ReadError
from compiler.reader.text.limits import MAX_FORMULA_TOKENS
from compiler.reader.text.tree import ReadComparison, ReadConnective, ReadFunction, ReadRounding
from compiler.reader.text.values import NAME, QUOTED


class ReadInfix(enum.Enum):
    """The operators between two operands that are neither comparisons nor connectives."""

    IMPLIES = "implies"
    IN = "in"
    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    MOD = "mod"


KEYWORDS: Final = frozenset(
    {"if", "then", "else", "not", "with", "before", "true", "false"}
    | {
        operator.value
        for operators in (ReadInfix, ReadComparison, ReadConnective, ReadFunction, ReadRounding)
        for operator in operators
        if NAME.fullmatch(operator.value)
    }
)
"""Words that stand for themselves in a formula and so name nothing."""

_TOKEN: Final = re.compile(
    rf"(?P<space> +)|(?P<number>[0-9]+)|(?P<name>{NAME.pattern})|(?P<word>{QUOTED.pattern})"
    r"|(?P<sign>==|!=|<=|>=|[-+*/()\[\]{},=<>])"
)


class ReadTokenKind(enum.Enum):
    """What a token is; keywords are signs."""

    NUMBER = "number"
    NAME = "name"
    WORD = "word"
    SIGN = "sign"
    END = "end"


@attrs.frozen
class ReadToken:
    """A token and its text; the end, after the last one, has none."""

    kind: ReadTokenKind
    text: str


def split_formula(text: str, line: int) -> list[ReadToken]:
    """Cut a formula into tokens, the last of which is the end; `line` is for errors.

    Raises:
        ReadError: A character that no token begins with, or too many tokens.
    """
    tokens: list[ReadToken] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ReadError(line, "a number, name, word or sign of a formula", f"`{text[at:]}`")
        at = found.end()
        if found["space"]:
            continue
        kind = ReadTokenKind.SIGN if found[0] in KEYWORDS else ReadTokenKind(found.lastgroup)
        tokens.append(ReadToken(kind, found[0]))
    if len(tokens) > MAX_FORMULA_TOKENS:
        raise ReadError(line, f"a formula of at most {MAX_FORMULA_TOKENS} parts", str(len(tokens)))
    tokens.append(ReadToken(ReadTokenKind.END, ""))
    return tokens
