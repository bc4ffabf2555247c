"""Each bad program gives the codes that its first line states, in messages as recorded beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dsl.diagnostics.diagnostic import render_text
from dsl.diagnostics.syntax_codes import LANGUAGE_CODES
from dsl.source import Source
from dsl.syntax.parser import parse_text

FOLDER = Path(__file__).parents[1] / "bad" / "syntax"
PROGRAMS = sorted(FOLDER.glob("*.arch"))


def expected_codes(text: str) -> list[str]:
    first = re.match(r"# expect: (.*)\n", text)
    assert first, "the first line says `# expect: CODE ...`"
    return first[1].split()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_bad_program_gives_its_message(path: Path, golden: Callable[[str, Path], None]) -> None:
    text = path.read_text(encoding="utf-8")
    module, diagnostics = parse_text(Source(path.name, text))
    assert module is None
    assert sorted(diagnostic.code for diagnostic in diagnostics) == sorted(expected_codes(text))
    golden("\n\n".join(map(render_text, diagnostics)) + "\n", path.with_suffix(".expect"))


def test_every_syntax_code_has_a_bad_program() -> None:
    shown = {code for path in PROGRAMS for code in expected_codes(path.read_text(encoding="utf-8"))}
    assert shown >= {code for code, entry in LANGUAGE_CODES.items() if code < "E120" and entry.sample is not None}


@pytest.mark.parametrize(
    "code", sorted(code for code, entry in LANGUAGE_CODES.items() if code < "E120" and entry.sample)
)
def test_sample_gives_its_own_code(code: str) -> None:
    _, diagnostics = parse_text(Source("sample.arch", LANGUAGE_CODES[code].sample or ""))
    found = [diagnostic.code for diagnostic in diagnostics]
    assert code in found
    assert len(set(found)) == 1 or code == "E115"
