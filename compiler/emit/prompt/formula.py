"""Formula text of expressions, as prompts print it.

In: an expression of a problem. Out: one line of text, with as few parentheses as the precedence of the
language allows. Conditionals, `mod` and `with` always stand in parentheses of their own, so that they
read the same anywhere, and so does a product under `mod`. Constants carry no unit; enumeration members
are quoted.

Equal expressions may carry different labels (labels don't take part in comparison), so nothing here may
be cached under an expression.
"""

from __future__ import annotations

import enum
from collections.abc import Collection
from typing import assert_never

from solvers.problem import Apply, Before, Const, Expr, Lookup, Op, RelationValue, Sort, Var, With

TRUTH_VALUES = {"false": 0, "true": 1}
"""The labels of flags, which are printed without quotes."""


class _Level(enum.IntEnum):
    """How tightly a text binds."""

    IMPLIES = enum.auto()
    OR = enum.auto()
    AND = enum.auto()
    NOT = enum.auto()
    COMPARISON = enum.auto()
    SUM = enum.auto()
    PRODUCT = enum.auto()
    UNARY = enum.auto()
    ATOM = enum.auto()


_Printed = tuple[str, _Level]


def formula(expr: Expr, flags: Collection[str] = ()) -> str:
    """Print `expr`.

    Args:
        flags: Variables that are flags. `f != 0` of a flag prints as `f`, `f == 0` as `not f`.
    """
    return _Printer(flags).text(expr)


class _Printer:
    def __init__(self, flags: Collection[str]) -> None:
        self.flags = flags

    def text(self, expr: Expr, least: _Level = _Level.IMPLIES) -> str:
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
                return f"{table}[{self.text(key)}]", _Level.ATOM
            case With(body=body, changes=changes):
                news = ", ".join(f"{name} = {self.text(new)}" for name, new in changes)
                return f"({self.text(body, _Level.ATOM)} with {news})", _Level.ATOM
            case Before(body=body):
                return f"before({self.text(body)})", _Level.ATOM
            case Apply(op=op, args=args):
                return self.apply(op, args)
        assert_never(expr)

    def constant(self, value: int | bool, label: str | None) -> _Printed:
        if isinstance(value, bool):
            return ("true" if value else "false"), _Level.ATOM
        if label is not None:
            return (label if label in TRUTH_VALUES else f'"{label}"'), _Level.ATOM
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
                left, right = (self.text(arg, _Level.UNARY) for arg in args)
                return f"({left} mod {right})", _Level.ATOM
            case Op.MIN | Op.MAX | Op.ABS:
                return f"{op.value}({', '.join(self.text(arg) for arg in args)})", _Level.ATOM
            case Op.ITE:
                return self.conditional(*args)
            case Op.EQ | Op.NE | Op.LT | Op.LE | Op.GT | Op.GE:
                return self.comparison(op, *args)
            case Op.NOT:
                return f"not {self.text(args[0], _Level.NOT)}", _Level.NOT
            case Op.IMPLIES:
                left, right = self.text(args[0], _Level.OR), self.text(args[1], _Level.IMPLIES)
                return f"{left} implies {right}", _Level.IMPLIES
        assert_never(op)

    def chain(self, op: Op, args: tuple[Expr, ...], sign: str, level: _Level) -> _Printed:
        """Print an associative operator; its own operator inside needs no parentheses on either side."""
        parts = _flatten(op, args)
        if len(parts) == 1:
            return self.print(parts[0])
        inner = _Level(level + 1)
        return sign.join([self.text(parts[0], level), *(self.text(part, inner) for part in parts[1:])]), level

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
        if _truth(then) == 1 and _truth(otherwise) == 0:
            return self.print(condition)
        texts = self.text(condition), self.text(then), self.text(otherwise)
        return "(if {} then {} else {})".format(*texts), _Level.ATOM

    def comparison(self, op: Op, left: Expr, right: Expr) -> _Printed:
        truth = _truth(right, of_flag=self.is_flag(left))
        if truth is not None and op in (Op.EQ, Op.NE):
            if (op is Op.EQ) == bool(truth):
                return self.print(left)
            return f"not {self.text(left, _Level.NOT)}", _Level.NOT
        return f"{self.text(left, _Level.SUM)} {op.value} {self.text(right, _Level.SUM)}", _Level.COMPARISON

    def is_flag(self, expr: Expr) -> bool:
        return isinstance(expr, Var) and (expr.name in self.flags or expr.sort is Sort.BOOL)


def _flatten(op: Op, args: tuple[Expr, ...]) -> list[Expr]:
    parts: list[Expr] = []
    for arg in args:
        if isinstance(arg, Apply) and arg.op is op and arg.args:
            parts += _flatten(op, arg.args)
        else:
            parts.append(arg)
    return parts


def _truth(expr: Expr, *, of_flag: bool = False) -> int | None:
    """The 0 or 1 that `expr` is as a flag's value; None for anything else, truth values included."""
    if not isinstance(expr, Const) or isinstance(expr.value, bool):
        return None
    if of_flag and expr.value in (0, 1):
        return expr.value
    return TRUTH_VALUES.get(expr.label) if expr.label is not None else None
