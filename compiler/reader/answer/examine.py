"""Check formulas and say what evaluating them involves: kinds, reads, and how much work they are.

In: a `ReadScope` and trees. Out: the `Traits` of any formula.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import assert_never

import attrs

from compiler.reader.answer.scope import NAME_BITS, ReadScope
from compiler.reader.answer.traits import Traits, join_traits
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import Handbook, ReadFixed
from compiler.reader.text.limits import MAX_BITS, MAX_BRACKETS, MAX_FRAMES
from compiler.reader.text.tree import (
    ReadAdd,
    ReadApply,
    ReadBefore,
    ReadChoose,
    ReadCompare,
    ReadComparison,
    ReadConst,
    ReadDivide,
    ReadExpr,
    ReadFormula,
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
    ReadWith,
)
from compiler.reader.text.values import ReadKind, kind_of


class ReadBackward(enum.Enum):
    """Which earlier state a formula may look back at."""

    NOT = "none"
    RULE = "that in which the rule was taken"
    START = "that of the run as printed"


def scope_of(book: Handbook, fixed: Sequence[ReadFixed], kinds: Sequence[ReadKind]) -> ReadScope:
    """Give the scope of a handbook, every relation checked.

    Args:
        fixed: The config values that can't be changed.
        kinds: Kind of each of them, in order.

    Raises:
        ReadError: Unknown name, wrong kind, relations that depend on themselves, or a limit exceeded.
    """
    scope = ReadScope(book, fixed, kinds)
    for relation in scope.order:
        scope.record(relation, examine(scope, relation.formula, None))
    for column in book.columns:
        if column.key and column.key not in scope.slots:
            raise ReadError(column.line, "a variable or relation as the header of the rows", f"`{column.key}`")
    return scope


def examine(
    scope: ReadScope, formula: ReadFormula, kind: ReadKind | None, back: ReadBackward = ReadBackward.NOT
) -> Traits:
    """Check a formula and say what it needs.

    Args:
        kind: The kind that its value must have, if one only.
        back: Whether `before(...)` or `printed(...)` may stand in it.

    Raises:
        ReadError: Unknown name, wrong kind, or a limit exceeded.
    """
    return _Examiner(scope, formula.line, back).examine(formula.expr, kind, 0)


class _Examiner:
    """Walks one formula; recursion is as deep as `MAX_BRACKETS`."""

    def __init__(self, scope: ReadScope, line: int, back: ReadBackward) -> None:
        self.scope = scope
        self.line = line
        self.back = back

    def fail(self, expected: str, found: str) -> ReadError:
        return ReadError(self.line, expected, found)

    def examine(self, expr: ReadExpr, wanted: ReadKind | None, level: int) -> Traits:
        if level > MAX_BRACKETS:
            raise self.fail(f"at most {MAX_BRACKETS} levels of nesting", "more")
        traits = self.traits_of(expr, level + 1)
        if wanted is not None and traits.kind is not wanted:
            raise self.fail(wanted.value, self.described(expr, traits.kind))
        if traits.bits > MAX_BITS:
            raise self.fail(f"numbers of at most {MAX_BITS} bits on the way to the value", "larger ones")
        if traits.frames > MAX_FRAMES:
            raise self.fail(f"relations and `with` at most {MAX_FRAMES} deep in each other", "more")
        return traits

    def described(self, expr: ReadExpr, kind: ReadKind) -> str:
        """Say what stands where another kind should; a name that nothing has may be a slip."""
        match expr:
            case ReadName(name) if kind is ReadKind.WORD and self.is_word(expr):
                return f"the word `{name}`"
        return kind.value

    def need_name(self, *compared: ReadExpr) -> None:
        """Refuse a comparison of words alone: one of them is a name that was miswritten."""
        if all(self.is_word(expr) for expr in compared):
            raise self.fail("the name of something beside a word", "words alone")

    def is_word(self, expr: ReadExpr) -> bool:
        match expr:
            case ReadConst(str()):
                return True
            case ReadName(name):
                scope = self.scope
                return name not in scope.slots and name not in scope.columns and name not in scope.index
            case _:
                return False

    def traits_of(self, expr: ReadExpr, level: int) -> Traits:
        match expr:
            case ReadConst(value):
                return Traits(kind_of(value), bits=value.bit_length() if isinstance(value, int) else 1)
            case ReadName(name):
                return self.named(name, level)
            case ReadAdd(terms):
                parts = [self.number(term, level) for _, term in terms]
                largest = max(part.bits for part in parts)
                return join_traits(ReadKind.NUMBER, parts, bits=largest + len(parts).bit_length())
            case ReadMultiply(factors):
                parts = [self.number(factor, level) for factor in factors]
                return join_traits(ReadKind.NUMBER, parts, bits=sum(part.bits for part in parts))
            case ReadModulo(left, right) | ReadDivide(_, left, right):
                return join_traits(ReadKind.NUMBER, [self.number(left, level), self.number(right, level)])
            case ReadNegate(operand):
                return join_traits(ReadKind.NUMBER, [self.number(operand, level)])
            case ReadApply(_, arguments):
                return join_traits(ReadKind.NUMBER, [self.number(item, level) for item in arguments])
            case ReadCompare(operator, left, right):
                first = self.examine(left, None, level)
                if not _comparable(operator, first.kind):
                    raise self.fail(
                        f"{_compared(operator)} beside `{operator.value}`", self.described(left, first.kind)
                    )
                self.need_name(left, right)
                return join_traits(ReadKind.FLAG, [first, self.examine(right, first.kind, level)])
            case ReadMember(item, options):
                first = self.examine(item, None, level)
                self.need_name(item, *options)
                rest = [self.examine(option, first.kind, level) for option in options]
                return join_traits(ReadKind.FLAG, [first, *rest])
            case ReadNot(operand):
                return join_traits(ReadKind.FLAG, [self.flag(operand, level)])
            case ReadLogic(_, operands):
                return join_traits(ReadKind.FLAG, [self.flag(operand, level) for operand in operands])
            case ReadChoose(condition, then, otherwise):
                first = self.examine(then, None, level)
                second = self.examine(otherwise, first.kind, level)
                return join_traits(first.kind, [self.flag(condition, level), first, second])
            case ReadLookup(column, key):
                return self.lookup(column, key, level)
            case ReadWith(body, changes):
                return self.with_changes(body, changes, level)
            case ReadBefore(body):
                return self.earlier(body, ReadBackward.RULE, "`before` only where a rule sets a field", level)
            case ReadPrinted(body):
                return self.earlier(body, ReadBackward.START, "`printed` only in the condition of a rule", level)
            case ReadKept(body):
                now = self.examine(body, None, level)
                return join_traits(ReadKind.FLAG, [now, self.looked_back(now)])
        assert_never(expr)

    def number(self, expr: ReadExpr, level: int) -> Traits:
        return self.examine(expr, ReadKind.NUMBER, level)

    def flag(self, expr: ReadExpr, level: int) -> Traits:
        return self.examine(expr, ReadKind.FLAG, level)

    def named(self, name: str, level: int) -> Traits:
        """Give the traits of a name: an index, a variable, a relation, a column's entry for the run, or a word."""
        scope = self.scope
        if name in scope.index:
            return Traits(ReadKind.NUMBER, bits=scope.index[name].bit_length())
        if name in scope.slots:
            return scope.of_name(name)
        if (column := scope.columns.get(name)) is None:
            return Traits(ReadKind.WORD)
        if not column.key:
            raise self.fail(f"`{name}[...]`, as no column stands for the row of the run", f"`{name}` alone")
        return self.lookup(name, ReadName(column.key), level)

    def earlier(self, body: ReadExpr, state: ReadBackward, expected: str, level: int) -> Traits:
        if self.back is not state:
            raise self.fail(expected, f"`{'before' if state is ReadBackward.RULE else 'printed'}`")
        return self.looked_back(self.examine(body, None, level))

    def looked_back(self, traits: Traits) -> Traits:
        """Account for a formula that is evaluated in the earlier state."""
        return attrs.evolve(self.elsewhere(traits), reads=0, earlier=traits.variables)

    def lookup(self, name: str, key: ReadExpr, level: int) -> Traits:
        column = self.scope.columns.get(name)
        if column is None:
            raise self.fail("the name of a column", f"`{name}`")
        key_kind = kind_of(next(iter(column.entries)))
        value_kind = kind_of(next(iter(column.entries.values())))
        return join_traits(value_kind, [self.examine(key, key_kind, level)], bits=NAME_BITS)

    def with_changes(self, body: ReadExpr, changes: Sequence[tuple[str, ReadExpr]], level: int) -> Traits:
        changed = 0
        parts: list[Traits] = []
        for name, value in changes:
            slot = self.scope.slots.get(name, self.scope.variables)
            if slot >= self.scope.variables:
                raise self.fail("a field, fixed value or hidden quantity to change", f"`{name}`")
            changed |= 1 << slot
            parts.append(self.examine(value, self.scope.kinds[slot], level))
        inner = self.elsewhere(self.examine(body, None, level))
        inner = attrs.evolve(inner, reads=inner.reads & ~changed, size=1 + len(changes))
        return join_traits(inner.kind, [inner, *parts], bits=inner.bits)

    def elsewhere(self, traits: Traits) -> Traits:
        """Account for a formula that is evaluated in another state."""
        steps = self.scope.steps(traits, self.line)
        return attrs.evolve(traits, calls=0, size=1, elsewhere=steps, frames=traits.frames + 1)


def _comparable(operator: ReadComparison, kind: ReadKind) -> bool:
    """Say whether values of a kind may stand beside an operator."""
    match operator:
        case ReadComparison.IS | ReadComparison.IS_NOT:
            return kind is ReadKind.WORD
        case ReadComparison.EQUAL | ReadComparison.UNEQUAL:
            return kind is not ReadKind.WORD
        case ReadComparison.BELOW | ReadComparison.AT_MOST | ReadComparison.ABOVE | ReadComparison.AT_LEAST:
            return kind is ReadKind.NUMBER
    assert_never(operator)


def _compared(operator: ReadComparison) -> str:
    return " or ".join(kind.value for kind in ReadKind if _comparable(operator, kind))
