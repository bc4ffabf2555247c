"""Types and units of expressions: from syntax to checked forms.

In: an expression, the scope of its place and the type that is expected there. Out: a `Typed` expression, or
None if something in it is wrong; then exactly one error has been reported for each cause, and the places
around it stay silent. Quantifiers are written out here, within a limit for the whole program.
"""

from __future__ import annotations

from typing import Final, assert_never

import attrs

from dsl.check.literals import literal_value
from dsl.check.names import (
    BoundSymbol,
    ConstantSymbol,
    QuantitySymbol,
    RelationSymbol,
    Scope,
    TableSymbol,
    VariableSymbol,
    find_name,
    unknown_name,
)
from dsl.check.operators import check_as, check_binary, check_call, check_if, check_in, check_to, check_unary
from dsl.check.quantifiers import check_quantified
from dsl.check.unit_help import described, how_to_become
from dsl.checked import Constant, Earlier, RelationRef, TableRef, Typed, VariableRef, Within
from dsl.diagnostics.collector import Findings, listed
from dsl.source import Span
from dsl.syntax import nodes
from dsl.value_types import (
    FLAG,
    NUMBER,
    ZERO,
    Enumeration,
    Quantity,
    ValueType,
    settled_type,
    type_text,
    unify,
    value_text,
)

MAX_WRITTEN_OUT: Final = 100_000
"""How many sub-expressions the quantifiers of a program may come to."""

VALUE_SYMBOLS = (BoundSymbol, ConstantSymbol, VariableSymbol, RelationSymbol)


class ExpansionBudget:
    """Counts the sub-expressions that quantifiers come to, over a whole program."""

    def __init__(self, limit: int = MAX_WRITTEN_OUT) -> None:
        self.left = limit
        self.reported = False


@attrs.frozen
class Checker:
    """Checks expressions at one kind of place.

    Attributes:
        prescription: Whether `before` may be used.
        constant: Whether only constants may be used.
        written_out: Whether the expression stands in a quantifier.
    """

    scope: Scope
    findings: Findings
    budget: ExpansionBudget
    prescription: bool = False
    constant: bool = False
    written_out: bool = False

    # -------------------------------------------------------------- entry points

    def condition(self, expr: nodes.Expression) -> Typed | None:
        """An expression that is true or false."""
        return self.of_type(expr, FLAG, "a condition")

    def quantity(self, expr: nodes.Expression, what: str) -> Typed | None:
        """A number of any unit."""
        typed = self.check(expr, None)
        if typed is None or isinstance(typed.type, Quantity):
            return typed
        self.findings.error("E301", f"expected a number as {what}", expr.span, f"this is {described(typed.type)}")
        return None

    def of_type(self, expr: nodes.Expression, type_: ValueType, what: str) -> Typed | None:
        """An expression of a given type; `what` says in messages what it is for."""
        typed = self.check(expr, type_)
        if typed is None:
            return None
        both = unify(typed.type, type_)
        if both is not None:
            return attrs.evolve(typed, type=both)
        numbers = isinstance(typed.type, Quantity) and isinstance(type_, Quantity)
        self.findings.error(
            "E302" if numbers else "E301",
            f"expected {described(type_)} as {what}",
            expr.span,
            f"this is {described(typed.type)}",
            helps=how_to_become(typed, expr, type_, self.scope.types) if numbers else (),
        )
        return None

    def value(self, expr: nodes.Expression, type_: ValueType, what: str) -> Typed | None:
        """A value for something of a declared type: a bare number is in its unit, another unit is converted."""
        literal = literal_value(expr, type_, self.scope, self.findings)
        if literal is not None:
            return literal.constant
        return self.of_type(expr, type_, what)

    def inferred(self, expr: nodes.Expression) -> Typed | None:
        """An expression of whatever type it has."""
        typed = self.check(expr, None)
        return None if typed is None else attrs.evolve(typed, type=settled_type(typed.type))

    def check(self, expr: nodes.Expression, expected: ValueType | None) -> Typed | None:
        """Check `expr`; `expected` only tells which enumeration a bare word belongs to."""
        if self.written_out and not self._charge(expr.span):
            return None
        match expr:
            case nodes.IntLit():
                return self._integer(expr)
            case nodes.BoolLit(value=flag):
                return Constant(int(flag), FLAG, span=expr.span)
            case nodes.StrLit(value=member):
                return self._member(member, expr, expected)
            case nodes.Name():
                return self._name(expr, expected)
            case nodes.Unary():
                return check_unary(self, expr)
            case nodes.Binary():
                return check_binary(self, expr)
            case nodes.Call():
                return check_call(self, expr)
            case nodes.Quantified():
                return check_quantified(self, expr)
            case nodes.If():
                return check_if(self, expr, expected)
            case nodes.In():
                return check_in(self, expr)
            case nodes.Index():
                return self._index(expr)
            case nodes.WithClause():
                return self._with(expr, expected)
            case nodes.BeforeCall():
                return self._before(expr, expected)
            case nodes.To():
                return check_to(self, expr)
            case nodes.As():
                return check_as(self, expr)
        assert_never(expr)

    def _charge(self, span: Span) -> bool:
        self.budget.left -= 1
        if self.budget.left < 0 and not self.budget.reported:
            self.budget.reported = True
            self.findings.error(
                "E421",
                f"quantifiers come to more than {MAX_WRITTEN_OUT} terms",
                span,
                "too many values to write out",
                helps=("use fewer values, or a formula in place of the sum",),
            )
        return self.budget.left >= 0

    # -------------------------------------------------------------- literals and names

    def _integer(self, expr: nodes.IntLit) -> Typed | None:
        if expr.unit is None:
            return Constant(expr.value, NUMBER if expr.value else ZERO, span=expr.span)
        unit = self.scope.unit(nodes.Ident(expr.unit, span=expr.span), self.findings)
        return None if unit is None else Constant(expr.value, Quantity(((unit.name, 1),)), span=expr.span)

    def _name(self, expr: nodes.Name, expected: ValueType | None) -> Typed | None:
        if expr.name not in self.scope.names:
            return self._member(expr.name, expr, expected)
        symbol = find_name(self.scope, expr, VALUE_SYMBOLS, self.findings)
        if isinstance(symbol, QuantitySymbol) and not self.may_vary(expr.span, f"`{expr.name}` is a {symbol.word}"):
            return None
        match symbol:
            case BoundSymbol(value=constant):
                return attrs.evolve(constant, span=expr.span)
            case ConstantSymbol(value=value):
                return None if value is None else attrs.evolve(value, span=expr.span)
            case VariableSymbol(type=type_):
                return None if type_ is None else VariableRef(expr.name, type_, span=expr.span)
            case RelationSymbol(type=type_):
                return None if type_ is None else RelationRef(expr.name, type_, span=expr.span)
            case _:
                return None

    def _member(self, member: str, expr: nodes.Name | nodes.StrLit, expected: ValueType | None) -> Typed | None:
        """A word that is no value here: a member of the enumeration that is expected."""
        if isinstance(expected, Enumeration) and member in expected.members:
            if expected.name:
                self.scope.used.add(expected.name)
            return Constant(expected.code(member), expected, span=expr.span)
        homes = self.scope.members_named(member)
        if expected is None and len(homes) == 1:
            if homes[0].name:
                self.scope.used.add(homes[0].name)
            return Constant(homes[0].code(member), homes[0], span=expr.span)
        if isinstance(expected, Enumeration):
            self.findings.error(
                "E209",
                f"`{member}` is not a member of `{type_text(expected)}`",
                expr.span,
                f"expected a `{type_text(expected)}`",
                notes=(f"its members are {listed(expected.members)}",) if expected.name else (),
                helps=self.findings.suggestion(member, (*expected.members, *self._values())),
            )
        elif homes and expected is not None:
            self.findings.error(
                "E301",
                f"expected {described(expected)}, not a member of {described(homes[0])}",
                expr.span,
                f"`{member}` is a member of {described(homes[0])}",
            )
        elif homes:
            self.findings.error(
                "E208",
                f"cannot tell which enumeration `{member}` belongs to",
                expr.span,
                "nothing here says which one is expected",
                notes=(f"it is a member of {listed(type_text(home) for home in homes)}",),
                helps=("compare it with a variable, or use it where the type is known",),
            )
        elif isinstance(expr, nodes.Name):
            unknown_name(self.scope, expr, "name", self._values(), self.findings)
        else:
            self.findings.error("E209", f"no enumeration has a member `{member}`", expr.span, "not a member of any")
        return None

    def _values(self) -> list[str]:
        return [name for name, symbol in self.scope.names.items() if isinstance(symbol, VALUE_SYMBOLS)]

    def floats(self, expr: nodes.Expression) -> bool:
        """Whether the type of `expr` hangs on what is expected: a bare member, or a choice of such."""
        match expr:
            case nodes.StrLit():
                return True
            case nodes.Name(name=name):
                return name not in self.scope.names
            case nodes.If(then=then, otherwise=otherwise):
                return self.floats(then) and self.floats(otherwise)
            case _:
                return False

    def pair(
        self, left: nodes.Expression, right: nodes.Expression, expected: ValueType | None
    ) -> tuple[Typed, Typed] | None:
        """Check two expressions of one type; a bare member takes the type of the other side."""
        if self.floats(left) and not self.floats(right):
            turned = self.pair(right, left, expected)
            return None if turned is None else (turned[1], turned[0])
        first = self.check(left, expected)
        if first is None:
            if not self.floats(right):
                self.check(right, expected)
            return None
        second = self.check(right, first.type if self.floats(right) else expected)
        return None if second is None else (first, second)

    def _index(self, expr: nodes.Index) -> Typed | None:
        symbol = find_name(self.scope, expr.table, (TableSymbol,), self.findings)
        if symbol is None or symbol.table is None:
            return None
        if not self.may_vary(expr.span, "this looks up a table"):
            return None
        table = symbol.table
        key = self.value(expr.key, table.key, f"the key of `{table.name}`")
        return None if key is None else TableRef(table.name, table.entries, key, table.value, span=expr.span)

    # -------------------------------------------------------------- other worlds

    def _with(self, expr: nodes.WithClause, expected: ValueType | None) -> Typed | None:
        changes: dict[str, Typed] = {}
        complete = True
        for ident, new in expr.changes:
            symbol = find_name(self.scope, ident, (VariableSymbol,), self.findings)
            value = None
            if ident.name in changes:
                self.findings.error("E202", f"`{ident.name}` is changed twice", ident.span, "again here")
            elif isinstance(symbol, VariableSymbol) and symbol.type is not None:
                value = self.value(new, symbol.type, f"the value of `{ident.name}`")
                if value is not None and not in_domain(value, symbol, self.findings):
                    value = None
            if value is None:
                complete = False
            else:
                changes[ident.name] = value
        body = self.check(expr.body, expected)
        if body is None or not complete:
            return None
        return Within(body, tuple(changes.items()), body.type, span=expr.span)

    def _before(self, expr: nodes.BeforeCall, expected: ValueType | None) -> Typed | None:
        if not self.prescription:
            self.findings.error(
                "E310",
                "`before` has a meaning only in a prescription, and once",
                expr.span,
                "nothing has been set here",
                helps=("use it in `set field = ...` or after `where` in `set field = largest where ...`",),
            )
            return None
        body = attrs.evolve(self, prescription=False).check(expr.body, expected)
        return None if body is None else Earlier(body, body.type, span=expr.span)

    # -------------------------------------------------------------- constants

    def constants(self) -> Checker:
        """The same checker where only constants may be used."""
        return attrs.evolve(self, constant=True)

    def may_vary(self, span: Span, why: str) -> bool:
        """Whether something that isn't constant may stand here; says so if not."""
        if self.constant:
            self.findings.error("E305", "only constants can be used here", span, why)
        return not self.constant


def in_domain(value: Typed, symbol: VariableSymbol, findings: Findings) -> bool:
    """Whether a value that is known may be given to a variable; says so if not."""
    variable = symbol.variable
    if not isinstance(value, Constant) or variable is None or value.value in variable.domain:
        return True
    known = [value_text(each, variable.type) for each in variable.domain]
    findings.error(
        "E405",
        f"`{value_text(value.value, variable.type)}` is not in the domain of `{variable.name}`",
        value.span,
        "outside the domain",
        secondary=((symbol.ident.span, "declared here"),),
        notes=(f"its values are {listed(known)}",),
    )
    return False
