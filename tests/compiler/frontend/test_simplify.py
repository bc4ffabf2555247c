"""Simplifying keeps the meaning, and takes away what is constant."""

from __future__ import annotations

import numpy as np
import pytest
from strategies.programs import checked_system

from compiler.emit.prompt.formula import formula
from compiler.frontend.lower_expressions import lower_value
from compiler.frontend.simplify import simplified
from dsl.evaluation import Evaluator, grid


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        ("1 * a + 0 + 2 * 3", "a + 6"),
        ("0 * a", "0 * a"),
        ("floor(7 / 2) * a - (9 mod 4)", "3 * a - 1"),
        ("if 1 < 2 then a else b", "a"),
        ("any(k in 1..2: k == 1 and a > k)", "a > 1"),
        ("all(k in {1, 5}: k < 5 or a == b)", "a == b"),
        ("any(k in {1, 2}: k > 2)", "false"),
        ("count(k in 1..3: k != 2)", "2"),
        ("(a > 1) implies (2 < 1)", "a <= 1 or false"),
        ("(1 < 2) implies on", "on"),
        ("(2 < 1) implies on", "true"),
        ("not (1 == 2) and on", "on"),
        ("a with (a = 1 + 1)", "a[a=2]"),
        ("max(1, a) + max(1, 2)", "max(1, a) + 2"),
        ("sum(k in {2}: k)", "2"),
    ],
)
def test_constant_parts_go_away(expr: str, text: str) -> None:
    value = checked_system(f"let r = {expr}").relation("r").value
    assert formula(lower_value(value)) == text


@pytest.mark.parametrize(
    "expr",
    [
        "sum(k in 0..3: k * a + (b mod (k + 1)))",
        "if on and 1 < 2 or false then a * 1 * b else 0 + b",
        "min(a, 2 - 1) + abs(0 - 3) * ((a + b) with (a = 1 * b, b = 0 + 1 * 2))",
        "count(k in b: (k > a implies k == 4 and true))",
    ],
)
def test_simplified_expression_has_the_same_values(expr: str) -> None:
    system = checked_system(f"let r = {expr}")
    value = system.relation("r").value
    point = grid({variable.name: variable.domain for variable in system.variables})
    before, after = (Evaluator(point, {}).value(each) for each in (value, simplified(value)))
    shape = tuple(len(variable.domain) for variable in system.variables)
    assert np.array_equal(np.broadcast_to(before, shape), np.broadcast_to(after, shape))
