"""Printing: parsing what is printed gives the same tree, with no more parentheses than needed."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies import trees
from strategies.effort import costly

from dsl.diagnostics.diagnostic import render_text
from dsl.source import Source
from dsl.syntax import nodes
from dsl.syntax.parser import parse_text
from dsl.syntax.printer import print_expr, print_int, print_module


def parse_module(text: str) -> nodes.Module:
    module, diagnostics = parse_text(Source("printed.arch", text))
    assert module is not None, text + "\n" + "\n".join(map(render_text, diagnostics))
    return module


def parse_expr(text: str) -> nodes.Expression:
    declaration = parse_module(f"const c = {text}\n").declarations[0]
    assert isinstance(declaration, nodes.ConstDecl)
    return declaration.value


@costly
@given(trees.modules)
def test_printing_then_parsing_gives_the_same_tree(module: nodes.Module) -> None:
    printed = print_module(module)
    parsed = parse_module(printed)
    assert parsed == module
    assert print_module(parsed) == printed


@given(trees.exprs)
def test_printed_expression_parses_to_itself(expr: nodes.Expression) -> None:
    assert parse_expr(print_expr(expr)) == expr


@given(trees.exprs)
def test_each_printed_parenthesis_around_a_part_is_needed(expr: nodes.Expression) -> None:
    text = print_expr(expr)
    pairs = matching_parentheses(text)
    for start, end in pairs.items():
        if start and text[start - 1] not in "( -":
            continue  # the parentheses of a call
        bare = text[:start] + " " + text[start + 1 : end] + " " + text[end + 1 :]
        module, _ = parse_text(Source("bare.arch", f"const c = {bare}\n"))
        assert module is None or module.declarations[0].value != expr  # type: ignore[union-attr]


def matching_parentheses(text: str) -> dict[int, int]:
    """Pair the parentheses that stand outside of texts."""
    pairs, stack, quoted, escaped = {}, [], False, False
    for at, char in enumerate(text):
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char == "(":
            stack.append(at)
        elif char == ")":
            pairs[stack.pop()] = at
    return pairs


@pytest.mark.parametrize(
    "text",
    [
        "a + b - c",
        "a - (b + c)",
        "a * (b + c) mod 2",
        "-(a + b) * -c",
        "--a",
        "not not a",
        "not (a and b) or c",
        "(a or b) and c",
        "a implies b implies c",
        "(a implies b) implies c",
        "(a == b) == c",
        "a + b == c * 2 and d in {1, 2}",
        "floor(a * b / (c * d))",
        "ceil((a + b) / -c)",
        "if a then b else if c then d else e",
        "(if a then b else c) + 1",
        "-4 MiB to GiB down",
        "(-4 MiB) to GiB down",
        "(a + b) as MiB",
        "(a + b) with (x = if c then 1 else 2, y = 3)",
        "sum(v in 0..64 step 8: v * 2) + t[k + 1]",
        "any(v in pow2 1..64: v > before(a))",
        '"fp8-e4m3" in {bf16, "fp8-e4m3"}',
    ],
)
def test_canonical_expression_prints_as_it_is(text: str) -> None:
    assert print_expr(parse_expr(text)) == text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("((a)) + (b * c)", "a + b * c"),
        ("a and (b and c)", "a and (b and c)"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("a implies (b implies c)", "a implies b implies c"),
        ("(a with (x = 1)) <= b", "a with (x = 1) <= b"),
        ("max(a, b,)", "max(a, b)"),
    ],
)
def test_needless_parentheses_are_dropped(text: str, printed: str) -> None:
    assert print_expr(parse_expr(text)) == printed


@pytest.mark.parametrize(
    ("value", "printed"),
    [(0, "0"), (9999, "9999"), (10_000, "10_000"), (2**19, "524_288"), (2**20, "2^20"), (-(2**20) + 1, "-1_048_575")],
)
def test_number_prints_readably(value: int, printed: str) -> None:
    assert print_int(value) == printed


def test_long_declarations_go_on_indented_lines() -> None:
    text = "word " * 20
    printed = print_module(parse_module(f'const a = 1 "{text}"\nconst b = 2 "short"\n'))
    assert printed == f'const a = 1\n    "{text}"\n\nconst b = 2 "short"\n'
