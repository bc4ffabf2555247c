"""What all pages of a system share, as typed data: everything before the config.

In: the part of a page before its config. Out: a `Handbook`, with formulas as trees. Names and kinds inside formulas
are checked later; see `answer/examine`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

import attrs

from compiler.reader.text.tree import ReadFormula
from compiler.reader.text.values import ReadDisplay, ReadValue


class ReadPick(enum.Enum):
    """How a rule chooses a value."""

    FIRST = "first"
    LARGEST = "largest"
    SMALLEST = "smallest"
    VALUE = "the value of a formula"


@attrs.frozen
class ReadField:
    """A config field that may be changed, with its values, best first."""

    name: str
    values: Sequence[ReadValue]
    display: ReadDisplay
    line: int


@attrs.frozen
class ReadFixed:
    """A config value that can't be changed. `values` is None if they are not listed."""

    name: str
    display: ReadDisplay
    values: Sequence[ReadValue] | None
    line: int


@attrs.frozen
class ReadHidden:
    """A quantity that is not printed, with the values that it can have."""

    name: str
    values: Sequence[ReadValue]
    display: ReadDisplay
    line: int


@attrs.frozen
class ReadRelation:
    """A quantity with its formula."""

    name: str
    formula: ReadFormula
    line: int


@attrs.frozen
class ReadColumn:
    """Values by the key of a row; `key` names the variable that says which row is the run's, empty if none does."""

    name: str
    key: str
    entries: Mapping[ReadValue, ReadValue]
    line: int


@attrs.frozen
class ReadMeasure:
    """A profiler value and how it is printed; `n/a` unless `when` holds, if there is such a condition."""

    name: str
    display: ReadDisplay
    formula: ReadFormula
    when: ReadFormula | None
    line: int


@attrs.frozen
class ReadAttribute:
    """A value that a log line shows."""

    name: str
    display: ReadDisplay
    formula: ReadFormula
    line: int


@attrs.frozen
class ReadEvent:
    """What the page says of the lines of a logger.

    Attributes:
        index: Name of the attribute that numbers the lines; empty if there is one line at most.
        at: Its values; empty likewise.
        when: The condition under which a line is there; None if the page says nothing.
        before: The logger before whose first line it stands where `placed` holds; empty if the page says nothing.
    """

    logger: str
    index: str
    at: tuple[int, ...]
    when: ReadFormula | None
    attributes: tuple[ReadAttribute, ...]
    before: str
    placed: ReadFormula | None
    line: int


@attrs.frozen
class ReadSetting:
    """One field and how its new value is found."""

    field: str
    pick: ReadPick
    formula: ReadFormula


@attrs.frozen
class ReadRule:
    """A rule of the runbook; alternatives and their settings in order."""

    code: str
    when: ReadFormula
    alternatives: tuple[tuple[ReadSetting, ...], ...]
    line: int


@attrs.frozen
class Handbook:
    """The static part. Sequences are in printed order; `names` are all names in formulas and of the columns' keys."""

    title: str
    fields: tuple[ReadField, ...]
    fixed: tuple[ReadFixed, ...]
    hidden: tuple[ReadHidden, ...]
    columns: tuple[ReadColumn, ...]
    relations: tuple[ReadRelation, ...]
    stated: tuple[ReadFormula, ...]
    profiler: tuple[ReadMeasure, ...]
    events: tuple[ReadEvent, ...]
    rules: tuple[ReadRule, ...]
    names: frozenset[str]
