"""What the parser says of a text, for a process that loads the parser alone."""

from __future__ import annotations

from dsl.diagnostics.diagnostic import render_text
from dsl.source import Source
from dsl.syntax.parser import parse_text


def syntax_codes_of(text: str) -> list[str]:
    """Codes of the syntax errors, whose messages must be short in all."""
    _, diagnostics = parse_text(Source("hostile.arch", text))
    assert sum(len(render_text(diagnostic)) for diagnostic in diagnostics) < 100_000, "the messages are too long"
    return [diagnostic.code for diagnostic in diagnostics]
