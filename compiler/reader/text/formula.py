"""Formula text to a tree, by precedence climbing.

In: the tokens of a line and the place where a formula begins. Out: a `ReadFormula`, which is a tree of the closed union
`ReadExpr` with the names that it uses, and the place behind it: a formula ends at the first token that can't go on with
it. Whether names exist and kinds fit is checked later; see `answer/examine`. Nesting, length and numbers are limited,
each with its own `ReadError`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, assert_never

from compiler.reader.text.errors import ReadError
from compiler.reader.text.limits import MAX_BRACKETS, MAX_CHAIN, MAX_FORMULA_TOKENS
from compiler.reader.text.tokens import ReadInfix, ReadToken, ReadTokenKind
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
    ReadFeature,
    ReadFormula,
    ReadFunction,
    ReadLogic,
    ReadLookup,
    ReadMember,
    ReadModulo,
    ReadMultiply,
    ReadName,
    ReadNegate,
    ReadNot,
    ReadPrinted,
    ReadRounding,
    ReadWith,
)
from compiler.reader.text.values import FLAGS, read_integer, read_word


class _Level(enum.IntEnum):
    """How tightly an operator binds."""

    ANY = 0
    OR = 1
    AND = 2
    COMPARE = 3
    ADD = 4
    MULTIPLY = 5
    UNARY = 6


_Infix: TypeAlias = ReadInfix | ReadComparison | ReadConnective

_INFIXES: Final[Mapping[str, _Infix]] = {
    operator.value: operator for operators in (ReadInfix, ReadComparison, ReadConnective) for operator in operators
}
_FUNCTIONS: Final[Mapping[str, ReadFunction]] = {function.value: function for function in ReadFunction}
_ROUNDINGS: Final[Mapping[str, ReadRounding]] = {rounding.value: rounding for rounding in ReadRounding}


def _level(operator: _Infix) -> _Level:
    match operator:
        case ReadConnective.OR:
            return _Level.OR
        case ReadConnective.AND:
            return _Level.AND
        case ReadComparison() | ReadInfix.IN:
            return _Level.COMPARE
        case ReadInfix.PLUS | ReadInfix.MINUS:
            return _Level.ADD
        case ReadInfix.TIMES | ReadInfix.MODULO:
            return _Level.MULTIPLY
    assert_never(operator)


_LEVELS: Final[Mapping[str, _Level]] = {text: _level(operator) for text, operator in _INFIXES.items()}


class FormulaParser:
    """Parses formulas of one line; few Python frames for each level of brackets.

    Attributes:
        at: The next token.
        features: What the formulas so far use that a page explains in a sentence.
    """

    def __init__(self, tokens: Sequence[ReadToken], line: int) -> None:
        """Start at the first token of line number `line`."""
        self.tokens = tokens
        self.line = line
        self.at = 0
        self.depth = 0
        self.last = 0
        self.names: set[str] = set()
        self.features: set[ReadFeature] = set()

    def formula(self, *, bare: bool = True) -> ReadFormula:
        """Parse one formula from the present token on.

        Args:
            bare: Whether it may be a conditional without brackets.

        Raises:
            ReadError: No formula stands here, or it exceeds a limit.
        """
        self.names = set()
        self.depth = 0
        self.last = self.at + MAX_FORMULA_TOKENS
        expr = self.expression(_Level.ANY if bare else _Level.OR)
        if self.at > self.last:
            raise ReadError(self.line, f"a formula of at most {MAX_FORMULA_TOKENS} parts", str(self.at))
        return ReadFormula(expr, self.line, frozenset(self.names))

    def fail(self, expected: str) -> ReadError:
        token = self.tokens[self.at]
        found = "the end of the line" if token.kind is ReadTokenKind.END else f"`{token.text}`"
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
        if self.at > self.last:
            raise self.fail(f"a formula of at most {MAX_FORMULA_TOKENS} parts")
        left = self.prefix(lowest)
        while (sign := self.peek()) in _INFIXES and _LEVELS[sign] >= lowest:
            left = self.infix(left, _INFIXES[sign])
        if lowest is _Level.ANY and sign == "if":
            left = self.conditional(left)
        self.depth -= 1
        return left

    def conditional(self, first: ReadExpr) -> ReadExpr:
        """Parse the rest of `first if C else B`, where B may go on in the same way."""
        cases: list[tuple[ReadExpr, ReadExpr]] = []
        value = first
        while self.take("if"):
            cases.append((value, self.expression(_Level.OR)))
            self.check_chain(len(cases))
            self.need("else")
            value = self.expression(_Level.OR)
        return choose(cases, value)

    def infix(self, left: ReadExpr, operator: _Infix) -> ReadExpr:
        """Parse an operator, which is the present token, with what follows its left operand."""
        match operator:
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
            case ReadInfix.MODULO:
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
        """Parse what an expression begins with: `-` or `not` where they may stand, or an atom with its changes."""
        if self.take("-"):
            return ReadNegate(self.expression(_Level.UNARY))
        if lowest <= _Level.COMPARE and self.take("not"):
            return ReadNot(self.expression(_Level.COMPARE))
        atom = self.atom()
        for _ in range(MAX_BRACKETS):
            if not self.take("["):
                return atom
            atom = self.indexed(atom)
        raise self.fail(f"at most {MAX_BRACKETS} levels of nesting")

    def indexed(self, atom: ReadExpr) -> ReadExpr:
        """Parse what follows `[`: the changes of a `with`, or the key of a column's entry."""
        if self.tokens[self.at].kind is ReadTokenKind.NAME and self.tokens[self.at + 1].text == "=":
            self.features.add(ReadFeature.CHANGED)
            return ReadWith(atom, self.changes())
        if not isinstance(atom, ReadName):
            raise self.fail("a name and `=` to change")
        key = self.expression(_Level.ANY)
        self.need("]")
        return ReadLookup(atom.name, key)

    def atom(self) -> ReadExpr:
        token = self.tokens[self.at]
        match token.kind:
            case ReadTokenKind.NUMBER:
                return ReadConst(self.number(token.text))
            case ReadTokenKind.WORD:
                return ReadConst(self.word(token.text))
            case ReadTokenKind.NAME:
                return ReadName(self.name("a name"))
            case ReadTokenKind.SIGN:
                return self.signed(token.text)
            case ReadTokenKind.OTHER | ReadTokenKind.END:
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

    def word(self, text: str) -> str:
        word = read_word(text)
        if word is None:
            raise self.fail("a word, in double quotes only where it needs them")
        self.at += 1
        return word

    def signed(self, sign: str) -> ReadExpr:
        """Parse an atom that begins with a sign or keyword."""
        if sign in FLAGS:
            self.at += 1
            return ReadConst(FLAGS[sign])
        if sign in _FUNCTIONS:
            return self.call(_FUNCTIONS[sign])
        if sign in _ROUNDINGS:
            return self.quotient(_ROUNDINGS[sign])
        if sign == "before":
            self.features.add(ReadFeature.BEFORE)
            return ReadBefore(self.argument())
        if sign == "printed":
            self.features.add(ReadFeature.PRINTED)
            return ReadPrinted(self.argument())
        if self.take("("):
            inner = self.expression(_Level.ANY)
            self.need(")")
            return inner
        raise self.fail("a value")

    def argument(self) -> ReadExpr:
        """Parse a word, which is the present token, and its one argument in brackets."""
        self.at += 1
        self.need("(")
        body = self.expression(_Level.ANY)
        self.need(")")
        return body

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

    def changes(self) -> tuple[tuple[str, ReadExpr], ...]:
        """Parse `f=a, g=b]`."""
        found: dict[str, ReadExpr] = {}
        while True:
            name = self.name("a variable to change")
            if name in found:
                self.at -= 1
                raise self.fail("each variable once between `[` and `]`")
            self.need("=")
            found[name] = self.expression(_Level.ANY)
            self.check_chain(len(found))
            if not self.take(","):
                self.need("]", "`,` or `]`")
                return tuple(found.items())


def choose(cases: Sequence[tuple[ReadExpr, ReadExpr]], otherwise: ReadExpr) -> ReadExpr:
    """Give the value of the first of `cases`, each a value and its condition, whose condition holds."""
    for value, condition in reversed(cases):
        otherwise = ReadChoose(condition, value, otherwise)
    return otherwise
