"""Events of the log: when their lines are there, where they stand, what they say.

In: the events of a system in declaration order, and the `Checker` of the system. Out: checked events; what is wrong is
reported and left out. A repeated event is checked once, for any value of its index, and then written out for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from dsl.check.checker import Checker
from dsl.check.declarations import resolve_type
from dsl.check.index import refuse_repeated, report_duplicate
from dsl.check.literals import domain_constants
from dsl.check.names import IndexSymbol
from dsl.check.printing import check_show, fill_text, refuse_empty_wordings
from dsl.check.quantifiers import name_is_free
from dsl.checked import CheckedAttribute, CheckedEvent, Constant, Typed, substituted, walk_typed
from dsl.diagnostics.collector import Collector
from dsl.syntax import nodes
from dsl.value_types import NUMBER

DEFAULT_LEVEL: Final = "info"
"""The level of a line of the log where the author says nothing."""

MAX_OCCURRENCES: Final = 50
"""How many lines an event may have."""


def event_logger(event: nodes.EventDecl) -> nodes.Ident:
    """What the line of an event names as its origin."""
    return event.logger or event.name


def check_events(decls: Sequence[nodes.EventDecl], checker: Checker) -> tuple[CheckedEvent, ...]:
    """Check the events of a system."""
    refuse_shared_loggers(decls, checker.collector)
    found = [_event(decl, decls, checker) for decl in decls]
    return tuple(event for event in found if event is not None)


def refuse_shared_loggers(decls: Sequence[nodes.EventDecl], collector: Collector) -> None:
    """A line of the log is known by its logger, so two events can't share one."""
    loggers: dict[str, tuple[nodes.EventDecl, nodes.Ident]] = {}
    for event in decls:
        logger = event_logger(event)
        other, earlier = loggers.setdefault(logger.name, (event, logger))
        if other.name.name != event.name.name:
            report_duplicate(logger.name, logger, earlier, collector, what="is the logger of two events")


def _event(decl: nodes.EventDecl, decls: Sequence[nodes.EventDecl], checker: Checker) -> CheckedEvent | None:
    values: tuple[Constant, ...] = ()
    inner = checker
    named = [attribute.name for attribute in decl.attributes]
    if decl.repetition is not None:
        index = decl.repetition.index
        found = _index_values(decl.repetition, checker)
        if found is None:
            return None
        values = found
        named.insert(0, index)
        scope = checker.scope.extended({index.name: IndexSymbol(index, NUMBER)})
        inner = attrs.evolve(checker, scope=scope)
    refuse_repeated(named, checker.collector)
    condition = None if decl.condition is None else inner.condition(decl.condition)
    attributes = [_attribute(attribute, inner) for attribute in decl.attributes]
    wordings = _wordings(decl, {ident.name for ident in named}, checker.collector)
    placed = _placed(decl, decls, checker)
    if (decl.condition is not None and condition is None) or (decl.placement is not None and placed is None):
        return None
    event = CheckedEvent(
        name=decl.name.name,
        text=decl.text or "",
        condition=condition,
        attributes=tuple(attribute for attribute in attributes if attribute is not None),
        wordings=wordings,
        level=decl.level or DEFAULT_LEVEL,
        logger=event_logger(decl).name,
        index="" if decl.repetition is None else decl.repetition.index.name,
        at=tuple(value.value for value in values),
        pace=None if decl.pace is None else _pace(decl.pace, checker),
        before="" if decl.placement is None else decl.placement.other.name,
        placed=placed,
        wording_spans=tuple(wording.span for wording in decl.wordings),
        span=decl.name.span,
    )
    return attrs.evolve(event, occurrences=_occurrences(event, values, checker))


def _wordings(decl: nodes.EventDecl, names: set[str], collector: Collector) -> tuple[str, ...]:
    def keep(name: str) -> str | None:
        return f"{{{name}}}" if name in names else None

    if not names:
        refuse_empty_wordings(decl.wordings, collector)
    return tuple(fill_text(wording, keep, names, "an attribute of the event", collector) for wording in decl.wordings)


def _attribute(decl: nodes.AttrDecl, checker: Checker) -> CheckedAttribute | None:
    type_ = None if decl.type is None else resolve_type(decl.type, checker.scope, checker.collector)
    if decl.type is not None and type_ is None:
        return None
    value = checker.stated(decl.value, type_, f"the value of `{decl.name.name}`")
    if value is None:
        return None
    printing = check_show(decl.show, value.type, checker.scope, checker.collector)
    return CheckedAttribute(decl.name.name, value.type, value, printing, span=decl.name.span)


# ------------------------------------------------------------------ repeated events


def _index_values(repetition: nodes.Repetition, checker: Checker) -> tuple[Constant, ...] | None:
    if not name_is_free(checker, repetition.index):
        return None
    count = len(repetition.values.values)
    if count > MAX_OCCURRENCES:
        message, most = f"the event has {count} lines", f"at most {MAX_OCCURRENCES} are allowed"
        checker.collector.error("E403", message, repetition.values.span, most)
        return None
    return domain_constants(repetition.values, NUMBER, checker.constants().value, checker.collector)


def _occurrences(event: CheckedEvent, values: Sequence[Constant], checker: Checker) -> tuple[CheckedEvent, ...]:
    """The event at each value of its index; none if that takes too many terms."""
    exprs = [attribute.value for attribute in event.attributes]
    exprs += [] if event.condition is None else [event.condition]
    terms = len(values) * sum(1 for expr in exprs for _ in walk_typed(expr))
    if not attrs.evolve(checker, written_out=bool(values)).charge(event.span, terms):
        return ()

    def at(value: Constant) -> CheckedEvent:
        def here(expr: Typed) -> Typed:
            return substituted(expr, event.index, value)

        return attrs.evolve(
            event,
            name=f"{event.name}@{value.value}",
            condition=None if event.condition is None else here(event.condition),
            attributes=tuple(attrs.evolve(each, value=here(each.value)) for each in event.attributes),
            index="",
            at=(),
        )

    return tuple(at(value) for value in values)


def _pace(pace: nodes.Pace, checker: Checker) -> tuple[Typed, Typed] | None:
    """The least and most milliseconds of an event or of a repetition."""
    low = checker.value(pace.low, NUMBER, "a number of milliseconds")
    if pace.high is None:
        return None if low is None else (low, low)
    high = checker.value(pace.high, NUMBER, "the most milliseconds")
    return None if low is None or high is None else (low, high)


# ------------------------------------------------------------------ events placed before others


def _placed(decl: nodes.EventDecl, decls: Sequence[nodes.EventDecl], checker: Checker) -> Typed | None:
    """When an event stands before the other one that it names."""
    if decl.placement is None:
        return None
    condition = checker.condition(decl.placement.condition)
    other = known_event(decl.placement.other, decls, checker.collector)
    if other is None or not _may_be_placed(decl, other, checker.collector):
        return None
    return condition


def known_event(ident: nodes.Ident, decls: Sequence[nodes.EventDecl], collector: Collector) -> nodes.EventDecl | None:
    """Find the event of that name; says so if there is none."""
    other = next((each for each in decls if each.name.name == ident.name), None)
    if other is None:
        helps = collector.suggestion(ident.name, [each.name.name for each in decls])
        collector.error("E210", f"unknown event `{ident.name}`", ident.span, "not declared in this system", helps=helps)
    return other


def _may_be_placed(decl: nodes.EventDecl, other: nodes.EventDecl, collector: Collector) -> bool:
    """Whether `decl` may stand before `other`; says so if not."""
    assert decl.placement is not None
    where = decl.placement.other
    declared = ((other.name.span, "declared here"),)
    if decl.repetition is not None:
        message, why = f"`{decl.name.name}` is repeated, so it can't be placed", "leave out `before` or `for`"
    elif other.name.span.start >= decl.name.span.start:
        message, why = f"`{decl.name.name}` can't be placed before `{where.name}`", "name an event declared earlier"
    elif other.repetition is not None:
        message, why = f"`{where.name}` is repeated, so nothing can be placed before it", "name an event with one line"
    elif other.placement is not None:
        message, why = f"`{where.name}` has no place of its own", "name an event without `before`"
    else:
        return True
    collector.error("E436", message, where.span, why, secondary=declared if other is not decl else ())
    return False
