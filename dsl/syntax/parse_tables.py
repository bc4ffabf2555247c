"""The parser of the language: built once for a grammar and a version of Lark, then loaded from the user's cache.

Building the tables of the grammar takes most of a second, loading them a twentieth.
"""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any, Final

import lark
from lark import Lark, Token
from lark.lexer import LexerThread

from gpu_train_debug.user_cache import cache_name, keep_cached, load_cached

_OPTIONS: Final[Mapping[str, Any]] = {
    "start": ["module", "faults"],
    "parser": "lalr",
    "lexer": "basic",
    "propagate_positions": True,
    "maybe_placeholders": True,
}


@functools.cache
def grammar_text() -> str:
    return resources.files("dsl.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")


@functools.cache
def language() -> Lark:
    """Load or build the parser on first use; later calls give the same one."""
    name = cache_name(
        "grammar", grammar_text().encode(), repr(_OPTIONS).encode(), lark.__version__.encode(), sys.version.encode()
    )
    kept = load_cached(name)
    if kept is not None:
        return Lark.load(io.BytesIO(kept))
    parser, content = build_language(), io.BytesIO()
    parser.save(content)
    keep_cached(name, content.getvalue())
    return parser


def tokenized(text: str) -> Iterator[Token]:
    """Split a text at the terminals of the grammar, with one lexer for all texts; `Lark.lex` makes one for each."""
    lexer = language().parser.lexer
    assert lexer is not None, "Lark's own lexers are made with the parser"
    thread: Any = LexerThread.from_text(lexer, text)
    found: Iterator[Token] = thread.lex(None)
    return found


def build_language() -> Lark:
    """Build the parser from its grammar, which a loaded one doesn't have."""
    return Lark(grammar_text(), **_OPTIONS)
