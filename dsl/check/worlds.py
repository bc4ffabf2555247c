"""Other worlds: `with`, which changes variables; `before` and `printed`, which go back on the walk.

In: their syntax and the `Checker` of their place. Out: a checked form, or None after an error.
"""

from __future__ import annotations

import attrs

from dsl.check.checker import Checker
from dsl.check.literals import in_domain
from dsl.check.names import VariableSymbol, find_name
from dsl.checked import Earlier, Typed, Within
from dsl.syntax import nodes
from dsl.value_types import ValueType


def check_with(checker: Checker, expr: nodes.WithClause, expected: ValueType | None) -> Typed | None:
    """`e with (field = value, ...)`."""
    changes: dict[str, Typed] = {}
    complete = True
    for ident, new in expr.changes:
        symbol = find_name(checker.scope, ident, (VariableSymbol,), checker.collector)
        value = None
        if ident.name in changes:
            checker.collector.error("E202", f"`{ident.name}` is changed twice", ident.span, "again here")
        elif isinstance(symbol, VariableSymbol) and symbol.type is not None:
            value = checker.value(new, symbol.type, f"the value of `{ident.name}`")
            if value is not None and not in_domain(value, symbol, checker.collector):
                value = None
        if value is None:
            complete = False
        else:
            changes[ident.name] = value
    body = checker.check(expr.body, expected)
    if body is None or not complete:
        return None
    return Within(body, tuple(changes.items()), body.type, span=expr.span)


def check_before(checker: Checker, expr: nodes.BeforeCall, expected: ValueType | None) -> Typed | None:
    """`before(e)`, which is for prescriptions."""
    if not checker.prescription:
        checker.collector.error(
            "E310",
            "`before` is allowed only in a prescription, and not inside another `before`",
            expr.span,
            "not allowed here",
            helps=(
                "use it in `set field = ...`, or after `where` in `set field = largest where ...`",
                "in the `when` of a rule, `printed` goes back to the run as printed",
            ),
        )
        return None
    return _earlier(attrs.evolve(checker, prescription=False), expr, expected)


def check_printed(checker: Checker, expr: nodes.PrintedCall, expected: ValueType | None) -> Typed | None:
    """`printed(e)`, which is for guards."""
    if not checker.guard:
        checker.collector.error(
            "E310",
            "`printed` is allowed only in a guard, and not inside another `printed`",
            expr.span,
            "not allowed here",
            helps=("use it in the `when` of a rule; in a prescription, `before` goes back to where the rule fired",),
        )
        return None
    return _earlier(attrs.evolve(checker, guard=False), expr, expected)


def _earlier(checker: Checker, expr: nodes.BeforeCall | nodes.PrintedCall, expected: ValueType | None) -> Typed | None:
    body = checker.check(expr.body, expected)
    return None if body is None else Earlier(body, body.type, span=expr.span)
