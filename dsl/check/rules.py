"""Rules of a system: guards, prescriptions, keeps and the runbook that orders them.

In: the declarations and the scope of the system. Out: `CheckedRule`s in runbook order. `field keeps quantity`
becomes a pick of the first value that leaves the quantity as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import attrs

from dsl.check.checker import Checker
from dsl.check.index import report_duplicate
from dsl.check.literals import in_domain
from dsl.check.names import ConstantSymbol, RelationSymbol, Scope, VariableSymbol, find_name
from dsl.check.operands import reference
from dsl.check.printing import fill_text
from dsl.check.unit_help import described
from dsl.checked import (
    CheckedAssign,
    CheckedKeep,
    CheckedPick,
    CheckedRule,
    CheckedSet,
    Earlier,
    Operation,
)
from dsl.diagnostics.collector import Collector
from dsl.operators import CompareOp, KeepSense, PickBy
from dsl.syntax import nodes
from dsl.value_types import FLAG, Quantity, value_text

QUANTITIES: Final[tuple[type[VariableSymbol | RelationSymbol], ...]] = (VariableSymbol, RelationSymbol)


@attrs.frozen
class RuleBook:
    """The rules and runbooks that a system declares."""

    system: nodes.Ident
    rules: tuple[nodes.RuleDecl, ...]
    runbooks: tuple[nodes.RunbookDecl, ...]


def check_rules(book: RuleBook, checker: Checker, kept: frozenset[str]) -> tuple[CheckedRule, ...]:
    """Check every rule.

    Args:
        kept: Config fields and relations that the system itself keeps.

    Returns:
        The rules without errors, in runbook order.
    """
    rules = {}
    for decl in book.rules:
        rule = _rule(decl, checker, kept)
        if rule is not None:
            rules[rule.name] = rule
    order = _runbook(book, checker.collector)
    return tuple(rules[name] for name in order if name in rules)


def _runbook(book: RuleBook, collector: Collector) -> list[str]:
    """The names of the rules in firing order; each has to be listed once."""
    declared = {rule.name.name: rule.name for rule in book.rules}
    if not book.runbooks:
        if declared:
            collector.error(
                "E411",
                f"`{book.system.name}` has rules but no runbook",
                book.system.span,
                "nothing says in which order they fire",
                helps=(f"add `runbook {', '.join(declared)}`",),
            )
        return list(declared)
    for extra in book.runbooks[1:]:
        collector.error(
            "E411",
            f"`{book.system.name}` has a second runbook",
            extra.span,
            "again here",
            secondary=((book.runbooks[0].span, "first here"),),
        )
    listed: dict[str, nodes.Ident] = {}
    for ident in book.runbooks[0].rules:
        if ident.name not in declared:
            helps = collector.suggestion(ident.name, declared)
            collector.error("E210", f"unknown rule `{ident.name}`", ident.span, "not declared here", helps=helps)
        elif ident.name in listed:
            collector.error(
                "E411",
                f"the runbook lists `{ident.name}` twice",
                ident.span,
                "again here",
                secondary=((listed[ident.name].span, "first here"),),
            )
        else:
            listed[ident.name] = ident
    for name, ident in declared.items():
        if name not in listed:
            collector.error(
                "E411",
                f"the runbook doesn't list `{name}`",
                ident.span,
                "this rule could never fire",
                secondary=((book.runbooks[0].span, "the runbook"),),
            )
    return list(listed)


def _rule(decl: nodes.RuleDecl, checker: Checker, kept: frozenset[str]) -> CheckedRule | None:
    collector = checker.collector
    guard = attrs.evolve(checker, guard=True).condition(decl.guard)
    alternatives = [_alternative(alternative, checker, kept) for alternative in decl.alternatives]
    keeps = check_keeps(decl.keeps, checker.scope, collector)
    says = "" if decl.says is None else _says(decl.says, checker.scope, collector)
    if guard is None:
        return None
    return CheckedRule(
        name=decl.name.name,
        code=decl.code.name,
        title=decl.title,
        guard=guard,
        alternatives=tuple(alternatives),
        keeps=keeps,
        says=says,
        span=decl.name.span,
    )


def _says(text: nodes.StrLit, scope: Scope, collector: Collector) -> str:
    constants = {name: symbol for name, symbol in scope.names.items() if isinstance(symbol, ConstantSymbol)}

    def value_of(name: str) -> str | None:
        if name not in constants:
            return None
        scope.used.add(name)
        constant = constants[name].value
        return "" if constant is None else value_text(constant.value, constant.type)

    return fill_text(text, value_of, constants, "a constant", collector)


# ------------------------------------------------------------------ prescriptions


def _alternative(decl: nodes.SetGroup, checker: Checker, kept: frozenset[str]) -> tuple[CheckedSet, ...]:
    collector = checker.collector
    seen: dict[str, nodes.Ident] = {}
    sets = []
    for item in decl.sets:
        if item.field.name in seen:
            report_duplicate(item.field.name, item.field, seen[item.field.name], collector, what="is set twice")
        seen[item.field.name] = item.field
        symbol = find_name(checker.scope, item.field, (VariableSymbol,), collector)
        if symbol is None or symbol.variable is None:
            continue
        if not symbol.variable.editable:
            why = "a locked field" if symbol.kind == "config" else f"a {symbol.kind} variable"
            collector.error(
                "E413",
                f"`{item.field.name}` can't be set",
                item.field.span,
                f"this is {why}",
                secondary=((symbol.ident.span, "declared here"),),
            )
            continue
        if item.field.name in kept:
            collector.error(
                "E414",
                f"`{item.field.name}` is set, but the system keeps it",
                item.field.span,
                "no repair may change it",
            )
            continue
        checked = _set(item, symbol, attrs.evolve(checker, prescription=True))
        if checked is not None:
            sets.append(checked)
    return tuple(sets)


def _set(item: nodes.SetItem, symbol: VariableSymbol, checker: Checker) -> CheckedSet | None:
    assert symbol.variable is not None
    type_ = symbol.variable.type
    match item:
        case nodes.SetAssign():
            value = checker.value(item.value, type_, f"the value of `{item.field.name}`")
            if value is None or not in_domain(value, symbol, checker.collector):
                return None
            return CheckedAssign(item.field.name, value, span=item.span)
        case nodes.SetPick():
            if item.by is not PickBy.FIRST and not isinstance(type_, Quantity):
                checker.collector.error(
                    "E415",
                    f"{described(type_)} has no {item.by.value} value",
                    item.span,
                    "it has no order",
                    helps=("write `first where ...`: the most preferred value",),
                )
            where = checker.condition(item.where)
            return None if where is None else CheckedPick(item.field.name, item.by, where, span=item.span)
        case nodes.SetKeeps():
            quantity = find_name(checker.scope, item.quantity, QUANTITIES, checker.collector)
            now = None if quantity is None else reference(quantity, item.quantity.span)
            if now is None:
                return None
            before = Earlier(now, now.type, span=item.quantity.span)
            where = Operation(CompareOp.EQUAL, (now, before), FLAG, span=item.span)
            return CheckedPick(item.field.name, PickBy.FIRST, where, span=item.span)


# ------------------------------------------------------------------ keeps


def check_keeps(decls: Iterable[nodes.KeepDecl], scope: Scope, collector: Collector) -> tuple[CheckedKeep, ...]:
    """What stays as it is: config fields and relations, each named once."""
    seen: dict[str, nodes.Ident] = {}
    keeps: list[CheckedKeep] = []
    for decl in decls:
        for ident in decl.names:
            if ident.name in seen:
                report_duplicate(ident.name, ident, seen[ident.name], collector, what="is kept twice")
                continue
            seen[ident.name] = ident
            keeps.extend(_keep(ident, decl.sense, scope, collector))
    return tuple(keeps)


def _keep(ident: nodes.Ident, sense: KeepSense, scope: Scope, collector: Collector) -> Iterator[CheckedKeep]:
    symbol = find_name(scope, ident, QUANTITIES, collector)
    if symbol is None or symbol.type is None:
        return
    if isinstance(symbol, VariableSymbol) and symbol.kind != "config":
        collector.error(
            "E416",
            f"`{ident.name}` can't change anyway",
            ident.span,
            f"no repair changes a {symbol.kind} variable",
            secondary=((symbol.ident.span, "declared here"),),
        )
        return
    if sense is not KeepSense.EQUAL and not isinstance(symbol.type, Quantity):
        collector.error(
            "E415", f"{described(symbol.type)} can't be kept `{sense.value}`", ident.span, "it has no order"
        )
        return
    yield CheckedKeep(ident.name, sense, isinstance(symbol, VariableSymbol), symbol.type, span=ident.span)
