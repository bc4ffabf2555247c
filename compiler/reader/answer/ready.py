"""What is prepared once for a system: the handbook's parts as functions, and the plan of the search.

All pages of a system share one `ReadySystem`, which `prepare` makes. `ReadyRule` is a `ReadRule` of the handbook with
its functions, and so for the others. All functions work on a `ReadState`; see `generate`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from compiler.reader.answer.generate import ReadState
from compiler.reader.answer.search import Level
from compiler.reader.text.handbook import Handbook
from compiler.reader.text.values import ReadExact, ReadValue


@attrs.frozen
class ReadyShown:
    """A value of the profiler or an attribute of a line.

    Attributes:
        name: Its name.
        pattern: Regular expression for its printed texts; for an attribute, for each place of a line that begins like
            it, with a group for the text of the value.
        read: From such a text to the observation; None if it isn't written as printed.
        conditional: Whether it may be `n/a`.
    """

    name: str
    pattern: re.Pattern[str]
    read: Callable[[str], ReadValue | None]
    conditional: bool = False


@attrs.frozen
class ReadyEvent:
    """What is to be read of the lines of a logger.

    Attributes:
        index: The attribute that numbers the lines, with its values in `at`; None if there is one line at most.
        conditional: Whether it is an observation that a line is there.
        before: The logger before whose first line its own one may stand; empty if that is no observation.
    """

    logger: str
    index: ReadyShown | None
    at: tuple[int, ...]
    conditional: bool
    attributes: tuple[ReadyShown, ...]
    before: str


@attrs.frozen
class ReadyFormula:
    """A formula as a function of a state.

    Attributes:
        run: The function, of a state and of the earlier state that the formula may look back at.
        work: Bound on its operations.
        key: From a state to the values of those variables that the search tries and the formula reads; None if it
            reads no such variable.
    """

    run: Callable[[ReadState, ReadState], Any]
    work: int
    key: Callable[[ReadState], Any] | None


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
    work: int
    key: Callable[[ReadState], Any] | None


@attrs.frozen
class ReadySystem:
    """All that the pages of a system have in common.

    Attributes:
        slots: Place in a state by name: variables, then relations.
        exact: How the numbers of a variable are printed, by name, if with all their decimals.
        profiler: Explained values in order.
        log: Explained events in order.
        loops: Slots of the variables that the search tries.
        levels: The plan of the search.
        search: The search itself, see `search.make_search`. The observations are those of the profiler, each value
            after whether it is there if that depends on the run; then for each line of each event likewise, its
            attributes, and for each event whether it stands before another.
        moves: By the slot of a field, the function that changes it in a state.
        stated: What always holds.
    """

    book: Handbook
    slots: Mapping[str, int]
    exact: Mapping[str, ReadExact]
    profiler: tuple[ReadyShown, ...]
    log: tuple[ReadyEvent, ...]
    loops: tuple[int, ...]
    levels: tuple[Level, ...]
    search: Callable[[ReadState, Sequence[Any], Mapping[int, Sequence[ReadValue]]], Iterator[ReadState]]
    moves: Mapping[int, Callable[[ReadState, ReadValue], ReadState]]
    stated: ReadyFormula
    rules: tuple[ReadyRule, ...]
