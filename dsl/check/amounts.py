"""Amounts that a source gives, with the rounding that belongs to them.

In: an expression, and how the page prints what it is about. Out: an `Amount`. A constant counts as the page would print
it. A number as reported, `"24.7 GiB"`, is as exact as it is written, but no more exact than the page.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Final

import attrs

from dsl.check.answers import checked_constant
from dsl.check.checker import Checker
from dsl.check.printing import MAX_DECIMALS
from dsl.check.unit_help import described, single_unit
from dsl.checked import ExactPrinting, Printing, PrintingForm
from dsl.syntax import nodes
from dsl.value_types import MAX_MAGNITUDE, Quantity, ValueType, conversion, unit_of

_REPORTED: Final = re.compile(r"([+-]?[0-9]++(?:\.[0-9]++)?(?:[eE]([+-]?[0-9]++))?)\s*([A-Za-z_]\w*)?", re.ASCII)
"""A number as reported, with a unit if need be."""

MOST_DIGITS: Final = 40
"""How many characters a reported number may have."""

MOST_ZEROS: Final = 99
"""The largest exponent of a reported number."""


@attrs.frozen
class Amount:
    """What a value is once it is rounded as `printing` says."""

    amount: int
    printing: PrintingForm | None


def rounded_amount(value: int, printing: PrintingForm | None) -> int:
    """A value as it is printed: in units of the last decimal, half up, where it is rounded."""
    if not isinstance(printing, Printing):
        return value
    doubled = 2 * value * printing.numerator * 10**printing.decimals
    return int((doubled + printing.denominator) // (2 * printing.denominator))


def check_amount(
    expr: nodes.Expression, type_: ValueType, printing: PrintingForm | None, what: str, checker: Checker
) -> Amount | None:
    """An amount of something that has this type and is printed so; `what` says in messages what it is."""
    if isinstance(expr, nodes.StrLit) and isinstance(type_, Quantity):
        return _reported(expr, type_, printing, checker)
    constant = checked_constant(expr, type_, what, checker)
    return None if constant is None else Amount(rounded_amount(constant.value, printing), printing)


def _reported(text: nodes.StrLit, type_: Quantity, printing: PrintingForm | None, checker: Checker) -> Amount | None:
    match = _REPORTED.fullmatch(text.value)
    if match is None:
        helps = ('write it as in `"24.73 GiB"` or `"3e-4"`',)
        checker.collector.error("E437", "this isn't a number", text.span, helps=helps)
        return None
    if len(match[1]) > MOST_DIGITS:
        message, why = f"this number has {len(match[1])} characters", f"at most {MOST_DIGITS} are read"
        checker.collector.error("E437", message, text.span, why, helps=("round it to what the source gives",))
        return None
    if match[2] is not None and abs(int(match[2])) > MOST_ZEROS:
        checker.collector.error(
            "E308", "the number is out of range", text.span, f"its exponent lies beyond {MOST_ZEROS}"
        )
        return None
    if isinstance(printing, ExactPrinting):
        return _exact(Fraction(match[1]), match[3], text, printing, checker)
    page = Printing(unit_of(type_), 1, 1, 0) if printing is None else printing
    source = _as_reported(match[1], match[3], type_, page, text, checker)
    if source is None:
        return None
    used = page if _last_place(source) < _last_place(page) else source
    amount = floor(Fraction(match[1]) * 10**source.decimals * _last_place(source) / _last_place(used) + Fraction(1, 2))
    if abs(amount) > MAX_MAGNITUDE:
        checker.collector.error("E308", "the number is out of range", text.span, "beyond 2^60")
        return None
    return Amount(amount, used)


def _last_place(printing: Printing) -> Fraction:
    """What a 1 in the last printed place comes to, in the unit of the value itself."""
    return Fraction(printing.denominator, printing.numerator * 10**printing.decimals)


def _as_reported(
    number: str, unit: str | None, type_: Quantity, page: Printing, text: nodes.StrLit, checker: Checker
) -> Printing | None:
    """The unit and the decimals of a reported number; without a unit, that of the page is meant."""
    decimals = min(MAX_DECIMALS, max(0, -int(Decimal(number).as_tuple().exponent)))
    if unit is None or unit == page.unit:
        return attrs.evolve(page, decimals=decimals)
    target = checker.scope.unit(nodes.Ident(unit, span=text.span), checker.collector)
    if target is None:
        return None
    own = single_unit(type_, checker.scope.types)
    ratio = None if own is None else conversion(own, target)
    if ratio is None:
        message, why = f"expected {described(type_)}, not an amount of `{unit}`", "they have no common base unit"
        checker.collector.error("E306", message, text.span, why)
        return None
    return Printing(unit, ratio.numerator, ratio.denominator, decimals)


def _exact(
    number: Fraction, unit: str | None, text: nodes.StrLit, printing: ExactPrinting, checker: Checker
) -> Amount | None:
    parts = number * printing.denominator
    if unit is not None:
        why = "it is printed without a unit"
    elif parts.denominator > 1:
        why = f"it counts in parts of 1/{printing.denominator}"
    elif abs(parts) > MAX_MAGNITUDE:
        why = "it is out of range"
    else:
        return Amount(int(parts), printing)
    checker.collector.error("E437", f"no run prints `{text.value}` here", text.span, why)
    return None
