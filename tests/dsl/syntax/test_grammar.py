"""The grammar itself, and the tables that speak of its terminals."""

from __future__ import annotations

import logging

import pytest
from lark import Lark, logger

from dsl.syntax import lexer, parse_tables, parser
from dsl.syntax import mistakes as hints


@pytest.mark.slow
def test_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    """Lark settles shift/reduce conflicts silently; its log tells."""
    level = logger.level
    logger.setLevel(logging.DEBUG)
    try:
        with caplog.at_level(logging.DEBUG, logger="lark"):
            Lark(parse_tables.grammar_text(), start=["module", "faults"], parser="lalr", lexer="basic", debug=True)
    finally:
        logger.setLevel(level)
    assert "onflict" not in caplog.text


def test_tables_name_only_terminals_of_the_grammar() -> None:
    known = {terminal.name for terminal in parse_tables.language().terminals} | {"SUFFIX", hints.END}
    told = {name for needed, covered, _ in hints._GROUPS for name in needed | covered}
    assert told <= known
    assert known >= parser._ANCHORS
    assert {terminal for _, terminal in lexer._FOREIGN.values()} <= known
    assert set(hints._WORDS) <= known
    assert set(lexer.PARTNER) | set(lexer.PARTNER.values()) <= known


def test_every_terminal_that_can_be_expected_has_words() -> None:
    for terminal in parse_tables.language().terminals:
        if terminal.name in {"WHITESPACE", "COMMENT", "FOREIGN", "UNKNOWN"} or terminal.name.startswith("BAD_"):
            continue
        assert hints.expected_words({terminal.name}), terminal.name


def test_words_of_the_language_are_reserved() -> None:
    words = lexer.reserved_words()
    assert {"system", "floor", "decimal", "decimals", "true", "unseen"} <= words
    assert not words & {"int", "bool", "none", "HEALTHY", "memory"}
