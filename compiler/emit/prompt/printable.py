"""Which texts and names of a system can't stand on a page: whatever its reader could take for something else.

In: a system. Out: what is wrong, in words that follow the place, such as "has a line break (U+000A)".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import attrs

from compiler.emit.prompt.log import PLACE_HOLDER, RANGE
from compiler.emit.prompt.shown import logger_name
from compiler.emit.prompt.text import TRUTH_VALUES
from compiler.plan import Display, EventPlan, SystemPlan

RESERVED = frozenset(
    (
        *("abs", "and", "ceil", "else", "false", "floor", "if", "in", "is", "max", "min", "not", "or", "true"),
        *("before", "first", "keeping", "largest", "printed", "smallest", "unless", "with"),
        *("Always", "NAME", "key", "stands", "there"),
    )
)
"""Words that have a meaning of their own on every page."""

_UNIT = re.compile(r"[A-Za-z_]+")
_LOGGER = re.compile(r"[A-Za-z0-9_./-]+")
_BEFORE_VALUE = re.compile(r"(?:.*[\s(])?", re.DOTALL)
_AFTER_VALUE = re.compile(r"(?:[,;:.!?)]*(?:\s.*)?)", re.DOTALL)
_INVISIBLE = {
    "Cc": "a control character or line break",
    "Cf": "an invisible formatting character",
    "Cs": "a lone surrogate",
    "Zl": "a line break",
    "Zp": "a line break",
}


@attrs.frozen
class Unprintable:
    """A text of a system that its page can't show.

    Attributes:
        place: Such as "relation `peak`".
        reason: What follows the place in a sentence, such as "has a backtick".
    """

    place: str
    text: str
    reason: str


def unprintable(text: str) -> str | None:
    """Say what stands in `text` that no line of a page can hold; None if nothing does."""
    for char in text:
        if (found := _INVISIBLE.get(unicodedata.category(char))) is not None:
            return f"has {found} (U+{ord(char):04X})"
    for sign, name in (("`", "a backtick"), ("](", "the start of a link, `](`")):
        if sign in text:
            return f"has {name}"
    if text != text.strip():
        return "has a space at its start or end"
    return None


def unprintable_comment(text: str) -> str | None:
    """Like `unprintable`, for what stands behind a `#`."""
    return "has a `#`, which starts a comment on the page" if "#" in text else unprintable(text)


def unprintable_word(text: str) -> str | None:
    """Like `unprintable`, for enumeration members, which stand in lists, tables and formulas."""
    if not text:
        return "has no character"
    for sign in '"\\|#':
        if sign in text:
            return f"has the character `{sign}`"
    return unprintable(text)


def unprintable_unit(text: str) -> str | None:
    return None if _UNIT.fullmatch(text) else "has a unit that isn't made of letters alone"


def unprintable_wording(wording: str, attributes: Mapping[str, object]) -> str | None:
    """Say why a wording of an event can't be told from its values; None if it can."""
    if (reason := unprintable(wording)) is not None:
        return reason
    counts: Counter[str] = Counter()
    literal = []
    end = 0
    for match in PLACE_HOLDER.finditer(wording):
        if match[1] not in attributes:
            continue
        counts[match[1]] += 1
        if not _BEFORE_VALUE.fullmatch(wording[: match.start()]):
            return f"has no space before `{match[0]}`"
        if not _AFTER_VALUE.fullmatch(wording[match.end() :]):
            return f"has neither a space nor the end of a sentence behind `{match[0]}`"
        literal.append(wording[end : match.start()])
        end = match.end()
    if twice := [name for name, count in counts.items() if count > 1]:
        return f"names `{{{twice[0]}}}` twice"
    text = "".join((*literal, wording[end:]))
    for name in attributes:
        if re.search(rf"(?<![\w.]){re.escape(name)}=", text):
            return f"has `{name}=`, which looks like the value of that attribute"
    return None


def unprintable_texts(system: SystemPlan) -> tuple[Unprintable, ...]:
    """List everything of `system` that can't be printed or could be misread, in printing order."""
    found = []
    for place, text, check in _texts(system):
        if (reason := check(text)) is not None:
            found.append(Unprintable(place, text, reason))
    return (*found, *_names(system), *_loggers(system))


_Check = Callable[[str], str | None]


def _texts(system: SystemPlan) -> Iterator[tuple[str, str, _Check]]:
    yield f"the title of `{system.name}`", system.title, unprintable
    for variable in system.variables:
        place = f"variable `{variable.name}`"
        yield place, variable.text, unprintable_comment
        yield from _units(place, variable.unit, variable.display.unit, variable.display.singular)
    for relation in system.relations:
        place = f"relation `{relation.name}`"
        yield place, relation.text, unprintable_comment
        yield from _units(place, relation.unit, *_display_units(relation.display))
    for table in system.tables:
        yield f"table `{table.name}`", table.text, unprintable_comment
        yield from _units(f"table `{table.name}`", table.value_unit)
    for noise in system.noise_values:
        yield from _units(f"noise `{noise.name}`", *_display_units(noise.display))
    for event in system.events:
        yield from _event_texts(event)
    for line in system.noise_lines:
        for wording in line.wordings:
            yield f"a wording of the noise by `{line.logger}`", wording, _unprintable_noise
    for text, _ in system.stated:
        yield "a stated condition", text, unprintable_comment
    for rule in system.rules:
        yield f"the title of rule `{rule.name}`", rule.title, unprintable_comment


def _event_texts(event: EventPlan) -> Iterator[tuple[str, str, _Check]]:
    attributes = {attribute.name: None for attribute in event.attributes}
    if event.index:
        attributes[event.index] = None
    for wording in event.wordings:
        yield f"a wording of event `{event.name}`", wording, lambda text: unprintable_wording(text, attributes)
    for attribute in event.attributes:
        place = f"attribute `{event.name}.{attribute.name}`"
        yield from _units(place, attribute.unit, *_display_units(attribute.display))


def _unprintable_noise(wording: str) -> str | None:
    if any(int(match[1]) > int(match[2]) for match in RANGE.finditer(wording)):
        return "has a range whose end is below its start"
    return unprintable(wording)


def _display_units(display: Display | None) -> tuple[str, ...]:
    return () if display is None else (display.unit, display.singular)


def _units(place: str, *units: str | None) -> Iterator[tuple[str, str, _Check]]:
    for unit in dict.fromkeys(units):
        if unit:
            yield place, unit, unprintable_unit


# ------------------------------------------------------------------ names


def _names(system: SystemPlan) -> Iterator[Unprintable]:
    """Names and words that stand for two things, or that the page needs for itself."""
    quantities = _quantities(system)
    taken = Counter(name for _, name in quantities)
    for place, name in quantities:
        if name in RESERVED:
            yield Unprintable(place, name, "has a name that is a word of the page itself")
        elif taken[name] > 1:
            yield Unprintable(place, name, "has the name of something else on the page")
    for place, word in _words(system):
        if (reason := unprintable_word(word)) is not None:
            yield Unprintable(place, word, f"has a value that {reason}")
        elif word in RESERVED or word in taken:
            what = "is a word of the page itself" if word in RESERVED else "is also a name on the page"
            yield Unprintable(place, word, f"has a value `{word}` that {what}")
    fields = [(each.name, each.group) for each in system.variables]
    fields += [(each.name, each.group) for each in system.noise_values]
    ungrouped = {name for name, group in fields if not group}
    for group in dict.fromkeys(group for _, group in fields if group):
        if group in ungrouped:
            yield Unprintable(f"group `{group}`", group, "has the name of a field outside the groups")
    yield from _line_names(system)


def _quantities(system: SystemPlan) -> list[tuple[str, str]]:
    """The names that share the formulas and the config of a page, each after its place."""
    return [
        *((f"variable `{each.name}`", each.name) for each in system.variables),
        *((f"relation `{each.name}`", each.name) for each in system.relations),
        *((f"table `{each.name}`", each.name) for each in system.tables),
        *((f"noise `{each.name}`", each.name) for each in system.noise_values),
    ]


def _words(system: SystemPlan) -> Iterator[tuple[str, str]]:
    """Every word that stands for a value, except `true` and `false`."""
    labelled: list[tuple[str, Mapping[int, str] | None]] = []
    labelled += [(f"variable `{each.name}`", each.display.labels) for each in system.variables]
    labelled += [(f"relation `{each.name}`", each.labels) for each in system.relations]
    for table in system.tables:
        labelled += [(f"table `{table.name}`", table.key_labels), (f"table `{table.name}`", table.value_labels)]
    labelled += [(f"noise `{each.name}`", each.display.labels) for each in system.noise_values]
    for event in system.events:
        labelled += [(f"attribute `{event.name}.{each.name}`", each.display.labels) for each in event.attributes]
    for place, labels in labelled:
        if labels and set(labels.values()) != set(TRUTH_VALUES):
            yield from ((place, word) for word in labels.values())


def _line_names(system: SystemPlan) -> Iterator[Unprintable]:
    """Attributes of events that the page needs for itself, or that stand twice on a line."""
    quantities = {name for _, name in _quantities(system)}
    for event in system.events:
        names = [event.index] * bool(event.index) + [attribute.name for attribute in event.attributes]
        for name, count in Counter(names).items():
            if name in RESERVED:
                place = f"attribute `{event.name}.{name}`"
                yield Unprintable(place, name, "has a name that is a word of the page itself")
            elif count > 1:
                yield Unprintable(f"event `{event.name}`", name, f"has two values named `{name}`")
        if event.index in quantities:
            yield Unprintable(f"event `{event.name}`", event.index, f"has an index `{event.index}` that is also a name")


def _loggers(system: SystemPlan) -> Iterator[Unprintable]:
    """Loggers that don't tell their event from the other lines of a log."""
    events = Counter(logger_name(event) for event in system.events)
    for event in system.events:
        logger = logger_name(event)
        if not _LOGGER.fullmatch(logger):
            yield Unprintable(f"event `{event.name}`", logger, f"has a logger `{logger}` that isn't one word")
        elif events[logger] > 1:
            yield Unprintable(f"event `{event.name}`", logger, f"shares its logger `{logger}` with another event")
    for line in system.noise_lines:
        if not _LOGGER.fullmatch(line.logger):
            yield Unprintable("a noise line", line.logger, f"has a logger `{line.logger}` that isn't one word")
        elif line.logger in events:
            yield Unprintable("a noise line", line.logger, f"shares its logger `{line.logger}` with an event")
