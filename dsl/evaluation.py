"""Values of checked expressions, at many points at once.

In: a checked expression, and an array of values for each variable that it uses. Out: an array of its
values. For constants, and for the questions of `bounds` that intervals leave open; the meaning of a
lowered program is defined elsewhere. Arrays of numbers hold Python integers, so values are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from math import prod
from typing import Any, assert_never

import numpy as np
import numpy.typing as npt

from dsl.checked import (
    Constant,
    Earlier,
    Operation,
    RelationRef,
    TableRef,
    Typed,
    VariableRef,
    Within,
)
from dsl.operators import ArithmeticOp, ChoiceOp, CompareOp, DivisionOp, Function, LogicOp, Operator, UnaryOp

ValueArray = npt.NDArray[Any]


class Evaluator:
    """Evaluates expressions over the same points; remembers the relations that it has computed.

    Args:
        point: Value of each variable; arrays broadcast with each other.
        relations: Definitions that a `RelationRef` stands for.
        earlier: Evaluates what `before` and `printed` look back at.

    Raises (from `value`): `ZeroDivisionError`, `KeyError` for a table without an entry, and `ValueError` where
    nothing is there to look back at.
    """

    def __init__(
        self, point: Mapping[str, ValueArray], relations: Mapping[str, Typed], earlier: Evaluator | None = None
    ) -> None:
        self._point = point
        self._relations = relations
        self._earlier = earlier
        self._known: dict[str, ValueArray] = {}

    def value(self, expr: Typed) -> ValueArray:
        match expr:
            case Constant(value=constant):
                return np.array(constant, dtype=object)
            case VariableRef(name=name):
                return self._point[name]
            case RelationRef(name=name):
                if name not in self._known:
                    self._known[name] = self.value(self._relations[name])
                return self._known[name]
            case Operation(op=op, args=args):
                return _apply(op, [self.value(arg) for arg in args])
            case TableRef(entries=entries, key=key):
                entry = dict(entries).__getitem__
                return np.asarray(np.frompyfunc(entry, 1, 1)(self.value(key)), dtype=object)
            case Within(body=body, changes=changes):
                point = {**self._point, **{name: self.value(value) for name, value in changes}}
                return Evaluator(point, self._relations, self._earlier).value(body)
            case Earlier(body=body):
                if self._earlier is None:
                    raise ValueError("no earlier state is known here")
                return self._earlier.value(body)
        assert_never(expr)


def _apply(op: Operator, args: list[ValueArray]) -> ValueArray:
    match op:
        case ArithmeticOp.ADD:
            result = reduce(np.add, args)
        case ArithmeticOp.MULTIPLY:
            result = reduce(np.multiply, args)
        case ArithmeticOp.SUBTRACT:
            result = args[0] - args[1]
        case UnaryOp.NEGATE:
            result = -args[0]
        case DivisionOp.FLOOR:
            result = args[0] // args[1]
        case DivisionOp.CEIL:
            result = -(-args[0] // args[1])
        case ArithmeticOp.MOD:
            result = args[0] % args[1]
        case Function.MIN:
            result = reduce(np.minimum, args)
        case Function.MAX:
            result = reduce(np.maximum, args)
        case Function.ABS:
            result = abs(args[0])
        case ChoiceOp.IF:
            result = np.where(_truth(args[0]), args[1], args[2])
        case CompareOp.EQUAL:
            result = args[0] == args[1]
        case CompareOp.UNEQUAL:
            result = args[0] != args[1]
        case CompareOp.LESS:
            result = args[0] < args[1]
        case CompareOp.AT_MOST:
            result = args[0] <= args[1]
        case CompareOp.MORE:
            result = args[0] > args[1]
        case CompareOp.AT_LEAST:
            result = args[0] >= args[1]
        case LogicOp.AND:
            result = reduce(np.logical_and, map(_truth, args))
        case LogicOp.OR:
            result = reduce(np.logical_or, map(_truth, args))
        case UnaryOp.NOT:
            result = ~_truth(args[0])
        case LogicOp.IMPLIES:
            result = ~_truth(args[0]) | _truth(args[1])
        case _:
            assert_never(op)
    return np.asarray(result)


def _truth(flags: ValueArray) -> ValueArray:
    return np.asarray(flags).astype(bool)


def grid(domains: Mapping[str, tuple[int, ...]]) -> dict[str, ValueArray]:
    """Every combination of the values, one axis for each variable."""
    rank = len(domains)
    return {
        name: np.array(values, dtype=object).reshape((1,) * axis + (-1,) + (1,) * (rank - axis - 1))
        for axis, (name, values) in enumerate(domains.items())
    }


def grid_size(domains: Mapping[str, tuple[int, ...]]) -> int:
    return prod(len(values) for values in domains.values())
