"""Answers that an author expects: codes and values of variables, in examples and cases.

In: their syntax, and the `Checker` of a place that sees the system. Out: codes that exist, and values inside their
domains; what is wrong is reported and left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dsl.check.checker import Checker
from dsl.check.index import report_duplicate
from dsl.check.literals import constant_value, in_domain
from dsl.check.names import VariableSymbol, find_name
from dsl.check.systems import SystemScope
from dsl.checked import CheckedSystem, Constant
from dsl.diagnostics.collector import Collector
from dsl.syntax import nodes
from dsl.value_types import ValueType


def check_codes(codes: Iterable[nodes.Ident], system: SystemScope, collector: Collector) -> bool:
    """Whether rules of the system have these codes; says so of the first that none has."""
    known = system.rules.values()
    for code in codes:
        if code.name not in known:
            helps = collector.suggestion(code.name, (*known, "HEALTHY"))
            message = f"`{system.decl.name.name}` has no code `{code.name}`"
            collector.error("E210", message, code.span, "no rule has this code", helps=helps)
            return False
    return True


def check_settings(
    settings: Iterable[tuple[nodes.Ident, nodes.Expression]], checker: Checker, *, editable: bool
) -> dict[str, int]:
    """Values of variables; those of a fix only of editable ones."""
    values: dict[str, int] = {}
    seen: dict[str, nodes.Ident] = {}
    collector = checker.collector
    for ident, expr in settings:
        symbol = find_name(checker.scope, ident, (VariableSymbol,), collector)
        if ident.name in seen:
            report_duplicate(ident.name, ident, seen[ident.name], collector, what="is given twice")
        seen[ident.name] = ident
        if symbol is None or symbol.variable is None:
            continue
        if editable and not symbol.variable.editable:
            collector.error(
                "E413", f"`{ident.name}` can't be set", ident.span, "a fix can change only editable config fields"
            )
            continue
        value = checked_constant(expr, symbol.variable.type, f"the value of `{ident.name}`", checker)
        if value is not None and in_domain(value, symbol, collector):
            values[ident.name] = value.value
    return values


def checked_constant(expr: nodes.Expression, type_: ValueType, what: str, checker: Checker) -> Constant | None:
    """A constant of a declared type; `what` says in messages what it is for."""
    typed = checker.constants().value(expr, type_, what)
    return None if typed is None else constant_value(typed, what, checker.collector)


def in_field_order(fix: Mapping[str, int], system: CheckedSystem) -> tuple[tuple[str, int], ...]:
    """The changes of a fix in the order in which the system declares its fields."""
    order = [variable.name for variable in system.variables]
    return tuple(sorted(fix.items(), key=lambda change: order.index(change[0])))
