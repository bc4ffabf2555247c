"""What the names in a system's formulas stand for, as far as it matters for their text.

In: a system. Out: which names are flags, which are words, and which tables are read by a column's name alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import attrs

from compiler.emit.prompt.text import TRUTH_VALUES, is_flag
from compiler.plan import SystemPlan
from solvers.problem import Expr, Lookup, RelationValue, Var, prescribed, walk_expr


@attrs.frozen
class Vocabulary:
    """What names stand for.

    Attributes:
        flags: Variables that are true or false. `f != 0` of a flag prints as `f`, `f == 0` as `not f`.
        words: Variables, relations and tables whose values are words; they are compared by `is`.
        columns: For tables that formulas read by a variable or relation: its name. Read by it, a table prints as its
            own name.
        keyed: Tables that some formula reads in another way.
    """

    flags: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    columns: Mapping[str, str] = attrs.field(factory=dict)
    keyed: frozenset[str] = frozenset()

    def is_column(self, lookup: Lookup) -> bool:
        """Whether a lookup prints as the name of its table."""
        key = lookup.key
        return isinstance(key, Var | RelationValue) and key.name == self.columns.get(lookup.table)


def vocabulary_of(system: SystemPlan) -> Vocabulary:
    """Find what the names of `system` stand for."""
    labelled = [(plan.name, plan.display.labels) for plan in system.variables]
    labelled += [(plan.name, plan.labels) for plan in system.relations]
    labelled += [(plan.name, plan.value_labels) for plan in system.tables]
    lookups = [node for expr in formulas_of(system) for node in walk_expr(expr) if isinstance(node, Lookup)]
    names = Vocabulary(
        flags=frozenset(plan.name for plan in system.variables if is_flag(plan.display)),
        words=frozenset(name for name, labels in labelled if labels and set(labels.values()) != set(TRUTH_VALUES)),
        columns=_columns(lookups),
    )
    return attrs.evolve(names, keyed=frozenset(each.table for each in lookups if not names.is_column(each)))


def _columns(lookups: Iterable[Lookup]) -> dict[str, str]:
    """What each table is read by: the name that most of its lookups use, or of those the first."""
    readers: dict[str, Counter[str]] = {}
    for lookup in lookups:
        if isinstance(lookup.key, Var | RelationValue):
            readers.setdefault(lookup.table, Counter())[lookup.key.name] += 1
    return {table: counts.most_common(1)[0][0] for table, counts in readers.items()}


def formulas_of(system: SystemPlan) -> Iterator[Expr]:
    """Every expression of a system that a page may print."""
    for _, definition in system.problem.relations:
        yield definition
    for relation in system.relations:
        if relation.when is not None:
            yield relation.when
    for event in system.events:
        yield from (expr for expr in (event.condition, event.placed) if expr is not None)
        yield from (attribute.value for attribute in event.attributes)
    yield from (condition for _, condition in system.stated)
    for rule in system.problem.rules:
        yield rule.guard
        yield from prescribed(rule)
