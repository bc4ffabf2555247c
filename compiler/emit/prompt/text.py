"""Numbers, words and units as pages print them.

In: displays and integers. Out: pieces of a line. Nothing here knows where a piece goes.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction

from compiler.plan import Display

LISTED_VALUES = 12
"""A longer arithmetic progression is printed by its ends and its step."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

TRUTH_VALUES = {"false": 0, "true": 1}
"""The labels of flags."""


def is_flag(display: Display) -> bool:
    """Whether a value is true or false rather than a number or a word."""
    return display.labels is not None and {label: value for value, label in display.labels.items()} == TRUTH_VALUES


def is_name(text: str) -> bool:
    """Whether a text is a plain name, which no form has to quote."""
    return _NAME.fullmatch(text) is not None


def word(label: str) -> str:
    """The value of an enumeration: bare if it is a plain name, else in quotes."""
    return label if is_name(label) else f'"{label}"'


def decimal(shown: int, decimals: int) -> str:
    """The number `shown / 10**decimals`, written out."""
    if not decimals:
        return str(shown)
    digits = str(abs(shown)).rjust(decimals + 1, "0")
    return f"{'-' if shown < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"


def exact_decimal(number: Fraction) -> str:
    """A fraction with all its decimals and no zeros at the end, such as `0.1`.

    Raises:
        ValueError: The fraction has no finite decimal form.
    """
    decimals = 0
    while (number * 10**decimals).denominator != 1:
        decimals += 1
        if number.denominator.bit_length() < decimals:
            raise ValueError(f"{number} has no finite decimal form")
    return decimal(int(number * 10**decimals), decimals)


def scientific(number: Fraction) -> str:
    """A fraction as `3e-4` or `1.5e-4`, with the fewest digits; 0 is `0`."""
    if not number:
        return "0"
    exponent = 0
    while abs(number) >= 10:
        number, exponent = number / 10, exponent + 1
    while abs(number) < 1:
        number, exponent = number * 10, exponent - 1
    return f"{exact_decimal(number)}e{exponent}"


def number_text(display: Display, shown: int) -> str:
    """A value without its unit, from the integer that the evidence holds."""
    if display.labels is not None:
        return word(display.labels[shown])
    if display.exact:
        number = Fraction(shown, display.denominator)
        return scientific(number) if display.scientific else exact_decimal(number)
    return decimal(shown, display.decimals)


def shown_text(display: Display, shown: int, *, between: str = " ") -> str:
    """A value with its unit, from the integer that the evidence holds.

    Args:
        between: What stands between the number and the unit.
    """
    number = number_text(display, shown)
    unit = display.singular if number == "1" and display.singular else display.unit
    if display.labels is not None or display.exact or not unit:
        return number
    return f"{number}{between}{unit}"


def values_text(values: Sequence[int], display: Display) -> str:
    """The values that a variable can take, in the given order and without units, as a config prints them."""
    if len(values) > LISTED_VALUES and display == Display(unit=display.unit, singular=display.singular):
        step = values[1] - values[0]
        if all(later - earlier == step for earlier, later in itertools.pairwise(values)):
            return f"{values[0]} {'to' if step > 0 else 'down to'} {values[-1]} in steps of {abs(step)}"
    return ", ".join(number_text(display, display.shown(value)) for value in values)


def is_rounded(display: Display) -> bool:
    """Whether two values may print alike."""
    if display.labels is not None or display.exact:
        return False
    factor = Fraction(display.numerator, display.denominator) * int(10**display.decimals)
    return factor.denominator != 1


def step_text(display: Display) -> str:
    """What an exact display counts in: `1e-7`, `1/1000`, or `1/2000, scientific`."""
    part = Fraction(1, display.denominator)
    if not display.scientific:
        return str(part)
    return scientific(part) if set(str(display.denominator)) <= set("10") else f"{part}, scientific"


def display_note(display: Display, *, factor: bool = False) -> str:
    """How a value is printed, such as `GiB, 2 decimals`; empty for words and plain numbers.

    Args:
        factor: Add what a computed value is multiplied by.
    """
    if display.labels is not None:
        return ""
    if display.exact:
        step = step_text(display).removesuffix(", scientific")
        return f"scientific, x {step}" if display.scientific else f"x {step}"
    parts = [display.unit] if display.unit else []
    if display.unit and display.singular:
        parts.append(f"1 {display.singular}")
    if display.decimals or is_rounded(display):
        parts.append(f"{display.decimals} decimal{'' if display.decimals == 1 else 's'}")
    if factor:
        parts.append(f"x {Fraction(display.numerator, display.denominator)}")
    return ", ".join(parts)


def unit_equation(unit: str, display: Display) -> str | None:
    """`1 GiB = 1024 MiB`, the printed unit first, where a value in `unit` is printed in another one.

    Raises:
        ValueError: The display scales the number without going from one unit to another.
    """
    factor = Fraction(display.numerator, display.denominator)
    if display.labels is not None or display.exact or (display.unit == unit and factor == 1):
        return None
    if display.unit == unit or not display.unit or not unit:
        raise ValueError(f"no equation between the units `{unit}` and `{display.unit}`, {factor} to 1")
    return f"{factor.numerator} {display.unit} = {factor.denominator} {unit}"


def commented(line: str, *parts: str) -> str:
    """A line with a comment of those parts that aren't empty."""
    comment = "; ".join(part for part in parts if part)
    return f"{line}  # {comment}" if comment else line


def comment_free(line: str) -> str:
    """A line without its comment."""
    return line.partition("  # ")[0]
