"""Which declaration stands where, and which of them each file sees.

In: the modules of a program. Out: a `ProgramIndex` of the declarations outside systems. A file sees what it
declares and what the files that it imports see. Systems, archetypes with compositions, and datasets have names
of their own across the whole program; units and enumerations share one space of names per file, constants and
tables another. Nothing is shadowed.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any, Final, Generic, TypeVar

import attrs

from dsl.diagnostics.collector import Collector
from dsl.syntax import nodes

_NodeT = TypeVar("_NodeT")

MAX_DECLARATIONS: Final = 2000
"""How many declarations a program may have outside systems."""

BUILT_IN_TYPES = ("int", "bool")


@attrs.frozen
class Declared(Generic[_NodeT]):
    """A declaration and the file that it is in."""

    module: str
    node: _NodeT


ValueDecl = nodes.ConstDecl | nodes.TableDecl
ArchetypeLike = nodes.ArchetypeDecl | nodes.ComposeDecl


class ProgramIndex:
    """Every declaration outside systems."""

    def __init__(
        self, modules: Mapping[str, nodes.Module], imports: Mapping[str, Iterable[str]], collector: Collector
    ) -> None:
        self.modules = modules
        self.sees = _visibility(modules, imports)
        self.types = _by_name(modules, (nodes.UnitDecl, nodes.EnumDecl))
        self.values = _by_name(modules, (nodes.ConstDecl, nodes.TableDecl))
        self.systems = _unique(_by_name(modules, (nodes.SystemDecl,)), collector)
        self.archetypes = _unique(_by_name(modules, (nodes.ArchetypeDecl, nodes.ComposeDecl)), collector)
        self.cases = _unique(_by_name(modules, (nodes.CaseDecl,)), collector)
        self.datasets = _unique(_by_name(modules, (nodes.DatasetDecl,)), collector)
        self._refuse_excess(collector)
        self._refuse_clashes(self.types, collector)
        self._refuse_clashes(self.values, collector)
        for name in BUILT_IN_TYPES:
            for declared in self.types.get(name, ()):
                collector.error(
                    "E202", f"`{name}` is a built-in type", _ident(declared.node).span, "declared again here"
                )

    def _refuse_excess(self, collector: Collector) -> None:
        every = [each for module in self.modules.values() for each in module.declarations]
        counted = [each for each in every if not isinstance(each, nodes.Import)]
        if len(counted) > MAX_DECLARATIONS:
            collector.stop(
                "E427",
                f"the sources hold {len(counted)} declarations",
                counted[MAX_DECLARATIONS].span,
                f"at most {MAX_DECLARATIONS} are allowed",
            )

    def _refuse_clashes(self, space: Mapping[str, list[Declared[_NodeT]]], collector: Collector) -> None:
        """A file must not see two declarations of one name."""
        several = [declarations for declarations in space.values() if len(declarations) > 1]
        for seen in self.sees.values():
            for declarations in several:
                visible = [_ident(each.node) for each in declarations if each.module in seen]
                for later in visible[1:]:
                    report_duplicate(later.name, later, visible[0], collector)

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

    def seen_from(name: str) -> frozenset[str]:
        seen, waiting = {name}, [name]
        while waiting:
            new = {target for target in imports.get(waiting.pop(), ()) if target in modules} - seen
            seen |= new
            waiting += new
        return frozenset(seen)

    return {name: seen_from(name) for name in modules}


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


def _unique(space: Mapping[str, list[Declared[_NodeT]]], collector: Collector) -> dict[str, Declared[_NodeT]]:
    for name, declarations in space.items():
        for later in declarations[1:]:
            report_duplicate(name, _ident(later.node), _ident(declarations[0].node), collector)
    return {name: declarations[0] for name, declarations in sorted(space.items())}


def report_duplicate(
    name: str, later: nodes.Ident, earlier: nodes.Ident, collector: Collector, *, what: str = "is declared twice"
) -> None:
    collector.error("E202", f"`{name}` {what}", later.span, "again here", secondary=((earlier.span, "first here"),))


def refuse_repeated(idents: Iterable[nodes.Ident], collector: Collector) -> None:
    """Report names that a list of declarations has twice."""
    seen: dict[str, nodes.Ident] = {}
    for ident in idents:
        earlier = seen.setdefault(ident.name, ident)
        if earlier is not ident:
            report_duplicate(ident.name, ident, earlier, collector)


def find_declared(
    index: ProgramIndex,
    space: Mapping[str, Declared[_NodeT]],
    ident: nodes.Ident,
    module: str,
    what: str,
    collector: Collector,
) -> Declared[_NodeT] | None:
    """Look up a declaration outside systems, in a space of names that spans the program."""
    seen = index.sees[module]
    declared = space.get(ident.name)
    if declared is not None and declared.module in seen:
        return declared
    if declared is not None:
        helps: tuple[str, ...] = (index.import_help(declared, module),)
        message = f"{what} `{ident.name}` isn't visible in this file"
        collector.error("E203", message, ident.span, "not imported", helps=helps)
        return None
    helps = collector.suggestion(ident.name, [name for name, each in space.items() if each.module in seen])
    collector.error("E210", f"unknown {what} `{ident.name}`", ident.span, "not declared", helps=helps)
    return None
