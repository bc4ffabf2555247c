"""The catalogue of diagnostics as a page: docs/diagnostics.md.

In: the codes, of the language and of whoever adds some. Out: Markdown, in order of the numbers of the codes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Final

from dsl.diagnostics.code import Code

PAGE_WIDTH: Final = 115

MOST_LINES: Final = 25
"""How many lines a program on the page may have."""

LONGEST_LINE: Final = 200
"""How many characters a line of such a program may have."""

BLOCKS: Final = {
    "1": "Syntax and files",
    "2": "Names",
    "3": "Types and units",
    "4": "Systems, archetypes, datasets and texts",
    "5": "Proofs",
    "6": "Output",
}
"""The first digit of a code, and what the codes of that block are about."""

_HEAD: Final = """\
# Diagnostics

Everything that `gtd` reports has a code, and a code never changes its meaning. `W` is a warning, `E` an error
or, where only some of the drawn worlds fail, a warning.
`gtd explain E307` prints an entry of this page. Below an entry stands the smallest program that gives the code,
where a single file can.

This page is generated from the catalogues in `dsl/diagnostics` and `compiler/codes.py`: change those and run
`make docs`.
"""


def catalogue_page(codes: Iterable[Code]) -> str:
    """All of `codes` as one page: a table of them, then an entry for each, by blocks."""
    ordered = sorted(codes, key=lambda code: (code.code[1:], code.code))
    table = ["| code | meaning |", "| --- | --- |"]
    table += [f"| [{code.code}](#{code.code.lower()}) | {code.title} |" for code in ordered]
    parts = [_HEAD, "\n".join(table) + "\n"]
    for digit, title in BLOCKS.items():
        parts.append(f"## {title}\n")
        parts += [_entry(code) for code in ordered if code.code[1] == digit]
    return "\n".join(parts)


def _entry(code: Code) -> str:
    text = f"**{code.title[0].upper()}{code.title[1:]}.** {code.explanation}"
    wrapped = textwrap.fill(text, PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)
    entry = f"### {code.code}\n\n{wrapped}\n"
    if code.sample is None:
        return entry
    lines = code.sample.rstrip("\n").split("\n")
    if len(lines) > MOST_LINES or max(map(len, lines)) > LONGEST_LINE:
        return f"{entry}\n`gtd explain {code.code}` prints a program, which is too long for this page.\n"
    program = "\n".join(lines)
    return f"{entry}\n```arch\n{program}\n```\n"
