"""Tokens of a line, and the words that no name may be."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import tiny

from compiler.reader import ReadError, read_prompt
from compiler.reader.text.tokens import KEYWORDS, ReadTokenKind, split_line


def test_split_line_tells_keywords_from_names_and_ends_with_the_end() -> None:
    tokens = split_line("10 if a<=b and c is not d else orange  # x")
    sign, name, other = ReadTokenKind.SIGN, ReadTokenKind.NAME, ReadTokenKind.OTHER
    assert [(token.kind, token.text, token.end) for token in tokens] == [
        (ReadTokenKind.NUMBER, "10", 2),
        (sign, "if", 5),
        (name, "a", 7),
        (sign, "<=", 9),
        (name, "b", 10),
        (sign, "and", 14),
        (name, "c", 16),
        (sign, "is not", 23),
        (name, "d", 25),
        (sign, "else", 30),
        (name, "orange", 37),
        (other, "#", 40),
        (name, "x", 42),
        (ReadTokenKind.END, "", 42),
    ]


@pytest.mark.parametrize("keyword", sorted(KEYWORDS))
def test_keyword_names_no_relation(keyword: str) -> None:
    with pytest.raises(ReadError, match="expected a relation"):
        read_prompt(tiny(relations=f"{keyword} = a"))


def test_keywords_are_the_words_of_the_formulas() -> None:
    words = "if else or and not is in floor ceil min max abs before printed true false"
    words += " first largest smallest with keeping unless there stands Always"
    assert set(words.split()) == KEYWORDS
