"""The part of a page before its config to a `Handbook`.

In: the text. Out: the handbook, cached by text, since all pages of a system share it. The sections are read in
`fields`, `relations`, `observations` and `runbook`; here stands what holds across sections: sizes, distinct names, and
the sentence on relations, which depends on what other sections use.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import attrs

from compiler.reader.text.errors import ReadError
from compiler.reader.text.fields import NamedItem, distinct, read_fields, read_fixed, read_hidden
from compiler.reader.text.handbook import Handbook, ReadField, ReadFixed, ReadHidden
from compiler.reader.text.limits import MAX_PAGE_NAMES, MAX_VALUES
from compiler.reader.text.observations import ReadObservations, read_observations
from compiler.reader.text.relations import read_relations
from compiler.reader.text.runbook import read_runbook
from compiler.reader.text.sections import NumberedLine, split_sections
from compiler.reader.text.sentences import INTRODUCTION, need_line, relations_sentence
from compiler.reader.text.tree import ReadFormula

_FIELDS: Final = "Fields that can be changed (values best first)"
_FIXED: Final = "Notes on fixed fields"
_HIDDEN: Final = "Not in the config"
_RELATIONS: Final = "Relations"
_OBSERVATIONS: Final = "Profiler and log"
_RUNBOOK: Final = "Runbook"

_SECTIONS: Final = (_FIELDS, _FIXED, _HIDDEN, _RELATIONS, _OBSERVATIONS, _RUNBOOK)
_OPTIONAL: Final = frozenset([_FIXED, _HIDDEN, _OBSERVATIONS])


@lru_cache(maxsize=32)
def read_handbook(text: str) -> Handbook:
    """Read the lines before the config, which start at line 1.

    Raises:
        ReadError: The text breaks the format.
    """
    head, sections = split_sections(text, 1, _SECTIONS, end="`## Config`", optional=_OPTIONAL)
    title = _read_head(head, text)
    relations = read_relations(sections[_RELATIONS])
    seen = ReadObservations()
    if _OBSERVATIONS in sections:
        seen = read_observations(sections[_OBSERVATIONS], relations.ratios)
    runbook = read_runbook(sections[_RUNBOOK])
    features = relations.features | seen.features | runbook.features
    need_line(relations.opening, relations_sentence(features))
    book = Handbook(
        title=title,
        fields=read_fields(sections[_FIELDS]),
        fixed=read_fixed(sections[_FIXED], relations.ratios) if _FIXED in sections else (),
        hidden=read_hidden(sections[_HIDDEN]) if _HIDDEN in sections else (),
        columns=relations.columns,
        relations=relations.relations,
        stated=relations.stated,
        profiler=seen.profiler,
        events=seen.events,
        rules=runbook.rules,
        names=frozenset(),
    )
    return _with_names(book)


def _read_head(lines: Sequence[NumberedLine], text: str) -> str:
    """Read the title and the introduction."""
    if not lines or not lines[0][1].startswith("# ") or lines[0][0] != 1:
        raise ReadError(1, "`# ` and the title of the system", repr(text.split("\n", 1)[0]))
    below = lines[1:]
    for line, sentence in zip(below, INTRODUCTION, strict=False):
        need_line(line, sentence)
    if len(below) != len(INTRODUCTION):
        last = lines[-1] if len(below) < len(INTRODUCTION) else below[len(INTRODUCTION)]
        raise ReadError(last[0], f"{len(INTRODUCTION)} lines between title and fields", str(len(below)))
    return lines[0][1][2:]


def _with_names(book: Handbook) -> Handbook:
    """Check names and sizes, and collect the names in formulas."""
    everything: list[NamedItem] = [*book.fields, *book.fixed, *book.hidden, *book.columns, *book.relations]
    distinct(everything)
    attributes = [attribute for event in book.events for attribute in event.attributes]
    count = len(everything) + len(book.profiler)
    count += sum((1 + len(event.attributes)) * max(1, len(event.at)) for event in book.events)
    if count > MAX_PAGE_NAMES:
        raise ReadError(1, f"at most {MAX_PAGE_NAMES} named quantities", str(count))
    _check_number_of_values(book)
    formulas: list[ReadFormula] = [*book.stated, *(relation.formula for relation in book.relations)]
    for measure in book.profiler:
        formulas += [measure.formula, *([measure.when] if measure.when else [])]
    for event in book.events:
        formulas += [formula for formula in (event.when, event.placed) if formula]
    formulas += [attribute.formula for attribute in attributes]
    for rule in book.rules:
        formulas += [rule.when, *(setting.formula for each in rule.alternatives for setting in each)]
    names = {column.key for column in book.columns if column.key}.union(*(formula.names for formula in formulas))
    return attrs.evolve(book, names=frozenset(names))


def _check_number_of_values(book: Handbook) -> None:
    total = 0
    items: list[ReadField | ReadFixed | ReadHidden] = [*book.fields, *book.fixed, *book.hidden]
    for item in items:
        total += len(item.values or ())
        if total > MAX_VALUES:
            raise ReadError(item.line, f"at most {MAX_VALUES} values in all lists", str(total))
