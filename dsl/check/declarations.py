"""Units, enumerations, constants and tables: what expressions are made of.

In: their declarations, outside systems (`Library`) or in one (`declare_values`). Out: scopes in which they
have their meaning. A wrong declaration leaves its name in scope with no value, so that its uses stay silent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dsl.check.checker import Checker, ExpansionBudget
from dsl.check.dispatch import ExpressionChecker
from dsl.check.index import Declared, ProgramIndex, ValueDecl, report_duplicate
from dsl.check.literals import constant_value, whole_domain
from dsl.check.names import ConstantSymbol, Scope, Symbol, TableSymbol, check_members
from dsl.check.ordering import dependency_order, mentioned, report_cycle
from dsl.checked import CheckedTable, Constant
from dsl.diagnostics.collector import Collector
from dsl.syntax import nodes
from dsl.value_types import (
    FLAG,
    MAX_DOMAIN,
    MAX_MAGNITUDE,
    MAX_MEMBERS,
    NUMBER,
    TRUTH_WORDS,
    Enumeration,
    Quantity,
    Unit,
    ValueType,
    repeated,
    value_text,
)
from gpu_train_debug.wording import listed


class Library:
    """Everything declared outside systems that expressions use; `scopes` has what each file sees of it."""

    def __init__(self, index: ProgramIndex, collector: Collector, budget: ExpansionBudget) -> None:
        self._index = index
        self._collector = collector
        self._budget = budget
        self._visible_types = {module: index.visible(index.types, module) for module in index.modules}
        units = self._units()
        self.enumerations = {
            id(declared.node): check_enumeration(declared.node, collector)
            for declarations in index.types.values()
            for declared in declarations
            if isinstance(declared.node, nodes.EnumDecl)
        }
        self.names: dict[str, dict[str, Symbol]] = {module: {} for module in index.modules}
        self.scopes = {module: self._scope(module, units) for module in index.modules}
        self._values()
        for module, scope in self.scopes.items():
            spans = {
                declared.node.name.name: declared.node.span
                for declared in self._visible_types[module].values()
                if isinstance(declared.node, nodes.EnumDecl)
            }
            check_members([(each, spans[each.name]) for each in scope.enumerations], scope.names, collector)

    def _scope(self, module: str, units: Mapping[int, Unit | None]) -> Scope:
        types: dict[str, Unit | Enumeration | None] = {
            name: self.enumerations.get(id(declared.node), units.get(id(declared.node)))
            for name, declared in self._visible_types[module].items()
        }
        return Scope(
            module=module,
            names=self.names[module],
            types=types,
            enumerations=tuple(each for each in types.values() if isinstance(each, Enumeration)),
            elsewhere=lambda name: self._index.elsewhere(name, module),
            used=set(),
        )

    def _units(self) -> dict[int, Unit | None]:
        """Each declared unit, by the identity of its declaration."""
        declared = {
            f"{each.module}:{name}": each
            for name, declarations in self._index.types.items()
            for each in declarations
            if isinstance(each.node, nodes.UnitDecl)
        }
        bases: dict[str, str] = {}
        for key, each in declared.items():
            base = each.node.base
            if base is not None:
                found = self._visible_types[each.module].get(base.name)
                if found is not None:
                    bases[key] = f"{found.module}:{base.name}"
        ordering = dependency_order({key: [bases[key]] if key in bases else [] for key in declared})
        for cycle in ordering.cycles:
            report_cycle("units", [declared[key].node.name for key in cycle], self._collector)
        units: dict[str, Unit | None] = {}
        for key in ordering.order:
            units[key] = self._unit(declared[key], units.get(bases.get(key, "")))
        return {id(each.node): units.get(key) for key, each in declared.items()}

    def _unit(self, declared: Declared[nodes.UnitDecl], base: Unit | None) -> Unit | None:
        decl = declared.node
        visible = self._visible_types[declared.module]
        singular = "" if decl.singular is None else decl.singular.name
        if decl.singular is not None and singular in visible:
            other = visible[singular].node.name
            report_duplicate(singular, decl.singular, other, self._collector, what="already names a type")
        if decl.base is None or decl.factor is None:
            return Unit(decl.name.name, decl.name.name, 1, singular)
        if decl.base.name not in visible or isinstance(visible[decl.base.name].node, nodes.EnumDecl):
            names = [name for name, each in visible.items() if isinstance(each.node, nodes.UnitDecl)]
            scope = Scope(declared.module, {}, dict.fromkeys(names), (), lambda _: None, set())
            scope.unit(decl.base, self._collector)
            return None
        if base is None:
            return None
        factor = decl.factor * base.factor
        if not 0 < factor <= MAX_MAGNITUDE:
            self._collector.error(
                "E306", f"`{decl.name.name}` isn't a positive multiple below 2^60", decl.span, f"{factor} {base.base}"
            )
            return None
        return Unit(decl.name.name, base.base, factor, singular)

    def _values(self) -> None:
        """Compute the constants and tables, each after those it uses, and put them in every scope that sees them."""
        declared = {
            f"{each.module}:{name}": each for name, declarations in self._index.values.items() for each in declarations
        }
        visible = {module: self._index.visible(self._index.values, module) for module in self._index.modules}

        def key_of(module: str, name: str) -> list[str]:
            found = visible[module].get(name)
            return [] if found is None else [f"{found.module}:{name}"]

        uses = {
            key: [used for name in _mentions(each.node) for used in key_of(each.module, name)]
            for key, each in declared.items()
        }
        ordering = dependency_order(uses)
        for cycle in ordering.cycles:
            report_cycle("constants", [declared[key].node.name for key in cycle], self._collector)
        for key in (*(key for cycle in ordering.cycles for key in cycle), *ordering.order):
            each = declared[key]
            checker = ExpressionChecker(self.scopes[each.module], self._collector, self._budget, constant=True)
            symbol = _value_symbol(each.node, checker if key in ordering.order else None)
            for module, names in self.names.items():
                if visible[module].get(each.node.name.name) is each:
                    names[each.node.name.name] = symbol


def declare_values(
    decls: Sequence[ValueDecl], scope: Scope, names: dict[str, Symbol], collector: Collector, budget: ExpansionBudget
) -> None:
    """Compute the constants and tables of a system into `names`, which `scope` looks names up in."""
    by_name = {decl.name.name: decl for decl in decls}
    ordering = dependency_order({name: list(_mentions(decl)) for name, decl in by_name.items()})
    for cycle in ordering.cycles:
        report_cycle("constants", [by_name[name].name for name in cycle], collector)
        names.update({name: _value_symbol(by_name[name], None) for name in cycle})
    for name in ordering.order:
        names[name] = _value_symbol(by_name[name], ExpressionChecker(scope, collector, budget, constant=True))


def _mentions(decl: ValueDecl) -> Iterable[str]:
    if isinstance(decl, nodes.ConstDecl):
        yield from mentioned(decl.value)
        return
    for key, value in decl.entries:
        yield from mentioned(key)
        yield from mentioned(value)


def _value_symbol(decl: ValueDecl, checker: Checker | None) -> Symbol:
    """What a declaration stands for; without a checker, something wrong."""
    if isinstance(decl, nodes.ConstDecl):
        return ConstantSymbol(decl.name, None if checker is None else _constant(decl, checker))
    return TableSymbol(decl.name, None if checker is None else _table(decl, checker))


# ------------------------------------------------------------------ single declarations


def check_enumeration(decl: nodes.EnumDecl | nodes.EnumType, collector: Collector) -> Enumeration | None:
    """An enumeration with at least one member, none twice."""
    name = decl.name.name if isinstance(decl, nodes.EnumDecl) else ""
    if not decl.members:
        collector.error("E401", "the enumeration has no members", decl.span, "at least one is needed")
        return None
    if len(decl.members) > MAX_MEMBERS:
        collector.error(
            "E403", f"the enumeration has {len(decl.members)} members", decl.span, f"at most {MAX_MEMBERS} are allowed"
        )
        return None
    twice = repeated(decl.members)
    if twice is not None:
        collector.error("E404", f"`{twice}` is listed twice", decl.span, "in this enumeration")
        return None
    for member in decl.members:
        if member in TRUTH_WORDS:
            collector.error(
                "E204", f"`{member}` is a truth value and can't be a member", decl.span, "in this enumeration"
            )
            return None
    return Enumeration(name, decl.members)


def resolve_type(type_: nodes.Type, scope: Scope, collector: Collector) -> ValueType | None:
    """What a type that the author wrote stands for."""
    if isinstance(type_, nodes.EnumType):
        return check_enumeration(type_, collector)
    if type_.name.name == "int":
        return NUMBER
    if type_.name.name == "bool":
        return FLAG
    found = scope.enumeration(type_.name, collector)
    return Quantity(((found.name, 1),)) if isinstance(found, Unit) else found


def _constant(decl: nodes.ConstDecl, checker: Checker) -> Constant | None:
    typed = checker.inferred(decl.value)
    if typed is None:
        return None
    return constant_value(typed, "a constant", checker.collector)


def _table(decl: nodes.TableDecl, checker: Checker) -> CheckedTable | None:
    collector = checker.collector
    key_type = resolve_type(decl.key, checker.scope, collector)
    value_type = resolve_type(decl.value, checker.scope, collector)
    if len(decl.entries) > MAX_DOMAIN:
        collector.error(
            "E403", f"the table has {len(decl.entries)} entries", decl.span, f"at most {MAX_DOMAIN} are allowed"
        )
        return None
    if key_type is None or value_type is None:
        return None
    entries: dict[int, int] = {}
    complete = True
    for key_expr, value_expr in decl.entries:
        key = _known(checker, key_expr, key_type, "a key of the table")
        value = _known(checker, value_expr, value_type, "a value of the table")
        if key is None or value is None:
            complete = False
        elif key.value in entries:
            complete = False
            collector.error("E404", f"`{value_text(key.value, key_type)}` has two entries", key.span, "again here")
        else:
            entries[key.value] = value.value
    if not complete:
        return None
    every = whole_domain(key_type, decl.span) or ()
    missing = [value_text(each.value, key_type) for each in every if each.value not in entries]
    if missing or not entries:
        collector.error(
            "E312",
            f"`{decl.name.name}` has no entry for {listed(missing)}" if missing else "the table has no entries",
            decl.name.span,
            "every key needs an entry",
        )
        return None
    return CheckedTable(
        decl.name.name, key_type, value_type, tuple(entries.items()), decl.text or "", span=decl.name.span
    )


def _known(checker: Checker, expr: nodes.Expression, type_: ValueType, what: str) -> Constant | None:
    typed = checker.value(expr, type_, what)
    return None if typed is None else constant_value(typed, what, checker.collector)
