"""The log of a run: what happened in it, in lines with time, rank, level and logger, among lines that mean nothing.

In: the events and noise of a system, where the evidence holds them, and a source of choices. Out: lines. Wordings,
times and noise come from the choices, everything else from the evidence. Where an event has a pace, the times of its
lines follow it, or they would contradict the page. Noise stands where its author puts it, and never behind an error
that ends the run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import attrs

from compiler.emit.prompt.shown import logger_name
from compiler.emit.prompt.text import shown_text
from compiler.plan import Display, EventPlan, NoiseLinePlan, SystemPlan
from solvers.evaluate import value
from solvers.problem import Expr, Problem, RelationValue, Var

Choose = Callable[[int], int]
"""Given n > 0, a number from 0 to n - 1; draws from the keyed stream of the task."""

PLACE_HOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")

_DAY = 86_400
_STARTS = 16 * 3600  # seconds of the day at which a log may start; so few of them go on past midnight
_PAUSES = (0, 0, 1, 1, 1, 2, 3, 5, 9, 20, 45)  # seconds between two lines
_SLOWEST = 3  # percent that repetitions may take longer than the page says: nothing is as steady as its mean


@attrs.frozen
class LogLine:
    """A line without its time.

    Attributes:
        event: What it is a line of; empty for noise.
        after_ms: How long after the last line before it that has such a time; None: no page says.
    """

    event: str
    level: str
    logger: str
    text: str
    after_ms: int | None = None


@attrs.frozen
class _Attribute:
    """One value of a line, as `name=value`; the text of an index is fixed."""

    name: str
    index: int
    display: Display
    fixed: str = ""

    def text(self, evidence: Sequence[int]) -> str:
        value = self.fixed or shown_text(self.display, evidence[self.index], between="")
        return f"{self.name}={value}"


@attrs.frozen
class _Line:
    """One line of an event; a wording alternates between literal text and the number of an attribute.

    Attributes:
        at: The value of the event's index; 1 where it has one line.
    """

    index: int
    level: str
    logger: str
    wordings: tuple[tuple[str | int, ...], ...]
    attributes: tuple[_Attribute, ...]
    at: int

    def written(self, event: str, evidence: Sequence[int], after_ms: int | None, choose: Choose) -> LogLine:
        parts = self.wordings[choose(len(self.wordings))] if self.wordings else ("",)
        values = [attribute.text(evidence) for attribute in self.attributes]
        text = "".join(part if isinstance(part, str) else values[part] for part in parts)
        rest = [value for number, value in enumerate(values) if number not in parts]
        return LogLine(event, self.level, self.logger, " ".join(part for part in (text, *rest) if part), after_ms)


@attrs.frozen
class _Event:
    """The lines of an event, where the evidence says that they stand before another event's, and their pace."""

    name: str
    lines: tuple[_Line, ...]
    before: str
    placed: int | None
    pace: _Pace | None


@attrs.frozen(eq=False)
class _Pace:
    """The least and most milliseconds of an event or of a repetition, in what a reader sees."""

    low: Expr
    high: Expr
    read: Problem

    def milliseconds(self, shown: Mapping[str, int], choose: Choose) -> int:
        """How many they are in this log."""
        low, high = (int(value(self.read, bound, shown)) for bound in (self.low, self.high))
        return max(0, low + choose(max(1, high - low + 1)))


class Log:
    """Prints the logs of one system.

    Args:
        index: Where the evidence holds each observation, by name.

    Raises:
        KeyError: The problem doesn't observe what an event shows.
    """

    def __init__(self, system: SystemPlan, index: Mapping[str, int]) -> None:
        self._index = index
        self._events = tuple(_event(system, event, index) for event in system.events)
        self._noise = system.noise_lines

    def lines(self, evidence: Sequence[int], choose: Choose) -> tuple[str, ...]:
        """Write a log."""
        written = self._written(evidence, choose)
        for noise in self._noise:
            if choose(100) < noise.often:
                line = LogLine("", noise.level, noise.logger, _noise_text(noise, choose))
                first, last = _places(noise, written)
                written.insert(first + choose(last - first + 1), line)
        return tuple(_stamped(written, choose))

    def _written(self, evidence: Sequence[int], choose: Choose) -> list[LogLine]:
        """The lines of the events, in the order in which they are printed."""
        placed: list[tuple[str, list[LogLine]]] = []
        shown = {name: evidence[place] for name, place in self._index.items()}
        for event in self._events:
            there = [line for line in event.lines if evidence[line.index]]
            if not there:
                continue
            pace = None if event.pace is None else event.pace.milliseconds(shown, choose)
            lines = []
            for line, before in zip(there, (0, *(line.at for line in there[:-1])), strict=True):
                wait = None if pace is None else max(0, line.at - before) * pace
                lines.append(line.written(event.name, evidence, wait, choose))
            place = len(placed)
            if event.placed is not None and evidence[event.placed]:
                place = [name for name, _ in placed].index(event.before)
            placed.insert(place, (event.name, lines))
        return [line for _, lines in placed for line in lines]


def _as_read(system: SystemPlan, event: EventPlan) -> Problem:
    """The problem of a reader, for whom a relation is what the page shows of it where this event's line is."""
    problem = system.problem
    shown = {relation.name: relation.name for relation in system.relations if relation.display is not None}
    for each in system.events:
        if each.index or (each.condition is not None and each is not event):
            continue
        for attribute in each.attributes:
            if isinstance(attribute.value, RelationValue) and attribute.unit is None:
                shown.setdefault(attribute.value.name, f"{each.name}.{attribute.name}")
    relations = tuple(
        (name, Var(shown[name]) if name in shown else definition) for name, definition in problem.relations
    )
    return attrs.evolve(problem, relations=relations)


def _places(noise: NoiseLinePlan, written: Sequence[LogLine]) -> tuple[int, int]:
    """The first and last place in a log at which a line of noise may stand."""
    events = [line.event or None for line in written]
    last = len(written)
    ending = max((number for number, event in enumerate(events) if event), default=0)
    if written and written[ending].level == "error":
        last = ending
    if noise.before in events:
        last = min(last, events.index(noise.before))
    # Where it can't be behind the one and ahead of the other, it is ahead.
    first = events.index(noise.after) + 1 if noise.after in events else 0
    return min(first, last), last


def _event(system: SystemPlan, event: EventPlan, index: Mapping[str, int]) -> _Event:
    return _Event(
        name=event.name,
        lines=tuple(_line(event, line, at, index) for line, at in _occurrences(event)),
        before=event.before,
        placed=index[f"{event.name}<{event.before}"] if event.before else None,
        pace=None if event.pace is None else _Pace(*event.pace, _as_read(system, event)),
    )


def _occurrences(event: EventPlan) -> Sequence[tuple[EventPlan, int]]:
    """The lines of an event, each with the value of its index."""
    return tuple(zip(event.occurrences, event.at, strict=True)) if event.index else ((event, 1),)


def _line(event: EventPlan, line: EventPlan, at: int, index: Mapping[str, int]) -> _Line:
    own = [
        _Attribute(attribute.name, index[f"{line.name}.{attribute.name}"], attribute.display)
        for attribute in line.attributes
    ]
    if event.index:
        own.insert(0, _Attribute(event.index, -1, Display(), str(at)))
    names = [attribute.name for attribute in own]
    return _Line(
        index=index[line.name],
        level=event.level,
        logger=logger_name(event),
        wordings=tuple(_parts(wording, names) for wording in event.wordings),
        attributes=tuple(own),
        at=at,
    )


def _parts(wording: str, names: Sequence[str]) -> tuple[str | int, ...]:
    """Split a wording at its place holders; braces around anything but an attribute are text."""
    parts: list[str | int] = []
    end = 0
    for match in PLACE_HOLDER.finditer(wording):
        if match[1] in names:
            parts += [wording[end : match.start()], names.index(match[1])]
            end = match.end()
    parts.append(wording[end:])
    return tuple(parts)


def _noise_text(noise: NoiseLinePlan, choose: Choose) -> str:
    wording = noise.wordings[choose(len(noise.wordings))]
    return RANGE.sub(lambda match: str(int(match[1]) + choose(int(match[2]) - int(match[1]) + 1)), wording)


def _stamped(lines: Sequence[LogLine], choose: Choose) -> list[str]:
    """Lines with time and rank; the rank is 0, which a run of any size has."""
    stamped = []
    for line, ms in zip(lines, _times(lines, choose), strict=True):
        seconds = ms // 1000 % _DAY
        time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        stamped.append(f"{time} [rank0] {line.level.upper():5} {line.logger}: {line.text}")
    return stamped


def _times(lines: Sequence[LogLine], choose: Choose) -> list[int]:
    """When each line is written, in milliseconds; a line without a pace doesn't delay those that have one."""
    time = 1000 * choose(_STARTS)
    waits = [line.after_ms for line in lines if line.after_ms is not None]
    due: int | None = None
    times = []
    for line in lines:
        later = time + 1000 * _PAUSES[choose(len(_PAUSES))]
        if line.after_ms is None:
            time = later if due is None else min(later, due)
        else:
            time = later + line.after_ms if due is None else due
            waits.pop(0)
            due = time + waits[0] * (100 + choose(_SLOWEST + 1)) // 100 if waits else None
        times.append(time)
    return times
