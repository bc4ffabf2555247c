"""Scopes: what a name in an expression stands for, and what to say if it stands for nothing.

In: names, and the `Scope` of their place. Out: the symbols that they stand for, or None after an error.

A member of an enumeration is found by the type that is expected where it stands; where nothing is expected, it
has to be a member of one visible enumeration only. A word can't be both a member and a value that an
expression could mean: `check_members` refuses that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar, TypeVar

import attrs

from dsl.check.index import BUILT_IN_TYPES
from dsl.checked import CheckedTable, CheckedVariable, Constant
from dsl.diagnostics.collector import Collector
from dsl.source import Span
from dsl.syntax import nodes
from dsl.value_types import Enumeration, Unit, ValueType, type_text

_SymbolT = TypeVar("_SymbolT", bound="Symbol")


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
class IndexSymbol(QuantitySymbol):
    """What a repeated event counts."""

    word = "bound name"


@attrs.frozen
class NoiseSymbol(Symbol):
    """Something that is printed and that no expression can read."""

    word = "noise value"


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

    def unit(self, ident: nodes.Ident, collector: Collector) -> Unit | None:
        found = self.types.get(ident.name)
        if isinstance(found, Unit):
            self.used.add(ident.name)
            return found
        if ident.name in self.types:
            if found is not None:
                collector.error("E206", f"`{ident.name}` is an enumeration", ident.span, "expected a unit")
            return None
        units = [name for name, type_ in self.types.items() if isinstance(type_, Unit)]
        self._unknown_type(ident, "unit", units, collector)
        return None

    def enumeration(self, ident: nodes.Ident, collector: Collector) -> Unit | Enumeration | None:
        """What a type name that isn't built in stands for."""
        if ident.name in self.types:
            self.used.add(ident.name)
            return self.types[ident.name]
        self._unknown_type(ident, "type", [*BUILT_IN_TYPES, *self.types], collector)
        return None

    def _unknown_type(self, ident: nodes.Ident, what: str, candidates: Iterable[str], collector: Collector) -> None:
        if self.elsewhere(ident.name) is not None:
            unknown_name(self, ident, what, (), collector)
            return
        helps = collector.suggestion(ident.name, candidates)
        collector.error("E206", f"unknown {what} `{ident.name}`", ident.span, "not declared here", helps=helps)

    def members_named(self, member: str) -> tuple[Enumeration, ...]:
        return tuple(enumeration for enumeration in self.enumerations if member in enumeration.members)


def find_name(
    scope: Scope, ident: nodes.Ident | nodes.Name, kinds: tuple[type[_SymbolT], ...], collector: Collector
) -> _SymbolT | None:
    """Look up a name that must be of one of the kinds of symbol in `kinds`; says so if it isn't."""
    symbol = scope.names.get(ident.name)
    wanted = "value" if ConstantSymbol in kinds else " or ".join(kind.word for kind in kinds)
    if symbol is None:
        near = [name for name, each in scope.names.items() if isinstance(each, kinds)]
        unknown_name(scope, ident, wanted, near, collector)
        return None
    if not isinstance(symbol, kinds):
        collector.error(
            "E207",
            f"`{ident.name}` is a {symbol.word}",
            ident.span,
            f"expected a {wanted}",
            secondary=((symbol.ident.span, "declared here"),),
            helps=_help_with(symbol),
        )
        return None
    scope.used.add(ident.name)
    return symbol


def _help_with(symbol: Symbol) -> tuple[str, ...]:
    """What to do where a symbol is of the wrong kind."""
    match symbol:
        case TableSymbol():
            return (f"write `{symbol.ident.name}[...]` with a key",)
        case NoiseSymbol():
            return ("noise can't be read: it is drawn apart from the run",)
        case _:
            return ()


def unknown_name(
    scope: Scope, ident: nodes.Ident | nodes.Name, what: str, candidates: Iterable[str], collector: Collector
) -> None:
    """Report a name that nothing visible has."""
    how_to_see = scope.elsewhere(ident.name)
    if how_to_see is not None:
        message = f"`{ident.name}` isn't visible in this file"
        collector.error("E203", message, ident.span, "not imported", helps=(how_to_see,))
        return
    helps = collector.suggestion(ident.name, candidates)
    collector.error("E201", f"unknown {what} `{ident.name}`", ident.span, "not declared here", helps=helps)


def check_members(
    enumerations: Iterable[tuple[Enumeration, Span | None]], names: Mapping[str, Symbol], collector: Collector
) -> None:
    """Refuse members that are also names of values; a span says where an enumeration is declared."""
    for enumeration, span in enumerations:
        for member in enumeration.members:
            if member in names:
                symbol = names[member]
                collector.error(
                    "E204",
                    f"`{member}` is both a {symbol.word} and a member of `{type_text(enumeration)}`",
                    symbol.ident.span,
                    "this name",
                    secondary=() if span is None else ((span, "the member is declared here"),),
                    helps=("rename one of them: an expression could mean either",),
                )
