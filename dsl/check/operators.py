"""Types and units of operators: what goes together, and what comes out.

In: an operator's syntax and the `Checker` of its place. Out: a checked form, or None after an error.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from dsl.check.checker import Checker
from dsl.check.unit_help import Written, described, how_to_meet, in_one_unit, single_unit
from dsl.checked import Constant, Operation, Typed
from dsl.source import Span
from dsl.syntax import nodes
from dsl.value_types import FLAG, NUMBER, Quantity, ValueType, conversion, divide, multiply, settled_type, unify

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_LOGICAL = ("and", "or", "implies")
_CHAINS = ("+", "*", "and", "or")


def check_unary(checker: Checker, expr: nodes.Unary) -> Typed | None:
    """`-a` and `not a`; a negative literal is a constant."""
    if expr.op == "not":
        operand = checker.of_type(expr.operand, FLAG, "the operand of `not`")
        return None if operand is None else Operation("not", (operand,), FLAG, span=expr.span)
    number = checker.quantity(expr.operand, "the operand of `-`")
    if isinstance(number, Constant):
        return Constant(-number.value, number.type, span=expr.span)
    return None if number is None else Operation("neg", (number,), number.type, span=expr.span)


def check_binary(checker: Checker, expr: nodes.Binary) -> Typed | None:
    """`a op b`, divisions included."""
    if expr.op in _COMPARISONS:
        return _comparison(checker, expr)
    if expr.op in _LOGICAL:
        left = checker.of_type(expr.left, FLAG, f"the left of `{expr.op}`")
        right = checker.of_type(expr.right, FLAG, f"the right of `{expr.op}`")
        return None if left is None or right is None else _operation(expr.op, left, right, FLAG, expr.span)
    sign = "/" if expr.op in ("floor", "ceil") else expr.op
    left = checker.quantity(expr.left, f"the left of `{sign}`")
    right = checker.quantity(expr.right, f"the right of `{sign}`")
    if left is None or right is None:
        return None
    result: ValueType | None
    match left.type, right.type, expr.op:
        case Quantity(dimension=above), Quantity(dimension=below), "*":
            result = Quantity(multiply(above, below))
        case Quantity(dimension=above), Quantity(dimension=below), "floor" | "ceil":
            result = Quantity(divide(above, below))
        case _:
            left, right = in_one_unit((left, right), checker.scope.types)
            result = unify(left.type, right.type)
    if result is None:
        a, b = described(left.type), described(right.type)
        words = {"+": f"add {b} to {a}", "-": f"subtract {b} from {a}", "mod": f"take {a} mod {b}"}
        _cannot(checker, f"cannot {words[expr.op]}", (left, expr.left), (right, expr.right))
        return None
    return _operation(expr.op, left, right, result, expr.span)


def _comparison(checker: Checker, expr: nodes.Binary) -> Typed | None:
    sides = checker.check_pair(expr.left, expr.right, None)
    if sides is None:
        return None
    left, right = in_one_unit(sides, checker.scope.types)
    both = unify(left.type, right.type)
    if both is None:
        message = f"cannot compare {described(left.type)} with {described(right.type)}"
        _cannot(checker, message, (left, expr.left), (right, expr.right))
        return None
    if expr.op not in ("==", "!=") and not isinstance(both, Quantity):
        checker.findings.error(
            "E303",
            f"`{expr.op}` compares numbers, and {described(both)} has no order",
            expr.span,
            "compared here",
            helps=("use `==`, `!=` or `in`",),
        )
        return None
    return Operation(expr.op, (left, right), FLAG, span=expr.span)


def _cannot(checker: Checker, message: str, first: Written, second: Written) -> None:
    """Report two sides that don't go together, at the second one."""
    left, right = first[0], second[0]
    numbers = isinstance(left.type, Quantity) and isinstance(right.type, Quantity)
    checker.findings.error(
        "E302" if numbers else "E301",
        message,
        right.span,
        f"this is {described(right.type)}",
        secondary=((left.span, f"this is {described(left.type)}"),),
        helps=how_to_meet(first, second, checker.scope.types) if numbers else (),
    )


def check_call(checker: Checker, expr: nodes.Call) -> Typed | None:
    """`min`, `max`, `abs` and `number`."""
    wanted = 1 if expr.function in ("abs", "number") else None
    if not expr.args or (wanted is not None and len(expr.args) != wanted):
        checker.findings.error(
            "E311",
            f"`{expr.function}` takes {'one argument' if wanted else 'one argument or more'}",
            expr.span,
            f"{len(expr.args)} given",
        )
        return None
    args = [checker.quantity(arg, f"an argument of `{expr.function}`") for arg in expr.args]
    known = [arg for arg in args if arg is not None]
    if len(known) < len(args):
        return None
    if expr.function == "number":
        return attrs.evolve(known[0], type=NUMBER, span=expr.span)
    known = in_one_unit(known, checker.scope.types)
    type_ = common_type(checker, known, expr.args, "an argument")
    return None if type_ is None else Operation(expr.function, tuple(known), type_, span=expr.span)


def common_type(
    checker: Checker, values: Sequence[Typed], exprs: Sequence[nodes.Expression], what: str
) -> ValueType | None:
    """The type that all of `values`, written as `exprs`, have; `what` says in messages what each is."""
    first, type_ = values[0], values[0].type
    for value, expr in zip(values[1:], exprs[1:], strict=True):
        both = unify(type_, value.type)
        if both is None:
            earlier = attrs.evolve(first, type=type_)
            _cannot(checker, f"expected {described(type_)} as {what}", (earlier, exprs[0]), (value, expr))
            return None
        type_ = both
    return type_


def check_if(checker: Checker, expr: nodes.If, expected: ValueType | None) -> Typed | None:
    """`if c then a else b`."""
    condition = checker.of_type(expr.condition, FLAG, "the condition of `if`")
    branches = checker.check_pair(expr.then, expr.otherwise, expected)
    if branches is None:
        return None
    both = in_one_unit(branches, checker.scope.types)
    type_ = common_type(checker, both, (expr.then, expr.otherwise), "the branch after `else`")
    if condition is None or type_ is None:
        return None
    return Operation("if", (condition, *both), type_, span=expr.span)


def check_in(checker: Checker, expr: nodes.In) -> Typed | None:
    """`x in {a, b}`, as equal to one of them."""
    operand = checker.check(expr.operand, None)
    if operand is None:
        return None
    if not expr.values:
        checker.findings.error("E401", "no values after `in`", expr.span, "nothing is in an empty set")
        return None
    type_ = settled_type(operand.type)
    values = [checker.value(value, type_, "a value after `in`") for value in expr.values]
    equal = [Operation("==", (operand, value), FLAG, span=expr.span) for value in values if value is not None]
    if len(equal) < len(values):
        return None
    return equal[0] if len(equal) == 1 else Operation("or", tuple(equal), FLAG, span=expr.span)


def check_to(checker: Checker, expr: nodes.To) -> Typed | None:
    """`e to U`: a conversion within one base unit."""
    number = checker.quantity(expr.operand, "what is converted")
    target = checker.scope.unit(expr.unit, checker.findings)
    if number is None or target is None:
        return None
    source = single_unit(number.type, checker.scope.types)
    ratio = None if source is None else conversion(source, target)
    if source is None or ratio is None:
        checker.findings.error(
            "E306",
            f"cannot convert {described(number.type)} to `{target.name}`",
            expr.span,
            "they have no common base unit",
            helps=(f"`as {target.name}` gives a plain number that unit",) if number.type == NUMBER else (),
        )
        return None
    if ratio.denominator > 1 and expr.mode == "exact":
        checker.findings.error(
            "E306",
            f"{described(number.type)} is not always a whole number of `{target.name}`",
            expr.span,
            "the conversion must say how it rounds",
            helps=(f"write `to {target.name} down` or `to {target.name} up`",),
        )
        return None
    type_ = Quantity(((target.name, 1),))
    if ratio.numerator > 1:
        number = Operation("*", (number, Constant(ratio.numerator, NUMBER, span=expr.span)), type_, span=expr.span)
    if ratio.denominator == 1:
        return attrs.evolve(number, type=type_, span=expr.span)
    divisor = Constant(ratio.denominator, NUMBER, span=expr.span)
    return Operation("floor" if expr.mode == "down" else "ceil", (number, divisor), type_, span=expr.span)


def check_as(checker: Checker, expr: nodes.As) -> Typed | None:
    """`e as U`: a unit for a plain number."""
    number = checker.quantity(expr.operand, "what gets a unit")
    unit = checker.scope.unit(expr.unit, checker.findings)
    if number is None or unit is None:
        return None
    if unify(number.type, NUMBER) is None:
        checker.findings.error(
            "E302",
            f"`as {unit.name}` needs a plain number",
            expr.operand.span,
            f"this is {described(number.type)}",
            helps=(f"`to {unit.name}` converts, `number(...)` drops a unit",),
        )
        return None
    return attrs.evolve(number, type=Quantity(((unit.name, 1),)), span=expr.span)


def _operation(op: str, left: Typed, right: Typed, type_: ValueType, span: Span) -> Operation:
    """Join two operands; a chain of one associative operator becomes one operation."""
    chained = op in _CHAINS and isinstance(left, Operation) and left.op == op
    args = left.args if chained and isinstance(left, Operation) else (left,)
    return Operation(op, (*args, right), type_, span=span)
