"""A whole page to a `Document`: the system and what this page prints of one run.

What stands before the config is read once per system (see `text/parse` and `prepare`). This module reads the config,
the profiler and the log, and checks that what the part before explains is there as it says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Final, TypeAlias

import attrs

from compiler.reader.answer.prepare import fixed_values, prepare_system
from compiler.reader.answer.ready import ReadyEvent, ReadyShown, ReadySystem
from compiler.reader.answer.search import search_work
from compiler.reader.text.config import ConfigValue, read_config
from compiler.reader.text.errors import ReadError
from compiler.reader.text.handbook import ReadFixed
from compiler.reader.text.limits import MAX_NUMBER, MAX_READ_WORK, MAX_TEXT, MAX_WORLDS
from compiler.reader.text.parse import read_handbook
from compiler.reader.text.run import ReadLine, read_log, read_profiler
from compiler.reader.text.sections import Section, split_sections
from compiler.reader.text.values import (
    NUMBER_PATTERN,
    ReadDisplay,
    ReadValue,
    format_value,
    kind_of,
    read_integer,
)

_CONFIG: Final = "\n## Config\n"
_RUN: Final = ("Config", "Profiler", "Log")
_ABSENT: Final = "n/a"

_Reader: TypeAlias = Callable[[ConfigValue], "tuple[ReadValue, ...] | None"]
"""From what stands in the config to the values that it may stand for; None if it is no value of the field."""


@attrs.frozen
class Document:
    """What a page says.

    Attributes:
        system: What it shares with the other pages of its system.
        values: Each config value that formulas may use and that is known, by name.
        domains: By slot, the values that each other one and each hidden quantity may have.
        observations: What profiler and log show, in the order of `ReadySystem.search`: numbers in units
            of their last decimal; None for what isn't printed because the run or the line isn't that far.
        evidence: Printed text by name, in printed order: the config and the profiler under their names; what the page
            explains of the log as `log.LOGGER` or `log.LOGGER@NUMBER`, `present` or `absent`, its attributes as
            `log.LOGGER.ATTRIBUTE`, and whether it stands before another as `log.LOGGER<OTHER`.
        lines: The log.
    """

    system: ReadySystem
    values: Mapping[str, ReadValue]
    domains: Mapping[int, Sequence[ReadValue]]
    observations: tuple[ReadValue | None, ...]
    evidence: Mapping[str, str]
    lines: tuple[ReadLine, ...]

    def texts(self, values: Mapping[str, ReadValue]) -> dict[str, str]:
        """Write values of fields or hidden quantities as the config prints them."""
        return {name: self._text(name, value) for name, value in values.items()}

    def _text(self, name: str, value: ReadValue) -> str:
        exact = self.system.exact.get(name)
        return format_value(value) if exact is None else exact.text(int(value))


def read_prompt(text: str) -> Document:
    """Read a page.

    Raises:
        ReadError: The text breaks the format or exceeds a limit.
    """
    _check_text(text)
    cut = text.find(_CONFIG)
    if cut < 0:
        raise ReadError(text.count("\n"), "the section `## Config`", "the end of the text")
    static, rest = text[: cut + 1], text[cut + 1 : -1]
    _, sections = split_sections(rest, static.count("\n") + 1, _RUN, end="the end of the text")
    config, places = read_config(sections["Config"])
    readers = _config_readers(static, frozenset(config))
    candidates = _candidates(sections["Config"], readers, config, places)
    kinds = tuple(kind_of(candidates[name][0]) for name in readers.fixed)
    system = prepare_system(static, readers.fixed, kinds)
    evidence = {name: _config_text(value) for name, value in config.items()}
    observations: list[ReadValue | None] = []
    profiler = read_profiler(sections["Profiler"])
    evidence.update((name, found[1]) for name, found in profiler.items())
    _observe_profiler(system.profiler, profiler, sections["Profiler"].line, observations)
    lines = read_log(sections["Log"])
    _observe_log(system.log, lines, evidence, observations)
    values, domains = _known_and_open(system, candidates)
    _check_search(system, domains)
    return Document(system, values, domains, tuple(observations), evidence, lines)


def _check_text(text: str) -> None:
    """Refuse what no page holds, whatever its system: too much text, surrogates, other line ends than line feeds."""
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
class _ConfigReaders:
    """How the values of a config are read, by name, and the names of those that can't be changed."""

    readers: Mapping[str, _Reader]
    fixed: tuple[str, ...]


@lru_cache(maxsize=32)
def _config_readers(static_text: str, names: frozenset[str]) -> _ConfigReaders:
    book = read_handbook(static_text)
    readers: dict[str, _Reader] = {
        field.name: {_written(value, field.display): (value,) for value in field.values}.get for field in book.fields
    }
    fixed = fixed_values(book, names)
    readers |= {item.name: _fixed_reader(item) for item in fixed}
    return _ConfigReaders(readers, tuple(item.name for item in fixed))


def _written(value: ReadValue, display: ReadDisplay) -> ConfigValue:
    """Give what stands in a config for a value."""
    if isinstance(value, bool | str):
        return value
    return (display.text(value),)


def _fixed_reader(item: ReadFixed) -> _Reader:
    if item.values is None:
        return lru_cache(maxsize=256)(lambda found: _unlisted(item.display, found))
    texts: dict[ConfigValue, tuple[ReadValue, ...]] = {}
    for value in item.values:
        text = _written(value, item.display)
        texts[text] = (*texts.get(text, ()), value)
    return texts.get


def _unlisted(display: ReadDisplay, found: ConfigValue) -> tuple[ReadValue, ...] | None:
    """Read a value that isn't one of a list; it is printed exactly."""
    if not isinstance(found, tuple):
        return (found,)
    (text,) = found
    value: int | None = None
    if display.exact is not None:
        value = display.exact.read(text)
    elif NUMBER_PATTERN.fullmatch(text):
        value = read_integer(text)
    return None if value is None or abs(value) > MAX_NUMBER else (value,)


def _candidates(
    section: Section, readers: _ConfigReaders, config: Mapping[str, ConfigValue], places: Mapping[str, int]
) -> dict[str, tuple[ReadValue, ...]]:
    """Give for each name that formulas may use the values that its text in the config may stand for."""
    found: dict[str, tuple[ReadValue, ...]] = {}
    for name, read in readers.readers.items():
        if name not in config:
            raise ReadError(section.line, f"`{name}` in the config", "no line of it")
        values = read(config[name])
        if values is None:
            raise ReadError(places[name], f"an allowed value of `{name}`", _config_text(config[name]))
        found[name] = values
    return found


@lru_cache(maxsize=1024)
def _config_text(value: ConfigValue) -> str:
    return value[0] if isinstance(value, tuple) else format_value(value)


def _observed(shown: ReadyShown, text: str, line: int) -> ReadValue:
    value = shown.read(text) if shown.pattern.fullmatch(text) else None
    if value is None:
        raise ReadError(line, f"a value of `{shown.name}`, printed as the handbook says", repr(text))
    return value


def _observe_profiler(
    profiler: Sequence[ReadyShown],
    found: Mapping[str, tuple[int, str]],
    heading: int,
    observations: list[ReadValue | None],
) -> None:
    for shown in profiler:
        line, text = found.get(shown.name, (heading, ""))
        if not text:
            raise ReadError(heading, f"`{shown.name}` in the profiler", "no value of it")
        if shown.conditional:
            there = text != _ABSENT
            observations.append(there)
            if not there:
                observations.append(None)
                continue
        observations.append(_observed(shown, text, line))


def _observe_log(
    log: Sequence[ReadyEvent],
    lines: Sequence[ReadLine],
    evidence: dict[str, str],
    observations: list[ReadValue | None],
) -> None:
    by_logger: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        by_logger.setdefault(line.logger, []).append(place)
    for event in log:
        found = [lines[place] for place in by_logger.get(event.logger, ())]
        key = f"log.{event.logger}"
        if event.index is None:
            if len(found) > 1:
                raise ReadError(found[1].number, f"one line of `{event.logger}` at most", repr(found[1].text))
            _observe_line(event, found[0] if found else None, key, evidence, observations)
        else:
            numbered = _numbered(event, event.index, found)
            for at in event.at:
                _observe_line(event, numbered.get(at), f"{key}@{at}", evidence, observations)
        if event.before:
            own, others = by_logger.get(event.logger), by_logger.get(event.before)
            placed = own[0] < others[0] if own and others else None
            observations.append(placed)
            evidence[f"{key}<{event.before}"] = "true" if placed else "false"


def _numbered(event: ReadyEvent, index: ReadyShown, found: Sequence[ReadLine]) -> dict[int, ReadLine]:
    """Give the lines of an event by their number."""
    numbered: dict[int, ReadLine] = {}
    for line in found:
        at = int(_attribute(index, line)[0])
        if at not in event.at or at in numbered:
            expected = f"one line of `{event.logger}` for each `{index.name}` that the handbook lists"
            raise ReadError(line.number, expected, f"`{index.name}={at}`")
        numbered[at] = line
    return numbered


def _observe_line(
    event: ReadyEvent,
    line: ReadLine | None,
    key: str,
    evidence: dict[str, str],
    observations: list[ReadValue | None],
) -> None:
    if event.conditional:
        observations.append(line is not None)
    evidence[key] = "absent" if line is None else "present"
    if line is None:
        observations += [None] * len(event.attributes)
        return
    for shown in event.attributes:
        value, text = _attribute(shown, line)
        observations.append(value)
        evidence[f"{key}.{shown.name}"] = text


def _attribute(shown: ReadyShown, line: ReadLine) -> tuple[ReadValue, str]:
    """Find `name=value` in a line, which must stand in it once; give the value and its text."""
    texts = shown.pattern.findall(line.text)
    value = shown.read(texts[0]) if len(texts) == 1 and texts[0] else None
    if value is None:
        expected = f"`{shown.name}=` and its value, printed as the handbook says, once in the line"
        raise ReadError(line.number, expected, repr(line.text))
    return value, texts[0]
