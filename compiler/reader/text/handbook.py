"""What all prompts of a system share, as typed data: everything before the config.

In: the part of a prompt before its config. Out: a `Handbook`, with formulas as trees. Names and kinds inside formulas
are checked later; see `answer/examine`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

import attrs

from compiler.reader.text.tree import ReadFormula
from compiler.reader.text.values import ReadDisplay, ReadValue


class ReadSense(enum.Enum):
    """How a kept quantity may change."""

    EQUAL = "not at all"
    NOT_ABOVE = "not upwards"
    NOT_BELOW = "not downwards"


class ReadPick(enum.Enum):
    """How a prescription chooses a value."""

    LARGEST = "largest where"
    SMALLEST = "smallest where"
    FIRST = "first where"
    VALUE = "the value of a formula"


@attrs.frozen
class ReadField:
    """A config variable, whose values stand best first if it is editable. Its rank is its place in the list, from 1."""

    name: str
    unit: str
    locked: bool
    values: Sequence[ReadValue]
    line: int


@attrs.frozen
class ReadFact:
    """A given variable. `display` is None if it is printed exactly, `values` is None if they are not listed."""

    name: str
    unit: str
    display: ReadDisplay | None
    values: Sequence[ReadValue] | None
    line: int


@attrs.frozen
class ReadHidden:
    """A quantity that is not printed, with the values that it can have."""

    name: str
    unit: str
    values: Sequence[ReadValue]
    line: int


@attrs.frozen
class ReadRelation:
    """A quantity with its formula; `display` is None if it is not printed."""

    name: str
    unit: str
    display: ReadDisplay | None
    formula: ReadFormula
    line: int


@attrs.frozen
class ReadTable:
    """Values by key."""

    name: str
    entries: Mapping[ReadValue, ReadValue]
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
    """A log line: the condition under which it is printed (None: always) and its attributes."""

    name: str
    when: ReadFormula | None
    attributes: tuple[ReadAttribute, ...]
    line: int


@attrs.frozen
class ReadKeep:
    """A field or relation that a repair may not change, or may change in one direction only."""

    name: str
    sense: ReadSense
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
    keeps: tuple[ReadKeep, ...]
    line: int


@attrs.frozen
class Handbook:
    """The static part. Sequences are in printed order; `codes` maps each code to its title."""

    title: str
    codes: Mapping[str, str]
    fields: tuple[ReadField, ...]
    facts: tuple[ReadFact, ...]
    hidden: tuple[ReadHidden, ...]
    relations: tuple[ReadRelation, ...]
    tables: tuple[ReadTable, ...]
    events: tuple[ReadEvent, ...]
    valid: tuple[ReadFormula, ...]
    sound: tuple[ReadFormula, ...]
    keeps: tuple[ReadKeep, ...]
    rules: tuple[ReadRule, ...]
