"""The section Runbook: what no repair may change, then the rules.

In: a `Section`. Out: `ReadKeep` and `ReadRule` values in printed order. Whether codes and names exist is checked later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from compiler.reader.text.cursor import Cursor
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import ReadKeep, ReadPick, ReadRule, ReadSense, ReadSetting
from compiler.reader.text.sections import NumberedLine, Section

_SYSTEM_KEEPS: Final[Mapping[ReadSense, str]] = {
    ReadSense.EQUAL: "changes ",
    ReadSense.NOT_ABOVE: "raises ",
    ReadSense.NOT_BELOW: "lowers ",
}
_RULE_KEEPS: Final[Mapping[ReadSense, str]] = {
    ReadSense.NOT_ABOVE: " not above",
    ReadSense.NOT_BELOW: " not below",
    ReadSense.EQUAL: "",
}
_PICKS: Final[Mapping[ReadPick, str]] = {
    ReadPick.LARGEST: " = largest where ",
    ReadPick.SMALLEST: " = smallest where ",
    ReadPick.FIRST: " = first where ",
    ReadPick.VALUE: " = ",
}
"""What stands before the formula; the one that begins all others comes last."""


def read_runbook(section: Section) -> tuple[tuple[ReadKeep, ...], tuple[ReadRule, ...]]:
    """Read the runbook.

    Returns:
        What no repair may change, and the rules, each in printed order.
    """
    lines = list(section.listed)
    keeps: list[ReadKeep] = []
    while lines and lines[0][1].startswith("- "):
        keeps.append(_system_keep(*lines.pop(0)))
    heads = [at for at, (_, text) in enumerate(lines) if not text.startswith("   ")]
    if lines and heads[:1] != [0]:
        raise ReadError(lines[0][0], "`1. ` and a code", repr(lines[0][1]))
    spans = enumerate(pairwise([*heads, len(lines)]), 1)
    rules = [_rule(place, lines[start:end]) for place, (start, end) in spans]
    return tuple(keeps), tuple(rules)


def _system_keep(number: int, text: str) -> ReadKeep:
    line = Cursor(text, number)
    line.need("- no repair ")
    for sense, verb in _SYSTEM_KEEPS.items():
        if line.take(verb):
            name = line.ticked_name("a field or relation in backticks")
            line.text_and_end()
            return ReadKeep(name, sense, number)
    raise line.fail("`changes`, `raises` or `lowers`")


def _rule(place: int, lines: Sequence[NumberedLine]) -> ReadRule:
    """Read one rule: its head and the indented lines when, set, else set, keep and note, in order."""
    number, text = lines[0]
    head = Cursor(text, number)
    head.need(f"{place}. ", f"`{place}. ` and a diagnosis code")
    code = head.name("a diagnosis code")
    head.need(": ")
    cursors = [_unindented(line) for line in lines[1:]]
    if not cursors:
        raise ReadError(number, "`when` and a formula on a line below the rule's head", "no indented line")
    cursors[0].need("when ", "`when` and a formula")
    when = cursors[0].formula()
    cursors[0].end()
    alternatives: list[tuple[ReadSetting, ...]] = []
    keeps: list[ReadKeep] = []
    noted = False
    for cursor in cursors[1:]:
        if cursor.take("note: "):
            noted = True
        elif alternatives and not noted and cursor.take("keep "):
            keeps.extend(_rule_keeps(cursor))
        elif not keeps and not noted and cursor.take("else set " if alternatives else "set "):
            alternatives.append(tuple(_settings(cursor)))
        else:
            raise cursor.fail("`set`, then `else set`, `keep` and `note:`, in this order")
    if not alternatives:
        raise ReadError(lines[-1][0], "`set` in every rule", f"the end of rule {place}")
    return ReadRule(code, when, tuple(alternatives), tuple(keeps), number)


def _unindented(line: NumberedLine) -> Cursor:
    number, text = line
    cursor = Cursor(text, number)
    cursor.at = len(text) - len(text.lstrip(" "))
    return cursor


def _settings(line: Cursor) -> Iterator[ReadSetting]:
    while True:
        field = line.name("a field to set")
        pick = next((pick for pick, words in _PICKS.items() if line.take(words)), None)
        if pick is None:
            raise line.fail("` = `")
        yield ReadSetting(field, pick, line.formula())
        if not line.take("; "):
            line.end()
            return


def _rule_keeps(line: Cursor) -> Iterator[ReadKeep]:
    while True:
        name = line.ticked_name("a field or relation in backticks")
        sense = next(sense for sense, words in _RULE_KEEPS.items() if line.take(words))
        yield ReadKeep(name, sense, line.line)
        if not line.take(", "):
            line.end()
            return
