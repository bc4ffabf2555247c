"""Types, units and finite domains of the language: values only, no syntax trees and no messages.

A number carries a dimension: unit names with exponents, none for a plain number. A scaled unit (`GiB` of
`unit GiB = 1024 MiB`) is a dimension of its own, so that adding it to its base needs a conversion.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import Final, TypeVar

import attrs

MAX_DOMAIN: Final = 4096
"""The largest number of values that a domain may have."""

MAX_MEMBERS: Final = 256
"""The largest number of members that an enumeration may have."""

MAX_MAGNITUDE: Final = 2**60
"""Every value that is ever computed lies between minus this and this."""

TRUTH_WORDS: Final = ("false", "true")

_T = TypeVar("_T")


@attrs.frozen
class Unit:
    """A declared unit: one of it is `factor` of `base`; a base unit is one of itself.

    `singular` is what stands after a printed 1; empty if that is the name as well.
    """

    name: str
    base: str
    factor: int
    singular: str = ""


Dimension = tuple[tuple[str, int], ...]
"""Unit names with exponents other than zero, sorted by name."""

PLAIN: Final[Dimension] = ()


@attrs.frozen
class Quantity:
    """An integer with a dimension; None is the literal 0, which fits every dimension."""

    dimension: Dimension | None = PLAIN


@attrs.frozen
class Flag:
    """True or false."""


@attrs.frozen
class Enumeration:
    """One of listed words; a value is coded as its place in `members`. Written in place: no name."""

    name: str
    members: tuple[str, ...]

    def code(self, member: str) -> int:
        return self.members.index(member)


ValueType = Quantity | Flag | Enumeration

NUMBER: Final = Quantity(PLAIN)
ZERO: Final = Quantity(None)
FLAG: Final = Flag()


def multiply(left: Dimension | None, right: Dimension | None) -> Dimension | None:
    """The dimension of a product; None if either is the literal 0."""
    return None if left is None or right is None else _combine(left, right, 1)


def divide(left: Dimension | None, right: Dimension | None) -> Dimension | None:
    """The dimension of a quotient; None if the dividend is the literal 0."""
    return None if left is None else _combine(left, right or PLAIN, -1)


def _combine(left: Dimension, right: Dimension, sign: int) -> Dimension:
    exponents = dict(left)
    for name, exponent in right:
        exponents[name] = exponents.get(name, 0) + sign * exponent
    return tuple(sorted((name, exponent) for name, exponent in exponents.items() if exponent))


def unify(left: ValueType, right: ValueType) -> ValueType | None:
    """The type that both can have; None if there is none."""
    if left == right:
        return left
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        if left.dimension is None:
            return right
        if right.dimension is None:
            return left
    return None


def plain_if_zero(type_: ValueType) -> ValueType:
    """The type of a finished expression: a 0 that met no unit is a plain number."""
    return NUMBER if type_ == ZERO else type_


def dimension_text(dimension: Dimension | None) -> str:
    """How people write a dimension, such as `MiB`, `MiB*step` or `MiB/s^2`; empty for a plain number."""
    if not dimension:
        return ""

    def part(name: str, exponent: int) -> str:
        return name if exponent == 1 else f"{name}^{exponent}"

    above = "*".join(part(name, exponent) for name, exponent in dimension if exponent > 0)
    below = "/".join(part(name, -exponent) for name, exponent in dimension if exponent < 0)
    if not below:
        return above
    return f"{above or '1'}/{below}"


def type_text(type_: ValueType) -> str:
    """What messages call a type."""
    match type_:
        case Flag():
            return "bool"
        case Enumeration(name=name, members=members):
            return name or "{" + ", ".join(members) + "}"
        case Quantity(dimension=dimension):
            return dimension_text(dimension) or "int"


def unit_of(type_: ValueType) -> str:
    """The unit in which values of this type are printed; empty for anything but a number with a unit."""
    return dimension_text(type_.dimension) if isinstance(type_, Quantity) else ""


def value_text(value: int, type_: ValueType) -> str:
    """How people write a value of this type."""
    match type_:
        case Flag():
            return TRUTH_WORDS[value]
        case Enumeration(members=members):
            return members[value] if 0 <= value < len(members) else str(value)
        case Quantity():
            return f"{value} {unit_of(type_)}".rstrip()


@attrs.frozen
class Conversion:
    """Multiply by `numerator`, divide by `denominator`; they have no common factor."""

    numerator: int
    denominator: int


def conversion(source: Unit, target: Unit) -> Conversion | None:
    """How to get from one unit to another of the same base; None if the bases differ."""
    if source.base != target.base:
        return None
    common = gcd(source.factor, target.factor)
    return Conversion(source.factor // common, target.factor // common)


# ------------------------------------------------------------------ domains, counted before they are expanded


def range_size(low: int, high: int, step: int) -> int:
    """How many values `low..high step step` has; `step` is positive."""
    return max(0, (high - low) // step + 1)


def pow2_values(low: int, high: int) -> tuple[int, ...]:
    """The powers of two from `low` to `high`, in rising order; as many as `high` has bits at most."""
    return tuple(1 << bit for bit in range(max(high, 0).bit_length()) if low <= 1 << bit <= high)


def repeated(values: Iterable[_T]) -> _T | None:
    """The first value that occurs a second time."""
    seen: set[_T] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
