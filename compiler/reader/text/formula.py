"""Formula text to a tree, by precedence climbing.

In: what stands between two backticks. Out: a `ReadFormula`, a tree of the closed union `ReadExpr` with the names that
it uses. Whether names exist and kinds fit is checked later; see `answer/examine`. Nesting, length and numbers are
limited, each with its own `ReadError`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final, TypeAlias, assert_never

from compiler.reader.text.errors import ReadError
from compiler.reader.text.limits import MAX_BRACKETS, MAX_CHAIN
from compiler.reader.text.tokens import ReadInfix, ReadToken, ReadTokenKind, split_formula
from compiler.reader.text.tree import (
    ReadAdd,
    ReadApply,
    ReadBefore,
    ReadChoose,
    ReadCompare,
    ReadComparison,
    ReadConnective,
    ReadConst,
    ReadDivide,
    ReadExpr,
    ReadFormula,
    ReadFunction,
    ReadImplies,
    ReadLogic,
    ReadLookup,
    ReadMember,
    ReadModulo,
    ReadMultiply,
    ReadName,
    ReadNegate,
    ReadNot,
    ReadRounding,
    ReadWith,
)
from compiler.reader.text.values import FLAGS, read_integer, unquote


class _Level(enum.IntEnum):
    """How tightly an operator binds."""

    ANY = 0
    IMPLIES = 1
    OR = 2
    AND = 3
    COMPARE = 4
    ADD = 5
    MULTIPLY = 6
    UNARY = 7


_Infix: TypeAlias = ReadInfix | ReadComparison | ReadConnective

_INFIXES: Final[Mapping[str, _Infix]] = {
    operator.value: operator for operators in (ReadInfix, ReadComparison, ReadConnective) for operator in operators
}
_FUNCTIONS: Final[Mapping[str, ReadFunction]] = {function.value: function for function in ReadFunction}
_ROUNDINGS: Final[Mapping[str, ReadRounding]] = {rounding.value: rounding for rounding in ReadRounding}


def parse_formula(text: str, line: int) -> ReadFormula:
    """Parse one formula; `line` is for errors.

    Raises:
        ReadError: The text is not a formula, or exceeds a limit.
    """
    parser = _Parser(split_formula(text, line), line)
    expr = parser.expression(_Level.ANY)
    parser.need_end()
    return ReadFormula(expr, line, frozenset(parser.names))


def _level(operator: _Infix) -> _Level:
    match operator:
        case ReadInfix.IMPLIES:
            return _Level.IMPLIES
        case ReadConnective.OR:
            return _Level.OR
        case ReadConnective.AND:
            return _Level.AND
        case ReadComparison() | ReadInfix.IN:
            return _Level.COMPARE
        case ReadInfix.PLUS | ReadInfix.MINUS:
            return _Level.ADD
        case ReadInfix.TIMES | ReadInfix.MOD:
            return _Level.MULTIPLY
    assert_never(operator)


_LEVELS: Final[Mapping[str, _Level]] = {text: _level(operator) for text, operator in _INFIXES.items()}


class _Parser:
    """Precedence climbing over a token list; few Python frames per level of brackets."""

    def __init__(self, tokens: list[ReadToken], line: int) -> None:
        self.tokens = tokens
        self.line = line
        self.at = 0
        self.depth = 0
        self.names: set[str] = set()
        self.last_atom = (0, 0)

    def fail(self, expected: str) -> ReadError:
        token = self.tokens[self.at]
        found = "the end of the formula" if token.kind is ReadTokenKind.END else f"`{token.text}`"
        return ReadError(self.line, expected, found)

    def peek(self) -> str:
        """Give the present token if it is a sign or keyword, else an empty text."""
        token = self.tokens[self.at]
        return token.text if token.kind is ReadTokenKind.SIGN else ""

    def take(self, sign: str) -> bool:
        if self.peek() != sign:
            return False
        self.at += 1
        return True

    def need(self, sign: str, expected: str | None = None) -> None:
        if not self.take(sign):
            raise self.fail(expected or f"`{sign}`")

    def need_end(self) -> None:
        if self.tokens[self.at].kind is not ReadTokenKind.END:
            raise self.fail("an operator or the end of the formula")

    def name(self, expected: str) -> str:
        token = self.tokens[self.at]
        if token.kind is not ReadTokenKind.NAME:
            raise self.fail(expected)
        self.at += 1
        self.names.add(token.text)
        return token.text

    def expression(self, lowest: _Level) -> ReadExpr:
        """Parse an expression whose operators bind at least as tightly as `lowest`."""
        self.depth += 1
        if self.depth > MAX_BRACKETS:
            raise self.fail(f"at most {MAX_BRACKETS} levels of nesting")
        left = self.prefix(lowest)
        while (sign := self.peek()) in _INFIXES and _LEVELS[sign] >= lowest:
            left = self.infix(left, _INFIXES[sign])
        self.depth -= 1
        return left

    def infix(self, left: ReadExpr, operator: _Infix) -> ReadExpr:
        """Parse an operator, which is the present token, with what follows its left operand."""
        match operator:
            case ReadInfix.IMPLIES:
                self.at += 1
                return ReadImplies(left, self.expression(_Level.IMPLIES))
            case ReadConnective.OR:
                return ReadLogic(operator, self.chain(left, "or", _Level.AND))
            case ReadConnective.AND:
                return ReadLogic(operator, self.chain(left, "and", _Level.COMPARE))
            case ReadComparison():
                self.at += 1
                return self.alone(ReadCompare(operator, left, self.expression(_Level.ADD)))
            case ReadInfix.IN:
                self.at += 1
                self.need("{")
                return self.alone(ReadMember(left, self.listed("}")))
            case ReadInfix.PLUS | ReadInfix.MINUS:
                return self.sum(left)
            case ReadInfix.TIMES:
                return ReadMultiply(self.chain(left, "*", _Level.UNARY))
            case ReadInfix.MOD:
                self.at += 1
                return ReadModulo(left, self.expression(_Level.UNARY))
        assert_never(operator)

    def alone(self, comparison: ReadExpr) -> ReadExpr:
        """Refuse a comparison that another one follows."""
        if _LEVELS.get(self.peek()) is _Level.COMPARE:
            raise self.fail("brackets around one of the two comparisons")
        return comparison

    def sum(self, left: ReadExpr) -> ReadExpr:
        terms = [(False, left)]
        while (sign := self.peek()) in ("+", "-"):
            self.at += 1
            terms.append((sign == "-", self.expression(_Level.MULTIPLY)))
            self.check_chain(len(terms))
        return ReadAdd(tuple(terms))

    def chain(self, left: ReadExpr, sign: str, operands: _Level) -> tuple[ReadExpr, ...]:
        """Parse operands joined by `sign`; they bind at least as tightly as `operands`."""
        found = [left]
        while self.take(sign):
            found.append(self.expression(operands))
            self.check_chain(len(found))
        return tuple(found)

    def check_chain(self, length: int) -> None:
        if length > MAX_CHAIN:
            raise self.fail(f"at most {MAX_CHAIN} operands in a row")

    def listed(self, close: str) -> tuple[ReadExpr, ...]:
        items = [self.expression(_Level.ANY)]
        while self.take(","):
            items.append(self.expression(_Level.ANY))
            self.check_chain(len(items))
        self.need(close, f"`,` or `{close}`")
        return tuple(items)

    def prefix(self, lowest: _Level) -> ReadExpr:
        """Parse what an expression begins with: `-`, `not` or `if`, where they may stand, or an atom."""
        if self.take("-"):
            return ReadNegate(self.expression(_Level.UNARY))
        if lowest <= _Level.COMPARE and self.take("not"):
            return ReadNot(self.expression(_Level.COMPARE))
        if lowest is _Level.ANY and self.take("if"):
            condition = self.expression(_Level.ANY)
            self.need("then")
            then = self.expression(_Level.ANY)
            self.need("else")
            return ReadChoose(condition, then, self.expression(_Level.ANY))
        start = self.at
        atom = self.atom()
        self.last_atom = (start, self.at)
        return atom

    def atom(self) -> ReadExpr:
        token = self.tokens[self.at]
        match token.kind:
            case ReadTokenKind.NUMBER:
                return ReadConst(self.number(token.text))
            case ReadTokenKind.WORD:
                self.at += 1
                return ReadConst(unquote(token.text))
            case ReadTokenKind.NAME:
                return self.named(token.text)
            case ReadTokenKind.SIGN:
                return self.signed(token.text)
            case ReadTokenKind.END:
                raise self.fail("a value")
        assert_never(token.kind)

    def number(self, text: str) -> int:
        if text != "0" and text.startswith("0"):
            raise self.fail("a number without leading zeros")
        value = read_integer(text)
        if value is None:
            raise self.fail("a number of at most 2^60")
        self.at += 1
        return value

    def named(self, name: str) -> ReadExpr:
        """Parse a name or a table's entry."""
        self.at += 1
        if self.take("["):
            key = self.expression(_Level.ANY)
            self.need("]")
            return ReadLookup(name, key)
        self.names.add(name)
        return ReadName(name)

    def signed(self, sign: str) -> ReadExpr:
        """Parse an atom that begins with a sign or keyword."""
        if sign in FLAGS:
            self.at += 1
            return ReadConst(FLAGS[sign])
        if sign in _FUNCTIONS:
            return self.call(_FUNCTIONS[sign])
        if sign in _ROUNDINGS:
            return self.quotient(_ROUNDINGS[sign])
        if self.take("before"):
            self.need("(")
            body = self.expression(_Level.ANY)
            self.need(")")
            return ReadBefore(body)
        if self.take("("):
            return self.group()
        raise self.fail("a value")

    def call(self, function: ReadFunction) -> ReadExpr:
        self.at += 1
        self.need("(")
        arguments = self.listed(")")
        match function:
            case ReadFunction.ABS:
                if len(arguments) != 1:
                    raise self.fail(f"one argument for `{function.value}`")
            case ReadFunction.MIN | ReadFunction.MAX:
                pass
            case _:
                assert_never(function)
        return ReadApply(function, arguments)

    def quotient(self, rounding: ReadRounding) -> ReadExpr:
        self.at += 1
        self.need("(")
        left = self.expression(_Level.MULTIPLY)
        self.need("/")
        right = self.expression(_Level.UNARY)
        self.need(")")
        return ReadDivide(rounding, left, right)

    def group(self) -> ReadExpr:
        """Parse the rest of `( e )` or `( e with f = a, g = b )`.

        What stands before `with` must be an atom: in `a + b with f = 1` the change could concern b alone.
        """
        start = self.at
        inner = self.expression(_Level.ANY)
        if self.peek() == "with":
            if self.last_atom != (start, self.at):
                raise self.fail("brackets around what stands before `with`")
            self.at += 1
            inner = ReadWith(inner, self.changes())
        self.need(")")
        return inner

    def changes(self) -> tuple[tuple[str, ReadExpr], ...]:
        """Parse the changes after `with`."""
        found: dict[str, ReadExpr] = {}
        while True:
            name = self.name("a variable after `with`")
            if name in found:
                self.at -= 1
                raise self.fail("each variable once after `with`")
            self.need("=")
            found[name] = self.expression(_Level.ANY)
            self.check_chain(len(found))
            if not self.take(","):
                return tuple(found.items())
