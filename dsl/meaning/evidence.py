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
from typing import Final

import attrs

from dsl.checked import CheckedEvent, Printing
from dsl.meaning.expressions import PlainValue, RunState, holds, interpret
from dsl.value_types import ValueType, unit_of

_PLAIN_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@attrs.frozen
class PrintedFact:
    """One thing that is printed.

    Attributes:
        channel: "config" (with the given facts), "profiler" or "log".
        name: Of the variable or relation; of a log event, or `event.attribute`.
        value: A flag, a word, or a number in units of its last decimal. For an event whether it is in the log, for an
            attribute of an event that isn't, None.
        text: As it is printed; "present" and "absent" for events, empty for the attributes of absent ones.
    """

    channel: str
    name: str
    value: PlainValue | None
    text: str


def printed_facts(run: RunState) -> Iterator[PrintedFact]:
    """Everything that `run` shows, in printing order."""
    for variable in run.system.variables:
        if variable.kind != "hidden":
            yield _fact("config", variable.name, run.world[variable.name], variable.type, variable.printing)
    for relation in run.system.relations:
        if relation.profiler:
            value = run.relation(relation.name)
            yield _fact("profiler", relation.name, value, relation.type, relation.printing)
    for event in run.system.events:
        yield from _log_line(event, run)


def _log_line(event: CheckedEvent, run: RunState) -> Iterator[PrintedFact]:
    present = event.condition is None or holds(event.condition, run)
    yield PrintedFact("log", event.name, present, "present" if present else "absent")
    for attribute in event.attributes:
        name = f"{event.name}.{attribute.name}"
        if present:
            yield _fact("log", name, interpret(attribute.value, run), attribute.type, attribute.printing)
        else:
            yield PrintedFact("log", name, None, "")


def _fact(channel: str, name: str, value: PlainValue, type_: ValueType, printing: Printing | None) -> PrintedFact:
    if isinstance(value, bool):
        return PrintedFact(channel, name, value, "true" if value else "false")
    if isinstance(value, str):
        return PrintedFact(channel, name, value, value if _PLAIN_WORD.fullmatch(value) else _quoted(value))
    if printing is None:
        return PrintedFact(channel, name, value, f"{value} {unit_of(type_)}".rstrip())
    amount = Fraction(value * printing.numerator * 10**printing.decimals, printing.denominator)
    half_up = floor(amount + Fraction(1, 2))
    text = f"{Decimal(half_up).scaleb(-printing.decimals):f} {printing.unit}".rstrip()
    return PrintedFact(channel, name, half_up, text)


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
