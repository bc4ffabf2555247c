"""The runbook walk, for many worlds at once.

In: the states of worlds that print the same. Out: how each walk ends. Worlds of one page differ
in hidden values only, so all walks go together until a guard or a setting that depends on them
tells the worlds apart; each is evaluated once per combination of the hidden values that it reads.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar, assert_never

import attrs

from compiler.reader.answer.generate import ReadState
from compiler.reader.answer.ready import ReadyFormula, ReadyRule, ReadySystem
from compiler.reader.text.errors import TooMuchWorkError
from compiler.reader.text.limits import MAX_READ_WORK
from compiler.reader.text.values import ReadValue

_MAX_CODES: Final = 2
_MOVE_WORK: Final = 20
_SPLIT_WORK: Final = 10

_R = TypeVar("_R")


class ReadEnding(enum.Enum):
    """How a walk ends.

    The fix of `ANSWER` is never empty: in the state of the start, the walk's first rule would fire again.
    """

    ANSWER = "answer"
    HEALTHY = "healthy"
    REPEATED = "repeated rule"
    TOO_MANY = "too many codes"
    NO_VALUE = "no value"
    INVALID = "invalid state"

    @property
    def gives_answer(self) -> bool:
        """Whether the walk ends with a diagnosis and a fix."""
        match self:
            case ReadEnding.ANSWER | ReadEnding.HEALTHY:
                return True
            case ReadEnding.REPEATED | ReadEnding.TOO_MANY | ReadEnding.NO_VALUE | ReadEnding.INVALID:
                return False
        assert_never(self)


@attrs.frozen
class ReadStep:
    """One rule fired.

    Attributes:
        code: Its code.
        alternative: Which of its prescriptions was used, from 0.
        settings: Field and new value, in the order set.
    """

    code: str
    alternative: int
    settings: tuple[tuple[str, ReadValue], ...]


@attrs.frozen
class ReadGroup:
    """Worlds whose walks went the same way so far: states at the start and now, in pairs."""

    starts: list[ReadState]
    nows: list[ReadState]
    steps: tuple[ReadStep, ...] = ()


class Meter:
    """Counts operations up to a limit."""

    def __init__(self) -> None:
        """Start at nothing spent."""
        self.left = MAX_READ_WORK

    def spend(self, work: int) -> None:
        """Count `work`.

        Raises:
            TooMuchWorkError: The limit is passed.
        """
        self.left -= work
        if self.left < 0:
            raise TooMuchWorkError


def walk_worlds(system: ReadySystem, starts: list[ReadState], meter: Meter) -> Iterator[tuple[ReadEnding, ReadGroup]]:
    """Walk every world of `starts`.

    Yields:
        Each ending that occurs with the worlds and steps that led to it; an ending may come more
        than once, with other steps.

    Raises:
        UndefinedError, ZeroDivisionError: A formula has no value.
        TooMuchWorkError: The meter's limit is passed.
    """
    pending = [ReadGroup(starts, starts)]
    while pending:
        group = pending.pop()
        for rule in system.rules:
            fires, rest = _by_flag(rule.guard, group, meter)
            if fires is not None:
                yield from _fire(system, rule, fires, meter, pending)
            if rest is None:
                break
            group = rest
        else:
            yield (ReadEnding.ANSWER if group.steps else ReadEnding.HEALTHY), group


def _fire(
    system: ReadySystem, rule: ReadyRule, group: ReadGroup, meter: Meter, pending: list[ReadGroup]
) -> Iterator[tuple[ReadEnding, ReadGroup]]:
    """Apply a rule's prescription; worlds that go on are added to `pending`."""
    if any(step.code == rule.code for step in group.steps):
        yield ReadEnding.REPEATED, group
        return
    if len(group.steps) == _MAX_CODES:
        yield ReadEnding.TOO_MANY, group
        return
    chosen = _split(group, rule.key, lambda now, _: _prescribe(rule, now), rule.work, meter)
    for step, part in chosen:
        if step is None:
            yield ReadEnding.NO_VALUE, part
            continue
        nows = part.nows
        for field, value in step.settings:
            move = system.moves[system.slots[field]]
            nows = [move(state, value) for state in nows]
            meter.spend(len(nows) * _MOVE_WORK)
        allowed, invalid = _by_flag(system.stated, ReadGroup(part.starts, nows, (*part.steps, step)), meter)
        if invalid is not None:
            yield ReadEnding.INVALID, invalid
        if allowed is not None:
            pending.append(allowed)


def _prescribe(rule: ReadyRule, state: ReadState) -> ReadStep | None:
    """Find the first alternative whose settings all have values."""
    for at, alternative in enumerate(rule.alternatives):
        now = state
        settings: list[tuple[str, ReadValue]] = []
        for chooser in alternative:
            then = chooser.run(now, state)
            if then is None:
                break
            now = then
            settings.append((chooser.field, now[chooser.slot]))
        else:
            return ReadStep(rule.code, at, tuple(settings))
    return None


def net_changes(system: ReadySystem, start: ReadState, now: ReadState) -> dict[str, ReadValue]:
    """List the fields that differ, with their values now, in the order of the page."""
    slots = ((field.name, system.slots[field.name]) for field in system.book.fields)
    return {name: now[slot] for name, slot in slots if now[slot] != start[slot]}


def _by_flag(root: ReadyFormula, group: ReadGroup, meter: Meter) -> tuple[ReadGroup | None, ReadGroup | None]:
    """Divide worlds into those where a condition holds and the others."""
    if root.key is None:
        meter.spend(root.work)
        return (group, None) if root.run(group.nows[0], group.starts[0]) else (None, group)
    parts = dict(_split(group, root.key, root.run, root.work, meter))
    return parts.get(True), parts.get(False)


def _split(
    group: ReadGroup,
    key: Callable[[ReadState], Any] | None,
    run: Callable[[ReadState, ReadState], _R],
    work: int,
    meter: Meter,
) -> list[tuple[_R, ReadGroup]]:
    """Divide worlds by the result of `run` in their states now and at the start, which depends on `key` alone."""
    if key is None or len(group.nows) == 1:
        meter.spend(work)
        return [(run(group.nows[0], group.starts[0]), group)]
    meter.spend(len(group.nows) * _SPLIT_WORK)
    known: dict[Any, _R] = {}
    parts: dict[_R, tuple[list[ReadState], list[ReadState]]] = {}
    for start, now in zip(group.starts, group.nows, strict=True):
        hidden = key(now)
        if hidden not in known:
            meter.spend(work)
            known[hidden] = run(now, start)
        starts, nows = parts.setdefault(known[hidden], ([], []))
        starts.append(start)
        nows.append(now)
    return [(result, ReadGroup(starts, nows, group.steps)) for result, (starts, nows) in parts.items()]
