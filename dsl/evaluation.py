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

ValueArray = npt.NDArray[Any]


class Evaluator:
    """Evaluates expressions over the same points; remembers the relations that it has computed.

    Args:
        point: Value of each variable; arrays broadcast with each other.
        relations: Definitions that a `RelationRef` stands for.

    Raises (from `value`): `ZeroDivisionError`, and `KeyError` for a table without an entry.
    """

    def __init__(self, point: Mapping[str, ValueArray], relations: Mapping[str, Typed]) -> None:
        self._point = point
        self._relations = relations
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
                return Evaluator(point, self._relations).value(body)
            case Earlier():
                raise ValueError("`before` has no value outside a prescription")
        assert_never(expr)


def _apply(op: str, args: list[ValueArray]) -> ValueArray:
    match op:
        case "+":
            result = reduce(np.add, args)
        case "*":
            result = reduce(np.multiply, args)
        case "-":
            result = args[0] - args[1]
        case "neg":
            result = -args[0]
        case "floor":
            result = args[0] // args[1]
        case "ceil":
            result = -(-args[0] // args[1])
        case "mod":
            result = args[0] % args[1]
        case "min":
            result = reduce(np.minimum, args)
        case "max":
            result = reduce(np.maximum, args)
        case "abs":
            result = abs(args[0])
        case "if":
            result = np.where(_truth(args[0]), args[1], args[2])
        case "==":
            result = args[0] == args[1]
        case "!=":
            result = args[0] != args[1]
        case "<":
            result = args[0] < args[1]
        case "<=":
            result = args[0] <= args[1]
        case ">":
            result = args[0] > args[1]
        case ">=":
            result = args[0] >= args[1]
        case "and":
            result = reduce(np.logical_and, map(_truth, args))
        case "or":
            result = reduce(np.logical_or, map(_truth, args))
        case "not":
            result = ~_truth(args[0])
        case "implies":
            result = ~_truth(args[0]) | _truth(args[1])
        case _:
            raise ValueError(f"no operator {op}")
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
