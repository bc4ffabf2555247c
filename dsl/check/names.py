"""Names: what is declared where, what each file sees, and what a name in an expression stands for.

In: the modules of a program. Out: an `Index` of the declarations outside systems, and `Scope`s that the
checks look names up in. A file sees what it declares and what the files that it imports see. Systems,
archetypes, compositions and datasets have names of their own across the whole program; units and
enumerations share one space of names per file, constants and tables another. Nothing is shadowed.

A member of an enumeration is found by the type that is expected where it stands; where nothing is expected, it
has to be a member of one visible enumeration only. A word can't be both a member and a value that an
expression could mean: `check_members` refuses that.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final, Generic, TypeVar

import attrs
import networkx as nx

from dsl.checked import CheckedTable, CheckedVariable, Constant
from dsl.diagnostics.collector import Findings
from dsl.source import Span
from dsl.syntax import nodes
from dsl.value_types import Enumeration, Unit, ValueType, type_text

_NodeT = TypeVar("_NodeT")
_SymbolT = TypeVar("_SymbolT", bound="Symbol")

MAX_DECLARATIONS: Final = 2000
"""How many declarations a program may have outside systems."""

BUILT_IN_TYPES = ("int", "bool")


@attrs.frozen
class Declared(Generic[_NodeT]):
    """A declaration and the file that it is in."""

    module: str
    node: _NodeT


TypeDecl = nodes.UnitDecl | nodes.EnumDecl
ValueDecl = nodes.ConstDecl | nodes.TableDecl
FamilyDecl = nodes.ArchetypeDecl | nodes.ComposeDecl


class ProgramIndex:
    """Every declaration outside systems."""

    def __init__(
        self, modules: Mapping[str, nodes.Module], imports: Mapping[str, Iterable[str]], findings: Findings
    ) -> None:
        self.modules = modules
        self.sees = _visibility(modules, imports)
        self.types = _by_name(modules, (nodes.UnitDecl, nodes.EnumDecl))
        self.values = _by_name(modules, (nodes.ConstDecl, nodes.TableDecl))
        self.systems = _unique(_by_name(modules, (nodes.SystemDecl,)), findings)
        families = _by_name(modules, (nodes.ArchetypeDecl, nodes.ComposeDecl))
        self.families = _unique(families, findings)
        self.datasets = _unique(_by_name(modules, (nodes.DatasetDecl,)), findings)
        self._refuse_excess(findings)
        self._refuse_clashes(self.types, findings)
        self._refuse_clashes(self.values, findings)
        for name in BUILT_IN_TYPES:
            for declared in self.types.get(name, ()):
                findings.error(
                    "E202", f"`{name}` is a built-in type", _ident(declared.node).span, "declared again here"
                )

    def _refuse_excess(self, findings: Findings) -> None:
        every = [each for module in self.modules.values() for each in module.declarations]
        counted = [each for each in every if not isinstance(each, nodes.Import)]
        if len(counted) > MAX_DECLARATIONS:
            findings.stop(
                "E427",
                f"the sources hold {len(counted)} declarations",
                counted[MAX_DECLARATIONS].span,
                f"at most {MAX_DECLARATIONS} are allowed",
            )

    def _refuse_clashes(self, space: Mapping[str, list[Declared[_NodeT]]], findings: Findings) -> None:
        """A file must not see two declarations of one name."""
        several = [declarations for declarations in space.values() if len(declarations) > 1]
        for seen in self.sees.values():
            for declarations in several:
                visible = [_ident(each.node) for each in declarations if each.module in seen]
                for later in visible[1:]:
                    report_duplicate(later.name, later, visible[0], findings)

    def visible(self, space: Mapping[str, list[Declared[_NodeT]]], module: str) -> dict[str, Declared[_NodeT]]:
        """What `module` sees of a space of names, by name."""
        seen = self.sees[module]
        return {
            name: declared
            for name, declarations in sorted(space.items())
            for declared in reversed(declarations)
            if declared.module in seen
        }

    def elsewhere(self, name: str, module: str) -> str | None:
        """How `module` could see a type or value that it doesn't see."""
        found = [*self.types.get(name, ()), *self.values.get(name, ())]
        if not found or any(declared.module in self.sees[module] for declared in found):
            return None
        return self.import_help(found[0], module)

    def import_help(self, declared: Declared[_NodeT], module: str) -> str:
        """Say where something is declared, and how `module` would see it."""
        path = posixpath.relpath(declared.module, posixpath.dirname(module) or ".")
        return f'it is declared in {declared.module}: add `import "{path}"`'


def _visibility(modules: Mapping[str, nodes.Module], imports: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """For each module, itself and what it imports, directly or not."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(modules)
    graph.add_edges_from((name, target) for name in modules for target in imports.get(name, ()) if target in modules)
    return {name: frozenset({name, *nx.descendants(graph, name)}) for name in modules}


def _by_name(modules: Mapping[str, nodes.Module], kinds: tuple[type[Any], ...]) -> dict[str, list[Declared[Any]]]:
    found: dict[str, list[Declared[Any]]] = {}
    for module_name in sorted(modules):
        for declaration in modules[module_name].declarations:
            if isinstance(declaration, kinds):
                found.setdefault(_ident(declaration).name, []).append(Declared(module_name, declaration))
    return found


def _ident(declaration: object) -> nodes.Ident:
    name = getattr(declaration, "name", None)
    assert isinstance(name, nodes.Ident)
    return name


def _unique(space: Mapping[str, list[Declared[_NodeT]]], findings: Findings) -> dict[str, Declared[_NodeT]]:
    for name, declarations in space.items():
        for later in declarations[1:]:
            report_duplicate(name, _ident(later.node), _ident(declarations[0].node), findings)
    return {name: declarations[0] for name, declarations in sorted(space.items())}


def report_duplicate(
    name: str, later: nodes.Ident, earlier: nodes.Ident, findings: Findings, *, what: str = "is declared twice"
) -> None:
    findings.error("E202", f"`{name}` {what}", later.span, "again here", secondary=((earlier.span, "first here"),))


def find_declared(
    index: ProgramIndex,
    space: Mapping[str, Declared[_NodeT]],
    ident: nodes.Ident,
    module: str,
    what: str,
    findings: Findings,
) -> Declared[_NodeT] | None:
    """Look up a declaration outside systems, in a space of names that spans the program."""
    seen = index.sees[module]
    declared = space.get(ident.name)
    if declared is not None and declared.module in seen:
        return declared
    if declared is not None:
        helps: tuple[str, ...] = (index.import_help(declared, module),)
        message = f"{what} `{ident.name}` is not visible in this file"
        findings.error("E203", message, ident.span, "not imported", helps=helps)
        return None
    helps = findings.suggestion(ident.name, [name for name, each in space.items() if each.module in seen])
    findings.error("E210", f"unknown {what} `{ident.name}`", ident.span, "not declared", helps=helps)
    return None


# ------------------------------------------------------------------ what a name in an expression stands for


@attrs.frozen
class Symbol:
    """What a name stands for; `word` is what messages call its kind."""

    word: ClassVar[str] = "name"

    ident: nodes.Ident


@attrs.frozen
class ConstantSymbol(Symbol):
    """A constant; its value is None if its declaration is wrong."""

    word = "constant"

    value: Constant | None


@attrs.frozen
class BoundSymbol(Symbol):
    """The name that a quantifier binds, with the value for which its body is being written out."""

    word = "bound name"

    value: Constant


@attrs.frozen
class TableSymbol(Symbol):
    """A table; None if its declaration is wrong."""

    word = "table"

    table: CheckedTable | None


@attrs.frozen
class QuantitySymbol(Symbol):
    """Something with a value of its own in each world; its type is None if its declaration is wrong."""

    type: ValueType | None


@attrs.frozen
class VariableSymbol(QuantitySymbol):
    """A variable; None if its declaration is wrong."""

    word = "variable"

    kind: str
    variable: CheckedVariable | None


@attrs.frozen
class RelationSymbol(QuantitySymbol):
    word = "relation"


@attrs.frozen
class Scope:
    """What names mean at one place.

    Attributes:
        names: Values that an expression can mention.
        types: Units and enumerations by name; None for a wrong declaration.
        enumerations: All that are visible, the ones written in place included.
        elsewhere: For a name that another file of the program declares, the help line that says how to see it.
        used: Collects the names that were looked up successfully.
    """

    module: str
    names: Mapping[str, Symbol]
    types: Mapping[str, Unit | Enumeration | None]
    enumerations: tuple[Enumeration, ...]
    elsewhere: Callable[[str], str | None]
    used: set[str]

    def extended(
        self,
        names: Mapping[str, Symbol],
        *,
        types: Mapping[str, Unit | Enumeration | None] | None = None,
        enumerations: Iterable[Enumeration] = (),
    ) -> Scope:
        """A scope with more names in it; names of its own are noted as used apart from the outer ones."""
        return attrs.evolve(
            self,
            names={**self.names, **names},
            types={**self.types, **(types or {})},
            enumerations=tuple(dict.fromkeys((*self.enumerations, *enumerations))),
        )

    def unit(self, ident: nodes.Ident, findings: Findings) -> Unit | None:
        found = self.types.get(ident.name)
        if isinstance(found, Unit):
            self.used.add(ident.name)
            return found
        if ident.name in self.types:
            if found is not None:
                findings.error("E206", f"`{ident.name}` is an enumeration", ident.span, "expected a unit")
            return None
        units = [name for name, type_ in self.types.items() if isinstance(type_, Unit)]
        self._unknown_type(ident, "unit", units, findings)
        return None

    def enumeration(self, ident: nodes.Ident, findings: Findings) -> Unit | Enumeration | None:
        """What a type name that isn't built in stands for."""
        if ident.name in self.types:
            self.used.add(ident.name)
            return self.types[ident.name]
        self._unknown_type(ident, "type", [*BUILT_IN_TYPES, *self.types], findings)
        return None

    def _unknown_type(self, ident: nodes.Ident, what: str, candidates: Iterable[str], findings: Findings) -> None:
        if self.elsewhere(ident.name) is not None:
            unknown_name(self, ident, what, (), findings)
            return
        helps = findings.suggestion(ident.name, candidates)
        findings.error("E206", f"unknown {what} `{ident.name}`", ident.span, "not declared here", helps=helps)

    def members_named(self, member: str) -> tuple[Enumeration, ...]:
        return tuple(enumeration for enumeration in self.enumerations if member in enumeration.members)


def find_name(
    scope: Scope, ident: nodes.Ident | nodes.Name, kinds: tuple[type[_SymbolT], ...], findings: Findings
) -> _SymbolT | None:
    """Look up a name that must be of one of the kinds of symbol in `kinds`; says so if it isn't."""
    symbol = scope.names.get(ident.name)
    wanted = "value" if ConstantSymbol in kinds else " or ".join(kind.word for kind in kinds)
    if symbol is None:
        near = [name for name, each in scope.names.items() if isinstance(each, kinds)]
        unknown_name(scope, ident, wanted, near, findings)
        return None
    if not isinstance(symbol, kinds):
        findings.error(
            "E207",
            f"`{ident.name}` is a {symbol.word}",
            ident.span,
            f"expected a {wanted}",
            secondary=((symbol.ident.span, "declared here"),),
            helps=(f"write `{ident.name}[...]` with a key",) if isinstance(symbol, TableSymbol) else (),
        )
        return None
    scope.used.add(ident.name)
    return symbol


def unknown_name(
    scope: Scope, ident: nodes.Ident | nodes.Name, what: str, candidates: Iterable[str], findings: Findings
) -> None:
    """Report a name that nothing visible has."""
    how_to_see = scope.elsewhere(ident.name)
    if how_to_see is not None:
        message = f"`{ident.name}` is not visible in this file"
        findings.error("E203", message, ident.span, "not imported", helps=(how_to_see,))
        return
    helps = findings.suggestion(ident.name, candidates)
    findings.error("E201", f"unknown {what} `{ident.name}`", ident.span, "not declared here", helps=helps)


def check_members(
    enumerations: Iterable[tuple[Enumeration, Span | None]], names: Mapping[str, Symbol], findings: Findings
) -> None:
    """Refuse members that are also names of values; a span says where an enumeration is declared."""
    for enumeration, span in enumerations:
        for member in enumeration.members:
            if member in names:
                symbol = names[member]
                findings.error(
                    "E204",
                    f"`{member}` is both a {symbol.word} and a member of `{type_text(enumeration)}`",
                    symbol.ident.span,
                    "this name",
                    secondary=() if span is None else ((span, "the member is declared here"),),
                    helps=("rename one of them: an expression could mean either",),
                )


# ------------------------------------------------------------------ order of declarations that use each other


def mentioned(expr: nodes.Expression) -> Iterator[str]:
    """Every name in an expression that could be a value, also in `with` and of tables."""
    stack: list[Any] = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(reversed(node))
        elif isinstance(node, nodes.Name | nodes.Ident):
            yield node.name
        elif attrs.has(type(node)):
            fields = [getattr(node, field.name) for field in attrs.fields(type(node)) if field.name != "span"]
            stack.extend(reversed(fields))


@attrs.frozen
class Ordering:
    """Names, each after those it uses, and circles, in which each uses the next; those are left out of `order`."""

    order: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]


def dependency_order(uses: Mapping[str, Iterable[str]]) -> Ordering:
    """Order the keys of `uses`; where there is a choice, as in `uses`."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(uses)
    graph.add_edges_from((used, name) for name, names in uses.items() for used in names if used in uses)
    place = {name: number for number, name in enumerate(uses)}
    cycles = []
    for group in list(nx.strongly_connected_components(graph)):
        first = min(group, key=place.__getitem__)
        if len(group) > 1 or graph.has_edge(first, first):
            edges = nx.find_cycle(graph.subgraph(group), first)
            cycles.append((first, *(edge[0] for edge in reversed(edges[1:]))))
            graph.remove_nodes_from(list(group))
    order = tuple(nx.lexicographical_topological_sort(graph, key=place.__getitem__))
    return Ordering(order, tuple(sorted(cycles, key=lambda cycle: place[cycle[0]])))
