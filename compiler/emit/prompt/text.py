"""Words, numbers and units as prompts print them, and which texts can be printed at all.

In: author texts, displays and integers. Out: pieces of a line. Nothing here knows where a piece goes.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

import attrs

from compiler.plan import Display, SystemPlan

LISTED_VALUES = 12
"""A longer arithmetic progression is printed by its ends and its step."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INVISIBLE = {
    "Cc": "a control character or line break",
    "Cf": "an invisible formatting character",
    "Cs": "a lone surrogate",
    "Zl": "a line break",
    "Zp": "a line break",
}


@attrs.frozen
class Unprintable:
    """A text of a system that would break the layout of a prompt."""

    place: str  # such as "relation `peak`"
    text: str
    reason: str


def unprintable(text: str) -> str | None:
    """Say what stands in `text` that a prompt can't print; None if nothing does."""
    for char in text:
        if (found := _INVISIBLE.get(unicodedata.category(char))) is not None:
            return f"{found} (U+{ord(char):04X})"
    for sign, name in (("`", "a backtick"), ("|", "a vertical bar"), ("](", "the start of a link, `](`")):
        if sign in text:
            return name
    if text.startswith("#"):
        return "a `#` at its start"
    if text != text.strip():
        return "a space at its start or end"
    return None


def unprintable_word(text: str) -> str | None:
    """Like `unprintable`, for enumeration members and units, which stand inside lists and formulas."""
    if not text:
        return "no character"
    for sign in '"\\,()[]':
        if sign in text:
            return f"the character `{sign}`"
    return unprintable(text)


def unprintable_texts(system: SystemPlan) -> tuple[Unprintable, ...]:
    """List every author text of `system` that can't be printed, in printing order."""
    found = []
    for place, text, check in _texts(system):
        if (reason := check(text)) is not None:
            found.append(Unprintable(place, text, reason))
    return tuple(found)


def _texts(system: SystemPlan) -> Iterator[tuple[str, str, Callable[[str], str | None]]]:
    def words(place: str, *labels: Mapping[int, str] | None) -> Iterator[tuple[str, str, Callable[[str], str | None]]]:
        for label in labels:
            for word in (label or {}).values():
                yield f"a value of {place}", word, unprintable_word

    def units(place: str, *names: str | None) -> Iterator[tuple[str, str, Callable[[str], str | None]]]:
        for name in names:
            if name:
                yield f"the unit of {place}", name, unprintable_word

    yield f"the title of `{system.name}`", system.title, unprintable
    for variable in system.variables:
        place = f"variable `{variable.name}`"
        yield place, variable.text, unprintable
        yield from words(place, variable.display.labels)
        yield from units(place, variable.unit, variable.display.unit)
    for relation in system.relations:
        place = f"relation `{relation.name}`"
        yield place, relation.text, unprintable
        yield from words(place, relation.labels)
        yield from units(place, relation.unit, relation.display.unit if relation.display else None)
    for table in system.tables:
        place = f"table `{table.name}`"
        yield place, table.text, unprintable
        yield from words(place, table.key_labels, table.value_labels)
    for event in system.events:
        yield f"event `{event.name}`", event.text, unprintable
        for wording in event.wordings:
            yield f"a wording of event `{event.name}`", wording, unprintable
        for attribute in event.attributes:
            place = f"attribute `{event.name}.{attribute.name}`"
            yield from words(place, attribute.display.labels)
            yield from units(place, attribute.unit, attribute.display.unit)
    for text, _ in system.requires:
        yield "a `require`", text, unprintable
    for text, _ in system.sounds:
        yield "a `sound`", text, unprintable
    for rule in system.rules:
        yield f"the title of rule `{rule.name}`", rule.title, unprintable
        yield f"the text of rule `{rule.name}`", rule.says, unprintable


def word(label: str) -> str:
    """A flag's or an enumeration's value outside formulas: bare, or quoted if it isn't a plain word."""
    return label if _WORD.fullmatch(label) else f'"{label}"'


def decimal(shown: int, decimals: int) -> str:
    """The number `shown / 10**decimals`, written out."""
    if not decimals:
        return str(shown)
    digits = str(abs(shown)).rjust(decimals + 1, "0")
    return f"{'-' if shown < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"


def shown_text(display: Display, shown: int) -> str:
    """A value as the instance prints it, from the integer that the evidence holds."""
    if display.labels is not None:
        return word(display.labels[shown])
    number = decimal(shown, display.decimals)
    return f"{number} {display.unit}" if display.unit else number


def values_text(values: Sequence[int], labels: Mapping[int, str] | None) -> str:
    """The values that a variable can take, in the given order and without units."""
    if labels is not None:
        return ", ".join(word(labels[value]) for value in values)
    if len(values) > LISTED_VALUES:
        step = values[1] - values[0]
        if all(later - earlier == step for earlier, later in itertools.pairwise(values)):
            return f"{values[0]} {'to' if step > 0 else 'down to'} {values[-1]} in steps of {abs(step)}"
    return ", ".join(map(str, values))


def unit_tag(unit: str) -> str:
    """` [unit]`, or nothing."""
    return f" [{unit}]" if unit else ""


def is_rounded(display: Display) -> bool:
    """Whether two values may print alike."""
    factor = Fraction(display.numerator, display.denominator) * 10**display.decimals
    return display.labels is None and factor.denominator != 1


def printing_note(unit: str, display: Display) -> str:
    """How a value in `unit` is printed, in parentheses with a space before.

    Raises:
        ValueError: The display scales the number without going from one unit to another.
    """
    factor = Fraction(display.numerator, display.denominator)
    decimals = f"to {display.decimals} decimal{'' if display.decimals == 1 else 's'}"
    if display.labels is not None:
        return " (printed)"
    if display.unit == unit and factor == 1:
        return f" (printed {decimals})" if display.decimals else " (printed)"
    if display.unit == unit or not display.unit or not unit:
        raise ValueError(f"no equation between the units `{unit}` and `{display.unit}`, {factor} to 1")
    # 1 `unit` = factor `display.unit`; the equation starts with the larger unit
    sides = f"{factor.denominator} {unit}", f"{factor.numerator} {display.unit}"
    larger, smaller = sides if factor > 1 else reversed(sides)
    return f" (printed as {display.unit} {decimals}, {larger} = {smaller})"
