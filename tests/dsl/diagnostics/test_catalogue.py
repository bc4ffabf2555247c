"""The page of all diagnostics: up to date, and with every code in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from compiler.codes import CODES
from dsl.diagnostics.catalogue import BLOCKS, catalogue_page
from dsl.diagnostics.code import Code

PAGE = Path(__file__).parents[3] / "docs" / "diagnostics.md"


def test_page_is_up_to_date(golden: Callable[[str, Path], None]) -> None:
    """`make docs` writes it."""
    golden(catalogue_page(CODES.values()), PAGE)


def test_page_has_an_entry_for_every_code() -> None:
    entries = re.findall(r"^### ([EW][0-9]+)$", catalogue_page(CODES.values()), re.MULTILINE)
    assert sorted(entries) == sorted(CODES)
    assert {code[1] for code in CODES} == {*BLOCKS}


def test_sample_is_shown_unless_it_is_long() -> None:
    page = catalogue_page(
        [Code("E101", "a b", "What.", "unit a\n"), Code("E102", "c", "Why.", "unit a\n" * 99), Code("W103", "d", "So.")]
    )
    assert "**A b.** What.\n\n```arch\nunit a\n```\n" in page
    assert "**C.** Why.\n\n`gtd explain E102` prints a program" in page
    assert page.index("### E102") < page.index("### W103")
    assert page.count("```arch") == 1
