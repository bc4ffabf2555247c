"""What names mean and what formulas need: kinds, reads, and how much work they are.

In: a `Handbook` and the kinds of the facts without a list. Out: a `Scope`, which gives the
`Traits` of any formula. Variables have slots 0, 1, ... in the order fields, facts, hidden
quantities; relations have the slots after them. Sets of slots are bit masks.
"""

from __future__ import annotations

import graphlib
from collections.abc import Mapping, Sequence
from typing import Final, assert_never

import attrs

from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import Fact, Field, Handbook, Hidden, Relation, Table
from compiler.reader.text.limits import MAX_BITS, MAX_BRACKETS, MAX_FRAMES, MAX_STEPS
from compiler.reader.text.tree import (
    Add,
    Compare,
    Divide,
    Implies,
    Logic,
    Member,
    Modulo,
    Multiply,
    Negate,
    Not,
    ReadApply,
    ReadBefore,
    ReadChoose,
    ReadConst,
    ReadExpr,
    ReadFormula,
    ReadLookup,
    ReadName,
    ReadWith,
)
from compiler.reader.text.values import ReadKind, kind_of

_NAME_BITS: Final = 61
_EQUALITY: Final = ("==", "!=")


@attrs.frozen
class Traits:
    """What evaluating a formula in a state involves.

    Attributes:
        kind: Kind of the value.
        reads: Variables whose value in that state matters, through relations too.
        calls: Relations needed in that state, not counting those that they need.
        size: Operations in the formula itself.
        elsewhere: Operations in other states, below `with` and `before`.
        bits: Bound on the size of a number on the way.
        frames: Calls inside calls.
        before: Whether the state in which the rule fired is needed.
    """

    kind: ReadKind
    reads: int = 0
    calls: int = 0
    size: int = 1
    elsewhere: int = 0
    bits: int = 1
    frames: int = 1
    before: bool = False


def slots_of(mask: int) -> tuple[int, ...]:
    """List the members of a bit mask, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


class ReadScope:
    """Names of one system with what they stand for.

    Attributes:
        slots: Slot by name.
        variables: Number of variables; the relations' slots follow.
        order: Relations such that each stands after those that it needs.
        traits: By the slot of a relation, those of its formula.
    """

    def __init__(self, book: Handbook, fact_kinds: Sequence[ReadKind]) -> None:
        """Check every relation of `book`.

        Args:
            fact_kinds: Kind of each fact, in order.

        Raises:
            ReadError: Unknown name, wrong kind, circular relations, or a limit exceeded.
        """
        variables: list[Field | Fact | Hidden] = [*book.fields, *book.facts, *book.hidden]
        names = [item.name for item in (*variables, *book.relations)]
        self.slots: Mapping[str, int] = {name: slot for slot, name in enumerate(names)}
        self.variables = len(variables)
        self.tables: Mapping[str, Table] = {table.name: table for table in book.tables}
        self.fields: Mapping[str, int] = {field.name: at for at, field in enumerate(book.fields)}
        self.kinds = [kind_of(field.values[0]) for field in book.fields]
        self.kinds += fact_kinds
        self.kinds += [kind_of(quantity.values[0]) for quantity in book.hidden]
        self.order = self._order(book.relations)
        self.traits: dict[int, Traits] = {}
        self._reach: dict[int, int] = {}
        self._own: dict[int, int] = {}
        for relation in self.order:
            self._add(relation)

    def _order(self, relations: Sequence[Relation]) -> tuple[Relation, ...]:
        by_name = {relation.name: relation for relation in relations}
        sorter = graphlib.TopologicalSorter(
            {relation.name: sorted(relation.formula.names & by_name.keys()) for relation in relations}
        )
        try:
            return tuple(by_name[name] for name in sorter.static_order())
        except graphlib.CycleError as error:
            cycle: list[str] = error.args[1]
            line = min(by_name[name].line for name in cycle)
            raise ReadError(line, "relations without a circle", " -> ".join(cycle)) from None

    def _add(self, relation: Relation) -> None:
        slot = self.slots[relation.name]
        traits = self.examine(relation.formula, before=False)
        if relation.display is not None and traits.kind is not ReadKind.NUMBER:
            check_plain(relation.line, relation.display.unit, relation.display.decimals)
        self.traits[slot] = traits
        self._reach[slot] = self._closure(traits.calls)
        self._own[slot] = traits.size + traits.elsewhere
        self.steps(traits, relation.line)

    def _closure(self, calls: int) -> int:
        """Add to a set of relations all that they need."""
        closure = calls
        for slot in slots_of(calls):
            closure |= self._reach[slot]
        return closure

    def _work(self, traits: Traits) -> int:
        needed = slots_of(self._closure(traits.calls))
        return traits.size + traits.elsewhere + sum(self._own[slot] for slot in needed)

    def steps(self, traits: Traits, line: int) -> int:
        """Bound the operations that evaluating takes in a state where nothing is known yet."""
        work = self._work(traits)
        if work > MAX_STEPS:
            raise ReadError(line, f"a formula of at most {MAX_STEPS} steps", str(work))
        return work

    def dependants(self, variables: int) -> tuple[int, ...]:
        """List the relations whose value changes with one of `variables`."""
        return tuple(slot for slot, traits in self.traits.items() if traits.reads & variables)

    def examine(self, formula: ReadFormula, *, before: bool, kind: ReadKind | None = None) -> Traits:
        """Check a formula and say what it needs.

        Args:
            before: Whether `before(...)` may stand in it.
            kind: The kind that its value must have.

        Raises:
            ReadError: Unknown name, wrong kind, or a limit exceeded.
        """
        return _Examiner(self, formula.line, before).examine(formula.expr, kind, 0)

    def of_name(self, name: str, line: int) -> Traits:
        """Traits of a variable or relation by itself."""
        slot = self.slots.get(name)
        if slot is None:
            raise ReadError(line, "the name of a field, fact, quantity or relation", f"`{name}`")
        if slot < self.variables:
            return Traits(self.kinds[slot], reads=1 << slot, bits=_NAME_BITS)
        own = self.traits[slot]
        return Traits(own.kind, own.reads, calls=1 << slot, bits=_NAME_BITS, frames=1 + own.frames)


def check_plain(line: int, unit: str, decimals: int) -> None:
    """Refuse a unit or decimals on what is not a number."""
    if unit or decimals:
        raise ReadError(line, "a unit and decimals only on numbers", unit or f"{decimals} decimals")


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
            raise self.fail(f"a product of at most {MAX_BITS} bits", "a larger one")
        if traits.frames > MAX_FRAMES:
            raise self.fail(f"at most {MAX_FRAMES} evaluations inside each other", "more")
        return traits

    def traits_of(self, expr: ReadExpr, level: int) -> Traits:
        match expr:
            case ReadConst(value):
                return Traits(kind_of(value), bits=value.bit_length() if isinstance(value, int) else 1)
            case ReadName(name):
                return self.scope.of_name(name, self.line)
            case Add(terms):
                parts = [self.number(term, level) for _, term in terms]
                largest = max(part.bits for part in parts)
                return join(ReadKind.NUMBER, parts, bits=largest + len(parts).bit_length())
            case Multiply(factors):
                parts = [self.number(factor, level) for factor in factors]
                return join(ReadKind.NUMBER, parts, bits=sum(part.bits for part in parts))
            case Modulo(left, right) | Divide(_, left, right):
                parts = [self.number(left, level), self.number(right, level)]
                return join(ReadKind.NUMBER, parts)
            case Negate(operand):
                return join(ReadKind.NUMBER, [self.number(operand, level)])
            case ReadApply(_, arguments):
                return join(ReadKind.NUMBER, [self.number(item, level) for item in arguments])
            case Compare(operator, left, right):
                kind = None if operator in _EQUALITY else ReadKind.NUMBER
                first = self.examine(left, kind, level)
                return join(ReadKind.FLAG, [first, self.examine(right, first.kind, level)])
            case Member(item, options):
                first = self.examine(item, None, level)
                rest = [self.examine(option, first.kind, level) for option in options]
                return join(ReadKind.FLAG, [first, *rest])
            case Not(operand):
                return join(ReadKind.FLAG, [self.flag(operand, level)])
            case Logic(_, operands):
                return join(ReadKind.FLAG, [self.flag(operand, level) for operand in operands])
            case Implies(left, right):
                return join(ReadKind.FLAG, [self.flag(left, level), self.flag(right, level)])
            case ReadChoose(condition, then, otherwise):
                first = self.examine(then, None, level)
                second = self.examine(otherwise, first.kind, level)
                return join(first.kind, [self.flag(condition, level), first, second])
            case ReadLookup(table, key):
                return self.lookup(table, key, level)
            case ReadWith(body, changes):
                return self.with_changes(body, changes, level)
            case ReadBefore(body):
                if not self.before_allowed:
                    raise self.fail("`before` only where a rule sets a field", "`before`")
                return self.elsewhere(self.examine(body, None, level), before=True)
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
        return join(value_kind, [self.examine(key, key_kind, level)], bits=_NAME_BITS)

    def with_changes(self, body: ReadExpr, changes: Sequence[tuple[str, ReadExpr]], level: int) -> Traits:
        changed = 0
        parts: list[Traits] = []
        for name, value in changes:
            slot = self.scope.slots.get(name, self.scope.variables)
            if slot >= self.scope.variables:
                raise self.fail("a variable to change after `with`", f"`{name}`")
            changed |= 1 << slot
            parts.append(self.examine(value, self.scope.kinds[slot], level))
        inner = self.elsewhere(self.examine(body, None, level))
        inner = attrs.evolve(inner, reads=inner.reads & ~changed, size=1 + len(changes))
        return join(inner.kind, [inner, *parts], bits=inner.bits)

    def elsewhere(self, traits: Traits, *, before: bool = False) -> Traits:
        """Account for a formula that is evaluated in another state."""
        return attrs.evolve(
            traits,
            calls=0,
            size=1,
            elsewhere=self.scope.steps(traits, self.line),
            frames=traits.frames + 1,
            before=before or traits.before,
        )


def join(kind: ReadKind, parts: Sequence[Traits], *, bits: int | None = None) -> Traits:
    """Combine the traits of operands evaluated in one state."""
    reads = calls = 0
    for part in parts:
        reads |= part.reads
        calls |= part.calls
    return Traits(
        kind,
        reads,
        calls,
        size=1 + sum(part.size for part in parts),
        elsewhere=sum(part.elsewhere for part in parts),
        bits=max(part.bits for part in parts) if bits is None else bits,
        frames=max(part.frames for part in parts),
        before=any(part.before for part in parts),
    )
