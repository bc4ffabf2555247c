"""Formula text of expressions, as an engineer writes it on a whiteboard.

In: an expression of a problem, and what its names stand for. Out: text with as few parentheses as the precedence
allows: products and `%`, sums, comparisons, `not`, `and`, `or`, and last `A if C else B`. Constants carry no unit,
and words no quotes if they are plain names.

Equal expressions may carry different labels (labels don't take part in comparison), so nothing here may be cached under
an expression.
"""

from __future__ import annotations

import enum
from typing import assert_never

from compiler.emit.prompt.text import TRUTH_VALUES, is_name, word
from compiler.emit.prompt.vocabulary import Vocabulary
from solvers.problem import Apply, Before, Const, Expr, Lookup, Op, RelationValue, Sort, Var, With


class _Level(enum.IntEnum):
    """How tightly a text binds."""

    CONDITIONAL = enum.auto()
    OR = enum.auto()
    AND = enum.auto()
    NOT = enum.auto()
    COMPARISON = enum.auto()
    SUM = enum.auto()
    PRODUCT = enum.auto()
    UNARY = enum.auto()
    ATOM = enum.auto()


_Printed = tuple[str, _Level]

NO_NAMES = Vocabulary()


def formula(expr: Expr, names: Vocabulary = NO_NAMES, *, earlier: str = "before") -> str:
    """Print `expr` on one line.

    Args:
        earlier: What `Before` is called: `before` in a prescription, `printed` in a guard.
    """
    return _Printer(names, earlier).text(expr)


def formula_lines(expr: Expr, names: Vocabulary) -> tuple[str, ...]:
    """Print `expr`, a chain of three or more cases on a line each; any other expression on one line."""
    printer = _Printer(names, "before")
    cases = []
    rest = expr
    while isinstance(rest, Apply) and rest.op is Op.ITE and not _is_truth(*rest.args[1:]):
        condition, value, rest = rest.args
        cases.append(f"{printer.text(value, _Level.OR)} if {printer.text(condition, _Level.OR)}")
    if len(cases) < 2:
        return (printer.text(expr),)
    return (*cases, f"else {printer.text(rest)}")


class _Printer:
    def __init__(self, names: Vocabulary, earlier: str) -> None:
        self.names = names
        self.earlier = earlier

    def text(self, expr: Expr, least: _Level = _Level.CONDITIONAL) -> str:
        """Print `expr` for a place that takes texts that bind at least as tightly as `least`."""
        text, level = self.print(expr)
        return f"({text})" if level < least else text

    def print(self, expr: Expr) -> _Printed:
        match expr:
            case Const(value=value, label=label):
                return self.constant(value, label)
            case Var(name=name) | RelationValue(name=name):
                return name, _Level.ATOM
            case Lookup(table=table, key=key):
                if self.names.is_column(expr):
                    return table, _Level.ATOM
                return f"{table}[{self.text(key)}]", _Level.ATOM
            case With(body=body, changes=changes):
                news = ", ".join(f"{name}={self.text(new)}" for name, new in changes)
                text = self.text(body)
                return f"{text if is_name(text) else f'({text})'}[{news}]", _Level.ATOM
            case Before(body=body):
                return f"{self.earlier}({self.text(body)})", _Level.ATOM
            case Apply(op=op, args=args):
                return self.apply(op, args)
        assert_never(expr)

    def constant(self, value: int | bool, label: str | None) -> _Printed:
        if isinstance(value, bool):
            return ("true" if value else "false"), _Level.ATOM
        if label is not None:
            return word(label), _Level.ATOM
        return str(value), (_Level.ATOM if value >= 0 else _Level.UNARY)

    def apply(self, op: Op, args: tuple[Expr, ...]) -> _Printed:
        match op:
            case Op.ADD:
                return self.chain(op, args, " + ", _Level.SUM)
            case Op.MUL:
                return self.chain(op, args, " * ", _Level.PRODUCT)
            case Op.AND:
                return self.chain(op, args, " and ", _Level.AND) if args else ("true", _Level.ATOM)
            case Op.OR:
                return self.disjunction(args) if args else ("false", _Level.ATOM)
            case Op.SUB:
                left, right = self.text(args[0], _Level.SUM), self.text(args[1], _Level.PRODUCT)
                return f"{left} - {right}", _Level.SUM
            case Op.NEG:
                return f"-{self.text(args[0], _Level.ATOM)}", _Level.UNARY
            case Op.FLOORDIV | Op.CEILDIV:
                name = "floor" if op is Op.FLOORDIV else "ceil"
                left, right = self.text(args[0], _Level.PRODUCT), self.text(args[1], _Level.UNARY)
                return f"{name}({left} / {right})", _Level.ATOM
            case Op.MOD:
                left, right = (self.text(arg, _Level.ATOM) for arg in args)
                return f"{left} % {right}", _Level.PRODUCT
            case Op.MIN | Op.MAX | Op.ABS:
                return f"{op.value}({', '.join(self.text(arg) for arg in args)})", _Level.ATOM
            case Op.ITE:
                return self.conditional(*args)
            case Op.EQ | Op.NE | Op.LT | Op.LE | Op.GT | Op.GE:
                return self.comparison(op, *args)
            case Op.NOT:
                return f"not {self.text(args[0], _Level.NOT)}", _Level.NOT
            case Op.IMPLIES:
                return self.disjunction((_negation(args[0]), args[1]))
        assert_never(op)

    def chain(self, op: Op, args: tuple[Expr, ...], sign: str, level: _Level) -> _Printed:
        """Print an associative operator; its own operator inside needs no parentheses on either side."""
        parts = _flatten(op, args)
        if len(parts) == 1:
            return self.print(parts[0])
        inner = _Level(level + 1)
        first = inner if op is Op.MUL else level  # `(a % b) * c` keeps its parentheses
        return sign.join([self.text(parts[0], first), *(self.text(part, inner) for part in parts[1:])]), level

    def disjunction(self, args: tuple[Expr, ...]) -> _Printed:
        """Print `or`, or `x in {a, b}` where every part compares one operand with a constant."""
        operand: Expr | None = None
        values = []
        parts = _flatten(Op.OR, args)
        for part in parts:
            match part:
                case Apply(op=Op.EQ, args=(left, Const() as value)) if left.sort is Sort.INT and not self.is_flag(left):
                    if operand is not None and left != operand:
                        break
                    operand = left
                    values.append(self.text(value))
                case _:
                    break
        if operand is None or len(parts) == 1 or len(values) < len(parts):
            return self.chain(Op.OR, args, " or ", _Level.OR)
        return f"{self.text(operand, _Level.SUM)} in {{{', '.join(values)}}}", _Level.COMPARISON

    def conditional(self, condition: Expr, then: Expr, otherwise: Expr) -> _Printed:
        if _is_truth(then, otherwise):
            return self.print(condition)
        texts = self.text(then, _Level.OR), self.text(condition, _Level.OR), self.text(otherwise)
        return "{} if {} else {}".format(*texts), _Level.CONDITIONAL

    def comparison(self, op: Op, left: Expr, right: Expr) -> _Printed:
        truth = _truth(right, of_flag=self.is_flag(left))
        if truth is not None and op in (Op.EQ, Op.NE):
            if (op is Op.EQ) == bool(truth):
                return self.print(left)
            return f"not {self.text(left, _Level.NOT)}", _Level.NOT
        sign = op.value
        if op in (Op.EQ, Op.NE) and (self.is_word(left) or self.is_word(right)):
            sign = "is" if op is Op.EQ else "is not"
        return f"{self.text(left, _Level.SUM)} {sign} {self.text(right, _Level.SUM)}", _Level.COMPARISON

    def is_flag(self, expr: Expr) -> bool:
        return isinstance(expr, Var) and (expr.name in self.names.flags or expr.sort is Sort.BOOL)

    def is_word(self, expr: Expr) -> bool:
        match expr:
            case Const(value=value, label=label):
                return label is not None and label not in TRUTH_VALUES and not isinstance(value, bool)
            case Var(name=name) | RelationValue(name=name) | Lookup(table=name):
                return name in self.names.words
            case With(body=body) | Before(body=body):
                return self.is_word(body)
            case Apply(op=op, args=args):
                return op is Op.ITE and self.is_word(args[1])
        assert_never(expr)


_OPPOSITES = {Op.EQ: Op.NE, Op.NE: Op.EQ, Op.LT: Op.GE, Op.GE: Op.LT, Op.LE: Op.GT, Op.GT: Op.LE}


def _negation(expr: Expr) -> Expr:
    """The opposite of a condition, without `not` if it is a comparison, and never with two."""
    if isinstance(expr, Apply) and expr.op in _OPPOSITES:
        return Apply(_OPPOSITES[expr.op], expr.args)
    if isinstance(expr, Apply) and expr.op is Op.NOT:
        return expr.args[0]
    return Apply(Op.NOT, (expr,))


def _flatten(op: Op, args: tuple[Expr, ...]) -> list[Expr]:
    """The parts of a chain; `and` or `or` of one part is that part, and `a implies b` is `not a or b`."""
    parts: list[Expr] = []
    for arg in args:
        if isinstance(arg, Apply) and arg.args and (arg.op is op or _is_single(arg)):
            parts += _flatten(op, arg.args)
        elif isinstance(arg, Apply) and op is Op.OR and arg.op is Op.IMPLIES:
            parts += _flatten(op, (_negation(arg.args[0]), arg.args[1]))
        else:
            parts.append(arg)
    return parts


def _is_single(expr: Apply) -> bool:
    return expr.op in (Op.AND, Op.OR) and len(expr.args) == 1


def _is_truth(then: Expr, otherwise: Expr) -> bool:
    """Whether a conditional is its condition as the value of a flag."""
    return _truth(then) == 1 and _truth(otherwise) == 0


def _truth(expr: Expr, *, of_flag: bool = False) -> int | None:
    """The 0 or 1 that `expr` is as a flag's value; None for anything else, truth values included."""
    if not isinstance(expr, Const) or isinstance(expr.value, bool):
        return None
    if of_flag and expr.value in (0, 1):
        return expr.value
    return TRUTH_VALUES.get(expr.label) if expr.label is not None else None
