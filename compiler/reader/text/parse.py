"""The part of a prompt before its config to a `Handbook`.

In: the text. Out: the handbook, cached by text, since all prompts of a system share it. The sections are read in
`lists` and `runbook`; here stands what holds across sections: sizes, distinct names, one rule for each code.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import Handbook, ReadFact, ReadField, ReadHidden
from compiler.reader.text.limits import MAX_PROMPT_NAMES, MAX_VALUES
from compiler.reader.text.lists import (
    NamedItem,
    distinct,
    read_codes,
    read_conditions,
    read_events,
    read_facts,
    read_fields,
    read_hidden,
    read_relations,
    read_tables,
)
from compiler.reader.text.runbook import read_runbook
from compiler.reader.text.sections import Section, split_sections

HEALTHY_CODE: Final = "HEALTHY"

_SECTIONS: Final = (
    "Answer",
    "Diagnosis codes",
    "Fields",
    "Facts",
    "Hidden quantities",
    "Relations",
    "Tables",
    "Log events",
    "Conditions",
    "Runbook",
)


@lru_cache(maxsize=32)
def read_handbook(text: str) -> Handbook:
    """Read the lines before the config, which start at line 1.

    Raises:
        ReadError: The text breaks the format.
    """
    head, sections = split_sections(text, 1, _SECTIONS, end="`## Config`", optional=frozenset(["Tables"]))
    if not head or not head[0][1].startswith("# ") or head[0][0] != 1:
        raise ReadError(1, "`# ` and the title of the system", repr(text.split("\n", 1)[0]))
    if not sections["Answer"].lines:
        raise ReadError(sections["Answer"].line, "the format of the answer below `## Answer`", "nothing")
    _check_number_of_names(sections)
    keeps, rules = read_runbook(sections["Runbook"])
    valid, sound = read_conditions(sections["Conditions"])
    book = Handbook(
        title=head[0][1][2:],
        codes=read_codes(sections["Diagnosis codes"]),
        fields=read_fields(sections["Fields"]),
        facts=read_facts(sections["Facts"]),
        hidden=read_hidden(sections["Hidden quantities"]),
        relations=read_relations(sections["Relations"]),
        tables=read_tables(sections["Tables"]),
        events=read_events(sections["Log events"]),
        valid=valid,
        sound=sound,
        keeps=keeps,
        rules=rules,
    )
    everything: list[NamedItem] = [*book.fields, *book.facts, *book.hidden, *book.relations]
    distinct(everything)
    _check_number_of_values(book)
    _check_codes(book, sections["Diagnosis codes"].line)
    return book


def _check_number_of_names(sections: Mapping[str, Section]) -> None:
    total = 0
    for name in ("Fields", "Facts", "Hidden quantities", "Relations", "Log events"):
        total += len(sections[name].lines)
        if total > MAX_PROMPT_NAMES:
            raise ReadError(sections[name].line, f"at most {MAX_PROMPT_NAMES} named quantities", str(total))


def _check_number_of_values(book: Handbook) -> None:
    total = 0
    items: list[ReadField | ReadFact | ReadHidden] = [*book.fields, *book.facts, *book.hidden]
    for item in items:
        total += len(item.values or ())
        if total > MAX_VALUES:
            raise ReadError(item.line, f"at most {MAX_VALUES} values in all lists", str(total))


def _check_codes(book: Handbook, line: int) -> None:
    """Check that each code but that of a sound run has one rule; `line` is that of the list of codes."""
    seen: set[str] = set()
    for rule in book.rules:
        if rule.code in seen or rule.code not in book.codes or rule.code == HEALTHY_CODE:
            raise ReadError(rule.line, "a listed code that no other rule has", f"`{rule.code}`")
        seen.add(rule.code)
    for code in book.codes:
        if code not in seen and code != HEALTHY_CODE:
            raise ReadError(line, "a rule for each code", f"no rule for `{code}`")
    if HEALTHY_CODE not in book.codes:
        raise ReadError(line, f"the code `{HEALTHY_CODE}`", "no such code")
