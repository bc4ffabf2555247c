"""Facts of a case: what a source says that its run shows, or that it is.

In: their syntax, and the `Checker` of a place that sees the system. Out: `CheckedFact`s, all in one form: when the run
shows it, the expression, how that is rounded, and the amount.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from dsl.check.amounts import Amount, check_amount, rounded_amount
from dsl.check.checker import Checker
from dsl.check.index import report_duplicate
from dsl.check.names import NoiseSymbol, RelationSymbol, VariableSymbol, find_name, unknown_name
from dsl.checked import (
    CheckedEvent,
    CheckedFact,
    CheckedRelation,
    CheckedSystem,
    CheckedVariable,
    ExactPrinting,
    RelationRef,
    Typed,
    VariableRef,
    written_name,
)
from dsl.source import Span
from dsl.syntax import nodes
from dsl.value_types import value_text
from gpu_train_debug.wording import joined, listed

Printed = CheckedVariable | CheckedRelation | CheckedEvent


def check_facts(facts: Iterable[nodes.Fact], system: CheckedSystem, checker: Checker) -> tuple[CheckedFact, ...]:
    """Check the facts of a case, each about something else."""
    found: dict[str, CheckedFact] = {}
    for fact in facts:
        for each in _fact(fact, system, checker):
            if each.name in found:
                earlier = nodes.Ident(each.name, span=found[each.name].span)
                later = nodes.Ident(each.name, span=each.span)
                report_duplicate(written_name(each.name), later, earlier, checker.collector, what="is given twice")
                if "." not in each.name:
                    break  # what the line of an event says goes with it
            else:
                found[each.name] = each
    return tuple(found.values())


def _fact(fact: nodes.Fact, system: CheckedSystem, checker: Checker) -> Iterator[CheckedFact]:
    subject = _subject(fact.name, system, checker)
    match subject:
        case None:
            return
        case CheckedEvent():
            yield from _event_fact(fact, subject, checker)
        case CheckedVariable() | CheckedRelation():
            found = _value_fact(fact, subject, checker)
            if found is not None:
                yield found
        case _:
            assert_never(subject)


def _subject(ident: nodes.Ident, system: CheckedSystem, checker: Checker) -> Printed | None:
    """What a fact is about; says so if it can't be about that."""
    printed: list[Printed] = [*system.variables, *(each for each in system.relations if each.profiler), *system.events]
    subject = next((each for each in printed if each.name == ident.name), None)
    if subject is not None:
        checker.scope.used.add(ident.name)
        return subject
    match checker.scope.names.get(ident.name):
        case RelationSymbol(ident=declared):
            checker.collector.error(
                "E207",
                f"`{ident.name}` isn't printed, so no source gives it",
                ident.span,
                "expected a variable, a profiler value or an event",
                secondary=((declared.span, "declared here"),),
                helps=(f"write it as a condition: `where {ident.name} == ...`",),
            )
        case NoiseSymbol():
            find_name(checker.scope, ident, (VariableSymbol,), checker.collector)
        case _:
            known = [each.name for each in printed]
            unknown_name(checker.scope, ident, "variable, profiler value or event", known, checker.collector)
    return None


# ------------------------------------------------------------------ variables and profiler values


def _value_fact(fact: nodes.Fact, subject: CheckedVariable | CheckedRelation, checker: Checker) -> CheckedFact | None:
    condition = subject.condition if isinstance(subject, CheckedRelation) else None
    match fact:
        case nodes.FactValue(value=written):
            found = check_amount(written, subject.type, subject.printing, f"the value of `{subject.name}`", checker)
            if found is None:
                return None
            if isinstance(subject, CheckedVariable):
                if not _in_domain(subject, found, written.span, checker):
                    return None
                value: Typed = VariableRef(subject.name, subject.type, span=fact.name.span)
            else:
                value = RelationRef(subject.name, subject.type, span=fact.name.span)
            return _measured(subject.name, condition, value, found, fact.span)
        case nodes.FactPresent(at=None, attributes=()) if condition is not None:
            return CheckedFact(subject.name, condition, span=fact.span)
        case nodes.FactAbsent(at=None) if condition is not None:
            return CheckedFact(subject.name, condition, absent=True, span=fact.span)
        case nodes.FactPresent() | nodes.FactAbsent():
            what = "a variable" if isinstance(subject, CheckedVariable) else "a profiler value"
            checker.collector.error(
                "E207",
                f"`{subject.name}` is {what}",
                fact.name.span,
                "only an event is there or isn't, and a profiler value with a condition",
                helps=(f"say what it is: `{subject.name} = ...`",),
            )
            return None
    assert_never(fact)


def _measured(name: str, condition: Typed | None, value: Typed, found: Amount, span: Span) -> CheckedFact:
    return CheckedFact(name, condition, False, value, found.printing, found.amount, span=span)


def _in_domain(variable: CheckedVariable, found: Amount, span: Span, checker: Checker) -> bool:
    """Whether some value of the domain is this amount; says so if not."""
    amounts = {value: rounded_amount(value, found.printing) for value in variable.domain}
    if found.amount in amounts.values():
        return True
    below = [value for value, amount in amounts.items() if amount < found.amount]
    above = [value for value, amount in amounts.items() if amount > found.amount]
    nearest = [*sorted(below)[-1:], *sorted(above)[:1]]
    known = listed(value_text(value, variable.type) for value in nearest)
    checker.collector.error(
        "E437",
        f"no run has this value of `{variable.name}`",
        span,
        "outside the domain",
        secondary=((variable.span, "declared here"),),
        notes=(f"nearest in the domain: {known}{_parts(variable)}",),
        helps=("add the value to the domain, or leave the fact out",),
    )
    return False


def _parts(variable: CheckedVariable) -> str:
    """What the numbers of a domain count in, where they are printed otherwise."""
    printing = variable.printing
    return f", in parts of 1/{printing.denominator}" if isinstance(printing, ExactPrinting) else ""


# ------------------------------------------------------------------ events


def _event_fact(fact: nodes.Fact, event: CheckedEvent, checker: Checker) -> Iterator[CheckedFact]:
    if isinstance(fact, nodes.FactValue):
        checker.collector.error(
            "E207",
            f"`{event.name}` is an event",
            fact.name.span,
            "an event is in the log or isn't",
            helps=(f"write `{event.name}`, `not {event.name}`, or `{event.name} {{ attribute = value }}`",),
        )
        return
    line = _line(fact, event, checker)
    if line is None:
        return
    if isinstance(fact, nodes.FactAbsent):
        if line.condition is None:
            message, why = f"every run has `{event.name}` in its log", "the event has no condition"
            checker.collector.error("E437", message, fact.span, why, secondary=((event.span, "declared here"),))
        else:
            yield CheckedFact(line.name, line.condition, absent=True, span=fact.span)
        return
    yield CheckedFact(line.name, line.condition, span=fact.name.span)
    for ident, written in fact.attributes:
        found = _attribute_fact(ident, written, line, checker)
        if found is not None:
            yield found


def _line(fact: nodes.FactPresent | nodes.FactAbsent, event: CheckedEvent, checker: Checker) -> CheckedEvent | None:
    """The line that a fact is about: the event itself, or one of its occurrences."""
    if not event.index and fact.at is None:
        return event
    if fact.at in event.at:
        return event.lines[event.at.index(fact.at)]
    if event.index:
        places = joined((f"`{event.name}[{each}]`" for each in event.at), last="or")
        message, why, helps = f"this isn't a line of `{event.name}`", "it is repeated", (f"write {places}",)
    else:
        message, why, helps = f"`{event.name}` has one line", "it isn't repeated", ("leave out the brackets",)
    declared = ((event.span, "declared here"),)
    checker.collector.error("E437", message, fact.span, why, secondary=declared, helps=helps)
    return None


def _attribute_fact(
    ident: nodes.Ident, written: nodes.Expression, line: CheckedEvent, checker: Checker
) -> CheckedFact | None:
    attribute = next((each for each in line.attributes if each.name == ident.name), None)
    if attribute is None:
        names = [each.name for each in line.attributes]
        helps = checker.collector.suggestion(ident.name, names)
        message, why = f"`{written_name(line.name)}` has no attribute `{ident.name}`", "its line doesn't say this"
        checker.collector.error("E210", message, ident.span, why, helps=helps)
        return None
    what = f"the value of `{ident.name}`"
    found = check_amount(written, attribute.type, attribute.printing, what, checker)
    if found is None:
        return None
    return _measured(f"{line.name}.{ident.name}", line.condition, attribute.value, found, ident.span.to(written.span))
