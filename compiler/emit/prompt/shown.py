"""The lines of a handbook that say what profiler and log show.

In: a system, what decides in it, and what its names stand for. Out: lines, for what is explained only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compiler.emit.prompt.conversions import Conversions, own_unit
from compiler.emit.prompt.formula import formula
from compiler.emit.prompt.slice import ExplainedEvent, Slice
from compiler.emit.prompt.text import commented
from compiler.emit.prompt.vocabulary import Vocabulary
from compiler.plan import AttributePlan, EventPlan, SystemPlan


def shown_lines(system: SystemPlan, slice_: Slice, names: Vocabulary, conversions: Conversions) -> tuple[str, ...]:
    """The explained profiler values, then the explained events."""
    loggers = {event.name: logger_name(event) for event in system.events}
    return (
        *_values(system, slice_, names, conversions),
        *(
            _event(event, slice_.events[event.name], _Words(names, conversions, loggers))
            for event in system.events
            if event.name in slice_.events
        ),
    )


def logger_name(event: EventPlan) -> str:
    """What stands before the text of an event's line."""
    return event.logger or event.name


def _values(system: SystemPlan, slice_: Slice, names: Vocabulary, conversions: Conversions) -> Iterator[str]:
    """A line for each explained value; one that is a relation of the page is named without its formula."""
    definitions = dict(system.problem.relations)
    for relation in system.relations:
        if relation.display is None or relation.name not in slice_.values:
            continue
        own = "" if relation.name in slice_.defined else f" = {formula(definitions[relation.name], names)}"
        unless = "" if relation.when is None else f"n/a unless {formula(relation.when, names)}"
        yield commented(f"{relation.name}{own}", conversions.note(relation.unit, relation.display), unless)


class _Words:
    """What the lines of events need."""

    def __init__(self, names: Vocabulary, conversions: Conversions, loggers: Mapping[str, str]) -> None:
        self.names = names
        self.conversions = conversions
        self.loggers = loggers

    def value(self, attribute: AttributePlan) -> str:
        note = self.conversions.note(own_unit(attribute), attribute.display)
        return f"{attribute.name} = {formula(attribute.value, self.names)}{f' ({note})' if note else ''}"


def _event(event: EventPlan, explained: ExplainedEvent, words: _Words) -> str:
    """`logger (step = 1, 10), there if C: a = X (GiB), b = Y; stands before other if D`, as far as it is explained."""
    head = logger_name(event)
    if event.index:
        head += f" ({event.index} = {', '.join(map(str, event.at))})"
    values = [words.value(attribute) for attribute in event.attributes if attribute.name in explained.attributes]
    there = []
    if explained.presence and event.condition is not None:
        there.append(f"there if {formula(event.condition, words.names)}")
    before = []
    if explained.place and event.placed is not None:
        before.append(f"stands before {words.loggers[event.before]} if {formula(event.placed, words.names)}")
    if values or event.index:
        head = ", ".join((head, *there))
        return "; ".join((f"{head}: {', '.join(values)}" if values else head, *before))
    return f"{head}: {'; '.join((*there, *before))}"
