"""What a run shows: everything that a prompt prints of it.

In: a run. Out: the config, the given facts, the profiler's values and the log, in printing order. Two runs that show
the same can't be told apart: a number counts as it is printed, after rounding, and hidden values don't appear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Final, assert_never

import attrs

from dsl.checked import CheckedEvent, CheckedRelation, ExactPrinting, Printing, PrintingForm
from dsl.meaning.expressions import PlainValue, RunState, holds, interpret
from dsl.value_types import ValueType, unit_of

NO_VALUE: Final = "n/a"
"""What a page prints for a value of the profiler that isn't there."""

_PLAIN_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@attrs.frozen
class PrintedFact:
    """One thing that is printed.

    Attributes:
        channel: "config" (with the given facts), "profiler" or "log".
        name: Of the variable or relation; `relation?` for whether a relation with a condition has a value on the page;
            of a log event, `event@value` for each line of a repeated one, or `event.attribute`; `event<other` for
            whether an event stands before another.
        value: A flag, a word, or a number: in units of its last decimal where it is rounded, else as it is. For an
            event whether it is in the log; None for a relation without a value and for an attribute of an absent event.
        text: As it is printed; "present" and "absent" for events; empty for what isn't on the page by itself.
    """

    channel: str
    name: str
    value: PlainValue | None
    text: str


def printed_facts(run: RunState) -> Iterator[PrintedFact]:
    """Everything that `run` shows, in printing order."""
    for variable in run.system.variables:
        if variable.kind != "hidden":
            value = run.world[variable.name]
            yield PrintedFact("config", variable.name, *printed_value(value, variable.type, variable.printing, run))
    for relation in run.system.relations:
        if relation.profiler:
            yield from _profiler_value(relation, run)
    for event in run.system.events:
        for line in event.lines:
            yield from _log_line(line, run)
        if event.placed is not None:
            other = next(each for each in run.system.events if each.name == event.before)
            first = _is_there(event, run) and _is_there(other, run) and holds(event.placed, run)
            yield PrintedFact("log", f"{event.name}<{other.name}", first, "true" if first else "false")


def _profiler_value(relation: CheckedRelation, run: RunState) -> Iterator[PrintedFact]:
    present = relation.condition is None or holds(relation.condition, run)
    if relation.condition is not None:
        yield PrintedFact("profiler", f"{relation.name}?", present, "")
    if present:
        value = run.relation(relation.name)
        yield PrintedFact("profiler", relation.name, *printed_value(value, relation.type, relation.printing, run))
    else:
        yield PrintedFact("profiler", relation.name, None, NO_VALUE)


def _log_line(event: CheckedEvent, run: RunState) -> Iterator[PrintedFact]:
    present = _is_there(event, run)
    yield PrintedFact("log", event.name, present, "present" if present else "absent")
    for attribute in event.attributes:
        name = f"{event.name}.{attribute.name}"
        if present:
            value = interpret(attribute.value, run)
            yield PrintedFact("log", name, *printed_value(value, attribute.type, attribute.printing, run))
        else:
            yield PrintedFact("log", name, None, "")


def _is_there(event: CheckedEvent, run: RunState) -> bool:
    return event.condition is None or holds(event.condition, run)


def printed_value(
    value: PlainValue, type_: ValueType, printing: PrintingForm | None, run: RunState
) -> tuple[PlainValue, str]:
    """The value that counts, in units of the last decimal where it is rounded, and how it is printed."""
    if isinstance(value, bool):
        return value, "true" if value else "false"
    if isinstance(value, str):
        return value, value if _PLAIN_WORD.fullmatch(value) else _quoted(value)
    match printing:
        case None:
            return value, _with_unit(str(value), unit_of(type_), run)
        case ExactPrinting():
            return value, _exact(value, printing)
        case Printing():
            amount = Fraction(value * printing.numerator * 10**printing.decimals, printing.denominator)
            half_up = floor(amount + Fraction(1, 2))
            text = f"{Decimal(half_up).scaleb(-printing.decimals):f}"
            return half_up, _with_unit(text, printing.unit, run)
    assert_never(printing)


def _with_unit(number: str, unit: str, run: RunState) -> str:
    singular = run.system.singulars.get(unit, unit)
    return f"{number} {singular if number == '1' else unit}".rstrip()


def _exact(value: int, printing: ExactPrinting) -> str:
    """All digits of a decimal fraction, and no more: `0.1`, `3e-4`."""
    sign, digits, places = "-" if value < 0 else "", abs(value), 0
    while digits * 10**places % printing.denominator:
        places += 1
    digits = digits * 10**places // printing.denominator
    if printing.scientific and digits:
        figures = str(digits).rstrip("0")
        mantissa = figures if len(figures) == 1 else f"{figures[0]}.{figures[1:]}"
        return f"{sign}{mantissa}e{len(str(digits)) - 1 - places}"
    if not places:
        return f"{sign}{digits}"
    padded = str(digits).rjust(places + 1, "0")
    return f"{sign}{padded[:-places]}.{padded[-places:]}"


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
