"""Constants: literals in the unit of their place, constant expressions, and domains written out.

In: syntax or checked expressions. Out: `Constant`s, or None after one error for each cause. A domain is
counted before it is written out.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from dsl.check.names import Scope, VariableSymbol
from dsl.checked import Constant, Typed
from dsl.diagnostics.collector import Collector
from dsl.evaluation import Evaluator
from dsl.operators import UnaryOp
from dsl.source import Span
from dsl.syntax import nodes
from dsl.value_types import (
    FLAG,
    MAX_DOMAIN,
    MAX_MAGNITUDE,
    Enumeration,
    Flag,
    Quantity,
    Unit,
    ValueType,
    conversion,
    pow2_values,
    range_size,
    type_text,
    value_text,
)
from gpu_train_debug.wording import listed

ValueOf = Callable[[nodes.Expression, ValueType, str], Typed | None]
"""Checks an expression that gives a value of a declared type; the text says what the value is for."""


@attrs.frozen
class ReadLiteral:
    """A literal in the unit of its place; `constant` is None if it doesn't fit there."""

    constant: Constant | None


def literal_value(expr: nodes.Expression, type_: ValueType, scope: Scope, collector: Collector) -> ReadLiteral | None:
    """Read a bare number as one in the unit of `type_`, and convert one with another unit.

    Returns:
        None if `expr` is no literal, or needs no such treatment.
    """
    sign, number = (-1, expr.operand) if isinstance(expr, nodes.Unary) and expr.op is UnaryOp.NEGATE else (1, expr)
    if not isinstance(number, nodes.IntLit) or not isinstance(type_, Quantity):
        return None
    if number.unit is None:
        return ReadLiteral(Constant(sign * number.value, type_, span=expr.span))
    if type_.dimension is None or len(type_.dimension) != 1:
        return None
    target = scope.types.get(type_.dimension[0][0])
    written = scope.types.get(number.unit)
    if not isinstance(target, Unit) or not isinstance(written, Unit) or written == target:
        return None
    ratio = conversion(written, target)
    if ratio is None:
        return None
    scope.used.add(written.name)
    if number.value * ratio.numerator % ratio.denominator:
        collector.error(
            "E306",
            f"`{number.value} {written.name}` isn't a whole number of `{target.name}`",
            expr.span,
            f"1 {target.name} = {ratio.denominator} {written.name}" if ratio.numerator == 1 else "",
        )
        return ReadLiteral(None)
    value = number.value * ratio.numerator // ratio.denominator
    if value > MAX_MAGNITUDE:
        collector.error("E308", "the number is out of range", expr.span, f"beyond 2^60 in `{target.name}`")
        return ReadLiteral(None)
    return ReadLiteral(Constant(sign * value, type_, span=expr.span))


def constant_value(typed: Typed, what: str, collector: Collector) -> Constant | None:
    """Compute an expression of constants; `what` says in messages what it is for."""
    if isinstance(typed, Constant):
        return typed
    try:
        value = int(Evaluator({}, {}).value(typed))
    except ZeroDivisionError:
        collector.error("E307", "division by zero", typed.span, "the divisor is 0")
        return None
    if abs(value) > MAX_MAGNITUDE:
        collector.error("E308", f"{what} is out of range", typed.span, "beyond 2^60")
        return None
    return Constant(value, typed.type, span=typed.span)


# ------------------------------------------------------------------ domains


def domain_constants(
    domain: nodes.Domain, type_: ValueType, value_of: ValueOf, collector: Collector
) -> tuple[Constant, ...] | None:
    """Write a domain out, in its order; at least one value, none twice."""
    match domain:
        case nodes.SetDomain(values=exprs):
            return _written_values(domain, exprs, type_, value_of, collector)
        case nodes.RangeDomain(low=low, high=high, step=step):
            if not _numbers(domain.span, type_, collector):
                return None
            if step <= 0:
                collector.error("E402", "a step must be positive", domain.span, f"the step is {step}")
                return None
            size = range_size(low, high, step)
            if not _size_fits(size, domain.span, collector):
                return None
            values = tuple(range(low, high + 1, step))
        case nodes.Pow2Domain(low=low, high=high):
            if not _numbers(domain.span, type_, collector):
                return None
            values = pow2_values(low, high)
            if not _size_fits(len(values), domain.span, collector):
                return None
    return tuple(Constant(value, type_, span=domain.span) for value in values)


def _numbers(span: Span, type_: ValueType, collector: Collector) -> bool:
    if isinstance(type_, Quantity):
        return True
    collector.error(
        "E301",
        f"a range contains numbers, not values of `{type_text(type_)}`",
        span,
        helps=("list the values: `{a, b}`",),
    )
    return False


def _size_fits(size: int, span: Span, collector: Collector) -> bool:
    if size == 0:
        collector.error("E401", "the domain is empty", span, "no values")
    elif size > MAX_DOMAIN:
        collector.error(
            "E403",
            f"the domain has {size} values",
            span,
            f"at most {MAX_DOMAIN} are allowed",
            helps=("use a larger `step`, `pow2`, or list the values that matter",),
        )
    return 0 < size <= MAX_DOMAIN


def _written_values(
    domain: nodes.SetDomain,
    exprs: tuple[nodes.Expression, ...],
    type_: ValueType,
    value_of: ValueOf,
    collector: Collector,
) -> tuple[Constant, ...] | None:
    if not _size_fits(len(exprs), domain.span, collector):
        return None
    constants: list[Constant] = []
    for expr in exprs:
        typed = value_of(expr, type_, "a value of the domain")
        if typed is None:
            continue
        constant = constant_value(typed, "a value of a domain", collector)
        if constant is None:
            continue
        earlier = next((each for each in constants if each.value == constant.value), None)
        if earlier is not None:
            collector.error(
                "E404",
                f"`{value_text(constant.value, type_)}` is listed twice",
                constant.span,
                "again here",
                secondary=((earlier.span, "first here"),),
            )
            continue
        constants.append(constant)
    return tuple(constants) if len(constants) == len(exprs) else None


def variable_domain(
    name: nodes.Ident, domain: nodes.Domain | None, type_: ValueType, value_of: ValueOf, collector: Collector
) -> tuple[Constant, ...] | None:
    """The values of something with a name: those that are written, else all of its type."""
    if domain is not None:
        return domain_constants(domain, type_, value_of, collector)
    whole = whole_domain(type_, name.span)
    if whole is None:
        collector.error(
            "E406",
            f"`{name.name}` needs a domain",
            name.span,
            "a number needs a finite set of values",
            helps=(f"for example `{name.name}: {type_text(type_)} in {{1, 2, 4}}`",),
        )
    return whole


def whole_domain(type_: ValueType, span: Span) -> tuple[Constant, ...] | None:
    """All values of a flag or an enumeration; None for numbers, which need a stated domain."""
    match type_:
        case Flag():
            return (Constant(0, FLAG, span=span), Constant(1, FLAG, span=span))
        case Enumeration(members=members):
            return tuple(Constant(code, type_, span=span) for code in range(len(members)))
        case Quantity():
            return None


def in_domain(value: Typed, symbol: VariableSymbol, collector: Collector) -> bool:
    """Whether a value that is known may be given to a variable; says so if not."""
    variable = symbol.variable
    if not isinstance(value, Constant) or variable is None or value.value in variable.domain:
        return True
    known = [value_text(each, variable.type) for each in variable.domain]
    collector.error(
        "E405",
        f"`{value_text(value.value, variable.type)}` isn't in the domain of `{variable.name}`",
        value.span,
        "outside the domain",
        secondary=((symbol.ident.span, "declared here"),),
        notes=(f"its values are {listed(known)}",),
    )
    return False
