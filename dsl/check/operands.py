"""What expressions are made of: numbers, names, members of enumerations and entries of tables.

In: their syntax and the `Checker` of their place. Out: a checked form, or None after an error.
"""

from __future__ import annotations

from typing import Final, assert_never

import attrs

from dsl.check.checker import Checker
from dsl.check.names import (
    BoundSymbol,
    ConstantSymbol,
    IndexSymbol,
    QuantitySymbol,
    RelationSymbol,
    TableSymbol,
    VariableSymbol,
    find_name,
    unknown_name,
)
from dsl.check.unit_help import described
from dsl.checked import Constant, RelationRef, TableRef, Typed, VariableRef
from dsl.source import Span
from dsl.syntax import nodes
from dsl.value_types import NUMBER, ZERO, Enumeration, Quantity, ValueType, type_text
from gpu_train_debug.wording import listed

ValueSymbol = BoundSymbol | ConstantSymbol | VariableSymbol | RelationSymbol | IndexSymbol

VALUE_SYMBOLS: Final[tuple[type[ValueSymbol], ...]] = (
    BoundSymbol,
    ConstantSymbol,
    VariableSymbol,
    RelationSymbol,
    IndexSymbol,
)


def check_integer(checker: Checker, expr: nodes.IntLit) -> Typed | None:
    """`1024`, `1024 MiB`; a bare 0 fits every unit."""
    if expr.unit is None:
        return Constant(expr.value, NUMBER if expr.value else ZERO, span=expr.span)
    unit = checker.scope.unit(nodes.Ident(expr.unit, span=expr.span), checker.collector)
    return None if unit is None else Constant(expr.value, Quantity(((unit.name, 1),)), span=expr.span)


def check_name(checker: Checker, expr: nodes.Name, expected: ValueType | None) -> Typed | None:
    """A name that stands for a value, or else for a member of the enumeration that is expected."""
    if expr.name not in checker.scope.names:
        return check_member(checker, expr.name, expr, expected)
    symbol = find_name(checker.scope, expr, VALUE_SYMBOLS, checker.collector)
    if isinstance(symbol, QuantitySymbol) and not checker.may_vary(expr.span, f"`{expr.name}` is a {symbol.word}"):
        return None
    match symbol:
        case BoundSymbol(value=constant):
            return attrs.evolve(constant, bound=expr.name, span=expr.span)
        case ConstantSymbol(value=value):
            return None if value is None else attrs.evolve(value, span=expr.span)
        case VariableSymbol() | RelationSymbol() | IndexSymbol():
            return reference(symbol, expr.span)
        case None:
            return None
        case _:
            assert_never(symbol)


def reference(symbol: VariableSymbol | RelationSymbol | IndexSymbol, span: Span) -> VariableRef | RelationRef | None:
    """What mentions a variable, relation or index at `span`; None if its declaration is wrong."""
    if symbol.type is None:
        return None
    kind = RelationRef if isinstance(symbol, RelationSymbol) else VariableRef
    return kind(symbol.ident.name, symbol.type, span=span)


def check_member(
    checker: Checker, member: str, expr: nodes.Name | nodes.StrLit, expected: ValueType | None
) -> Typed | None:
    """A word that is no value here: a member of the enumeration that is expected."""
    if isinstance(expected, Enumeration) and member in expected.members:
        if expected.name:
            checker.scope.used.add(expected.name)
        return Constant(expected.code(member), expected, span=expr.span)
    homes = checker.scope.members_named(member)
    if expected is None and len(homes) == 1:
        if homes[0].name:
            checker.scope.used.add(homes[0].name)
        return Constant(homes[0].code(member), homes[0], span=expr.span)
    if isinstance(expected, Enumeration):
        checker.collector.error(
            "E209",
            f"`{member}` isn't a member of `{type_text(expected)}`",
            expr.span,
            f"expected a `{type_text(expected)}`",
            notes=(f"its members are {listed(expected.members)}",) if expected.name else (),
            helps=checker.collector.suggestion(member, (*expected.members, *_value_names(checker))),
        )
    elif homes and expected is not None:
        checker.collector.error(
            "E301",
            f"expected {described(expected)}, not a member of {described(homes[0])}",
            expr.span,
            f"`{member}` is a member of {described(homes[0])}",
        )
    elif homes:
        checker.collector.error(
            "E208",
            f"can't tell which enumeration `{member}` belongs to",
            expr.span,
            "nothing here says which one is expected",
            notes=(f"it is a member of {listed(type_text(home) for home in homes)}",),
            helps=("compare it with a variable, or use it where the type is known",),
        )
    elif isinstance(expr, nodes.Name):
        unknown_name(checker.scope, expr, "name", _value_names(checker), checker.collector)
    else:
        checker.collector.error("E209", f"no enumeration has a member `{member}`", expr.span, "not a member of any")
    return None


def _value_names(checker: Checker) -> list[str]:
    return [name for name, symbol in checker.scope.names.items() if isinstance(symbol, VALUE_SYMBOLS)]


def check_index(checker: Checker, expr: nodes.Index) -> Typed | None:
    """`table[key]`."""
    symbol = find_name(checker.scope, expr.table, (TableSymbol,), checker.collector)
    if symbol is None or symbol.table is None:
        return None
    if not checker.may_vary(expr.span, "this looks up a table"):
        return None
    table = symbol.table
    key = checker.value(expr.key, table.key, f"the key of `{table.name}`")
    return None if key is None else TableRef(table.name, table.entries, key, table.value, span=expr.span)
