"""Tokens of a formula, and the words that no name may be."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import tiny

from compiler.reader import ReadError, read_prompt
from compiler.reader.text.tokens import KEYWORDS, ReadTokenKind, split_formula


def test_split_formula_tells_keywords_from_names_and_ends_with_the_end() -> None:
    tokens = split_formula('if a<=10 then "or" else orange', 1)
    sign, name, word, number = ReadTokenKind.SIGN, ReadTokenKind.NAME, ReadTokenKind.WORD, ReadTokenKind.NUMBER
    assert [(token.kind, token.text) for token in tokens] == [
        (sign, "if"),
        (name, "a"),
        (sign, "<="),
        (number, "10"),
        (sign, "then"),
        (word, '"or"'),
        (sign, "else"),
        (name, "orange"),
        (ReadTokenKind.END, ""),
    ]


@pytest.mark.parametrize("keyword", sorted(KEYWORDS))
def test_keyword_names_no_relation(keyword: str) -> None:
    with pytest.raises(ReadError, match="expected a relation"):
        read_prompt(tiny(relations=f"- {keyword} = `a` | x"))


def test_keywords_are_the_words_of_the_formulas() -> None:
    words = "if then else implies or and not in mod with floor ceil min max abs before true false"
    assert set(words.split()) == KEYWORDS
