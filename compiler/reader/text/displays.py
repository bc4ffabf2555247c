"""How numbers are printed, as the handbook says it: notes such as `GiB, 2 decimals`, and sentences of conversion.

In: a cursor, or the end of a line. Out: a `ReadDisplay` or a `ReadExact`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, TypeAlias

from compiler.reader.text.cursor import Cursor
from compiler.reader.text.limits import MAX_NUMBER
from compiler.reader.text.values import PLAIN_DISPLAY, ReadDisplay, ReadExact

Ratios: TypeAlias = Mapping[str, Fraction]
"""By a printed unit: how much of it makes one of the unit of the formulas."""

_MAX_DECIMALS: Final = 12
_UNIT: Final = r"[^\[\]()`|:;,=#\s0-9](?:[^\[\]()`|:;,=#]*[^\[\]()`|:;,=#\s])?"
_NUMBER: Final = r"[1-9][0-9]{0,17}"
_STEP: Final = rf"1(?:e-(?P<power>[1-9][0-9]?)|/(?P<parts>{_NUMBER}))"
_COUNT_IN: Final = re.compile(rf"(?:  # |; )formulas count in {_STEP}(?P<scientific>, scientific)?$")
_NOTE: Final = re.compile(r"[^();]*[^();\s]")
_DECIMALS: Final = re.compile(r"([0-9]{1,2}) (decimals?)")
_SINGULAR: Final = re.compile(rf"1 ({_UNIT})")
_STEPS: Final = re.compile(rf"x {_STEP}")
_TIMES: Final = re.compile(rf"x ({_NUMBER})(?:/({_NUMBER}))?")
_ANY_DECIMALS: Final = re.compile(r"[0-9] decimals?(?:;|\)|$)")
_SENTENCE: Final = re.compile(rf"({_NUMBER}) ({_UNIT}) = ({_NUMBER}) ({_UNIT})\.(?: |$)")


def read_parts(line: Cursor) -> ReadExact | None:
    """Give how the numbers of a field's line are printed, if its comment says in which steps formulas count them."""
    found = _COUNT_IN.search(line.text)
    if found is None:
        return None
    parts = 10 ** int(found["power"]) if found["power"] else int(found["parts"])
    return _exact(line, parts, scientific=bool(found["power"] or found["scientific"]))


def _exact(line: Cursor, parts: int, *, scientific: bool) -> ReadExact:
    rest = parts
    for factor in (2, 5):
        while rest % factor == 0:
            rest //= factor
    if rest != 1 or parts > MAX_NUMBER:
        raise line.fail("parts that a decimal can write", f"1/{parts}")
    return ReadExact(parts, scientific)


def read_note(line: Cursor, ratios: Ratios, *, joined: bool = False) -> ReadDisplay:
    """Pass a note, without brackets around it.

    Args:
        ratios: What the sentences of conversion say.
        joined: Whether units follow the numbers without a blank.

    Raises:
        ReadError: No note stands here, or it contradicts itself.
    """
    start = line.at
    found = line.match(_NOTE)
    parts = found[0].split(", ") if found else []
    display = _exact_note(line, parts) or _rounded_note(line, parts, ratios, joined=joined)
    if not found or parts:
        line.at = start
        raise line.fail("how the value is printed, such as `GiB, 2 decimals`")
    return display


def _exact_note(line: Cursor, parts: list[str]) -> ReadDisplay | None:
    """Take `x 1/1000` or `scientific, x 1e-7` from the parts of a note, if it is one."""
    scientific = parts[:1] == ["scientific"]
    step = _STEPS.fullmatch(parts[-1]) if len(parts) == 1 + scientific else None
    if step is None:
        return None
    parts.clear()
    count = 10 ** int(step["power"]) if step["power"] else int(step["parts"])
    return ReadDisplay(exact=_exact(line, count, scientific=scientific))


def _rounded_note(line: Cursor, parts: list[str], ratios: Ratios, *, joined: bool) -> ReadDisplay:
    """Take unit, singular, decimals and factor from the parts of a note, as far as it has them."""

    def take(pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.fullmatch(parts[0]) if parts else None
        if found is not None:
            parts.pop(0)
        return found

    decimals = take(_DECIMALS)
    unit = singular = None
    if decimals is None and (unit := take(re.compile(_UNIT))) is not None:
        if parts and not _DECIMALS.fullmatch(parts[0]):
            singular = take(_SINGULAR)
        decimals = take(_DECIMALS)
    name = unit[0] if unit else ""
    ratio = ratios.get(name, Fraction(1))
    if unit is not None and (times := take(_TIMES)) is not None:
        ratio = Fraction(int(times[1]), int(times[2] or 1))
    places = _decimals(line, decimals)
    return ReadDisplay(name, places, ratio.numerator, ratio.denominator, singular[1] if singular else "", joined=joined)


def _decimals(line: Cursor, found: re.Match[str] | None) -> int:
    """Give the number of decimals in a note, 0 if it names none."""
    if found is None:
        return 0
    number = int(found[1])
    if number > _MAX_DECIMALS or found[1] != str(number):
        raise line.fail(f"0 to {_MAX_DECIMALS} decimals", found[1])
    if (found[2] == "decimal") != (number == 1):
        raise line.fail("`decimal` after 1 and `decimals` after other numbers", f"`{found[0]}`")
    return number


def read_bracketed_note(line: Cursor, ratios: Ratios, *, joined: bool = False) -> ReadDisplay:
    """Pass ` (note)` if it comes next; a plain number has none."""
    if not line.take(" ("):
        return PLAIN_DISPLAY
    display = read_note(line, ratios, joined=joined)
    line.need(")")
    return display


def has_decimals(line: Cursor) -> bool:
    """Say whether a note on the line has a part on decimals."""
    return _ANY_DECIMALS.search(line.text) is not None


def read_ratios(line: Cursor) -> dict[str, Fraction]:
    """Read a line of sentences such as `1 GiB = 1024 MiB.`, the printed unit first and that of the formulas second.

    Raises:
        ReadError: The line isn't one of such sentences.
    """
    ratios: dict[str, Fraction] = {}
    while line.at < len(line.text):
        found = line.match(_SENTENCE)
        if found is None or found[2] in ratios:
            raise line.fail("`1 UNIT = N UNIT.`, once for each printed unit")
        ratios[found[2]] = Fraction(int(found[1]), int(found[3]))
    return ratios
