"""Check formulas and say what evaluating them involves: kinds, reads, and how much work they are.

In: a `ReadScope` and trees. Out: the `Traits` of any formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import attrs

from compiler.reader.answer.scope import NAME_BITS, ReadScope
from compiler.reader.answer.traits import Traits, check_plain, join_traits
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import Handbook
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
    ReadImplies,
    ReadLogic,
    ReadLookup,
    ReadMember,
    ReadModulo,
    ReadMultiply,
    ReadName,
    ReadNegate,
    ReadNot,
    ReadWith,
)
from compiler.reader.text.values import ReadKind, kind_of


def scope_of(book: Handbook, fact_kinds: Sequence[ReadKind]) -> ReadScope:
    """Give the scope of a handbook, every relation checked.

    Args:
        fact_kinds: Kind of each fact, in order.

    Raises:
        ReadError: Unknown name, wrong kind, relations that depend on themselves, or a limit exceeded.
    """
    scope = ReadScope(book, fact_kinds)
    for relation in scope.order:
        traits = examine(scope, relation.formula, None)
        if relation.display is not None and traits.kind is not ReadKind.NUMBER:
            check_plain(relation.line, relation.display.unit, relation.display.decimals)
        scope.record(relation, traits)
    return scope


def examine(scope: ReadScope, formula: ReadFormula, kind: ReadKind | None, *, before: bool = False) -> Traits:
    """Check a formula and say what it needs.

    Args:
        kind: The kind that its value must have, if one only.
        before: Whether `before(...)` may stand in it.

    Raises:
        ReadError: Unknown name, wrong kind, or a limit exceeded.
    """
    return _Examiner(scope, formula.line, before).examine(formula.expr, kind, 0)


class _Examiner:
    """Walks one formula; recursion is as deep as `MAX_BRACKETS`."""

    def __init__(self, scope: ReadScope, line: int, before: bool) -> None:
        self.scope = scope
        self.line = line
        self.before_allowed = before

    def fail(self, expected: str, found: str) -> ReadError:
        return ReadError(self.line, expected, found)

    def examine(self, expr: ReadExpr, wanted: ReadKind | None, level: int) -> Traits:
        if level > MAX_BRACKETS:
            raise self.fail(f"at most {MAX_BRACKETS} levels of nesting", "more")
        traits = self.traits_of(expr, level + 1)
        if wanted is not None and traits.kind is not wanted:
            raise self.fail(wanted.value, traits.kind.value)
        if traits.bits > MAX_BITS:
            raise self.fail(f"numbers of at most {MAX_BITS} bits on the way to the value", "larger ones")
        if traits.frames > MAX_FRAMES:
            raise self.fail(f"relations and `with` at most {MAX_FRAMES} deep in each other", "more")
        return traits

    def traits_of(self, expr: ReadExpr, level: int) -> Traits:
        match expr:
            case ReadConst(value):
                return Traits(kind_of(value), bits=value.bit_length() if isinstance(value, int) else 1)
            case ReadName(name):
                return self.scope.of_name(name, self.line)
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
                first = self.examine(left, _compared_kind(operator), level)
                return join_traits(ReadKind.FLAG, [first, self.examine(right, first.kind, level)])
            case ReadMember(item, options):
                first = self.examine(item, None, level)
                rest = [self.examine(option, first.kind, level) for option in options]
                return join_traits(ReadKind.FLAG, [first, *rest])
            case ReadNot(operand):
                return join_traits(ReadKind.FLAG, [self.flag(operand, level)])
            case ReadLogic(_, operands):
                return join_traits(ReadKind.FLAG, [self.flag(operand, level) for operand in operands])
            case ReadImplies(left, right):
                return join_traits(ReadKind.FLAG, [self.flag(left, level), self.flag(right, level)])
            case ReadChoose(condition, then, otherwise):
                first = self.examine(then, None, level)
                second = self.examine(otherwise, first.kind, level)
                return join_traits(first.kind, [self.flag(condition, level), first, second])
            case ReadLookup(table, key):
                return self.lookup(table, key, level)
            case ReadWith(body, changes):
                return self.with_changes(body, changes, level)
            case ReadBefore(body):
                if not self.before_allowed:
                    raise self.fail("`before` only where a rule sets a field", "`before`")
                return self.elsewhere(self.examine(body, None, level))
        assert_never(expr)

    def number(self, expr: ReadExpr, level: int) -> Traits:
        return self.examine(expr, ReadKind.NUMBER, level)

    def flag(self, expr: ReadExpr, level: int) -> Traits:
        return self.examine(expr, ReadKind.FLAG, level)

    def lookup(self, name: str, key: ReadExpr, level: int) -> Traits:
        table = self.scope.tables.get(name)
        if table is None:
            raise self.fail("the name of a table", f"`{name}`")
        key_kind = kind_of(next(iter(table.entries)))
        value_kind = kind_of(next(iter(table.entries.values())))
        return join_traits(value_kind, [self.examine(key, key_kind, level)], bits=NAME_BITS)

    def with_changes(self, body: ReadExpr, changes: Sequence[tuple[str, ReadExpr]], level: int) -> Traits:
        changed = 0
        parts: list[Traits] = []
        for name, value in changes:
            slot = self.scope.slots.get(name, self.scope.variables)
            if slot >= self.scope.variables:
                raise self.fail("a field, fact or hidden quantity to change after `with`", f"`{name}`")
            changed |= 1 << slot
            parts.append(self.examine(value, self.scope.kinds[slot], level))
        inner = self.elsewhere(self.examine(body, None, level))
        inner = attrs.evolve(inner, reads=inner.reads & ~changed, size=1 + len(changes))
        return join_traits(inner.kind, [inner, *parts], bits=inner.bits)

    def elsewhere(self, traits: Traits) -> Traits:
        """Account for a formula that is evaluated in another state."""
        steps = self.scope.steps(traits, self.line)
        return attrs.evolve(traits, calls=0, size=1, elsewhere=steps, frames=traits.frames + 1)


def _compared_kind(operator: ReadComparison) -> ReadKind | None:
    """Give the kind that both sides must have; None if any will do as long as it is the same."""
    match operator:
        case ReadComparison.EQUAL | ReadComparison.UNEQUAL:
            return None
        case ReadComparison.BELOW | ReadComparison.AT_MOST | ReadComparison.ABOVE | ReadComparison.AT_LEAST:
            return ReadKind.NUMBER
    assert_never(operator)
