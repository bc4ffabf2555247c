"""Help lines that build code from the author's: what they suggest checks in the place of what it replaces."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.frontend.run import run_frontend
from dsl.diagnostics.diagnostic import Diagnostic

PROGRAM = """
unit s
unit minute = 60 s
unit pair = 40 s
system x "X" {{
  config {{ a: minute in {{1, 2}} "a"  b: minute in {{1, 2}} "b"  c: s in {{60, 120}} "c"  n: int in {{1, 2}} "n" }}
  given {{ p: pair in {{3, 6}} "p" }}
  let fine = {fine}
  let flag = {flag}
  {item}
  sound a <= b
}}
"""


def errors(folder: Path, **pieces: str) -> list[Diagnostic]:
    path = folder / "x.arch"
    path.write_text(PROGRAM.format(**{"fine": "c", "flag": "true", "item": "", **pieces}), encoding="utf-8")
    return [each for each in run_frontend([path], lints=False).diagnostics if each.code.startswith("E")]


@pytest.mark.parametrize(
    ("place", "code", "operand"),
    [
        ("flag", "c < {}", "a + b"),
        ("flag", "{} >= c", "a - b"),
        ("flag", "c == {}", "n * a"),
        ("flag", "c < {}", "-a"),
        ("flag", "c < {}", "a"),
        ("flag", "c < {}", "(if n == 1 then a else b)"),
        ("flag", "c < {}", "max(a, b)"),
        ("flag", "c < {}", "(a + b) with (n = 1)"),
        ("flag", "c < {}", "n + 1"),
        ("flag", "c < {}", "n * n"),
        ("flag", "{} < p + p", "a + b"),
        ("fine", "c - {}", "b * n"),
        ("fine", "c + {}", "n * n"),
        ("fine", "c mod {}", "a"),
        ("fine", "max(c, {})", "a + b"),
        ("fine", "if flag then c else {}", "a + b"),
        ("fine", "2 * (c + {}) with (n = 1)", "a mod b"),
        ("item", "let t: s = {}", "a + b"),
        ("item", "let t: minute = {}", "c + c"),
        ("item", "let t: minute = {}", "n + n"),
        ("item", "let t: int = {}", "c + c"),
        ("item", 'rule r R "r" {{ when n == 1  set c = {}, n = 2 }}  runbook r', "a + b"),
    ],
)
def test_suggested_code_checks_in_its_place(place: str, code: str, operand: str, tmp_path: Path) -> None:
    (found,) = errors(tmp_path, **{place: code.format(operand)})
    assert found.code == "E302"
    (advice,) = found.helps
    suggested = re.search(r"`([^`]*\([^`]*)`", advice)
    assert suggested, advice
    assert errors(tmp_path, **{place: code.format(suggested[1].replace("...", operand))}) == []


def test_long_operand_is_not_repeated(tmp_path: Path) -> None:
    (found,) = errors(tmp_path, flag="c < " + " + ".join(["a", "b"] * 20))
    assert found.helps == ("to convert one side, put it in parentheses and write `to s` after them",)
