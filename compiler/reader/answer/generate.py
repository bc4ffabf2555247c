"""Formulas to Python functions.

In: trees that `examine` accepted. Out: functions over a `ReadState`, a list with a place for each variable's value and
then one for each relation's, `None` until it is needed. The source text is made from the trees alone: operators from a
fixed set, integers, and identifiers of this module (`s`, `t`, `r12`, ...); words, columns and value lists are passed in
as objects. It runs without builtins other than `min`, `max` and `abs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeAlias, assert_never

from compiler.reader.answer.scope import ReadScope
from compiler.reader.text.errors import ReadError, UndefinedError
from compiler.reader.text.limits import MAX_CODE, MAX_NUMBER
from compiler.reader.text.tree import (
    ReadAdd,
    ReadApply,
    ReadBefore,
    ReadChoose,
    ReadCompare,
    ReadComparison,
    ReadConnective,
    ReadConst,
    ReadDivide,
    ReadExpr,
    ReadFormula,
    ReadFunction,
    ReadKept,
    ReadLogic,
    ReadLookup,
    ReadMember,
    ReadModulo,
    ReadMultiply,
    ReadName,
    ReadNegate,
    ReadNot,
    ReadPrinted,
    ReadRounding,
    ReadWith,
)
from compiler.reader.text.values import ReadKind, ReadValue

ReadState: TypeAlias = list[Any]
"""Values of variables by slot, then those of relations as far as known."""

COMPARISON_CODE: Final[Mapping[ReadComparison, str]] = {
    ReadComparison.EQUAL: " == ",
    ReadComparison.UNEQUAL: " != ",
    ReadComparison.BELOW: " < ",
    ReadComparison.AT_MOST: " <= ",
    ReadComparison.ABOVE: " > ",
    ReadComparison.AT_LEAST: " >= ",
    ReadComparison.IS: " == ",
    ReadComparison.IS_NOT: " != ",
}
CONNECTIVE_CODE: Final[Mapping[ReadConnective, str]] = {ReadConnective.AND: " and ", ReadConnective.OR: " or "}

_INDENT: Final = "    "
_GROUP: Final = 8


def small(value: int) -> int:
    """Let through a number inside the limit.

    Raises:
        UndefinedError: It is outside.
    """
    if not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise UndefinedError("a number is larger than 2^60 or smaller than -2^60")
    return value


class Generator:
    """Makes the functions of one system, which share a namespace."""

    def __init__(self, scope: ReadScope) -> None:
        """Start with the relations of `scope`, as functions `r<slot>(s)`."""
        self.scope = scope
        self.length = 0
        self.count = 0
        self.objects: dict[str, Any] = {
            "__builtins__": {},
            "min": min,
            "max": max,
            "abs": abs,
            "small": small,
            "product": product,
        }
        self.words: dict[str, str] = {}
        self.columns: dict[str, str] = {}
        self.before = "None"
        for relation in scope.order:
            self._relation(scope.slots[relation.name], relation.formula)

    def define(self, name: str, head: str, body: Iterable[str], line: int) -> Callable[..., Any]:
        """Make a function; `line` is where the page asks for it.

        Raises:
            ReadError: The system needs more code than the limit allows.
        """
        source = f"def {name}({head}):\n" + "".join(f"    {text}\n" for text in body)
        self.length += len(source)
        if self.length > MAX_CODE:
            raise ReadError(line, f"formulas that need at most {MAX_CODE} characters of code", "more")
        exec(compile(source, "<formulas>", "exec"), self.objects)
        function: Callable[..., Any] = self.objects[name]
        return function

    def fresh(self, letter: str) -> str:
        """Make a new identifier."""
        self.count += 1
        return f"{letter}{self.count}"

    def hold(self, letter: str, thing: object) -> str:
        """Pass an object to the code; give its identifier."""
        name = self.fresh(letter)
        self.objects[name] = thing
        return name

    def _relation(self, slot: int, formula: ReadFormula) -> None:
        body = [
            f"v = s[{slot}]",
            "if v is None:",
            f"    v = {self.text(formula.expr, 's')}",
        ]
        if self.scope.traits[slot].kind is ReadKind.NUMBER:
            body.append(f"    if not -{MAX_NUMBER} <= v <= {MAX_NUMBER}: small(v)")
        body += [f"    s[{slot}] = v", "return v"]
        self.define(f"r{slot}", "s", body, formula.line)

    def root(self, expr: ReadExpr, line: int) -> Callable[[ReadState, ReadState], Any]:
        """Make a function from a state and an earlier one, which the formula may look back at, to its value."""
        return self.define(self.fresh("q"), "s, b", [f"return {self.looking_back(expr, 's')}"], line)

    def forget(self, state: str, variables: int) -> list[str]:
        """Give the statements that unset the relations that depend on `variables`."""
        slots = self.scope.dependants(variables)
        return ["".join(f"{state}[{slot}] = " for slot in slots) + "None"] if slots else []

    def move(self, slot: int, line: int) -> Callable[[ReadState, ReadValue], ReadState]:
        """Make a function from a state and a value to the state with that variable changed."""
        body = ["t = s.copy()", f"t[{slot}] = v", *self.forget("t", 1 << slot), "return t"]
        return self.define(self.fresh("m"), "s, v", body, line)

    def scan(
        self, slot: int, values: Sequence[ReadValue], condition: ReadExpr, line: int
    ) -> Callable[[ReadState, ReadState], ReadState | None]:
        """Make a function that tries values in order.

        The function goes from a state and the state before the rule to the first state where
        the condition holds, or None.
        """
        test = self.looking_back(condition, "t")
        body = [
            "t = s.copy()",
            f"for t[{slot}] in {self.hold('k', values)}:",
            *(_INDENT + line for line in self.forget("t", 1 << slot)),
            f"    if {test}: return t",
            "return None",
        ]
        return self.define(self.fresh("p"), "s, b", body, line)

    def assign(
        self, slot: int, values: Sequence[ReadValue], value: ReadExpr, line: int
    ) -> Callable[[ReadState, ReadState], ReadState | None]:
        """Make a function like `scan` that takes the value of a formula; None if the list lacks it."""
        body = [
            f"v = {self.looking_back(value, 's')}",
            f"if v not in {self.hold('k', frozenset(values))}: return None",
            "t = s.copy()",
            f"t[{slot}] = v",
            *self.forget("t", 1 << slot),
            "return t",
        ]
        return self.define(self.fresh("p"), "s, b", body, line)

    def looking_back(self, expr: ReadExpr, state: str) -> str:
        """Give the text of a formula that may look back at the state `b`."""
        self.before = "b"
        text = self.text(expr, state)
        self.before = "None"
        return text

    def text(self, expr: ReadExpr, state: str) -> str:
        """Give Python text for the value of `expr` in the state variable named `state`."""
        match expr:
            case ReadConst(value):
                return self._constant(value)
            case ReadName(name):
                return self._named(name, state)
            case ReadAdd(terms):
                return _grouped(" + ", [f"{'-' if minus else ''}{self.text(term, state)}" for minus, term in terms])
            case ReadMultiply(factors):
                return _grouped(" * ", [self.text(factor, state) for factor in factors])
            case ReadModulo(left, right):
                return self._joined(" % ", (left, right), state)
            case ReadDivide(rounding, left, right):
                return self._quotient(rounding, left, right, state)
            case ReadNegate(operand):
                return f"(-{self.text(operand, state)})"
            case ReadApply(function, arguments):
                return self._call(function, arguments, state)
            case ReadCompare(operator, left, right):
                return self._joined(COMPARISON_CODE[operator], (left, right), state)
            case ReadMember(item, options):
                listed = "".join(f"{self.text(option, state)}, " for option in options)
                return f"({self.text(item, state)} in ({listed}))"
            case ReadNot(operand):
                return f"(not {self.text(operand, state)})"
            case ReadLogic(operator, operands):
                return self._joined(CONNECTIVE_CODE[operator], operands, state)
            case ReadChoose(condition, then, otherwise):
                parts = [self.text(part, state) for part in (then, condition, otherwise)]
                return f"({parts[0]} if {parts[1]} else {parts[2]})"
            case ReadLookup(column, key):
                return f"{self._column(column)}({self.text(key, state)})"
            case ReadWith(body, changes):
                return self._with(body, changes, state)
            case ReadBefore(body) | ReadPrinted(body):
                return self.text(body, "b")
            case ReadKept(body):
                return f"({self.text(body, state)} == {self.text(body, 'b')})"
        assert_never(expr)

    def _named(self, name: str, state: str) -> str:
        scope = self.scope
        if name in scope.index:
            return self._constant(scope.index[name])
        if (slot := scope.slots.get(name)) is not None:
            return f"{state}[{slot}]" if slot < scope.variables else f"r{slot}({state})"
        if (column := scope.columns.get(name)) is not None:
            return f"{self._column(name)}({self._named(column.key, state)})"
        return self._constant(name)

    def _quotient(self, rounding: ReadRounding, left: ReadExpr, right: ReadExpr, state: str) -> str:
        first, second = self.text(left, state), self.text(right, state)
        match rounding:
            case ReadRounding.UP:
                return f"(-(-{first} // {second}))"
            case ReadRounding.DOWN:
                return f"({first} // {second})"
        assert_never(rounding)

    def _call(self, function: ReadFunction, arguments: Sequence[ReadExpr], state: str) -> str:
        match function:
            case ReadFunction.ABS:
                return "abs" + self._joined(", ", arguments, state)
            case ReadFunction.MIN | ReadFunction.MAX if len(arguments) == 1:
                return self.text(arguments[0], state)
            case ReadFunction.MIN:
                return "min" + self._joined(", ", arguments, state)
            case ReadFunction.MAX:
                return "max" + self._joined(", ", arguments, state)
        assert_never(function)

    def _joined(self, operator: str, operands: Iterable[ReadExpr], state: str) -> str:
        return f"({operator.join(self.text(operand, state) for operand in operands)})"

    def _constant(self, value: ReadValue) -> str:
        if isinstance(value, bool):
            return "True" if value else "False"
        if isinstance(value, int):
            return str(value) if value >= 0 else f"({value})"
        if value not in self.words:
            self.words[value] = self.hold("k", value)
        return self.words[value]

    def _column(self, name: str) -> str:
        """Give the identifier of a function from a key to the column's entry."""
        if name not in self.columns:
            self.columns[name] = self.hold("k", _Entries(self.scope.columns[name].entries).__getitem__)
        return self.columns[name]

    def _with(self, body: ReadExpr, changes: Sequence[tuple[str, ReadExpr]], state: str) -> str:
        """Make a function for a changed state; give the call."""
        name = self.fresh("w")
        before, self.before = self.before, "b"
        mask = 0
        body_lines = ["t = s.copy()"]
        for field, value in changes:
            slot = self.scope.slots[field]
            mask |= 1 << slot
            text = self.text(value, "s")
            if self.scope.kinds[slot] is ReadKind.NUMBER and not isinstance(value, ReadConst):
                text = f"small({text})"
            body_lines.append(f"t[{slot}] = {text}")
        body_lines += [*self.forget("t", mask), f"return {self.text(body, 't')}"]
        self.define(name, "s, b", body_lines, 1)
        self.before = before
        return f"{name}({state}, {before})"


def _grouped(operator: str, parts: list[str]) -> str:
    """Join operands in brackets, long rows in groups: Python's compiler nests once per operand."""
    while len(parts) > _GROUP:
        rows = [parts[at : at + _GROUP] for at in range(0, len(parts), _GROUP)]
        parts = [f"({operator.join(row)})" for row in rows]
    return f"({operator.join(parts)})"


class _Entries(dict[ReadValue, ReadValue]):
    """A column that raises `UndefinedError` for a key that it lacks."""

    def __missing__(self, key: ReadValue) -> ReadValue:
        raise UndefinedError(f"a table has no row for {key!r}")
