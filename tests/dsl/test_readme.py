"""The examples of the language reference are programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dsl.diagnostics.diagnostic import render_text
from dsl.source import Source
from dsl.syntax.parser import parse_text
from dsl.syntax.printer import print_module

README = Path(__file__).parents[2] / "dsl" / "README.md"
EXAMPLES = re.findall(r"^```arch\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_readme_has_examples() -> None:
    assert len(EXAMPLES) == 3


@pytest.mark.parametrize("text", EXAMPLES, ids=["file", "system", "archetypes"])
def test_example_of_the_reference_parses(text: str) -> None:
    module, diagnostics = parse_text(Source("README.md", text))
    assert module is not None, "\n".join(map(render_text, diagnostics))
    assert parse_text(Source("printed", print_module(module)))[0] == module
