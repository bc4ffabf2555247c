"""Shorter forms of checked expressions that mean the same: what is constant becomes a constant.

In: checked expressions whose bounds were found to be right. Out: checked expressions. Written-out quantifiers
need this most; formulas in prompts are read by people. Only constants and neutral elements go away: the
shape that the author gave an expression stays.
"""

from __future__ import annotations

from typing import Final, assert_never

import attrs

from dsl.checked import Constant, Earlier, Operation, RelationRef, TableRef, Typed, VariableRef, Within
from dsl.evaluation import Evaluator
from dsl.operators import ArithmeticOp, ChoiceOp, LogicOp, Operator

_NEUTRAL: Final[dict[Operator, int]] = {ArithmeticOp.ADD: 0, ArithmeticOp.MULTIPLY: 1, LogicOp.AND: 1, LogicOp.OR: 0}
_DECIDING: Final[dict[Operator, int]] = {LogicOp.AND: 0, LogicOp.OR: 1}


def simplified(expr: Typed) -> Typed:
    """Simplify `expr` from the inside out."""
    match expr:
        case Constant() | VariableRef() | RelationRef():
            return expr
        case TableRef(key=key):
            return _computed(attrs.evolve(expr, key=simplified(key)))
        case Within(body=body, changes=changes):
            new = tuple((name, simplified(value)) for name, value in changes)
            return attrs.evolve(expr, body=simplified(body), changes=new)
        case Earlier(body=body):
            return attrs.evolve(expr, body=simplified(body))
        case Operation(args=args):
            return _operation(attrs.evolve(expr, args=tuple(simplified(arg) for arg in args)))
    assert_never(expr)


def _computed(expr: Operation | TableRef) -> Typed:
    """The value of `expr`, if it depends on constants only."""
    inputs = expr.args if isinstance(expr, Operation) else (expr.key,)
    if not all(isinstance(each, Constant) for each in inputs):
        return expr
    return Constant(int(Evaluator({}, {}).value(expr)), expr.type, span=expr.span)


def _operation(expr: Operation) -> Typed:
    """Drop what an operation doesn't need; its arguments are simplified."""
    match expr.op, expr.args:
        case ChoiceOp.IF, (Constant(value=truth), then, otherwise):
            return attrs.evolve(then if truth else otherwise, type=expr.type)
        case LogicOp.IMPLIES, (Constant(value=truth), right):
            return right if truth else Constant(1, expr.type, span=expr.span)
        case ArithmeticOp.ADD | ArithmeticOp.MULTIPLY | LogicOp.AND | LogicOp.OR, _:
            return _chain(expr)
    return _computed(expr)


def _chain(expr: Operation) -> Typed:
    """An associative operation without its neutral elements; a deciding one decides."""
    known = [arg.value for arg in expr.args if isinstance(arg, Constant)]
    if expr.op in _DECIDING and _DECIDING[expr.op] in known:
        return Constant(_DECIDING[expr.op], expr.type, span=expr.span)
    neutral = _NEUTRAL[expr.op]
    kept = tuple(arg for arg in expr.args if not (isinstance(arg, Constant) and arg.value == neutral))
    if not kept:
        return Constant(neutral, expr.type, span=expr.span)
    if len(kept) == 1:
        return attrs.evolve(kept[0], type=expr.type)
    return _computed(attrs.evolve(expr, args=kept))
