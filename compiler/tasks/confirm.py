"""A task against its sources, by plain interpretation: the last word on what the lowering made of them.

In: a checked system, and what a page and a gold say. Out: what disagrees, in words. Counting, Z3, the renderer and the
reader work on the lowered problem or on what it prints, so they would agree on a fault in the lowering; `dsl.meaning`
reads what the checks gave.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from compiler.emit.record import HEALTHY
from compiler.reader import Document
from dsl.checked import CheckedSystem, ExactPrinting
from dsl.meaning.evidence import PrintedFact, printed_facts
from dsl.meaning.expressions import PlainValue, RunState, plain_value, plain_world
from dsl.meaning.repairs import why_no_repair
from dsl.meaning.walks import PlainEnding, PlainWalk, follow_runbook
from gpu_train_debug.grading.answer import Gold


def confirm_task(system: CheckedSystem, world: Mapping[str, int], document: Document, gold: Gold) -> tuple[str, ...]:
    """Say what the sources deny of a page, as the independent reader reads it, and of its gold; empty if nothing."""
    codes = [code for code in gold.codes if code != HEALTHY]
    denied = confirm(system, world, document, codes, gold.fix)
    return (*denied, *confirm_choices(system, _page_choices(document)))


def _page_choices(document: Document) -> dict[str, Sequence[PlainValue]]:
    """The values that the page allows each variable; it doesn't list those of every variable."""
    book = document.system.book
    choices: dict[str, Sequence[PlainValue]] = {field.name: field.values for field in book.fields}
    choices |= {fixed.name: fixed.values for fixed in book.fixed if fixed.values is not None}
    return choices | {quantity.name: quantity.values for quantity in book.hidden}


def confirm(
    system: CheckedSystem,
    world: Mapping[str, int],
    document: Document,
    codes: Collection[str],
    fix: Mapping[str, PlainValue | float],
) -> tuple[str, ...]:
    """Say what the sources deny of a task; empty if they confirm all of it.

    Args:
        world: A value for each variable, as in the lowered problem: flags are 0 and 1, members are numbered.
        document: The page. What it prints beyond what the sources say of the run is noise.
        codes: Of the gold; none for a healthy run.
        fix: Of the gold, with flags as bools, members by name, and decimal fractions as printed.
    """
    run = RunState(system, plain_world(system, world))
    walk = follow_runbook(run)
    divisors = {
        each.name: each.printing.denominator for each in system.variables if isinstance(each.printing, ExactPrinting)
    }
    counted = {name: _counted(new, divisors.get(name, 1)) for name, new in fix.items()}
    return (
        *_evidence_denied(run, document),
        *_answer_denied(walk, codes, counted),
        *(f"the fix is no repair: {flaw}" for flaw in why_no_repair(walk, counted)),
    )


def confirm_choices(system: CheckedSystem, choices: Mapping[str, Sequence[PlainValue]]) -> tuple[str, ...]:
    """Say what the sources deny of the values that a page allows each variable.

    Args:
        choices: By variable, those of an editable field with the best first; a variable may be left out.
    """
    return tuple(_choices_denied(system, choices))


def _choices_denied(system: CheckedSystem, choices: Mapping[str, Sequence[PlainValue]]) -> Iterator[str]:
    for variable in system.variables:
        coded = variable.preference if variable.editable else variable.domain
        meant = [plain_value(value, variable.type) for value in coded]
        said = choices.get(variable.name, meant)
        if _typed(said) != _typed(meant):
            yield f"`{variable.name}` can be {_listed(said)} on the page, and {_listed(meant)} by the sources"


def _evidence_denied(run: RunState, document: Document) -> Iterator[str]:
    page = _Page(run, document)
    for fact in printed_facts(run):
        if fact.text and (said := page.said(fact)) != (right := page.meant(fact)):
            yield f"`{fact.name}` is {said} on the page, and {right} by the sources"


class _Page:
    """What a page says of the facts of a run."""

    def __init__(self, run: RunState, document: Document) -> None:
        self.document = document
        self.events = {event.name: event for event in run.system.events}
        self.lines: dict[str, list[str]] = {}
        for line in document.lines:
            self.lines.setdefault(line.logger, []).append(line.text)

    def meant(self, fact: PrintedFact) -> str:
        """How a fact is written where it stands: without units in the config, without blanks in the log."""
        match fact.channel:
            case "config":
                return fact.text.partition(" ")[0]
            case "log":
                return fact.text.replace(" ", "")
            case _:
                return fact.text

    def said(self, fact: PrintedFact) -> str:
        if fact.channel != "log":
            return self.document.evidence.get(fact.name, "nothing")
        first, placed, other = fact.name.partition("<")
        if placed:
            return self.before(first, other)
        name, _, attribute = fact.name.partition(".")
        lines = self.lines_of(name)
        if not attribute:
            return "present" if lines else "absent"
        right = re.compile(rf"(?<![\w.]){attribute}={re.escape(self.meant(fact))}(?![\w%/]|\.[0-9])")
        other_values = re.compile(rf"(?<![\w.]){attribute}=(\S*)")
        found = [said for line in lines for said in other_values.findall(line)]
        return self.meant(fact) if len(found) == 1 and any(map(right.search, lines)) else ", ".join(found) or "nothing"

    def lines_of(self, name: str) -> list[str]:
        """The lines of an event, or of the occurrence `event@value` of a repeated one."""
        base, _, at = name.partition("@")
        event = self.events[base]
        lines = self.lines.get(event.logger, [])
        shown = re.compile(rf"(?<![\w.]){event.index}={at}(?![\w%/]|\.[0-9])")
        return [line for line in lines if shown.search(line)] if at else lines

    def before(self, first: str, other: str) -> str:
        """Whether an event's line stands before the first line of another."""
        loggers = [line.logger for line in self.document.lines]
        both = [self.events[name].logger for name in (first, other)]
        if any(logger not in loggers for logger in both):
            return "false"
        return "true" if loggers.index(both[0]) < loggers.index(both[1]) else "false"


def _answer_denied(walk: PlainWalk, codes: Collection[str], fix: Mapping[str, PlainValue]) -> Iterator[str]:
    if walk.ending not in (PlainEnding.ANSWER, PlainEnding.HEALTHY):
        yield f"the walk gives no task by the sources: {walk.ending.value}"
    if sorted(codes) != sorted(walk.codes):
        yield f"the codes are {_listed(sorted(walk.codes))} by the sources, not {_listed(sorted(codes))}"
    if {name: _typed([new]) for name, new in fix.items()} != {name: _typed([new]) for name, new in walk.fix.items()}:
        yield f"the fix is {walk.fix} by the sources, not {dict(fix)}"


def _counted(new: PlainValue | float, divisor: int) -> PlainValue:
    """The value of a field that the sources count in parts of what the page prints; any other as it is."""
    if isinstance(new, float) and (parts := Fraction(repr(new)) * divisor).denominator == 1:
        return int(parts)
    return str(new) if isinstance(new, float) else new


def _typed(values: Sequence[PlainValue]) -> list[tuple[type, Any]]:
    """Values that differ where Python calls them equal: true isn't 1."""
    return [(type(value), value) for value in values]


def _listed(values: Sequence[PlainValue]) -> str:
    return ", ".join(map(str, values)) or "none"
