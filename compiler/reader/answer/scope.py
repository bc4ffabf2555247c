"""Names of one system: what each stands for, where its value stands, what it needs.

In: a `Handbook` and the config values that can't be changed. Out: a `ReadScope`, to which `examine` adds the traits of
the relations. Variables have slots 0, 1, ... in the order fields, fixed values, hidden quantities; relations have
the slots after them. A name that is none of these, nor a column nor an index, is a word.
"""

from __future__ import annotations

import graphlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from compiler.reader.answer.traits import Traits, slots_of
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import Handbook, ReadColumn, ReadField, ReadFixed, ReadHidden, ReadRelation
from compiler.reader.text.limits import MAX_NUMBER, MAX_STEPS
from compiler.reader.text.values import ReadKind, kind_of

NAME_BITS: Final = MAX_NUMBER.bit_length()
"""Bound on the size of a variable's, relation's or table's number."""


class ReadScope:
    """Names of one system with what they stand for.

    Attributes:
        slots: Slot by name.
        variables: Number of variables; the relations' slots follow.
        kinds: Kind of each variable, by slot.
        columns: Column by name.
        index: The number of the line that a formula is about, by the name of its index; empty elsewhere.
        order: Relations such that each stands after those that it needs.
        traits: By the slot of a relation, those of its formula, as far as `record` has been told.
    """

    def __init__(self, book: Handbook, fixed: Sequence[ReadFixed], kinds: Sequence[ReadKind]) -> None:
        """Give every name of `book` its slot.

        Args:
            fixed: The config values that can't be changed, those without a line of their own too.
            kinds: Kind of each of them, in order.

        Raises:
            ReadError: Relations depend on themselves.
        """
        variables: list[ReadField | ReadFixed | ReadHidden] = [*book.fields, *fixed, *book.hidden]
        names = [item.name for item in (*variables, *book.relations)]
        self.slots: Mapping[str, int] = {name: slot for slot, name in enumerate(names)}
        self.variables = len(variables)
        self.columns: Mapping[str, ReadColumn] = {column.name: column for column in book.columns}
        self.index: dict[str, int] = {}
        self.kinds = [kind_of(field.values[0]) for field in book.fields]
        self.kinds += kinds
        self.kinds += [kind_of(quantity.values[0]) for quantity in book.hidden]
        self.order = _needed_first(book.relations, book.columns)
        self.traits: dict[int, Traits] = {}
        self._reach: dict[int, int] = {}
        self._own: dict[int, int] = {}

    def record(self, relation: ReadRelation, traits: Traits) -> None:
        """Keep the traits of a relation's formula; those that it needs have been recorded before.

        Raises:
            ReadError: It takes too many steps.
        """
        slot = self.slots[relation.name]
        self.traits[slot] = traits
        self._reach[slot] = self._closure(traits.calls)
        self._own[slot] = traits.size + traits.elsewhere
        self.steps(traits, relation.line)

    @contextmanager
    def line_of(self, index: str, at: int | None) -> Iterator[None]:
        """Let formulas be about the line whose `index` is `at`; None for lines without an index."""
        if at is not None:
            self.index[index] = at
        yield
        self.index.clear()

    def _closure(self, calls: int) -> int:
        """Add to a set of relations all that they need."""
        closure = calls
        for slot in slots_of(calls):
            closure |= self._reach[slot]
        return closure

    def steps(self, traits: Traits, line: int) -> int:
        """Bound the operations that evaluating takes in a state where nothing is known yet.

        Raises:
            ReadError: They are more than the limit.
        """
        needed = slots_of(self._closure(traits.calls))
        work = traits.size + traits.elsewhere + sum(self._own[slot] for slot in needed)
        if work > MAX_STEPS:
            raise ReadError(line, f"a formula of at most {MAX_STEPS} steps", str(work))
        return work

    def dependants(self, variables: int) -> tuple[int, ...]:
        """List the relations whose value changes with one of `variables`."""
        return tuple(slot for slot, traits in self.traits.items() if traits.reads & variables)

    def of_name(self, name: str) -> Traits:
        """Give the traits of a variable or relation, which `slots` has, by itself."""
        slot = self.slots[name]
        if slot < self.variables:
            return Traits(self.kinds[slot], reads=1 << slot, bits=NAME_BITS)
        own = self.traits[slot]
        return Traits(own.kind, own.reads, calls=1 << slot, bits=NAME_BITS, frames=1 + own.frames)


def _needed_first(relations: Sequence[ReadRelation], columns: Sequence[ReadColumn]) -> tuple[ReadRelation, ...]:
    by_name = {relation.name: relation for relation in relations}
    keys = {column.name: column.key for column in columns}
    sorter: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter()
    for relation in relations:
        names = relation.formula.names.union(keys[name] for name in relation.formula.names & keys.keys())
        sorter.add(relation.name, *sorted(names & by_name.keys()))
    try:
        return tuple(by_name[name] for name in sorter.static_order())
    except graphlib.CycleError as error:
        cycle: list[str] = error.args[1]
        line = min(by_name[name].line for name in cycle)
        raise ReadError(line, "relations that do not depend on themselves", " -> ".join(cycle)) from None
