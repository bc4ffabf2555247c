"""Every operator of the tree is read, examined and run."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import tiny

from compiler.reader import read_prompt, solve
from compiler.reader.answer.generate import COMPARISON_CODE, CONNECTIVE_CODE
from compiler.reader.text.tokens import ReadInfix
from compiler.reader.text.tree import ReadComparison, ReadConnective, ReadFunction, ReadRounding

# values for each operator; in the tiny system a = 2, b = 1, on = true
COMPARED = {
    ReadComparison.EQUAL: (False, True, False),
    ReadComparison.UNEQUAL: (True, False, True),
    ReadComparison.BELOW: (True, False, False),
    ReadComparison.AT_MOST: (True, True, False),
    ReadComparison.ABOVE: (False, False, True),
    ReadComparison.AT_LEAST: (False, True, True),
}
WORDS = {ReadComparison.IS: (True, False), ReadComparison.IS_NOT: (False, True)}
JOINED = {ReadConnective.AND: (False, False, False, True), ReadConnective.OR: (False, True, True, True)}
APPLIED = {
    ReadFunction.MIN: ("min(2, -3, 1)", -3),
    ReadFunction.MAX: ("max(-3, 2, 1)", 2),
    ReadFunction.ABS: ("abs(-3)", 3),
}
ROUNDED = {ReadRounding.DOWN: ("floor(-7 / 2)", -4), ReadRounding.UP: ("ceil(-7 / 2)", -3)}
INFIX = {
    ReadInfix.IN: ("a in {1, 3}", False),
    ReadInfix.PLUS: ("a + 5", 7),
    ReadInfix.MINUS: ("a - 5", -3),
    ReadInfix.TIMES: ("a * 5", 10),
    ReadInfix.MODULO: ("7 % a", 1),
}


def test_tables_have_every_operator() -> None:
    assert {*COMPARED, *WORDS} == set(COMPARISON_CODE) == set(ReadComparison)
    assert set(JOINED) == set(CONNECTIVE_CODE) == set(ReadConnective)
    assert (set(APPLIED), set(ROUNDED), set(INFIX)) == (set(ReadFunction), set(ReadRounding), set(ReadInfix))


def fits(formula: str, value: bool | int) -> bool:
    printed = str(value).lower()
    text = tiny(observations=f"r = {formula}", profiler=f"r {printed}")
    return solve(read_prompt(text)).reason == "unique"


@pytest.mark.parametrize("operator", COMPARED)
def test_comparison_has_its_value(operator: ReadComparison) -> None:
    for number, value in zip((3, 2, 1), COMPARED[operator], strict=True):
        assert fits(f"a {operator.value} {number}", value)
        assert not fits(f"a {operator.value} {number}", not value)


@pytest.mark.parametrize("operator", WORDS)
def test_comparison_of_words_has_its_value(operator: ReadComparison) -> None:
    for word, value in zip(("calm", "wild"), WORDS[operator], strict=True):
        assert fits(f"mood {operator.value} {word}", value)
        assert not fits(f"mood {operator.value} {word}", not value)


@pytest.mark.parametrize("operator", ReadConnective)
def test_connective_has_its_value(operator: ReadConnective) -> None:
    pairs = [("false", "false"), ("false", "on"), ("on", "false"), ("on", "true")]
    for (left, right), value in zip(pairs, JOINED[operator], strict=True):
        assert fits(f"{left} {operator.value} {right}", value)


@pytest.mark.parametrize(("formula", "value"), [*APPLIED.values(), *ROUNDED.values(), *INFIX.values()])
def test_operator_has_its_value(formula: str, value: bool | int) -> None:
    assert fits(formula, value)
    assert not fits(formula, not value if isinstance(value, bool) else value + 1)
