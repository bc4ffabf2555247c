"""Answers that an author expects: codes and values of variables, in examples and cases.

In: their syntax, and the `Checker` of a place that sees the system. Out: codes that exist, and values inside their
domains; what is wrong is reported and left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from dsl.check.checker import Checker
from dsl.check.index import report_duplicate
from dsl.check.literals import constant_value, in_domain
from dsl.check.names import VariableSymbol, find_name
from dsl.check.systems import SystemScope
from dsl.checked import CheckedSystem, Constant
from dsl.diagnostics.collector import Collector
from dsl.syntax import nodes
from dsl.value_types import ValueType

MAX_ANSWER_CODES: Final = 2
"""How many codes an answer has at most."""


def check_codes(codes: Sequence[nodes.Ident], system: SystemScope, collector: Collector) -> bool:
    """Whether rules of the system have these codes, and an answer can; says so of the first that isn't so."""
    known = system.rules.values()
    seen: dict[str, nodes.Ident] = {}
    for code in codes:
        if code.name in seen:
            first = ((seen[code.name].span, "first here"),)
            collector.error(
                "E456",
                f"`{code.name}` stands twice in one answer",
                code.span,
                "again here",
                secondary=first,
                helps=("name each code once: an answer says which rules fire, in any order",),
            )
            return False
        seen[code.name] = code
        if code.name not in known:
            helps = collector.suggestion(code.name, (*known, "HEALTHY"))
            message = f"`{system.decl.name.name}` has no code `{code.name}`"
            collector.error("E210", message, code.span, "no rule has this code", helps=helps)
            return False
    if len(codes) > MAX_ANSWER_CODES:
        collector.error(
            "E456",
            f"an answer can't have {len(codes)} codes",
            codes[MAX_ANSWER_CODES].span,
            f"at most {MAX_ANSWER_CODES} are allowed",
            helps=("name the one or two rules that fire: a run in which more fire gives no task",),
        )
        return False
    return True


def refuse_healthy_fix(
    codes: Sequence[nodes.Ident], fix: Sequence[tuple[nodes.Ident, nodes.Expression]], collector: Collector
) -> None:
    """Without a code no rule fires, so nothing is changed either."""
    if fix and not codes:
        collector.error(
            "E456",
            "a healthy run needs no fix",
            fix[0][0].span.to(fix[-1][1].span),
            "`HEALTHY` means that nothing is changed",
            helps=("leave out the braces, or name the codes that the fix is for instead of `HEALTHY`",),
        )


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
