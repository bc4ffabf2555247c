"""Good programs parse, print in canonical form, and mean the same after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dsl.diagnostics.diagnostic import has_errors, render_text
from dsl.program import check_program
from dsl.source import Source
from dsl.syntax.loader import load
from dsl.syntax.parser import parse_text
from dsl.syntax.printer import print_module

FOLDER = Path(__file__).parents[1] / "good"
PROGRAMS = sorted(FOLDER.glob("*.arch"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_good_program_prints_in_canonical_form(path: Path, golden: Callable[[str, Path], None]) -> None:
    module, diagnostics = parse_text(Source(path.name, path.read_text(encoding="utf-8")))
    assert module is not None, "\n".join(map(render_text, diagnostics))
    printed = print_module(module)
    golden(printed, path.with_suffix(".printed"))
    again, diagnostics = parse_text(Source("printed", printed))
    assert again == module, "\n".join(map(render_text, diagnostics))
    assert print_module(again) == printed


def test_good_programs_load_as_a_folder() -> None:
    loaded = load([FOLDER])
    assert not loaded.diagnostics
    assert list(loaded.modules) == sorted(path.name for path in PROGRAMS)


def test_worked_example_passes_the_checker() -> None:
    checked, diagnostics = check_program(load([FOLDER / "memory.arch"]))
    assert not has_errors(diagnostics), "\n".join(map(render_text, diagnostics))
    assert checked is not None
