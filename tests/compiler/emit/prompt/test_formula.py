"""Formula text, read back by a small parser that is written from the stated precedence alone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.problems import all_worlds, bool_exprs, int_exprs
from strategies.prompt_texts import tiny
from strategies.semantics import OPERANDS, applied

from compiler.emit.prompt.formula import formula, formula_lines
from compiler.emit.prompt.vocabulary import Vocabulary
from compiler.reader.answer.examine import examine, scope_of
from compiler.reader.answer.generate import Generator
from compiler.reader.text.formula import FormulaParser
from compiler.reader.text.parse import read_handbook
from compiler.reader.text.tokens import split_line
from solvers.evaluate import value
from solvers.problem import Apply, Before, Const, Expr, Lookup, Op, Problem, RelationValue, Sort, Var, With

NAMES = ("a", "b", "c")
RELATIONS = (RelationValue("r"), RelationValue("p", Sort.BOOL))
PROBLEM = Problem(
    name="plain",
    variables=(),
    relations=(
        ("r", Apply(Op.SUB, (Var("a"), Apply(Op.MUL, (Const(2), Var("b")))))),
        ("p", Apply(Op.LT, (Var("b"), Var("c")))),
    ),
    observations=(),
    rules=(),
)
TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*|==|!=|<=|>=|[-+*/%()\[\]{},<>=])")


class Parser:
    """Recursive descent over the precedence that a page states; tables come from the formula that was printed."""

    def __init__(self, text: str, tables: dict[str, tuple[tuple[int, int], ...]], labels: dict[str, int]) -> None:
        self.tokens = TOKEN.findall(text)
        assert "".join(self.tokens) == re.sub(r"\s", "", text)
        self.tables = tables
        self.labels = labels

    def peek(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self, *wanted: str) -> str:
        token = self.tokens.pop(0) if self.tokens else ""
        assert not wanted or token in wanted, f"{token!r} instead of {wanted}"
        return token

    def whole(self) -> Expr:
        expr = self.conditional()
        assert not self.tokens, self.tokens
        return expr

    def conditional(self) -> Expr:
        then = self.disjunction()
        if self.peek() != "if":
            return then
        self.take()
        condition = self.disjunction()
        self.take("else")
        return Apply(Op.ITE, (condition, then, self.conditional()))

    def disjunction(self) -> Expr:
        return self.chain(Op.OR, "or", lambda: self.chain(Op.AND, "and", self.negation))

    def chain(self, op: Op, word: str, inner: Callable[[], Expr]) -> Expr:
        parts = [inner()]
        while self.peek() == word:
            self.take()
            parts.append(inner())
        return parts[0] if len(parts) == 1 else Apply(op, tuple(parts))

    def negation(self) -> Expr:
        if self.peek() == "not":
            self.take()
            return Apply(Op.NOT, (self.negation(),))
        return self.comparison()

    def comparison(self) -> Expr:
        left = self.sum()
        if self.peek() == "in":
            self.take()
            values = self.listed("{", "}")
            return Apply(Op.OR, tuple(Apply(Op.EQ, (left, one)) for one in values))
        if self.peek() == "is":
            self.take()
            if self.peek() == "not":
                self.take()
                return Apply(Op.NE, (left, self.sum()))
            return Apply(Op.EQ, (left, self.sum()))
        if self.peek() in ("==", "!=", "<", "<=", ">", ">="):
            return Apply(Op(self.take()), (left, self.sum()))
        return left

    def sum(self) -> Expr:
        left = self.product()
        while self.peek() in ("+", "-"):
            left = Apply(Op(self.take()), (left, self.product()))
        return left

    def product(self) -> Expr:
        left = self.unary()
        while self.peek() in ("*", "%"):
            op = Op.MUL if self.take() == "*" else Op.MOD
            left = Apply(op, (left, self.unary()))
        return left

    def unary(self) -> Expr:
        if self.peek() == "-":
            self.take()
            return Apply(Op.NEG, (self.unary(),))
        return self.postfix()

    def postfix(self) -> Expr:
        expr = self.atom()
        while self.peek() == "[":
            self.take()
            changes: list[tuple[str, Expr]] = []
            while not changes or self.peek() == ",":
                if changes:
                    self.take(",")
                name = self.take()
                self.take("=")
                changes.append((name, self.conditional()))
            self.take("]")
            expr = With(expr, tuple(changes))
        return expr

    def listed(self, start: str, end: str) -> tuple[Expr, ...]:
        self.take(start)
        values = [self.conditional()]
        while self.take(",", end) == ",":
            values.append(self.conditional())
        return tuple(values)

    def atom(self) -> Expr:
        token = self.take()
        match token:
            case "(":
                expr = self.conditional()
                self.take(")")
                return expr
            case "floor" | "ceil":
                self.take("(")
                left = self.product()
                self.take("/")
                right = self.unary()
                self.take(")")
                return Apply(Op.FLOORDIV if token == "floor" else Op.CEILDIV, (left, right))
            case "min" | "max" | "abs":
                return Apply(Op(token), self.listed("(", ")"))
            case "before" | "printed":
                (body,) = self.listed("(", ")")
                return Before(body)
            case "true" | "false":
                return Const(token == "true")
        if token.isdigit():
            return Const(int(token))
        if token in self.labels:
            return Const(self.labels[token])
        if token in self.tables:
            self.take("[")
            key = self.conditional()
            self.take("]")
            return Lookup(token, self.tables[token], key)
        return next((known for known in RELATIONS if known.name == token), Var(token))


def parse(text: str, tables: dict[str, tuple[tuple[int, int], ...]] | None = None) -> Expr:
    return Parser(text, tables or {}, {"none": 0, "fp8": 1}).whole()


def with_named_tables(expr: Expr, tables: dict[str, tuple[tuple[int, int], ...]]) -> Expr:
    """Give every table of a random expression its own name, and note its entries."""
    match expr:
        case Lookup(entries=entries, key=key):
            name = f"t{len(tables)}"
            tables[name] = entries
            return Lookup(name, entries, with_named_tables(key, tables))
        case Apply(op=op, args=args):
            return Apply(op, tuple(with_named_tables(arg, tables) for arg in args))
        case With(body=body, changes=changes):
            news = tuple((name, with_named_tables(new, tables)) for name, new in changes)
            return With(with_named_tables(body, tables), news)
    return expr


FIELDS = "x: -4, -3, -2, -1, 0, 1, 2, 3, 4  # one\ny: -3, -2, 1, 3  # two"


@pytest.mark.parametrize("op", Op)
def test_the_reader_takes_every_operator_as_it_is_meant(op: Op) -> None:
    """Over all values of the operands; a truth value stays one, and a number a number."""
    scope = scope_of(read_handbook(tiny(fields=FIELDS).partition("## Config")[0]), (), ())
    read = FormulaParser(split_line(formula(applied(op))), 1).formula()
    examine(scope, read, None)
    run = Generator(scope).root(read.expr, 1)
    found = [run([world["x"], world["y"]], []) for world in all_worlds(OPERANDS)]
    expected = [value(OPERANDS, applied(op), world) for world in all_worlds(OPERANDS)]
    assert [(type(each), each) for each in found] == [(type(each), each) for each in expected]


EXPRS = st.one_of(int_exprs(NAMES, RELATIONS, 4), bool_exprs(NAMES, RELATIONS, 4))
WORLDS = st.lists(st.fixed_dictionaries({name: st.integers(-2, 9) for name in NAMES}), min_size=1, max_size=4)


@given(EXPRS, WORLDS)
def test_formula_read_back_has_the_same_value_for_random_expressions(expr: Expr, worlds: list[dict[str, int]]) -> None:
    tables: dict[str, tuple[tuple[int, int], ...]] = {}
    named = with_named_tables(expr, tables)
    text = formula(named)
    read = parse(text, tables)
    for world in worlds:
        assert value(PROBLEM, read, world) == value(PROBLEM, named, world)
    assert formula(read) == text


@given(EXPRS)
def test_formula_has_no_needless_parentheses_when_random(expr: Expr) -> None:
    tables: dict[str, tuple[tuple[int, int], ...]] = {}
    text = formula(with_named_tables(expr, tables))
    opened: list[int] = []
    for place, char in enumerate(text):
        if char == "(":
            opened.append(place)
        elif char == ")":
            start = opened.pop()
            inside = text[start + 1 : place]
            own = start > 0 and text[start - 1].isalnum()  # the parentheses of a call
            # for the eye: no `--`, no product beside `%`, and a change always behind a name or parentheses
            clear = text[:start].endswith("-") and inside.startswith("-")
            clear = clear or text[place + 1 :].startswith((" %", "[")) or " % " in inside or text[:start].endswith("% ")
            if not own and not clear:
                assert not same(f"{text[:start]}{inside}{text[place + 1 :]}", text, tables)


def same(text: str, other: str, tables: dict[str, tuple[tuple[int, int], ...]]) -> bool:
    try:
        return parse(text, tables) == parse(other, tables)
    except (AssertionError, KeyError, ValueError):
        return False


def one(op: Op, *args: Expr) -> Expr:
    return Apply(op, args)


A, B, C = (Var(name) for name in NAMES)
NONE, FP8 = Const(0, "none"), Const(1, "fp8")
YES, NO = Const(1, "true"), Const(0, "false")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (one(Op.SUB, A, one(Op.SUB, B, C)), "a - (b - c)"),
        (one(Op.ADD, A, one(Op.ADD, B, C)), "a + b + c"),
        (one(Op.MUL, one(Op.ADD, A, B), C), "(a + b) * c"),
        (one(Op.FLOORDIV, one(Op.MUL, A, B), one(Op.MUL, C, Const(2))), "floor(a * b / (c * 2))"),
        (one(Op.CEILDIV, one(Op.ADD, A, B), C), "ceil((a + b) / c)"),
        (one(Op.MOD, one(Op.MUL, A, B), C), "(a * b) % c"),
        (one(Op.SUB, A, Const(-3)), "a - -3"),
        (one(Op.NEG, one(Op.NEG, A)), "-(-a)"),
        (one(Op.ITE, one(Op.LT, A, B), Const(1), Const(0)), "1 if a < b else 0"),
        (one(Op.MIN, A, one(Op.ADD, B, C)), "min(a, b + c)"),
        (With(one(Op.ADD, A, B), (("a", Const(1)), ("b", one(Op.ADD, C, A)))), "(a + b)[a=1, b=c + a]"),
        (one(Op.EQ, RelationValue("r"), Before(RelationValue("r"))), "r == before(r)"),
        (Lookup("t", ((0, 1),), one(Op.ADD, A, B)), "t[a + b]"),
        (one(Op.EQ, A, NONE), "a is none"),
        (one(Op.OR, one(Op.EQ, A, NONE), one(Op.EQ, A, FP8)), "a in {none, fp8}"),
        (one(Op.NOT, one(Op.OR, one(Op.EQ, A, Const(1)), one(Op.EQ, A, Const(2)))), "not a in {1, 2}"),
        (one(Op.OR, one(Op.EQ, A, NONE), one(Op.EQ, B, FP8)), "a is none or b is fp8"),
        (one(Op.OR, one(Op.EQ, A, NONE), one(Op.LT, A, B)), "a is none or a < b"),
        (one(Op.OR, one(Op.EQ, A, Const(1))), "a == 1"),
        (one(Op.AND, one(Op.OR, one(Op.LT, A, B), one(Op.LT, B, C)), one(Op.LT, A, C)), "(a < b or b < c) and a < c"),
        (one(Op.IMPLIES, one(Op.IMPLIES, TRUE := Const(True), TRUE), TRUE), "not (not true or true) or true"),
        (one(Op.IMPLIES, one(Op.EQ, A, NONE), one(Op.LT, A, B)), "a is not none or a < b"),
        (one(Op.IMPLIES, one(Op.LT, A, B), one(Op.EQ, A, NO)), "a >= b or not a"),
        (one(Op.NE, A, FP8), "a is not fp8"),
        (one(Op.MUL, one(Op.MOD, A, B), C), "(a % b) * c"),
        (one(Op.ADD, one(Op.ITE, one(Op.LT, A, B), A, B), C), "(a if a < b else b) + c"),
        (one(Op.ITE, one(Op.LT, A, B), A, one(Op.ITE, one(Op.LT, B, C), B, C)), "a if a < b else b if b < c else c"),
        (one(Op.ITE, one(Op.LT, A, B), one(Op.ITE, one(Op.LT, B, C), B, C), A), "(b if b < c else c) if a < b else a"),
        (With(RelationValue("r"), (("a", Const(1)),)), "r[a=1]"),
        (With(one(Op.MAX, A, B), (("a", Const(1)),)), "(max(a, b))[a=1]"),
        (With(one(Op.EQ, A, YES), (("a", Const(1)),)), "a[a=1]"),
        (one(Op.EQ, A, Const(1, "fp8-e4m3")), 'a is "fp8-e4m3"'),
        (one(Op.EQ, one(Op.LT, A, B), RelationValue("p", Sort.BOOL)), "(a < b) == p"),
        (one(Op.AND), "true"),
        (one(Op.OR), "false"),
        (one(Op.NE, A, NO), "a"),
        (one(Op.EQ, A, NO), "not a"),
        (one(Op.EQ, one(Op.ITE, one(Op.LT, A, B), YES, NO), NO), "not a < b"),
        (one(Op.ITE, one(Op.LT, A, B), Const(1, "true"), Const(0, "false")), "a < b"),
        (YES, "true"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_formula_prints_each_construct_when_asked(expr: Expr, text: str) -> None:
    assert formula(expr) == text


def test_formula_reads_numbers_as_truth_when_the_variable_is_a_flag() -> None:
    expr = one(Op.AND, one(Op.EQ, A, Const(1)), one(Op.EQ, B, Const(0)), one(Op.NE, C, Const(0)))
    assert formula(expr, Vocabulary(flags=frozenset("ab"))) == "a and not b and c != 0"
    either = one(Op.OR, one(Op.EQ, A, Const(0)), one(Op.EQ, A, Const(1)))
    assert formula(either, Vocabulary(flags=frozenset("a"))) == "not a or a"


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (one(Op.EQ, A, B), "a is b"),
        (one(Op.NE, With(A, (("b", C),)), Before(B)), "a[b=c] is not before(b)"),
        (one(Op.EQ, one(Op.ITE, one(Op.LT, B, C), A, NONE), FP8), "(a if b < c else none) is fp8"),
        (one(Op.EQ, Lookup("t", ((0, 1),), C), A), "t[c] is a"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_formula_compares_words_by_is(expr: Expr, text: str) -> None:
    assert formula(expr, Vocabulary(words=frozenset("abt"))) == text


def test_formula_names_a_table_alone_when_it_is_read_by_its_own_column() -> None:
    names = Vocabulary(columns={"t": "a"})
    plain, other = Lookup("t", ((0, 1),), A), Lookup("t", ((0, 1),), B)
    assert formula(one(Op.SUB, plain, other), names) == "t - t[b]"
    assert formula(With(plain, (("a", Const(0)),)), names) == "t[a=0]"
    assert formula(With(other, (("a", Const(0)),)), names) == "(t[b])[a=0]"


def test_formula_looks_back_in_the_word_that_is_asked_for() -> None:
    assert formula(Before(A), earlier="printed") == "printed(a)"


def test_formula_lines_print_three_cases_on_a_line_each() -> None:
    chain = one(Op.ITE, one(Op.LT, A, B), A, one(Op.ITE, one(Op.LT, B, C), one(Op.ADD, B, C), C))
    assert formula_lines(chain, Vocabulary()) == ("a if a < b", "b + c if b < c", "else c")


@pytest.mark.parametrize(
    "expr", [one(Op.ITE, one(Op.LT, A, B), A, B), one(Op.ITE, one(Op.LT, A, B), A, one(Op.ITE, A, YES, NO)), A]
)
def test_formula_lines_print_fewer_cases_on_one_line(expr: Expr) -> None:
    assert formula_lines(expr, Vocabulary()) == (formula(expr),)
