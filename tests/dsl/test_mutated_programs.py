"""Good programs with a few words exchanged give a plan or diagnostics, never an exception."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.frontend.examples import run_examples
from compiler.frontend.lower import lower_program
from dsl.diagnostics.diagnostic import Severity, render_text
from dsl.program import check_program
from dsl.source import Source
from dsl.syntax.lexer import reserved_words
from dsl.syntax.loader import Loaded
from dsl.syntax.parser import parse_text

TEXT = (Path(__file__).parent / "good_check" / "constructs.arch").read_text(encoding="utf-8")
NUMBER = re.compile(r"(?<![\w^])\d[\d_]*(?![\w^])")
NAME = re.compile(r"(?<![\w\"-])[A-Za-z_]\w*")
SIGN = re.compile(r" [-+*] | [<>=!]=? ")
NUMBERS = ("0", "1", "2", "3", "7", "4096", "1_000_000_000_000_000")


def places(pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    return [m.span() for m in pattern.finditer(TEXT) if m[0] not in reserved_words()]


NAMES = sorted({TEXT[start:end] for start, end in places(NAME)})
CHANGES = st.one_of(
    st.tuples(st.sampled_from(places(NAME)), st.sampled_from(NAMES)),
    st.tuples(st.sampled_from(places(NUMBER)), st.sampled_from(NUMBERS)),
    st.tuples(st.sampled_from(places(SIGN)), st.sampled_from([" + ", " - ", " * ", " < ", " == ", " != "])),
)


@pytest.mark.slow
@given(changes=st.lists(CHANGES, min_size=1, max_size=3, unique_by=lambda change: change[0]))
def test_mutated_program_gives_a_plan_or_diagnostics(changes: list[tuple[tuple[int, int], str]]) -> None:
    text = TEXT
    for (start, end), new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    module, found = parse_text(Source("mutated.arch", text))
    if module is not None:
        loaded = Loaded({"mutated.arch": module}, {"mutated.arch": ""}, {"mutated.arch": ()}, ())
        program, found = check_program(loaded)
        assert (program is None) == any(each.severity is Severity.ERROR for each in found)
        if program is not None:
            found += run_examples(lower_program(program, loaded), program)
    for diagnostic in found:
        assert render_text(diagnostic)
