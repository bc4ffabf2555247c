"""A word of the language as a name: one error for each such word, however often it is used after that."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.source import Source
from dsl.syntax.loader import load
from dsl.syntax.parser import parse_text


def told(text: str) -> list[tuple[str, str, int]]:
    _, found = parse_text(Source("test.arch", text))
    return [(d.code, d.span.text, d.span.source.line_column(d.span.start)[0]) for d in found if d.span is not None]


@pytest.mark.parametrize(
    ("text", "word", "line"),
    [
        ("unit min\nunit hour = 60 min\nconst a = 5 min + 3 min", "min", 1),
        ("unit hour = 60 min\nunit min", "min", 2),
        ("unit step\nconst a = (4 as step) to step", "step", 1),
        ("const max = 3\nconst a = max + 2\nconst b = 2 * max\nconst c = max(1, 2)", "max", 1),
        ("const b = max + 2\nconst max = 3", "max", 2),
        ("const when = 3\nconst a = min(when, when)", "when", 1),
        ("enum log { a, b }\ntable t: log -> int { a: 1, b: 2 }", "log", 1),
        ("table sum: int -> int { 1: 2 }\nconst a = sum[1] + sum[1] + sum(i in {1}: i)", "sum", 1),
        ('system s "S" { config { step: int in {1, 2} "x" }\n let a = step + 1 sound step < 2 }', "step", 1),
        ('system s "S" { let a = number + 1\n let number = 2 let c = number }', "number", 2),
    ],
)
def test_reserved_name_is_told_once_where_it_is_declared(text: str, word: str, line: int) -> None:
    assert told(text) == [("E106", word, line)]


def test_each_reserved_name_is_told() -> None:
    assert told("const min = 1\nconst max = min\nconst a = min + max") == [("E106", "min", 1), ("E106", "max", 2)]


def test_other_errors_beside_a_reserved_name_are_told() -> None:
    assert told("unit min\nconst a = 3 min\nconst b = 1 / 2") == [("E106", "min", 1), ("E108", "/", 3)]


def test_reserved_unit_of_another_file_is_told_where_it_is_declared(tmp_path: Path) -> None:
    (tmp_path / "units.arch").write_text("unit min\n", encoding="utf-8")
    (tmp_path / "a.arch").write_text('import "units.arch"\nconst a = 5 min\n', encoding="utf-8")
    (found,) = load([tmp_path]).diagnostics
    assert found.span is not None
    assert (found.code, found.span.source.name) == ("E106", str(tmp_path / "units.arch"))


def test_unit_without_a_space_is_not_suggested_where_it_is_reserved() -> None:
    _, (found,) = parse_text(Source("test.arch", "const a = 5min"))
    assert found.helps == ("`min` is a word of the language, so it can't be a unit",)
