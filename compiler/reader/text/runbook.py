"""The section Runbook: a line that says how to walk, then the rules.

In: a `Section`. Out: `ReadRule` values in printed order. Whether names exist is checked later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import attrs

from compiler.reader.text.cursor import Cursor
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import ReadPick, ReadRule, ReadSetting
from compiler.reader.text.sections import Section
from compiler.reader.text.sentences import HEALTHY_CODE, need_line, runbook_sentence
from compiler.reader.text.tree import ReadFeature, ReadFormula, ReadKept

_PICKS: Final = (ReadPick.FIRST, ReadPick.LARGEST, ReadPick.SMALLEST)


@attrs.frozen
class ReadRunbook:
    """The rules, and what they use that the page explains."""

    rules: tuple[ReadRule, ...]
    features: frozenset[ReadFeature]


def read_runbook(section: Section) -> ReadRunbook:
    """Read the runbook."""
    if not section.lines:
        raise ReadError(section.line, "how to use the rules", "nothing below the heading")
    opening, *lines = section.lines
    features: set[ReadFeature] = set()
    rules: list[ReadRule] = []
    for number, text in lines:
        line = Cursor(text, number)
        if not text.startswith("   "):
            rules.append(_head(line, len(rules) + 1, {rule.code for rule in rules}))
        elif not rules:
            raise line.fail("`1. ` and a code")
        else:
            line.at = 3
            line.need("else " if rules[-1].alternatives else "-> ")
            settings = tuple(_settings(line, features))
            rules[-1] = attrs.evolve(rules[-1], alternatives=(*rules[-1].alternatives, settings))
        features |= line.features
    for rule in rules:
        if not rule.alternatives:
            raise ReadError(rule.line, "a line `   -> FIELD = ...` below the rule", "none")
    need_line(opening, runbook_sentence(rules, features))
    return ReadRunbook(tuple(rules), frozenset(features))


def _head(line: Cursor, place: int, codes: Collection[str]) -> ReadRule:
    """Read `1. CODE: CONDITION  # title`."""
    line.need(f"{place}. ", f"`{place}. ` and a code")
    code = line.name("a code")
    if code in codes or code == HEALTHY_CODE:
        raise ReadError(line.line, "a code that no other rule has", f"`{code}`")
    line.need(": ")
    when = line.formula()
    line.comment()
    return ReadRule(code, when, (), line.line)


def _settings(line: Cursor, features: set[ReadFeature]) -> Iterator[ReadSetting]:
    """Read settings such as `FIELD = first with CONDITION, FIELD = VALUE`; notes what they use in `features`."""
    while True:
        field = line.name("a field to set")
        line.need(" = ")
        pick = next((pick for pick in _PICKS if line.take(f"{pick.value} ")), ReadPick.VALUE)
        if pick is not ReadPick.VALUE and line.take("keeping "):
            features.add(ReadFeature.KEEPING)
            kept = line.formula()
            yield ReadSetting(field, pick, ReadFormula(ReadKept(kept.expr), kept.line, kept.names))
        else:
            if pick is not ReadPick.VALUE:
                line.need("with ", "`with` and a condition, or `keeping` and what is kept")
            yield ReadSetting(field, pick, line.formula())
        if not line.take(", "):
            line.end()
            return
