"""What is prepared once for a system: the handbook's parts as functions, and the plan of the search.

All prompts of a system share one `ReadySystem`, which `prepare` makes. `ReadyRule` is a `ReadRule` of the handbook with
its functions, and so for the others. All functions work on a `ReadState`; see `generate`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, assert_never

import attrs

from compiler.reader.answer.generate import ReadState
from compiler.reader.answer.search import Level
from compiler.reader.text.handbook import Handbook, ReadField, ReadSense
from compiler.reader.text.values import ReadValue


@attrs.frozen
class ReadyShown:
    """A printed relation or attribute.

    Attributes:
        name: Its name.
        pattern: Regular expression for its printed texts.
        read: From such a text to the observation; None if it isn't written as printed.
    """

    name: str
    pattern: re.Pattern[str]
    read: Callable[[str], ReadValue | None]


@attrs.frozen
class ReadyEvent:
    """An event, its attributes, and the pattern of a line that shows it, with a group for each attribute."""

    name: str
    attributes: tuple[ReadyShown, ...]
    pattern: re.Pattern[str]


@attrs.frozen
class ReadyFormula:
    """A formula as a function of a state.

    Attributes:
        run: The function.
        work: Bound on its operations.
        key: From a state to the values of those variables that the search tries and the formula reads; None if it
            reads no such variable.
    """

    run: Callable[[ReadState], Any]
    work: int
    key: Callable[[ReadState], Any] | None


@attrs.frozen
class ReadyKeep:
    """A keep with the function for its quantity."""

    name: str
    sense: ReadSense
    value: ReadyFormula

    def broken(self, old: ReadState, new: ReadState) -> bool:
        """Say whether the quantity changed from `old` to `new` in a way in which it may not."""
        before, after = self.value.run(old), self.value.run(new)
        match self.sense:
            case ReadSense.EQUAL:
                return bool(before != after)
            case ReadSense.NOT_ABOVE:
                return bool(after > before)
            case ReadSense.NOT_BELOW:
                return bool(after < before)
        assert_never(self.sense)


@attrs.frozen
class ReadySetting:
    """A setting with its function: from a state and the state before the rule to the new one, None if no value fits."""

    field: str
    slot: int
    run: Callable[[ReadState, ReadState], ReadState | None]


@attrs.frozen
class ReadyRule:
    """A rule with its functions; `work` and `key` are those of its settings together."""

    code: str
    guard: ReadyFormula
    alternatives: tuple[tuple[ReadySetting, ...], ...]
    keeps: tuple[ReadyKeep, ...]
    work: int
    key: Callable[[ReadState], Any] | None


@attrs.frozen
class ReadySystem:
    """All that the prompts of a system have in common.

    Attributes:
        slots: Place in a state by name: variables, then relations.
        editable: Fields that may be changed, in rank order.
        profiler: Printed relations in order.
        log: Events in order.
        loops: Slots of the variables that the search tries.
        levels: The plan of the search.
        search: The search itself, see `search.make_search`. The observations are those of the
            profiler, then for each event whether it is printed and its attributes.
        moves: By the slot of an editable field, the function that changes it in a state.
    """

    book: Handbook
    slots: Mapping[str, int]
    editable: tuple[ReadField, ...]
    profiler: tuple[ReadyShown, ...]
    log: tuple[ReadyEvent, ...]
    loops: tuple[int, ...]
    levels: tuple[Level, ...]
    search: Callable[[ReadState, Sequence[Any], Mapping[int, Sequence[ReadValue]]], Iterator[ReadState]]
    moves: Mapping[int, Callable[[ReadState, ReadValue], ReadState]]
    sound: ReadyFormula
    valid: ReadyFormula
    keeps: tuple[ReadyKeep, ...]
    rules: tuple[ReadyRule, ...]
