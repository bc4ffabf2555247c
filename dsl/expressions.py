"""Types and units of expressions: from syntax to checked forms.

In: an expression, the scope of its place and the type that is expected there. Out: a `Typed` expression, or
None if something in it is wrong; then exactly one error has been reported for each cause, and the places
around it stay silent. Quantifiers are written out here, within a limit for the whole program.
"""

from __future__ import annotations

from typing import Final, assert_never

import attrs

from dsl import nodes
from dsl.checked import Constant, Earlier, Operation, RelationRef, TableRef, Typed, VariableRef, Within
from dsl.domains import (
    FLAG,
    NUMBER,
    ZERO,
    Enumeration,
    Quantity,
    ValueType,
    conversion,
    divide,
    multiply,
    settle,
    type_text,
    unify,
    value_text,
)
from dsl.findings import Findings, listed
from dsl.literals import domain_constants, literal_value
from dsl.resolve import (
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
from dsl.source import Span
from dsl.unit_help import described, how_to_become, how_to_meet, in_one_unit, single_unit

MAX_WRITTEN_OUT: Final = 100_000
"""How many sub-expressions the quantifiers of a program may come to."""

VALUE_SYMBOLS = (BoundSymbol, ConstantSymbol, VariableSymbol, RelationSymbol)

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_LOGICAL = ("and", "or", "implies")
_CHAINS = ("+", "*", "and", "or")


class Budget:
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
    budget: Budget
    prescription: bool = False
    constant: bool = False
    written_out: bool = False

    # -------------------------------------------------------------- entry points

    def condition(self, expr: nodes.Expr) -> Typed | None:
        """An expression that is true or false."""
        return self.of_type(expr, FLAG, "a condition")

    def quantity(self, expr: nodes.Expr, what: str) -> Typed | None:
        """A number of any unit."""
        typed = self.check(expr, None)
        if typed is None or isinstance(typed.type, Quantity):
            return typed
        self.findings.error("E301", f"expected a number as {what}", expr.span, f"this is {described(typed.type)}")
        return None

    def of_type(self, expr: nodes.Expr, type_: ValueType, what: str) -> Typed | None:
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
            helps=how_to_become(typed, type_, self.scope.types) if numbers else (),
        )
        return None

    def value(self, expr: nodes.Expr, type_: ValueType, what: str) -> Typed | None:
        """A value for something of a declared type: a bare number is in its unit, another unit is converted."""
        literal = literal_value(expr, type_, self.scope, self.findings)
        if literal is not None:
            return literal.constant
        return self.of_type(expr, type_, what)

    def inferred(self, expr: nodes.Expr) -> Typed | None:
        """An expression of whatever type it has."""
        typed = self.check(expr, None)
        return None if typed is None else attrs.evolve(typed, type=settle(typed.type))

    def check(self, expr: nodes.Expr, expected: ValueType | None) -> Typed | None:
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
                return self._unary(expr)
            case nodes.Binary():
                return self._binary(expr)
            case nodes.Call():
                return self._call(expr)
            case nodes.Quantified():
                return self._quantified(expr)
            case nodes.If():
                return self._if(expr, expected)
            case nodes.In():
                return self._in(expr)
            case nodes.Index():
                return self._index(expr)
            case nodes.With():
                return self._with(expr, expected)
            case nodes.Before():
                return self._before(expr, expected)
            case nodes.To():
                return self._to(expr)
            case nodes.As():
                return self._as(expr)
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
        if self.constant and isinstance(symbol, QuantitySymbol):
            self._not_constant(expr.span, f"`{expr.name}` is a {symbol.word}")
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

    def _not_constant(self, span: Span, why: str) -> None:
        self.findings.error("E305", "only constants can be used here", span, why)

    def _values(self) -> list[str]:
        return [name for name, symbol in self.scope.names.items() if isinstance(symbol, VALUE_SYMBOLS)]

    def _floats(self, expr: nodes.Expr) -> bool:
        """Whether the type of `expr` hangs on what is expected: a bare member, or a choice of such."""
        match expr:
            case nodes.StrLit():
                return True
            case nodes.Name(name=name):
                return name not in self.scope.names
            case nodes.If(then=then, otherwise=otherwise):
                return self._floats(then) and self._floats(otherwise)
            case _:
                return False

    def _pair(self, left: nodes.Expr, right: nodes.Expr, expected: ValueType | None) -> tuple[Typed, Typed] | None:
        """Check two expressions of one type; a bare member takes the type of the other side."""
        if self._floats(left) and not self._floats(right):
            turned = self._pair(right, left, expected)
            return None if turned is None else (turned[1], turned[0])
        first = self.check(left, expected)
        if first is None:
            if not self._floats(right):
                self.check(right, expected)
            return None
        second = self.check(right, first.type if self._floats(right) else expected)
        return None if second is None else (first, second)

    # -------------------------------------------------------------- operators

    def _unary(self, expr: nodes.Unary) -> Typed | None:
        if expr.op == "not":
            operand = self.of_type(expr.operand, FLAG, "the operand of `not`")
            return None if operand is None else Operation("not", (operand,), FLAG, span=expr.span)
        number = self.quantity(expr.operand, "the operand of `-`")
        if isinstance(number, Constant):
            return Constant(-number.value, number.type, span=expr.span)
        return None if number is None else Operation("neg", (number,), number.type, span=expr.span)

    def _binary(self, expr: nodes.Binary) -> Typed | None:
        if expr.op in _COMPARISONS:
            return self._comparison(expr)
        if expr.op in _LOGICAL:
            left = self.of_type(expr.left, FLAG, f"the left of `{expr.op}`")
            right = self.of_type(expr.right, FLAG, f"the right of `{expr.op}`")
            return None if left is None or right is None else _operation(expr.op, left, right, FLAG, expr.span)
        sign = "/" if expr.op in ("floor", "ceil") else expr.op
        left = self.quantity(expr.left, f"the left of `{sign}`")
        right = self.quantity(expr.right, f"the right of `{sign}`")
        if left is None or right is None:
            return None
        result: ValueType | None
        match left.type, right.type, expr.op:
            case Quantity(dimension=above), Quantity(dimension=below), "*":
                result = Quantity(multiply(above, below))
            case Quantity(dimension=above), Quantity(dimension=below), "floor" | "ceil":
                result = Quantity(divide(above, below))
            case _:
                left, right = in_one_unit((left, right), self.scope.types)
                result = unify(left.type, right.type)
        if result is None:
            a, b = described(left.type), described(right.type)
            words = {"+": f"add {b} to {a}", "-": f"subtract {b} from {a}", "mod": f"take {a} mod {b}"}
            self._cannot(f"cannot {words[expr.op]}", left, right)
            return None
        return _operation(expr.op, left, right, result, expr.span)

    def _comparison(self, expr: nodes.Binary) -> Typed | None:
        sides = self._pair(expr.left, expr.right, None)
        if sides is None:
            return None
        left, right = in_one_unit(sides, self.scope.types)
        both = unify(left.type, right.type)
        if both is None:
            self._cannot(f"cannot compare {described(left.type)} with {described(right.type)}", left, right)
            return None
        if expr.op not in ("==", "!=") and not isinstance(both, Quantity):
            self.findings.error(
                "E303",
                f"`{expr.op}` compares numbers, and {described(both)} has no order",
                expr.span,
                "compared here",
                helps=("use `==`, `!=` or `in`",),
            )
            return None
        return Operation(expr.op, (left, right), FLAG, span=expr.span)

    def _cannot(self, message: str, left: Typed, right: Typed) -> None:
        """Report two sides that don't go together, at the right one."""
        numbers = isinstance(left.type, Quantity) and isinstance(right.type, Quantity)
        self.findings.error(
            "E302" if numbers else "E301",
            message,
            right.span,
            f"this is {described(right.type)}",
            secondary=((left.span, f"this is {described(left.type)}"),),
            helps=how_to_meet(left, right, self.scope.types) if numbers else (),
        )

    def _call(self, expr: nodes.Call) -> Typed | None:
        wanted = 1 if expr.function in ("abs", "number") else None
        if not expr.args or (wanted is not None and len(expr.args) != wanted):
            self.findings.error(
                "E311",
                f"`{expr.function}` takes {'one argument' if wanted else 'one argument or more'}",
                expr.span,
                f"{len(expr.args)} given",
            )
            return None
        args = [self.quantity(arg, f"an argument of `{expr.function}`") for arg in expr.args]
        known = [arg for arg in args if arg is not None]
        if len(known) < len(args):
            return None
        if expr.function == "number":
            return attrs.evolve(known[0], type=NUMBER, span=expr.span)
        known = in_one_unit(known, self.scope.types)
        type_ = self._common_type(known, "an argument")
        return None if type_ is None else Operation(expr.function, tuple(known), type_, span=expr.span)

    def _common_type(self, values: list[Typed], what: str) -> ValueType | None:
        first, type_ = values[0], values[0].type
        for value in values[1:]:
            both = unify(type_, value.type)
            if both is None:
                self._cannot(f"expected {described(type_)} as {what}", attrs.evolve(first, type=type_), value)
                return None
            type_ = both
        return type_

    def _if(self, expr: nodes.If, expected: ValueType | None) -> Typed | None:
        condition = self.of_type(expr.condition, FLAG, "the condition of `if`")
        branches = self._pair(expr.then, expr.otherwise, expected)
        if branches is None:
            return None
        both = in_one_unit(branches, self.scope.types)
        type_ = self._common_type(both, "the branch after `else`")
        if condition is None or type_ is None:
            return None
        return Operation("if", (condition, *both), type_, span=expr.span)

    def _in(self, expr: nodes.In) -> Typed | None:
        operand = self.check(expr.operand, None)
        if operand is None:
            return None
        if not expr.values:
            self.findings.error("E401", "no values after `in`", expr.span, "nothing is in an empty set")
            return None
        type_ = settle(operand.type)
        values = [self.value(value, type_, "a value after `in`") for value in expr.values]
        equal = [Operation("==", (operand, value), FLAG, span=expr.span) for value in values if value is not None]
        if len(equal) < len(values):
            return None
        return equal[0] if len(equal) == 1 else Operation("or", tuple(equal), FLAG, span=expr.span)

    def _index(self, expr: nodes.Index) -> Typed | None:
        symbol = find_name(self.scope, expr.table, (TableSymbol,), self.findings)
        if symbol is None or symbol.table is None:
            return None
        if self.constant:
            self._not_constant(expr.span, "this looks up a table")
            return None
        table = symbol.table
        key = self.value(expr.key, table.key, f"the key of `{table.name}`")
        return None if key is None else TableRef(table.name, table.entries, key, table.value, span=expr.span)

    # -------------------------------------------------------------- other worlds

    def _with(self, expr: nodes.With, expected: ValueType | None) -> Typed | None:
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

    def _before(self, expr: nodes.Before, expected: ValueType | None) -> Typed | None:
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

    # -------------------------------------------------------------- units

    def _to(self, expr: nodes.To) -> Typed | None:
        number = self.quantity(expr.operand, "what is converted")
        target = self.scope.unit(expr.unit, self.findings)
        if number is None or target is None:
            return None
        source = single_unit(number.type, self.scope.types)
        ratio = None if source is None else conversion(source, target)
        if source is None or ratio is None:
            self.findings.error(
                "E306",
                f"cannot convert {described(number.type)} to `{target.name}`",
                expr.span,
                "they have no common base unit",
                helps=(f"`as {target.name}` gives a plain number that unit",) if number.type == NUMBER else (),
            )
            return None
        if ratio.denominator > 1 and expr.mode == "exact":
            self.findings.error(
                "E306",
                f"{described(number.type)} is not always a whole number of `{target.name}`",
                expr.span,
                "the conversion must say how it rounds",
                helps=(f"write `to {target.name} down` or `to {target.name} up`",),
            )
            return None
        type_ = Quantity(((target.name, 1),))
        if ratio.numerator > 1:
            number = Operation("*", (number, Constant(ratio.numerator, NUMBER, span=expr.span)), type_, span=expr.span)
        if ratio.denominator == 1:
            return attrs.evolve(number, type=type_, span=expr.span)
        divisor = Constant(ratio.denominator, NUMBER, span=expr.span)
        return Operation("floor" if expr.mode == "down" else "ceil", (number, divisor), type_, span=expr.span)

    def _as(self, expr: nodes.As) -> Typed | None:
        number = self.quantity(expr.operand, "what gets a unit")
        unit = self.scope.unit(expr.unit, self.findings)
        if number is None or unit is None:
            return None
        if unify(number.type, NUMBER) is None:
            self.findings.error(
                "E302",
                f"`as {unit.name}` needs a plain number",
                expr.operand.span,
                f"this is {described(number.type)}",
                helps=(f"`to {unit.name}` converts, `number(...)` drops a unit",),
            )
            return None
        return attrs.evolve(number, type=Quantity(((unit.name, 1),)), span=expr.span)

    # -------------------------------------------------------------- quantifiers

    def _quantified(self, expr: nodes.Quantified) -> Typed | None:
        if not self._name_is_free(expr.bound):
            return None
        values = self._bound_values(expr)
        if values is None:
            return None
        bodies = []
        for value in values:
            symbol = BoundSymbol(expr.bound, value)
            inner = attrs.evolve(self, scope=self.scope.extended({expr.bound.name: symbol}), written_out=True)
            what = f"the body of `{expr.function}`"
            body = inner.quantity(expr.body, what) if expr.function == "sum" else inner.of_type(expr.body, FLAG, what)
            if body is None:
                return None
            bodies.append(body)
        return self._joined(expr, bodies)

    def _joined(self, expr: nodes.Quantified, bodies: list[Typed]) -> Typed | None:
        op, type_ = "+", self._common_type(bodies, "a term of `sum`")
        match expr.function:
            case "any" | "all":
                op = "or" if expr.function == "any" else "and"
            case "count":
                one, none = (Constant(value, NUMBER, span=expr.span) for value in (1, 0))
                bodies = [Operation("if", (body, one, none), NUMBER, span=expr.span) for body in bodies]
                type_ = NUMBER
        if type_ is None:
            return None
        return bodies[0] if len(bodies) == 1 else Operation(op, tuple(bodies), type_, span=expr.span)

    def _name_is_free(self, bound: nodes.Ident) -> bool:
        symbol = self.scope.names.get(bound.name)
        if symbol is not None:
            self.findings.error(
                "E202",
                f"`{bound.name}` already names a {symbol.word}",
                bound.span,
                "bound here",
                secondary=((symbol.ident.span, "declared here"),),
                helps=("bind a name of its own",),
            )
            return False
        homes = self.scope.members_named(bound.name)
        if homes:
            self.findings.error(
                "E204",
                f"`{bound.name}` is also a member of {described(homes[0])}",
                bound.span,
                "bound here",
                helps=("bind a name of its own",),
            )
        return not homes

    def _bound_values(self, expr: nodes.Quantified) -> tuple[Constant, ...] | None:
        if isinstance(expr.values, nodes.Ident):
            symbol = find_name(self.scope, expr.values, (VariableSymbol,), self.findings)
            if not isinstance(symbol, VariableSymbol) or symbol.variable is None:
                return None
            variable = symbol.variable
            return tuple(Constant(value, variable.type, span=expr.values.span) for value in variable.domain)
        type_: ValueType | None = NUMBER
        if isinstance(expr.values, nodes.SetDomain) and expr.values.values:
            type_ = self._listed_type(expr.values.values)
        return None if type_ is None else domain_constants(expr.values, type_, self._constants().value, self.findings)

    def _constants(self) -> Checker:
        return attrs.evolve(self, constant=True)

    def _listed_type(self, values: tuple[nodes.Expr, ...]) -> ValueType | None:
        """The type of listed values: that of the first, or the one enumeration that has all of the words."""
        if not all(self._floats(value) for value in values):
            known = next(value for value in values if not self._floats(value))
            typed = self._constants().inferred(known)
            return None if typed is None else typed.type
        words = [value.name if isinstance(value, nodes.Name) else value.value
                 for value in values if isinstance(value, nodes.Name | nodes.StrLit)]  # fmt: skip
        homes = [home for home in self.scope.enumerations if set(words) <= set(home.members)]
        if len(homes) == 1:
            return homes[0]
        self.check(values[0], homes[0] if len(homes) == 1 else None)
        return None


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


def _operation(op: str, left: Typed, right: Typed, type_: ValueType, span: Span) -> Operation:
    """Join two operands; a chain of one associative operator becomes one operation."""
    chained = op in _CHAINS and isinstance(left, Operation) and left.op == op
    args = left.args if chained and isinstance(left, Operation) else (left,)
    return Operation(op, (*args, right), type_, span=span)
