"""Every table of operators has them all, and each can be written, checked, bounded and evaluated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from strategies.programs import checked_text

from dsl.analysis.intervals import Interval, apply_interval
from dsl.check import operators as check_operators
from dsl.checked import Constant, Operation, walk_typed
from dsl.evaluation import Evaluator
from dsl.operators import (
    OPERATORS,
    ArithmeticOp,
    Cast,
    ChoiceOp,
    CompareOp,
    DivisionOp,
    Function,
    LogicOp,
    Operator,
    Quantifier,
    UnaryOp,
)
from dsl.source import Source, Span
from dsl.syntax import lexer, mistakes
from dsl.syntax.parser import parse_text
from dsl.syntax.printer import print_module
from dsl.value_types import NUMBER

HERE = Span(Source("", ""), 0, 0)
WRITTEN: dict[Operator | Cast | Quantifier, str] = {
    UnaryOp.NEGATE: "-a == 0",
    UnaryOp.NOT: "not f",
    ChoiceOp.IF: "(if f then a else b) == 0",
    **{op: f"a {op.value} b == 0" for op in ArithmeticOp},
    **{op: f"{op.value}(a / b) == 0" for op in DivisionOp},
    **{op: f"a {op.value} b" for op in CompareOp},
    **{op: f"f {op.value} g" for op in LogicOp},
    **{op: f"{op.value}(a, b) == 0" for op in Function if op is not Function.ABS},
    Function.ABS: "abs(a) == 0",
    Cast.NUMBER: "number(a) == 0",
    Quantifier.SUM: "sum(v in {1, 2}: v * a) == 0",
    Quantifier.COUNT: "count(v in {1, 2}: v == a) == 0",
    Quantifier.ANY: "any(v in {1, 2}: v == a)",
    Quantifier.ALL: "all(v in {1, 2}: v == a)",
}


def program(condition: str) -> str:
    fields = 'a: int in {1, 2} "a"  b: int in {1, 2} "b"  f: bool "f"  g: bool "g"'
    return f'system s "S" {{ config {{ {fields} }}  let c = {condition} }}'


def test_no_two_operators_have_the_same_value() -> None:
    assert len({op.value for op in OPERATORS}) == len(OPERATORS)


def test_every_operator_has_a_program_here() -> None:
    assert {*WRITTEN} == {*OPERATORS, *Cast, *Quantifier}


@pytest.mark.parametrize("op", [*WRITTEN], ids=lambda op: op.value)
def test_operator_is_read_and_printed_alike(op: Operator) -> None:
    module, _ = parse_text(Source("test.arch", program(WRITTEN[op])))
    assert module is not None
    assert parse_text(Source("printed.arch", print_module(module)))[0] == module


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.value)
def test_operator_is_checked_to_itself(op: Operator) -> None:
    value = checked_text(program(WRITTEN[op])).systems["s"].relation("c").value
    assert op in {part.op for part in walk_typed(value) if isinstance(part, Operation)}


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.value)
def test_value_of_an_operator_lies_in_its_interval(op: Operator) -> None:
    unary = isinstance(op, UnaryOp) or op is Function.ABS
    values = (1,) if unary else (1, 0, 1) if isinstance(op, ChoiceOp) else (0, 1)
    args = tuple(Constant(value, NUMBER, span=HERE) for value in values)
    found = int(Evaluator({}, {}).value(Operation(op, args, NUMBER, span=HERE)))
    assert found in apply_interval(op, [Interval(value, value) for value in values])


def test_messages_know_every_sign_between_operands() -> None:
    signs = {lexer.spellings()[terminal] for terminal in mistakes._OPERATORS}
    assert signs == {op.value for op in (*ArithmeticOp, *CompareOp, *LogicOp)} | {"in", "as", "to", "with"}
    assert {lexer.spellings()[terminal] for terminal in mistakes._COMPARISONS} == {op.value for op in CompareOp}


def test_chains_are_of_operators_whose_order_of_evaluation_does_not_matter() -> None:
    assert {op.value for op in check_operators._CHAINS} == {"+", "*", "and", "or"}


@pytest.mark.parametrize(
    ("page", "start", "end"),
    [("language", "## Expressions", "## Archetypes"), ("language-at-a-glance", "| form | remarks |", None)],
)
def test_every_operator_is_on_the_pages_of_the_language(page: str, start: str, end: str | None) -> None:
    text = (Path(__file__).parents[2] / "docs" / f"{page}.md").read_text(encoding="utf-8")
    section = text[text.index(start) : None if end is None else text.index(end)]
    code = " ".join(re.findall(r"`([^`]*)`", section))
    written = {"-" if op is UnaryOp.NEGATE else op.value for op in WRITTEN}
    assert {sign for sign in written if sign not in code} == set()
