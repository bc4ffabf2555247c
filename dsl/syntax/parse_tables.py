"""The parser of the language: built once for a grammar and a version of Lark, then loaded from the user's cache.

Building the tables of the grammar takes most of a second, loading them a twentieth. A file of the cache has its own
checksum and is written elsewhere first, so one that is damaged or half written is never used; nor is one that
others may write to, since it is a pickle. Where the cache can't be read or written, the tables are built.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

import lark
from lark import Lark, Token
from lark.lexer import LexerThread

CACHE_VARIABLE = "GTD_CACHE"
"""The environment variable that names the folder of the cache; empty for none."""

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
    path = _cached_file()
    if path is None:
        return build_language()
    return _loaded(path) or _kept(build_language(), path)


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


def _cached_file() -> Path | None:
    """Where the tables of this grammar are kept; None if the user keeps nothing."""
    named = os.environ.get(CACHE_VARIABLE)
    if named == "":
        return None
    folder = Path(named) if named else _usual_folder()
    if folder is None:
        return None
    made_from = (grammar_text(), repr(_OPTIONS), lark.__version__, sys.version)
    digest = hashlib.sha256("\0".join(made_from).encode()).hexdigest()
    return folder / f"grammar-{digest[:24]}.tables"


def _usual_folder() -> Path | None:
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "gpu-train-debug"
    except RuntimeError:  # the user has no home
        return None


def _loaded(path: Path) -> Lark | None:
    """The parser that a file holds; None if there is none, others may write to it, or it isn't as it was written."""
    try:
        with path.open("rb") as file:
            mine = _is_mine(os.fstat(file.fileno()))
            digest, _, content = file.read().partition(b"\n")
    except OSError:
        return None
    if not mine or digest != _digest(content):
        return None
    return Lark.load(io.BytesIO(content))


def _is_mine(found: os.stat_result) -> bool:
    """Whether nobody but the user may write to a file; systems without owners aren't asked."""
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _kept(parser: Lark, path: Path) -> Lark:
    """Write a parser to a file, if that can be done; return it."""
    content = io.BytesIO()
    parser.save(content)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=path.stem) as folder:  # of this user alone
            new = Path(folder) / path.name
            new.write_bytes(_digest(content.getvalue()) + b"\n" + content.getvalue())
            new.chmod(0o600)
            os.replace(new, path)
    return parser
