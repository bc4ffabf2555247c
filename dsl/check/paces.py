"""Paces of events: times aren't evidence, so they may follow only what a page shows as it is.

In: the events, variables and relations of a system. Out: nothing; what no page can have is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dsl.checked import (
    CheckedEvent,
    CheckedRelation,
    CheckedVariable,
    Constant,
    Printing,
    RelationRef,
    Typed,
    VariableRef,
    Within,
    subexpressions,
    walk_typed,
)
from dsl.diagnostics.collector import Collector


def check_paces(
    events: Sequence[CheckedEvent],
    variables: Sequence[CheckedVariable],
    relations: Mapping[str, CheckedRelation],
    collector: Collector,
) -> None:
    """Report paces that read what a page doesn't show as it is, and those that no clock has."""
    always = frozenset(name for event in events if event.condition is None for name in _attributed(event))
    for event in events:
        if event.pace is None:
            continue
        low, high = event.pace
        if isinstance(low, Constant) and isinstance(high, Constant) and not 0 <= low.value <= high.value:
            message, why = f"`{event.name}` can't take {low.value} to {high.value} ms", "expected the least time first"
            collector.error("E429", message, low.span, why, helps=("for example `200..600`, or one number",))
        told = _Told(variables, relations, always | _attributed(event))
        for bound in dict.fromkeys(event.pace):
            if (name := told.secret(bound)) is not None:
                collector.error(
                    "E429",
                    f"the times of `{event.name}` would tell `{name}`",
                    bound.span,
                    "a page doesn't show it as it is",
                    helps=(
                        "read config fields, given facts, profiler values that are always there, and attributes of the "
                        "line or of lines that are always there; none of them rounded",
                    ),
                )


def _attributed(event: CheckedEvent) -> frozenset[str]:
    """The relations that attributes of an event with one line show as they are."""
    if event.index:
        return frozenset()
    shown = (each.value for each in event.attributes if each.printing is None)
    return frozenset(value.name for value in shown if isinstance(value, RelationRef))


class _Told:
    """What a page shows as it is.

    Args:
        attributed: The relations that attributes show.
    """

    def __init__(
        self,
        variables: Iterable[CheckedVariable],
        relations: Mapping[str, CheckedRelation],
        attributed: frozenset[str],
    ) -> None:
        self.variables = {
            each.name for each in variables if each.kind != "hidden" and not isinstance(each.printing, Printing)
        }
        self.secrets: dict[str, str | None] = {}  # of each relation, in their order: later ones read earlier ones
        self.of_the_run: dict[str, str | None] = {}  # the first shown relation that each relation reads
        for name, relation in relations.items():
            shown = relation.profiler and relation.condition is None and relation.printing is None
            if shown or name in attributed:
                self.secrets[name], self.of_the_run[name] = None, name
            else:
                self.secrets[name] = name if relation.profiler else self.secret(relation.value)
                self.of_the_run[name] = self._shown_in(relation.value)

    def secret(self, expr: Typed) -> str | None:
        """A name that `expr` reads, directly or through relations, and whose value the page doesn't show as it is."""
        match expr:
            case VariableRef(name=name):
                return None if name in self.variables else name
            case RelationRef(name=name):
                return self.secrets.get(name)
            case Within(body=body):
                # A page shows relations of its own run alone, not of a changed one.
                return self._shown_in(body) or self._first(map(self.secret, subexpressions(expr)))
            case _:
                return self._first(map(self.secret, subexpressions(expr)))

    def _shown_in(self, expr: Typed) -> str | None:
        read = (part.name for part in walk_typed(expr) if isinstance(part, RelationRef))
        return self._first(self.of_the_run.get(name) for name in read)

    @staticmethod
    def _first(names: Iterable[str | None]) -> str | None:
        return next((name for name in names if name is not None), None)
