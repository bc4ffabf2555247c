"""A whole prompt to a `Document`: the system and what this prompt prints of one run.

What stands before the config is read once per system (see `text/parse` and `prepare`). This module reads the config,
the profiler and the log, and checks that every line is one that the part before announces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Final

import attrs

from compiler.reader.answer.prepare import prepare_system
from compiler.reader.answer.ready import ReadyEvent, ReadyShown, ReadySystem
from compiler.reader.answer.search import search_work
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import ReadFact
from compiler.reader.text.limits import MAX_NUMBER, MAX_READ_WORK, MAX_TEXT, MAX_WORLDS
from compiler.reader.text.parse import read_handbook
from compiler.reader.text.sections import NumberedLine, Section, split_sections
from compiler.reader.text.values import ReadDisplay, ReadValue, format_value, kind_of, read_plain

_CONFIG: Final = "\n## Config\n"


@attrs.frozen
class Document:
    """What a prompt says.

    Attributes:
        system: What it shares with the other prompts of its system.
        values: Each config variable and each fact whose value is known, by name.
        domains: By slot, the values that each other fact and each hidden quantity may have.
        observations: What profiler and log show, in the order of `ReadySystem.search`: numbers in units
            of their last decimal; None for the attributes of an absent event.
        evidence: Printed text by name, in printed order. Config, facts and profiler under their
            names; an event as `log.EVENT` with `present` or `absent`, its attributes as
            `log.EVENT.ATTRIBUTE`.
    """

    system: ReadySystem
    values: Mapping[str, ReadValue]
    domains: Mapping[int, Sequence[ReadValue]]
    observations: tuple[ReadValue | None, ...]
    evidence: Mapping[str, str]


def read_prompt(text: str) -> Document:
    """Read a prompt.

    Raises:
        ReadError: The text breaks the format or exceeds a limit.
    """
    _check_text(text)
    cut = text.find(_CONFIG)
    if cut < 0:
        raise ReadError(text.count("\n"), "the section `## Config`", "the end of the text")
    static, rest = text[: cut + 1], text[cut + 1 : -1]
    config = _config_lines(static)
    names = ("Config", "Profiler", "Log")
    _, sections = split_sections(rest, static.count("\n") + 1, names, end="the end of the text")
    evidence: dict[str, str] = {}
    candidates = _read_config(sections["Config"], config, evidence)
    kinds = tuple(kind_of(candidates[fact.name][0]) for fact in read_handbook(static).facts)
    system = prepare_system(static, kinds)
    observations: list[ReadValue | None] = []
    _read_profiler(sections["Profiler"], system.profiler, evidence, observations)
    _read_log(sections["Log"], system.log, evidence, observations)
    values, domains = _known_and_open(system, candidates)
    _check_search(system, domains)
    return Document(system, values, domains, tuple(observations), evidence)


def _check_text(text: str) -> None:
    """Refuse what no prompt holds, whatever its system: too much text, surrogates, other line ends than line feeds."""
    if len(text) > MAX_TEXT:
        raise ReadError(1, f"at most {MAX_TEXT} characters", str(len(text)))
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ReadError(line, "characters that UTF-8 can write", f"the surrogate {text[error.start]!r}") from None
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        raise ReadError(line, "lines that end with a line feed alone", "a carriage return")
    if not text.endswith("\n") or text.endswith("\n\n"):
        raise ReadError(text.count("\n") + 1, "one line feed at the end of the text", repr(text[-20:]))


def _known_and_open(
    system: ReadySystem, candidates: Mapping[str, tuple[ReadValue, ...]]
) -> tuple[dict[str, ReadValue], dict[int, Sequence[ReadValue]]]:
    """Part the variables: values by name where the config fixes them, lists of values by slot where it doesn't."""
    loops = frozenset(system.loops)
    values: dict[str, ReadValue] = {}
    domains: dict[int, Sequence[ReadValue]] = {}
    for name, found in candidates.items():
        slot = system.slots[name]
        if len(found) == 1 and slot not in loops:
            values[name] = found[0]
        else:
            domains[slot] = found
    for quantity in system.book.hidden:
        domains[system.slots[quantity.name]] = quantity.values
    return values, domains


def _check_search(system: ReadySystem, domains: Mapping[int, Sequence[ReadValue]]) -> None:
    """Refuse a search that takes too long."""
    sizes = {slot: len(values) for slot, values in domains.items()}
    line = system.book.hidden[0].line if system.book.hidden else 1
    if (worlds := prod(sizes.values())) > MAX_WORLDS:
        found = str(worlds) if worlds < MAX_NUMBER else "more than 2^60"
        raise ReadError(line, f"at most {MAX_WORLDS} assignments of the hidden quantities", found)
    if (work := search_work(system.levels, sizes)) > MAX_READ_WORK:
        raise ReadError(line, f"a search of at most {MAX_READ_WORK} steps", str(work))


@attrs.frozen
class _ConfigLine:
    """How a config line is read: name, and from its text to the values it may stand for."""

    name: str
    read: Callable[[str], tuple[ReadValue, ...] | None]


@lru_cache(maxsize=32)
def _config_lines(static_text: str) -> tuple[_ConfigLine, ...]:
    book = read_handbook(static_text)
    lines: list[_ConfigLine] = []
    for field in book.fields:
        texts = {format_value(value, field.unit): (value,) for value in field.values}
        lines.append(_ConfigLine(field.name, texts.get))
    lines += [_ConfigLine(fact.name, _fact_reader(fact)) for fact in book.facts]
    return tuple(lines)


def _fact_reader(fact: ReadFact) -> Callable[[str], tuple[ReadValue, ...] | None]:
    if fact.values is None:
        return lambda text: _unlisted(fact, text)
    texts: dict[str, tuple[ReadValue, ...]] = {}
    for value in fact.values:
        if fact.display is not None and isinstance(value, int) and not isinstance(value, bool):
            text = fact.display.text(value)
        else:
            text = format_value(value, fact.unit)
        texts[text] = (*texts.get(text, ()), value)
    return texts.get


def _unlisted(fact: ReadFact, text: str) -> tuple[ReadValue, ...] | None:
    """Read a fact whose values are not listed; it is printed exactly."""
    display = fact.display or ReadDisplay(fact.unit)
    value: ReadValue | None = None
    if not display.unit and not display.decimals:
        value = read_plain(text)
    elif re.fullmatch(display.pattern, text):
        amount, rest = divmod(display.read(text) or 0, display.factor or 1)
        value = amount if not rest and display.text(amount) == text else None
    if value is None or (isinstance(value, int) and abs(value) > MAX_NUMBER):
        return None
    return (value,)


def _assigned(line: NumberedLine, name: str, where: str) -> str:
    """Give what stands behind `name = ` on a line."""
    start = f"{name} = "
    if not line[1].startswith(start):
        raise ReadError(line[0], f"`{start}` and a value as the next line of the {where}", repr(line[1]))
    return line[1][len(start) :]


def _check_count(section: Section, names: Sequence[str], where: str) -> None:
    """Check that a section has a line for each name, and no other."""
    if len(section.lines) > len(names):
        line, text = section.lines[len(names)]
        raise ReadError(line, f"no further line in the {where}", repr(text))
    if len(section.lines) < len(names):
        last = section.lines[-1][0] if section.lines else section.line
        raise ReadError(last, f"a line for `{names[len(section.lines)]}` in the {where}", f"the end of the {where}")


def _read_config(
    section: Section, lines: Sequence[_ConfigLine], evidence: dict[str, str]
) -> dict[str, tuple[ReadValue, ...]]:
    """Read the config; give for each name the values that its text may stand for."""
    found: dict[str, tuple[ReadValue, ...]] = {}
    for line, reader in zip(section.lines, lines, strict=False):
        text = _assigned(line, reader.name, "config")
        values = reader.read(text)
        if values is None:
            raise ReadError(line[0], f"an allowed value of `{reader.name}`, with its unit if it has one", repr(text))
        found[reader.name] = values
        evidence[reader.name] = text
    _check_count(section, [reader.name for reader in lines], "config")
    return found


def _observed(shown: ReadyShown, text: str, line: int) -> ReadValue:
    value = shown.read(text) if shown.pattern.fullmatch(text) else None
    if value is None:
        raise ReadError(line, f"a value of `{shown.name}`, printed as its note says", repr(text))
    return value


def _read_profiler(
    section: Section,
    profiler: Sequence[ReadyShown],
    evidence: dict[str, str],
    observations: list[ReadValue | None],
) -> None:
    for line, shown in zip(section.lines, profiler, strict=False):
        text = _assigned(line, shown.name, "profiler")
        observations.append(_observed(shown, text, line[0]))
        evidence[shown.name] = text
    _check_count(section, [shown.name for shown in profiler], "profiler")


def _read_log(
    section: Section,
    log: Sequence[ReadyEvent],
    evidence: dict[str, str],
    observations: list[ReadValue | None],
) -> None:
    """Read the log lines, which stand in the order of the events, at most one for each."""
    lines = list(section.lines)[::-1]
    for event in log:
        key = f"log.{event.name}"
        if not lines or not lines[-1][1].startswith(f"[{event.name}]"):
            evidence[key] = "absent"
            observations += [False, *(None for _ in event.attributes)]
            continue
        number, text = lines.pop()
        found = event.pattern.fullmatch(text)
        if found is None:
            names = ", ".join(shown.name for shown in event.attributes)
            listed = f", then in brackets {names}" if names else ""
            raise ReadError(number, f"`[{event.name}]` and a text{listed}", repr(text))
        evidence[key] = "present"
        observations.append(True)
        for shown, value in zip(event.attributes, found.groups(), strict=True):
            observations.append(_observed(shown, value, number))
            evidence[f"{key}.{shown.name}"] = value
    if lines:
        number, text = lines[-1]
        raise ReadError(number, "the line of a listed event, each event once and in the order of the list", repr(text))
