"""What a checked expression comes to in a run.

In: a checked expression and a `RunState`, which is a system with a value for each of its variables. Out: a number, a
flag or a member's name. Numbers are in the unit of the expression's type; nothing is rounded that the expression
doesn't round itself. Quantifiers, `x in {...}`, `to` and `as` are written out by the checks, so they don't occur here.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Literal, TypeAlias, assert_never

import attrs

from dsl.checked import (
    CheckedSystem,
    CheckedVariable,
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
from dsl.value_types import Enumeration, Flag, Quantity, ValueType

PlainValue: TypeAlias = int | str
"""A number, a flag (a bool, which is also an int) or the name of an enumeration's member."""

PlainWorld: TypeAlias = Mapping[str, PlainValue]
"""A value for every variable of a system."""

_Order: TypeAlias = Literal[CompareOp.LESS, CompareOp.AT_MOST, CompareOp.MORE, CompareOp.AT_LEAST]
_NumberOp: TypeAlias = ArithmeticOp | DivisionOp | Function | Literal[UnaryOp.NEGATE] | _Order
"""The operators whose arguments are numbers."""


def plain_value(coded: int, type_: ValueType) -> PlainValue:
    """What a value of a checked program stands for: there, flags are 0 and 1, and members are numbered."""
    match type_:
        case Flag():
            return bool(coded)
        case Enumeration(members=members):
            return members[coded]
        case Quantity():
            return int(coded)
    assert_never(type_)


def plain_world(system: CheckedSystem, coded: Mapping[str, int]) -> dict[str, PlainValue]:
    """A world in plain values, in the order of the system's variables."""
    return {variable.name: plain_value(coded[variable.name], variable.type) for variable in system.variables}


def domain_values(variable: CheckedVariable) -> tuple[PlainValue, ...]:
    """The values that a variable may have, as the author listed them."""
    return tuple(plain_value(value, variable.type) for value in variable.domain)


@attrs.frozen
class RunState:
    """A run of a system. The relations that have been asked for are kept, so that each is computed once."""

    system: CheckedSystem = attrs.field(eq=False, repr=False)
    world: PlainWorld
    _known: dict[str, PlainValue] = attrs.field(factory=dict, init=False, eq=False, repr=False)

    def relation(self, name: str) -> PlainValue:
        if name not in self._known:
            self._known[name] = interpret(self.system.relation(name).value, self)
        return self._known[name]

    def changed(self, changes: PlainWorld) -> RunState:
        """The run that differs in these variables; its relations follow."""
        return RunState(self.system, {**self.world, **changes})


def interpret(expr: Typed, here: RunState, earlier: RunState | None = None) -> PlainValue:
    """Compute `expr` in the run `here`.

    Args:
        earlier: The state that the expression looks back at: for `before`, in a prescription, the one in which the
            rule fired; for `printed`, in a guard, the run that is printed. Other expressions have none.

    Raises:
        ValueError: A look back where there is no such state.
    """
    match expr:
        case Operation(op=op, args=args):
            return _operation(op, args, here, earlier)
        case Constant(value=value, type=type_):
            return plain_value(value, type_)
        case VariableRef(name=name):
            return here.world[name]
        case RelationRef(name=name):
            return here.relation(name)
        case TableRef(entries=entries, key=key, type=type_):
            sought = interpret(key, here, earlier)
            return next(plain_value(value, type_) for at, value in entries if plain_value(at, key.type) == sought)
        case Within(body=body, changes=changes):
            # every new value is computed in the run as it is
            new = {name: interpret(value, here, earlier) for name, value in changes}
            return interpret(body, here.changed(new), earlier)
        case Earlier(body=body):
            if earlier is None:
                raise ValueError("`before` and `printed` have a meaning only inside prescriptions and guards")
            return interpret(body, earlier, earlier)
    assert_never(expr)


def holds(expr: Typed, here: RunState, earlier: RunState | None = None) -> bool:
    """Whether a condition holds; arguments as for `interpret`."""
    value = interpret(expr, here, earlier)
    assert isinstance(value, bool), "a condition is a flag"
    return value


def _operation(op: Operator, args: tuple[Typed, ...], here: RunState, earlier: RunState | None) -> PlainValue:
    """Apply an operator. A condition or a branch that doesn't matter isn't looked at."""
    match op:
        case ChoiceOp.IF:
            condition, then, otherwise = args
            return interpret(then if holds(condition, here, earlier) else otherwise, here, earlier)
        case LogicOp.AND:
            return all(holds(arg, here, earlier) for arg in args)
        case LogicOp.OR:
            return any(holds(arg, here, earlier) for arg in args)
        case LogicOp.IMPLIES:
            premise, conclusion = args
            return not holds(premise, here, earlier) or holds(conclusion, here, earlier)
        case UnaryOp.NOT:
            return not holds(args[0], here, earlier)
        case CompareOp.EQUAL:
            return interpret(args[0], here, earlier) == interpret(args[1], here, earlier)
        case CompareOp.UNEQUAL:
            return interpret(args[0], here, earlier) != interpret(args[1], here, earlier)
        case _:
            return _on_numbers(op, [_number(arg, here, earlier) for arg in args])


def _number(expr: Typed, here: RunState, earlier: RunState | None) -> int:
    value = interpret(expr, here, earlier)
    assert type(value) is int, "arithmetic is for numbers"
    return value


def _on_numbers(op: _NumberOp, numbers: list[int]) -> int:
    """Apply an operator to numbers; a comparison gives a flag."""
    match op:
        case CompareOp.LESS:
            return numbers[0] < numbers[1]
        case CompareOp.AT_MOST:
            return numbers[0] <= numbers[1]
        case CompareOp.MORE:
            return numbers[0] > numbers[1]
        case CompareOp.AT_LEAST:
            return numbers[0] >= numbers[1]
        case ArithmeticOp.ADD:
            return sum(numbers)
        case ArithmeticOp.SUBTRACT:
            return numbers[0] - numbers[1]
        case ArithmeticOp.MULTIPLY:
            return prod(numbers)
        case ArithmeticOp.MOD:
            return numbers[0] % numbers[1]  # has the sign of the divisor
        case DivisionOp.FLOOR:
            return numbers[0] // numbers[1]  # towards minus infinity
        case DivisionOp.CEIL:
            return -(-numbers[0] // numbers[1])  # towards infinity
        case UnaryOp.NEGATE:
            return -numbers[0]
        case Function.MIN:
            return min(numbers)
        case Function.MAX:
            return max(numbers)
        case Function.ABS:
            return abs(numbers[0])
    assert_never(op)
