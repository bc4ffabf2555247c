"""Formula text to a tree: lexer and precedence-climbing parser.

In: what stands between two backticks. Out: `Formula`, a tree of the closed union `Expr` with the
names it uses. Names, kinds and sizes are not checked here; see `scope`. Nesting, length and
numbers are limited, each with its own `ReadError`.
"""

from __future__ import annotations

import re
from typing import Final

from compiler.reader.text.errors import ReadError
from compiler.reader.text.limits import MAX_BRACKETS, MAX_CHAIN, MAX_FORMULA_TOKENS, MAX_NUMBER
from compiler.reader.text.tree import (
    Add,
    Compare,
    Divide,
    Implies,
    Logic,
    Member,
    Modulo,
    Multiply,
    Negate,
    Not,
    ReadApply,
    ReadBefore,
    ReadChoose,
    ReadConst,
    ReadExpr,
    ReadFormula,
    ReadLookup,
    ReadName,
    ReadWith,
)
from compiler.reader.text.values import NAME, QUOTED, unquote

KEYWORDS: Final = frozenset(
    {"if", "then", "else", "implies", "or", "and", "not", "in", "mod", "with"}
    | {"floor", "ceil", "min", "max", "abs", "before", "true", "false"}
)

_TOKEN: Final = re.compile(
    rf"(?P<space> +)|(?P<number>[0-9]+)|(?P<name>{NAME.pattern})|(?P<word>{QUOTED.pattern})"
    r"|(?P<sign>==|!=|<=|>=|[-+*/()\[\]{},=<>])"
)
_IMPLIES, _OR, _AND, _COMPARE, _ADD, _MULTIPLY, _UNARY = 1, 2, 3, 4, 5, 6, 7
_LEVELS: Final = {
    "implies": _IMPLIES,
    "or": _OR,
    "and": _AND,
    **dict.fromkeys(["==", "!=", "<", "<=", ">", ">=", "in"], _COMPARE),
    **dict.fromkeys(["+", "-"], _ADD),
    **dict.fromkeys(["*", "mod"], _MULTIPLY),
}
_END: Final = ("end", "the end of the formula")


def parse_formula(text: str, line: int) -> ReadFormula:
    """Parse one formula; `line` is for errors.

    Raises:
        ReadError: The text is not a formula, or exceeds a limit.
    """
    parser = _Parser(_tokens(text, line), line)
    expr = parser.expression(0)
    parser.need(_END[1], "an operator or the end of the formula")
    return ReadFormula(expr, line, frozenset(parser.names))


def _tokens(text: str, line: int) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ReadError(line, "a formula", f"`{text[at:]}`")
        at = found.end()
        kind = found.lastgroup or ""
        if kind != "space":
            tokens.append(("sign" if found[0] in KEYWORDS else kind, found[0]))
    if len(tokens) > MAX_FORMULA_TOKENS:
        raise ReadError(line, f"a formula of at most {MAX_FORMULA_TOKENS} parts", str(len(tokens)))
    tokens.append(_END)
    return tokens


class _Parser:
    """Precedence climbing over a token list; three Python frames per level of brackets."""

    def __init__(self, tokens: list[tuple[str, str]], line: int) -> None:
        self.tokens = tokens
        self.line = line
        self.at = 0
        self.depth = 0
        self.names: set[str] = set()
        self.last_atom = (0, 0)

    def fail(self, expected: str) -> ReadError:
        found = self.tokens[self.at][1]
        return ReadError(self.line, expected, found if self.peek() == _END[1] else f"`{found}`")

    def peek(self) -> str:
        """Give the present token if it is a sign, keyword or the end, else an empty text."""
        kind, text = self.tokens[self.at]
        return text if kind in ("sign", "end") else ""

    def take(self, sign: str) -> bool:
        if self.peek() != sign:
            return False
        self.at += 1
        return True

    def need(self, sign: str, expected: str | None = None) -> None:
        if self.peek() != sign:
            raise self.fail(expected or f"`{sign}`")
        self.at += 1

    def name(self, expected: str) -> str:
        kind, text = self.tokens[self.at]
        if kind != "name":
            raise self.fail(expected)
        self.at += 1
        return text

    def expression(self, lowest: int) -> ReadExpr:
        """Parse an expression whose operators bind at least as tightly as `lowest`."""
        self.depth += 1
        if self.depth > MAX_BRACKETS:
            raise self.fail(f"at most {MAX_BRACKETS} levels of nesting")
        left = self.prefix(lowest)
        while (level := _LEVELS.get(self.peek(), -1)) >= max(lowest, 1):
            left = self.infix(left, level)
        self.depth -= 1
        return left

    def infix(self, left: ReadExpr, level: int) -> ReadExpr:
        operator = self.peek()
        if level == _IMPLIES:
            self.at += 1
            return Implies(left, self.expression(_IMPLIES))
        if level == _COMPARE:
            return self.comparison(left)
        if operator == "mod":
            self.at += 1
            return Modulo(left, self.expression(_UNARY))
        if level == _ADD:
            terms = [(False, left)]
            while (sign := self.peek()) in ("+", "-"):
                self.at += 1
                terms.append((sign == "-", self.expression(_MULTIPLY)))
                self.check_chain(len(terms))
            return Add(tuple(terms))
        operands = [left]
        while self.take(operator):
            operands.append(self.expression(level + 1))
            self.check_chain(len(operands))
        if operator == "*":
            return Multiply(tuple(operands))
        return Logic("and" if operator == "and" else "or", tuple(operands))

    def check_chain(self, length: int) -> None:
        if length > MAX_CHAIN:
            raise self.fail(f"at most {MAX_CHAIN} operands in a row")

    def comparison(self, left: ReadExpr) -> ReadExpr:
        result: ReadExpr
        if self.take("in"):
            self.need("{")
            result = Member(left, self.listed("}"))
        else:
            operator = self.peek()
            self.at += 1
            right = self.expression(_ADD)
            match operator:
                case "==" | "!=" | "<" | "<=" | ">" | ">=":
                    result = Compare(operator, left, right)
                case _:
                    raise self.fail("a comparison")
        if _LEVELS.get(self.peek()) == _COMPARE:
            raise self.fail("brackets around one of two comparisons")
        return result

    def listed(self, close: str) -> tuple[ReadExpr, ...]:
        items = [self.expression(0)]
        while self.take(","):
            items.append(self.expression(0))
            self.check_chain(len(items))
        self.need(close, f"`,` or `{close}`")
        return tuple(items)

    def prefix(self, lowest: int) -> ReadExpr:
        sign = self.peek()
        if sign == "-":
            self.at += 1
            return Negate(self.expression(_UNARY))
        if sign == "not" and lowest <= _COMPARE:
            self.at += 1
            return Not(self.expression(_COMPARE))
        if sign == "if" and lowest == 0:
            self.at += 1
            condition = self.expression(0)
            self.need("then")
            then = self.expression(0)
            self.need("else")
            return ReadChoose(condition, then, self.expression(0))
        start = self.at
        atom = self.atom()
        self.last_atom = (start, self.at)
        return atom

    def atom(self) -> ReadExpr:
        kind, text = self.tokens[self.at]
        if kind == "number":
            if len(text) > 19 or int(text) > MAX_NUMBER:
                raise self.fail("a number of at most 2^60")
            if text != "0" and text.startswith("0"):
                raise self.fail("a number without leading zeros")
            self.at += 1
            return ReadConst(int(text))
        if kind == "word":
            self.at += 1
            return ReadConst(unquote(text))
        if kind == "name":
            self.at += 1
            if self.take("["):
                key = self.expression(0)
                self.need("]")
                return ReadLookup(text, key)
            self.names.add(text)
            return ReadName(text)
        return self.bracketed(text)

    def bracketed(self, opening: str) -> ReadExpr:
        match opening:
            case "true" | "false":
                self.at += 1
                return ReadConst(opening == "true")
            case "(":
                return self.group()
            case "floor" | "ceil":
                self.at += 1
                self.need("(")
                left = self.expression(_MULTIPLY)
                self.need("/")
                right = self.expression(_UNARY)
                self.need(")")
                return Divide(opening == "ceil", left, right)
            case "min" | "max" | "abs":
                self.at += 1
                self.need("(")
                arguments = self.listed(")")
                if opening == "abs" and len(arguments) != 1:
                    raise self.fail("one argument of `abs`")
                return ReadApply(opening, arguments)
            case "before":
                self.at += 1
                self.need("(")
                body = self.expression(0)
                self.need(")")
                return ReadBefore(body)
            case _:
                raise self.fail("a value")

    def group(self) -> ReadExpr:
        """Parse `( e )` or `(e with f = a, g = b)`; there e must be closed, or it had two meanings."""
        self.at += 1
        start = self.at
        inner = self.expression(0)
        if self.peek() == "with":
            if self.last_atom != (start, self.at):
                raise self.fail("brackets around what stands before `with`")
            changes: list[tuple[str, ReadExpr]] = []
            self.at += 1
            while True:
                field = self.name("a field after `with`")
                self.names.add(field)
                self.need("=")
                changes.append((field, self.expression(0)))
                self.check_chain(len(changes))
                if not self.take(","):
                    break
            if len({field for field, _ in changes}) < len(changes):
                raise self.fail("each field once after `with`")
            inner = ReadWith(inner, tuple(changes))
        self.need(")")
        return inner
