"""What the parser builds, where its spans lie, and how it goes on after a mistake."""

from __future__ import annotations

import attrs
import pytest

from dsl.operators import ArithmeticOp, BinaryOp, CompareOp, DivisionOp, LogicOp, UnaryOp
from dsl.source import Source, Span
from dsl.syntax import nodes
from dsl.syntax.lexer import MAX_TOKENS, lex
from dsl.syntax.parser import parse_text

HERE = Span(Source("", ""), 0, 0)


def parse(text: str) -> nodes.Module:
    module, diagnostics = parse_text(Source("test.arch", text))
    assert module is not None, diagnostics
    return module


def value(text: str) -> nodes.Expression:
    declaration = parse(f"const c = {text}").declarations[0]
    assert isinstance(declaration, nodes.ConstDecl)
    return declaration.value


def name(text: str) -> nodes.Name:
    return nodes.Name(text, span=HERE)


def number(digits: int, unit: str | None = None) -> nodes.IntLit:
    return nodes.IntLit(digits, unit, span=HERE)


def binary(op: BinaryOp, left: nodes.Expression, right: nodes.Expression) -> nodes.Binary:
    return nodes.Binary(op, left, right, span=HERE)


A, B, C = name("a"), name("b"), name("c")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c", binary(ArithmeticOp.ADD, A, binary(ArithmeticOp.MULTIPLY, B, C))),
        ("a - b - c", binary(ArithmeticOp.SUBTRACT, binary(ArithmeticOp.SUBTRACT, A, B), C)),
        ("a * b mod c", binary(ArithmeticOp.MOD, binary(ArithmeticOp.MULTIPLY, A, B), C)),
        ("a or b and c", binary(LogicOp.OR, A, binary(LogicOp.AND, B, C))),
        ("a implies b implies c", binary(LogicOp.IMPLIES, A, binary(LogicOp.IMPLIES, B, C))),
        ("a == b and c", binary(LogicOp.AND, binary(CompareOp.EQUAL, A, B), C)),
        ("not a == b", nodes.Unary(UnaryOp.NOT, binary(CompareOp.EQUAL, A, B), span=HERE)),
        ("-a * b", binary(ArithmeticOp.MULTIPLY, nodes.Unary(UnaryOp.NEGATE, A, span=HERE), B)),
        ("-a as U", nodes.Unary(UnaryOp.NEGATE, nodes.As(A, nodes.Ident("U", span=HERE), span=HERE), span=HERE)),
        ("floor(a * b / c)", binary(DivisionOp.FLOOR, binary(ArithmeticOp.MULTIPLY, A, B), C)),
        ("ceil(a / -b)", binary(DivisionOp.CEIL, A, nodes.Unary(UnaryOp.NEGATE, B, span=HERE))),
        ("if a then b else c", nodes.If(A, B, C, span=HERE)),
        ("first { a: b, } else c", nodes.First(((A, B),), C, span=HERE)),
        (
            "first { a - 2 MiB: b, (3 x): c } else 1 x",
            nodes.First(
                ((binary(ArithmeticOp.SUBTRACT, A, number(2, "MiB")), B), (number(3, "x"), C)),
                number(1, "x"),
                span=HERE,
            ),
        ),
        ("1_024 MiB", number(1024, "MiB")),
        ("2^20", number(2**20)),
        ("2^60 tokens", number(2**60, "tokens")),
        ('"a \\"b\\" \\\\n\\n"', nodes.StrLit('a "b" \\n\n', span=HERE)),
    ],
)
def test_expression_builds(text: str, expected: nodes.Expression) -> None:
    assert value(text) == expected


def test_suffix_stands_on_the_line_of_its_number() -> None:
    text = 'system m "t" { config {\n a: int in {1} "a" default 1\n b: int in {2} "b" default 2 c: bool "c" } }'
    system = parse(text).declarations[0]
    assert isinstance(system, nodes.SystemDecl)
    block = system.items[0]
    assert isinstance(block, nodes.VarBlock)
    assert [variable.default for variable in block.variables] == [number(1), number(2), None]


def test_declarations_have_defaults() -> None:
    system, dataset = parse(
        'system m "t" { profiler { a = 1 } hidden { h: int in 0..4 "h" } }\n'
        'dataset d version "1" seed 2 "d" { split s 3 { use x } }'
    ).declarations
    assert isinstance(system, nodes.SystemDecl)
    assert isinstance(dataset, nodes.DatasetDecl)
    assert system.items[0] == nodes.ProfilerBlock(
        (nodes.RelationDecl(nodes.Ident("a", span=HERE), None, number(1), None, span=HERE),), span=HERE
    )
    hidden = system.items[1]
    assert isinstance(hidden, nodes.VarBlock)
    assert hidden.variables[0].domain == nodes.RangeDomain(0, 4, 1, span=HERE)
    split = dataset.splits[0]
    assert (split.interaction, split.boundary, split.uses[0].weight) == (1, False, 1)


def test_comments_and_line_ends_do_not_matter() -> None:
    unix = parse("# first\nunit MiB\nunit GiB = 1024 MiB # last")
    assert parse("unit MiB\r\nunit GiB = 1024 MiB\r\n") == unix
    assert parse("unit MiB unit GiB=1024 MiB") == unix
    assert parse("# old\runit MiB\runit GiB = 1024 MiB") == unix


def test_empty_text_is_an_empty_module() -> None:
    for text in ("", "\n", "# nothing"):
        assert parse(text) == nodes.Module((), span=HERE)


def spans(node: object) -> list[Span]:
    """List the spans of a node and of all below it."""
    if isinstance(node, Span):
        return [node]
    if isinstance(node, tuple):
        return [span for part in node for span in spans(part)]
    kind = type(node)
    names = [field.name for field in attrs.fields(kind)] if attrs.has(kind) else []
    return [span for name in names for span in spans(getattr(node, name))]


def test_spans_cover_what_was_written() -> None:
    expr = value("(a + b) * floor(c / 2)")
    assert isinstance(expr, nodes.Binary)
    assert expr.span.text == "(a + b) * floor(c / 2)"
    assert expr.left.span.text == "a + b"
    assert expr.right.span.text == "floor(c / 2)"


def test_spans_lie_inside_those_of_their_parents() -> None:
    text = 'archetype x of m "x" { fault r tier y where a == 1 example "e" { a = 1 } => C { a = (2) } }'
    archetype = parse(text).declarations[0]
    assert archetype.span.text == text
    found = spans(archetype)
    assert {"x", "m", "r", "y", "a == 1", "where a == 1", "C"} <= {span.text for span in found}
    assert all(archetype.span.start <= span.start < span.end <= archetype.span.end for span in found)


def codes(text: str) -> list[tuple[str, int]]:
    """Give the code and the line of each diagnostic."""
    _, diagnostics = parse_text(Source("test.arch", text))
    return [(d.code, d.span.source.line_column(d.span.start)[0]) for d in diagnostics if d.span is not None]


SYSTEM = """\
system m "t" {
  config {
    a: int in {1, 2} "a" prefer larger default 1
  }
  let b = a + 1 "b"
  log {
    event e when b > 1 "e" {
      attr c = b
      says "c is {c}"
    }
  }
  rule r CODE "r" {
    when b > 1
    set a = 1
    keep a
  }
  runbook r
}
archetype x of m "x" {
  fault r
  tier t
}
"""


LINES = range(1, SYSTEM.count("\n"))


@pytest.mark.parametrize("line", LINES)
def test_one_broken_line_gives_one_error(line: int) -> None:
    """Two signs that fit nowhere before any line's first word don't make the lines below look wrong."""
    rows = SYSTEM.split("\n")
    rows[line - 1] = "=> =>" + rows[line - 1]
    assert codes("\n".join(rows)) == [("E101", line)]


def test_one_lost_or_doubled_word_gives_one_error() -> None:
    """Whatever word of a program is lost or doubled, the rest of it doesn't look wrong."""
    source = Source("system.arch", SYSTEM)
    for token in lex(source).tokens:
        start, end = token.start_pos or 0, token.end_pos or 0
        for changed in (SYSTEM[:start] + SYSTEM[end:], SYSTEM[:end] + " " + SYSTEM[start:]):
            assert len(codes(changed)) <= 1, changed


@pytest.mark.parametrize("line", LINES)
def test_one_lost_line_gives_at_most_two_errors(line: int) -> None:
    rows = SYSTEM.split("\n")
    lost = rows.pop(line - 1)
    assert len(codes("\n".join(rows))) <= 2, lost


def test_mistakes_in_several_declarations_are_all_told() -> None:
    text = "unit =\nunit b\nconst c = 1 /\nenum E { x y }\ntable t: int = int { }\ndataset 3"
    assert codes(text) == [("E101", 1), ("E108", 3), ("E101", 4), ("E101", 5), ("E101", 6)]


@pytest.mark.slow
def test_file_with_too_many_words_is_refused() -> None:
    assert [code for code, _ in codes("unit a\n" * (MAX_TOKENS // 2 + 1))] == ["E116"]


@pytest.mark.parametrize("digits", ["0", "00", "1_0", "2^0", "0^9", "1^99999999", "2^60", "1152921504606846976"])
def test_number_in_range_is_read(digits: str) -> None:
    base, _, power = digits.replace("_", "").partition("^")
    expected = int(base) if base in ("0", "1") else int(base) ** int(power or 1)
    assert value(digits) == number(expected)


@pytest.mark.parametrize("digits", ["2^61", "3^60", "1152921504606846977", "9" * 5000, "9^" + "9" * 5000])
def test_number_out_of_range_is_refused(digits: str) -> None:
    assert codes(f"const c = {digits}") == [("E111", 1)]
