"""Systems: their variables, relations, log events and conditions.

In: one `system` declaration and what its file sees. Out: a `SystemScope`, in which archetypes are checked,
with the `CheckedSystem` if nothing in it is wrong. Relations are checked in the order in which they use each
other; one that is wrong but says its type still lends that type to its uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar, assert_never

import attrs

from dsl.check.checker import Checker, ExpansionBudget
from dsl.check.declarations import check_enumeration, declare_values, resolve_type
from dsl.check.dispatch import ExpressionChecker
from dsl.check.events import check_events
from dsl.check.index import BUILT_IN_TYPES, report_duplicate
from dsl.check.literals import constant_value, in_domain, variable_domain
from dsl.check.names import NoiseSymbol, RelationSymbol, Scope, Symbol, TableSymbol, VariableSymbol, check_members
from dsl.check.noise import check_noise_lines, check_noise_values, noise_decls
from dsl.check.ordering import dependency_order, mentioned, report_cycle
from dsl.check.paces import check_paces
from dsl.check.printing import check_show
from dsl.check.rules import RuleBook, check_keeps, check_rules
from dsl.checked import (
    CheckedCondition,
    CheckedRelation,
    CheckedSystem,
    CheckedTable,
    CheckedVariable,
    Constant,
    TableRef,
    expressions_of,
    walk_typed,
)
from dsl.diagnostics.collector import Collector
from dsl.syntax import nodes
from dsl.value_types import Enumeration, Quantity, Unit, ValueType

_T = TypeVar("_T")

VARIABLE_KINDS = ("config", "given", "hidden")
MAX_SYSTEM_NAMES: Final = 500
"""How many variables, relations, events, constants and tables a system may have."""

LISTED = "in the order listed"

_ALIAS: Final = re.compile(r"([A-Za-z]+):(\S+)")


@attrs.frozen
class SystemScope:
    """A system as others refer to it; `checked` is None if something in it is wrong.

    Attributes:
        own, own_types: The names that the system itself declares.
        members: Of all enumerations that the system sees.
        rules: Code of each rule.
    """

    decl: nodes.SystemDecl
    scope: Scope
    own: dict[str, Symbol]
    own_types: dict[str, Unit | Enumeration | None]
    members: frozenset[str]
    rules: dict[str, str]
    checked: CheckedSystem | None


def check_system(decl: nodes.SystemDecl, outer: Scope, collector: Collector, budget: ExpansionBudget) -> SystemScope:
    """Check a system in the scope of its file."""
    return _SystemCheck(decl, outer, collector, budget).run()


class _SystemCheck:
    def __init__(self, decl: nodes.SystemDecl, outer: Scope, collector: Collector, budget: ExpansionBudget) -> None:
        self.decl = decl
        self.outer = outer
        self.collector = collector
        self.budget = budget
        self.own: dict[str, Symbol] = {}
        self.names: dict[str, Symbol] = dict(outer.names)
        self.relations: dict[str, CheckedRelation] = {}
        self.first: dict[str, nodes.Ident] = {}  # of several declarations of a name, the one that counts
        self.groups: dict[str, nodes.Ident] = {}
        self.enumerations: list[tuple[Enumeration, nodes.EnumDecl | nodes.EnumType]] = []
        self.scope = attrs.evolve(outer, names=self.names, types=self._types())

    def run(self) -> SystemScope:
        before = self.collector.error_count
        self._refuse_duplicates()
        self.groups = self._groups()
        values = [item for item in self.decl.items if isinstance(item, nodes.ConstDecl | nodes.TableDecl)]
        values = [decl for decl in values if self.first[decl.name.name] is decl.name]
        declare_values(values, self.scope, self.names, self.collector, self.budget)
        self._announce()
        self.scope = attrs.evolve(
            self.scope, enumerations=(*self.outer.enumerations, *(each for each, _ in self.enumerations))
        )
        variables = [self._announced_variable(kind, variable) for kind, variable in self._variables()]
        self._refuse_shared_aliases()
        self._relations()
        self._profiler_conditions()
        self._refuse_members()
        rulebook = self._rulebook()
        logs = self._items(nodes.LogBlock)
        events = check_events([event for block in logs for event in block.events], self._checker())
        check_paces(events, _known(variables), self.relations, self.collector)
        noise_values = check_noise_values(self.decl.items, self._checker())
        noise_lines = check_noise_lines(logs, self.collector)
        requires = [self._condition(each.condition, each.text, each.stated) for each in self._items(nodes.RequireDecl)]
        sounds = [self._condition(each.condition, each.text) for each in self._items(nodes.SoundDecl)]
        keeps = check_keeps(self._items(nodes.KeepDecl), self.scope, self.collector)
        rules = check_rules(rulebook, self._checker(), frozenset(keep.name for keep in keeps))
        checked = None
        if self.collector.error_count == before:
            ordered = tuple(self.relations.values())
            checked = CheckedSystem(
                name=self.decl.name.name,
                title=self.decl.title,
                variables=tuple(
                    each for kind in VARIABLE_KINDS for each in variables if each is not None and each.kind == kind
                ),
                relations=ordered,
                events=events,
                tables=(),
                requires=_known(requires),
                sounds=_known(sounds),
                keeps=keeps,
                rules=rules,
                noise_values=noise_values,
                noise_lines=noise_lines,
                singulars={
                    name: unit.singular
                    for name, unit in self.scope.types.items()
                    if isinstance(unit, Unit) and unit.singular
                },
                span=self.decl.name.span,
            )
            checked = attrs.evolve(checked, tables=self._used_tables(checked))
        codes = {rule.name.name: rule.code.name for rule in rulebook.rules}
        self.own.update({name: symbol for name, symbol in self.names.items() if name not in self.outer.names})
        types = {name: type_ for name, type_ in self.scope.types.items() if name not in self.outer.types}
        members = frozenset(member for each in self.scope.enumerations for member in each.members)
        return SystemScope(self.decl, self.scope, self.own, types, members, codes, checked)

    # -------------------------------------------------------------- names

    def _items(self, kind: type[_T]) -> list[_T]:
        return [item for item in self.decl.items if isinstance(item, kind)]

    def _variables(self) -> Iterator[tuple[str, nodes.VarDecl]]:
        for block in self._items(nodes.VarBlock):
            for variable in block.variables:
                if self.first[variable.name.name] is variable.name:
                    yield block.kind, variable

    def _groups(self) -> dict[str, nodes.Ident]:
        """The group of each variable that stands in one. A page mustn't use one name for a group and for a field."""
        blocks = self._items(nodes.VarBlock)
        top = {each.name.name: each.name for block in blocks for group, each in block.grouped if group is None}
        found: dict[str, nodes.Ident] = {}
        for block in blocks:
            for group in (item for item in block.items if isinstance(item, nodes.VarGroup)):
                found |= {each.name.name: group.name for each in group.items}
                if block.kind == "hidden":
                    self._misplaced(group.name, "`group`", "hidden variables aren't printed")
                elif group.name.name in top:
                    what = "names both a group and a variable beside it"
                    report_duplicate(group.name.name, group.name, top[group.name.name], self.collector, what=what)
        return found

    def _relation_decls(self) -> Iterator[tuple[bool, nodes.RelationDecl]]:
        """Each relation in declaration order, and whether it is a profiler value."""
        for item in self.decl.items:
            block = item.relations if isinstance(item, nodes.ProfilerBlock) else (item,)
            for relation in block:
                if isinstance(relation, nodes.RelationDecl) and self.first[relation.name.name] is relation.name:
                    yield isinstance(item, nodes.ProfilerBlock), relation

    def _rulebook(self) -> RuleBook:
        return RuleBook(self.decl.name, tuple(self._items(nodes.RuleDecl)), tuple(self._items(nodes.RunbookDecl)))

    def _types(self) -> dict[str, Unit | Enumeration | None]:
        types = dict(self.outer.types)
        for decl in self._items(nodes.EnumDecl):
            enumeration = check_enumeration(decl, self.collector)
            types[decl.name.name] = enumeration
            if enumeration is not None:
                self.enumerations.append((enumeration, decl))
        return types

    def _refuse_duplicates(self) -> None:
        """Names that a system declares: values with events, then types, rules, and codes."""
        values: list[nodes.Ident] = []
        for item in self.decl.items:
            match item:
                case nodes.ConstDecl(name=name) | nodes.TableDecl(name=name) | nodes.RelationDecl(name=name):
                    values.append(name)
                case nodes.VarBlock(grouped=grouped):
                    values.extend(each.name for _, each in grouped)
                case nodes.ProfilerBlock(items=named) | nodes.LogBlock(events=named):
                    values.extend(each.name for each in named)
                case (
                    nodes.EnumDecl() | nodes.RequireDecl() | nodes.SoundDecl() | nodes.KeepDecl() | nodes.RuleDecl()
                    | nodes.RunbookDecl()
                ):  # fmt: skip
                    pass
                case _:
                    assert_never(item)
        if len(values) > MAX_SYSTEM_NAMES:
            name = self.decl.name
            self.collector.stop(
                "E427",
                f"system `{name.name}` declares {len(values)} names",
                name.span,
                f"at most {MAX_SYSTEM_NAMES} are allowed",
            )
        for ident in values:
            self.first.setdefault(ident.name, ident)
        outer = {name: symbol.ident for name, symbol in self.outer.names.items()}
        self._once(values, outer)
        self._once([decl.name for decl in self._items(nodes.EnumDecl)], {})
        self._once([rule.name for rule in self._items(nodes.RuleDecl)], {})
        self._once([rule.code for rule in self._items(nodes.RuleDecl)], {})
        for decl in self._items(nodes.EnumDecl):
            if decl.name.name in self.outer.types or decl.name.name in BUILT_IN_TYPES:
                self.collector.error(
                    "E202", f"`{decl.name.name}` already names a type", decl.name.span, "declared again here"
                )

    def _once(self, idents: Iterable[nodes.Ident], known: dict[str, nodes.Ident]) -> None:
        seen = dict(known)
        for ident in idents:
            if ident.name in seen:
                report_duplicate(ident.name, ident, seen[ident.name], self.collector)
            else:
                seen[ident.name] = ident

    def _refuse_members(self) -> None:
        """Members of what the system sees against its names."""
        here = [(each, decl.span) for each, decl in self.enumerations]
        check_members(here, self.names, self.collector)
        theirs = [(each, None) for each in self.outer.enumerations]
        own = {name: symbol for name, symbol in self.names.items() if name not in self.outer.names}
        check_members(theirs, own, self.collector)

    # -------------------------------------------------------------- variables and relations

    def _checker(self) -> Checker:
        return ExpressionChecker(self.scope, self.collector, self.budget)

    def _constants(self) -> Checker:
        return attrs.evolve(self._checker(), constant=True)

    def _announced_variable(self, kind: str, decl: nodes.VarDecl) -> CheckedVariable | None:
        """Check a variable that is in scope with its type alone, and complete it there."""
        symbol = self.names[decl.name.name]
        assert isinstance(symbol, VariableSymbol)
        return None if symbol.type is None else self._variable(kind, decl, symbol.type)

    def _variable(self, kind: str, decl: nodes.VarDecl, type_: ValueType) -> CheckedVariable | None:
        name = decl.name.name
        domain = variable_domain(decl.name, decl.domain, type_, self._constants().value, self.collector)
        editable = kind == "config" and not decl.locked
        if decl.locked and kind != "config":
            why = "only config fields can be locked: others can't be edited anyway"
            self._misplaced(decl.name, "`locked`", why)
        if decl.prefer is not None and not editable:
            self._misplaced(decl.name, "`prefer`", "only a field that a repair may change has a preference")
        if isinstance(decl.show, nodes.Show) and kind != "given":
            why = "config fields are printed exactly, and hidden variables aren't printed"
            self._misplaced(decl.name, "`show` with rounding", why)
        printing = check_show(decl.show, type_, self.scope, self.collector)
        default = None if decl.default is None else self._constant(decl.default, type_, "a default")
        if domain is None:
            return None
        values = tuple(constant.value for constant in domain)
        variable = CheckedVariable(
            name=name,
            kind=kind,
            type=type_,
            domain=values,
            text=decl.text or "",
            editable=editable,
            preference=(),
            prefer="",
            default=values[0],
            printing=printing,
            group=self.groups[name].name if name in self.groups else "",
            aliases=_known(self._alias(alias) for alias in decl.aliases),
            span=decl.name.span,
        )
        symbol = VariableSymbol(decl.name, type_, kind, variable)
        self.names[name] = symbol
        if default is not None and in_domain(default, symbol, self.collector):
            variable = attrs.evolve(variable, default=default.value)
        if editable:
            prefer, preference = self._preference(decl, variable)
            variable = attrs.evolve(variable, prefer=prefer, preference=preference)
        self.names[name] = VariableSymbol(decl.name, type_, kind, variable)
        return variable

    def _misplaced(self, ident: nodes.Ident, what: str, why: str) -> None:
        self.collector.error("E407", f"{what} has no meaning for `{ident.name}`", ident.span, why)

    def _alias(self, alias: nodes.StrLit) -> tuple[str, str] | None:
        written = _ALIAS.fullmatch(alias.value)
        if written is not None:
            return written[1], written[2]
        self.collector.error(
            "E434",
            "this alias doesn't say whose name it is",
            alias.span,
            "expected a tool and its name",
            helps=('write the tool in letters, a colon and the name that it uses: `alias "deepspeed:lr"`',),
        )
        return None

    def _refuse_shared_aliases(self) -> None:
        """What a tool calls by one name is one variable."""
        first: dict[str, tuple[str, nodes.Ident]] = {}
        for _, variable in self._variables():
            for alias in variable.aliases:
                name, written = variable.name.name, nodes.Ident(alias.value, span=alias.span)
                other, earlier = first.setdefault(alias.value, (name, written))
                if earlier is not written:
                    what = f"is an alias of `{other}` already" if other != name else "is listed twice"
                    report_duplicate(alias.value, written, earlier, self.collector, what=what)

    def _constant(self, expr: nodes.Expression, type_: ValueType, what: str) -> Constant | None:
        typed = self._constants().value(expr, type_, what)
        return None if typed is None else constant_value(typed, what, self.collector)

    def _preference(self, decl: nodes.VarDecl, variable: CheckedVariable) -> tuple[str, tuple[int, ...]]:
        """How the values are preferred, in words, and the values best first."""
        prefer = "listed" if decl.prefer is None else decl.prefer
        if isinstance(prefer, tuple):
            ranked = [self._constant(expr, variable.type, "a preferred value") for expr in prefer]
            values = tuple(constant.value for constant in ranked if constant is not None)
            if len(values) == len(ranked) and sorted(values) != sorted(variable.domain):
                self.collector.error(
                    "E408",
                    f"the preference of `{variable.name}` must list each of its values once",
                    prefer[0].span.to(prefer[-1].span) if prefer else decl.name.span,
                    f"{len(values)} listed, the domain has {len(variable.domain)}",
                )
            return LISTED, values
        if prefer == "listed":
            return LISTED, variable.domain
        if not isinstance(variable.type, Quantity):
            self.collector.error(
                "E408",
                f"the values of `{variable.name}` have no order",
                decl.name.span,
                f"`prefer {prefer}` needs numbers",
                helps=("write `prefer listed`",),
            )
            return LISTED, variable.domain
        larger = prefer == "larger"
        return f"{prefer} values first", tuple(sorted(variable.domain, reverse=larger))

    def _announce(self) -> None:
        """Put every variable and relation in scope with the type that it says it has."""
        for kind, variable in self._variables():
            type_ = resolve_type(variable.type, self.scope, self.collector)
            if isinstance(variable.type, nodes.EnumType) and isinstance(type_, Enumeration):
                self.enumerations.append((type_, variable.type))
            self.names[variable.name.name] = VariableSymbol(variable.name, type_, kind, None)
        for noise in noise_decls(self.decl.items):
            if self.first[noise.name.name] is noise.name:
                self.names[noise.name.name] = NoiseSymbol(noise.name)
        for _, relation in self._relation_decls():
            type_ = None if relation.type is None else resolve_type(relation.type, self.scope, self.collector)
            self.names[relation.name.name] = RelationSymbol(relation.name, type_)

    def _relations(self) -> None:
        decls = {decl.name.name: (profiler, decl) for profiler, decl in self._relation_decls()}
        ordering = dependency_order({name: list(mentioned(decl.value)) for name, (_, decl) in decls.items()})
        for cycle in ordering.cycles:
            report_cycle("relations", [decls[name][1].name for name in cycle], self.collector)
        for name in ordering.order:
            profiler, decl = decls[name]
            relation = self._relation(decl, profiler)
            if relation is not None:
                self.relations[name] = relation
                self.names[name] = RelationSymbol(decl.name, relation.type)

    def _relation(self, decl: nodes.RelationDecl, profiler: bool) -> CheckedRelation | None:
        declared = self.names[decl.name.name]
        type_ = declared.type if isinstance(declared, RelationSymbol) else None
        if decl.type is not None and type_ is None:
            return None
        value = self._checker().stated(decl.value, type_, f"the value of `{decl.name.name}`")
        if value is None:
            return None
        printing = check_show(decl.show, value.type, self.scope, self.collector)
        return CheckedRelation(
            decl.name.name, value.type, value, decl.text or "", profiler, printing, span=decl.name.span
        )

    def _profiler_conditions(self) -> None:
        """Where the values of the profiler are there. Conditions can use all relations, so they come after them."""
        for _, decl in self._relation_decls():
            if decl.condition is None:
                continue
            condition = self._checker().condition(decl.condition)
            if decl.name.name in self.relations:
                relation = self.relations[decl.name.name]
                self.relations[decl.name.name] = attrs.evolve(relation, condition=condition)

    # -------------------------------------------------------------- conditions, tables

    def _condition(self, expr: nodes.Expression, text: str | None, stated: bool = False) -> CheckedCondition | None:
        condition = self._checker().condition(expr)
        return None if condition is None else CheckedCondition(condition, text or "", stated, span=expr.span)

    def _used_tables(self, system: CheckedSystem) -> tuple[CheckedTable, ...]:
        used = {
            part.table for expr in expressions_of(system) for part in walk_typed(expr) if isinstance(part, TableRef)
        }
        tables = [symbol.table for symbol in self.names.values() if isinstance(symbol, TableSymbol)]
        return tuple(table for table in tables if table is not None and table.name in used)


def _known(found: Iterable[_T | None]) -> tuple[_T, ...]:
    return tuple(each for each in found if each is not None)
