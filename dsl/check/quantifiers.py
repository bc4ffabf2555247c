"""Quantifiers: `sum`, `count`, `any` and `all`, written out over their values.

In: their syntax and the `Checker` of their place. Out: a chain of checked forms, or None after an error. Every
sub-expression is charged to the budget of the program.
"""

from __future__ import annotations

from typing import assert_never

import attrs

from dsl.check.checker import Checker
from dsl.check.literals import domain_constants
from dsl.check.names import BoundSymbol, VariableSymbol, find_name
from dsl.check.operators import common_type
from dsl.check.unit_help import described
from dsl.checked import Constant, Operation, Typed
from dsl.operators import ArithmeticOp, ChoiceOp, LogicOp, Operator, Quantifier
from dsl.syntax import nodes
from dsl.value_types import FLAG, NUMBER, ValueType


def check_quantified(checker: Checker, expr: nodes.Quantified) -> Typed | None:
    """Write a quantifier out, one term for each value."""
    if not name_is_free(checker, expr.bound):
        return None
    values = _bound_values(checker, expr)
    if values is None:
        return None
    bodies = []
    for value in values:
        symbol = BoundSymbol(expr.bound, value)
        inner = attrs.evolve(checker, scope=checker.scope.extended({expr.bound.name: symbol}), written_out=True)
        what = f"the body of `{expr.function.value}`"
        body = (
            inner.quantity(expr.body, what) if expr.function is Quantifier.SUM else inner.of_type(expr.body, FLAG, what)
        )
        if body is None:
            return None
        bodies.append(body)
    return _joined(checker, expr, bodies)


def _joined(checker: Checker, expr: nodes.Quantified, bodies: list[Typed]) -> Typed | None:
    op: Operator
    type_: ValueType | None
    match expr.function:
        case Quantifier.SUM:
            op, type_ = ArithmeticOp.ADD, common_type(checker, bodies, [expr.body] * len(bodies), "a term of `sum`")
        case Quantifier.COUNT:
            op, type_ = ArithmeticOp.ADD, NUMBER
            one, none = (Constant(value, NUMBER, span=expr.span) for value in (1, 0))
            bodies = [Operation(ChoiceOp.IF, (body, one, none), NUMBER, span=expr.span) for body in bodies]
        case Quantifier.ANY:
            op, type_ = LogicOp.OR, FLAG
        case Quantifier.ALL:
            op, type_ = LogicOp.AND, FLAG
        case _:
            assert_never(expr.function)
    if type_ is None:
        return None
    return bodies[0] if len(bodies) == 1 else Operation(op, tuple(bodies), type_, span=expr.span)


def name_is_free(checker: Checker, bound: nodes.Ident) -> bool:
    """Whether a name can be bound at the place of `checker`; says so if not."""
    symbol = checker.scope.names.get(bound.name)
    if symbol is not None:
        checker.collector.error(
            "E202",
            f"`{bound.name}` already names a {symbol.word}",
            bound.span,
            "bound here",
            secondary=((symbol.ident.span, "declared here"),),
            helps=("bind a name of its own",),
        )
        return False
    homes = checker.scope.members_named(bound.name)
    if homes:
        checker.collector.error(
            "E204",
            f"`{bound.name}` is also a member of {described(homes[0])}",
            bound.span,
            "bound here",
            helps=("bind a name of its own",),
        )
    return not homes


def _bound_values(checker: Checker, expr: nodes.Quantified) -> tuple[Constant, ...] | None:
    if isinstance(expr.values, nodes.Ident):
        symbol = find_name(checker.scope, expr.values, (VariableSymbol,), checker.collector)
        if symbol is None or not checker.may_vary(expr.values.span, f"`{expr.values.name}` is a variable"):
            return None
        variable = symbol.variable
        if variable is None:
            return None
        return tuple(Constant(value, variable.type, span=expr.values.span) for value in variable.domain)
    type_: ValueType | None = NUMBER
    if isinstance(expr.values, nodes.SetDomain) and expr.values.values:
        type_ = _listed_type(checker, expr.values.values)
    return None if type_ is None else domain_constants(expr.values, type_, checker.constants().value, checker.collector)


def _listed_type(checker: Checker, values: tuple[nodes.Expression, ...]) -> ValueType | None:
    """The type of listed values: that of the first number or flag, or the enumeration that has the words."""
    known = next((value for value in values if not checker.takes_expected_type(value)), None)
    if known is None:
        words = {value.name if isinstance(value, nodes.Name) else value.value
                 for value in values if isinstance(value, nodes.Name | nodes.StrLit)}  # fmt: skip
        homes = [home for home in checker.scope.enumerations if words <= set(home.members)]
        if len(homes) == 1:
            return homes[0]
    typed = checker.constants().inferred(values[0] if known is None else known)
    return None if typed is None else typed.type
