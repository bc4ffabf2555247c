"""Any text at all gives a tree or diagnostics, in bounded time and memory, and never an exception."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from strategies import trees
from strategies.effort import costly
from strategies.forked import forked

from dsl.diagnostics.diagnostic import Diagnostic, render_text
from dsl.source import Source
from dsl.syntax import nodes
from dsl.syntax.lexer import MAX_SYNTAX_ERRORS
from dsl.syntax.loader import load
from dsl.syntax.parse_tables import build_language
from dsl.syntax.parser import parse_text
from dsl.syntax.printer import print_module

GOOD = Path(__file__).parents[1] / "good"
PROGRAMS = [path.read_text(encoding="utf-8") for path in sorted(GOOD.glob("*.arch"))]
WORDS = sorted({word for text in PROGRAMS for word in text.split()})

SMALL = """\
import "units.arch"
table t: M -> MiB { T1: 1216 MiB } "a \\"table\\""
system m "title" {
  config { a: int in {1, 2} "a" prefer larger default 1 }
  let b: MiB = (if a == 1 then floor(a / 2) else t[T1]) with (a = 2)
  rule r CODE "t" { when b > 0 set a = largest where b <= 1 keep b }
  runbook r
}
archetype x of m "x" { fault r tier y example { a = 1 } => CODE { a = 2 } }
"""


def parse(text: str) -> tuple[nodes.Module | None, tuple[Diagnostic, ...]]:
    """Parse, and check what must hold for every text."""
    source = Source("hostile.arch", text)
    module, diagnostics = parse_text(source)
    assert (module is None) == bool(diagnostics)
    assert len(diagnostics) <= MAX_SYNTAX_ERRORS + 1
    for diagnostic in diagnostics:
        assert diagnostic.span is not None
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        assert all(line.isprintable() for line in render_text(diagnostic).split("\n"))
    places = [(d.span.start, d.span.end, d.code, d.message) for d in diagnostics if d.span is not None]
    assert places == sorted(places)
    assert len(set(places)) == len(places)  # two parts may be missing at one place, each with a message of its own
    if module is not None:
        assert parse_text(Source("printed.arch", print_module(module)))[0] == module
    return module, diagnostics


@given(st.text())
def test_any_text_gives_a_tree_or_diagnostics(text: str) -> None:
    parse(text)


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_any_row_of_words_gives_a_tree_or_diagnostics(text: str) -> None:
    parse(text)


def texts(start: str) -> st.SearchStrategy[str]:
    """Texts drawn from the grammar, which is built only where a test needs it."""
    suffixes = {"SUFFIX": st.sampled_from([" MiB", " x"])}
    return st.deferred(lambda: from_lark(build_language(), start=start, explicit=suffixes))


@costly
@given(texts("module"))
def test_text_drawn_from_the_grammar_gives_a_tree_or_diagnostics(text: str) -> None:
    parse(text)


@given(texts("faults"))
def test_text_of_lexical_faults_gives_diagnostics(text: str) -> None:
    parse(text)


@costly
@given(trees.modules, st.randoms(use_true_random=False))
def test_broken_module_gives_a_tree_or_diagnostics(module: nodes.Module, rng: random.Random) -> None:
    text = print_module(module)
    assume(text)
    parse(mutated(text, rng))


@given(st.sampled_from(PROGRAMS), st.randoms(use_true_random=False))
def test_broken_program_gives_a_tree_or_diagnostics(text: str, rng: random.Random) -> None:
    parse(mutated(text, rng))


def mutated(text: str, rng: random.Random) -> str:
    """Delete, double, swap or replace a few pieces of a text."""
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([1, 1, 2, 5, 40]))
        piece = text[start:end]
        other = rng.choice(["", piece * 2, piece[::-1], rng.choice(WORDS), rng.choice('{}()[]"\\=:,/&é\0\t')])
        text = text[:start] + other + text[end:]
    return text


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 9])
def test_text_cut_anywhere_gives_a_tree_or_diagnostics(step: int) -> None:
    for end in range(0, len(SMALL) + 1, step):
        parse(SMALL[:end])


@pytest.mark.slow
def test_program_cut_anywhere_gives_a_tree_or_diagnostics() -> None:
    for text in PROGRAMS:
        for end in range(0, len(text), 23):
            parse(text[:end])


def test_file_cut_at_any_byte_loads_or_gives_diagnostics(tmp_path: Path) -> None:
    data = 'import "größe.arch"\nunit MiB # €\n'.encode()
    path = tmp_path / "cut.arch"
    for end in range(len(data) + 1):
        path.write_bytes(data[:end])
        loaded = load([path])
        assert set(loaded.digests) == {"cut.arch"}


# Of those that are read to their ends, implications take most time and memory: they come near the most words.
HOSTILE = {
    "parentheses": "const a = " + "(" * 100_000,
    "closed parentheses": "const a = " + "(" * 100_000 + "1" + ")" * 100_000,
    "blocks": "{" * 100_000,
    "closers": ")" * 1_000_000,
    "negations": "const a = " + "not " * 200_000 + "b",
    "signs": "const a = " + "-" * 1_000_000 + "b",
    "sum": "const a = a" + "+a" * 500_000,
    "short sum": "const a = a" + "+a" * 30_000,
    "implications": "const a = " + "a implies " * 90_000 + "a",
    "conditions": "const a = " + "if a then b else " * 10_000 + "c",
    "conversions": "const a = b" + " as c" * 20_000,
    "worlds": "const a = b" + " with (c = d" * 60_000,
    "quotes": '"' * 1_000_000,
    "backslashes": '"' + "\\" * 1_000_000,
    "escapes": 'import "' + "\\n" * 500_000 + '"',
    "digits": "const a = " + "9" * 1_000_000,
    "power": "const a = 9^" + "9" * 1_000_000,
    "small power": "const a = 1^" + "9" * 4,
    "number parts": "const a = " + "1." * 500_000,
    "underscores": "const a = " + "1_" * 500_000,
    "long name": "unit " + "a" * 1_000_000,
    "foreign name": "unit " + "é" * 500_000,
    "comments": "/*" * 500_000,
    "stars": "/*" + "*" * 1_000_000,
    "unknown signs": ";" * 1_000_000,
    "mixed signs": "; $ " * 250_000,
    "keywords": "let " * 250_000,
    "anchors": "system rule " * 80_000,
    "declarations": "unit a\n" * 66_000,
    "errors": "unit =\n" * 66_000,
    "empty lines": "\n" * 1_000_000,
    "one line": "unit a " * 66_000 + "=",
}


@pytest.fixture(scope="module")
def syntax_codes() -> Iterator[Callable[[str], object]]:
    with forked("strategies.syntax_codes:syntax_codes_of", mebibytes=1024, seconds=20) as call:
        yield call


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory with setrlimit")
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_read_within_a_gibibyte(text: str, syntax_codes: Callable[[str], object]) -> None:
    assert isinstance(syntax_codes(text), list)


@pytest.mark.parametrize("kind", ["(", "-", "not ", "if a then b else ", "abs(", "t[", "before("])
def test_deep_nesting_is_refused_before_it_recurses(kind: str) -> None:
    closers = {"(": ")", "abs(": ")", "before(": ")", "t[": "]"}.get(kind, "")
    for depth, fine in ((40, True), (150, False)):
        module, diagnostics = parse(f"const a = {kind * depth}1{closers * depth}\n")
        assert (module is not None) == fine
        assert [diagnostic.code for diagnostic in diagnostics] == ([] if fine else ["E112"])


def test_line_of_many_foreign_divisions_is_read_in_time() -> None:
    _, diagnostics = parse_text(Source("test.arch", "const a = b" + " // b" * 100_000))
    assert {each.code for each in diagnostics} <= {"E102", "E107", "E115"}
