"""What every check of an expression shares: the place that the expression stands in, and the work budget.

In: an expression, the scope of its place and the type that is expected there. Out: a `Typed` expression, or
None if something in it is wrong; then exactly one error has been reported for each cause, and the places
around it stay silent. Which form of expression is checked how is in `dispatch`, which builds on this module;
the modules between the two take a `Checker` and call its `check` for the parts of what they check.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Final, Self, assert_never

import attrs

from dsl.check.literals import literal_value
from dsl.check.names import Scope
from dsl.check.unit_help import described, how_to_become
from dsl.checked import CheckedCondition, Typed
from dsl.diagnostics.collector import Collector
from dsl.source import Span
from dsl.syntax import nodes
from dsl.value_types import FLAG, Quantity, ValueType, plain_if_zero, unify

MAX_WRITTEN_OUT: Final = 100_000
"""How many sub-expressions the quantifiers of a program may expand to."""


class ExpansionBudget:
    """Counts the sub-expressions that quantifiers expand to, over a whole program."""

    def __init__(self, limit: int = MAX_WRITTEN_OUT) -> None:
        self.left = limit
        self.reported = False


@attrs.frozen
class Checker(ABC):
    """Checks expressions at one kind of place.

    Attributes:
        prescription: Whether `before` may be used.
        guard: Whether `printed` may be used.
        constant: Whether only constants may be used.
        written_out: Whether the expression stands in a quantifier.
    """

    scope: Scope
    collector: Collector
    budget: ExpansionBudget
    prescription: bool = False
    guard: bool = False
    constant: bool = False
    written_out: bool = False

    @abstractmethod
    def check(self, expr: nodes.Expression, expected: ValueType | None) -> Typed | None:
        """Check `expr`; `expected` only tells which enumeration a bare word belongs to."""

    # -------------------------------------------------------------- entry points

    def condition(self, expr: nodes.Expression) -> Typed | None:
        """An expression that is true or false."""
        return self.of_type(expr, FLAG, "a condition")

    def conditions(self, exprs: Iterable[nodes.Expression]) -> tuple[CheckedCondition, ...]:
        """Conditions without a text; wrong ones are left out."""
        found = ((expr, self.condition(expr)) for expr in exprs)
        return tuple(
            CheckedCondition(condition, "", span=expr.span) for expr, condition in found if condition is not None
        )

    def quantity(self, expr: nodes.Expression, what: str) -> Typed | None:
        """A number of any unit."""
        typed = self.check(expr, None)
        if typed is None or isinstance(typed.type, Quantity):
            return typed
        self.collector.error("E301", f"expected a number as {what}", expr.span, f"this is {described(typed.type)}")
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
        self.collector.error(
            "E302" if numbers else "E301",
            f"expected {described(type_)} as {what}",
            expr.span,
            f"this is {described(typed.type)}",
            helps=how_to_become(typed, expr, type_, self.scope.types) if numbers else (),
        )
        return None

    def value(self, expr: nodes.Expression, type_: ValueType, what: str) -> Typed | None:
        """A value for something of a declared type: a bare number is in its unit, another unit is converted."""
        literal = literal_value(expr, type_, self.scope, self.collector)
        if literal is not None:
            return literal.constant
        return self.of_type(expr, type_, what)

    def stated(self, expr: nodes.Expression, type_: ValueType | None, what: str) -> Typed | None:
        """The value of something that may say its type."""
        return self.inferred(expr) if type_ is None else self.value(expr, type_, what)

    def inferred(self, expr: nodes.Expression) -> Typed | None:
        """An expression of whatever type it has."""
        typed = self.check(expr, None)
        return None if typed is None else attrs.evolve(typed, type=plain_if_zero(typed.type))

    # -------------------------------------------------------------- expressions of one type

    def takes_expected_type(self, expr: nodes.Expression) -> bool:
        """Whether the type of `expr` depends on what is expected: a bare member, or a choice of such."""
        match expr:
            case nodes.StrLit():
                return True
            case nodes.Name(name=name):
                return name not in self.scope.names
            case nodes.If(then=then, otherwise=otherwise):
                return self.takes_expected_type(then) and self.takes_expected_type(otherwise)
            case nodes.First(cases=cases, otherwise=otherwise):
                return all(map(self.takes_expected_type, (*(value for value, _ in cases), otherwise)))
            case (
                nodes.IntLit() | nodes.BoolLit() | nodes.Unary() | nodes.Binary() | nodes.Call() | nodes.Quantified()
                | nodes.In() | nodes.Index() | nodes.WithClause() | nodes.BeforeCall() | nodes.PrintedCall()
                | nodes.To() | nodes.As()
            ):  # fmt: skip
                return False
            case _:
                assert_never(expr)

    def check_pair(
        self, left: nodes.Expression, right: nodes.Expression, expected: ValueType | None
    ) -> tuple[Typed, Typed] | None:
        """Check two expressions of one type; a bare member takes the type of the other side."""
        found = self.check_alike((left, right), expected)
        return None if found is None else (found[0], found[1])

    def check_alike(self, exprs: Sequence[nodes.Expression], expected: ValueType | None) -> list[Typed] | None:
        """Check expressions of one type; bare members take the type of the first that has one of its own."""
        bare = [expr for expr in exprs if self.takes_expected_type(expr)]
        leading = [expr for expr in exprs if not self.takes_expected_type(expr)] or [bare.pop(0)]
        found = {id(expr): self.check(expr, expected) for expr in leading}
        first = next((typed for typed in found.values() if typed is not None), None)
        if first is None:
            return None
        found |= {id(expr): self.check(expr, first.type) for expr in bare}
        known = [typed for expr in exprs if (typed := found[id(expr)]) is not None]
        return known if len(known) == len(exprs) else None

    # -------------------------------------------------------------- constants

    def constants(self) -> Self:
        """The same checker where only constants may be used."""
        return attrs.evolve(self, constant=True)

    def may_vary(self, span: Span, why: str) -> bool:
        """Whether something that isn't constant may stand here; says so if not."""
        if self.constant:
            self.collector.error("E305", "only constants can be used here", span, why)
        return not self.constant

    # -------------------------------------------------------------- the work budget

    def charge(self, span: Span, terms: int = 1) -> bool:
        """Whether `terms` more sub-expressions may be written out; says so if not, once for a program."""
        if not self.written_out:
            return True
        self.budget.left -= terms
        if self.budget.left < 0 and not self.budget.reported:
            self.budget.reported = True
            self.collector.error(
                "E421",
                f"the quantifiers expand to more than {MAX_WRITTEN_OUT} terms",
                span,
                "too many values to expand",
                helps=("use fewer values, or a formula instead of the sum",),
            )
        return self.budget.left >= 0
