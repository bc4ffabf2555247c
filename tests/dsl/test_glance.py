"""The examples of the page at a glance are programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dsl.diagnostics.diagnostic import render_text
from dsl.source import Source
from dsl.syntax.parser import parse_text
from dsl.syntax.printer import print_module

PAGE = Path(__file__).parents[2] / "docs" / "language-at-a-glance.md"
EXAMPLES = re.findall(r"^```arch\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_page_has_examples() -> None:
    assert len(EXAMPLES) == 3


@pytest.mark.parametrize("text", EXAMPLES, ids=["file", "system", "archetypes"])
def test_example_of_the_page_parses(text: str) -> None:
    module, diagnostics = parse_text(Source("page.md", text))
    assert module is not None, "\n".join(map(render_text, diagnostics))
    assert parse_text(Source("printed", print_module(module)))[0] == module
