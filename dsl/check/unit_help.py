"""Where numbers of different units meet: constants that are converted, and help lines for what can't be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dsl.checked import Constant, Typed
from dsl.syntax import nodes
from dsl.syntax.printer import print_operand
from dsl.value_types import MAX_MAGNITUDE, NUMBER, Enumeration, Quantity, Unit, ValueType, conversion, type_text

LONGEST_EXPRESSION: Final = 60
"""How many characters of the author's code a help line repeats."""

Written = tuple[Typed, nodes.Expression]
"""A checked expression and the syntax that it comes from."""

Types = Mapping[str, Unit | Enumeration | None]


def described(type_: ValueType) -> str:
    """A type as part of a sentence."""
    return "a plain number" if type_ == NUMBER else f"`{type_text(type_)}`"


def single_unit(type_: ValueType, types: Types) -> Unit | None:
    """The declared unit that a type is measured in; None for anything else, such as a product of units."""
    if not isinstance(type_, Quantity) or not type_.dimension or len(type_.dimension) != 1:
        return None
    name, exponent = type_.dimension[0]
    found = types.get(name)
    return found if exponent == 1 and isinstance(found, Unit) else None


def converted(constant: Constant, type_: ValueType, types: Types) -> Constant | None:
    """A constant in a finer unit of the same base; None if it isn't one to convert."""
    source, target = single_unit(constant.type, types), single_unit(type_, types)
    ratio = None if source is None or target is None else conversion(source, target)
    if ratio is None or ratio.denominator > 1 or abs(constant.value) * ratio.numerator > MAX_MAGNITUDE:
        return None
    return Constant(constant.value * ratio.numerator, type_, span=constant.span)


def in_one_unit(values: Sequence[Typed], types: Types) -> list[Typed]:
    """The same values, with constants converted to the finest unit among them where that is exact."""
    units = [unit for unit in (single_unit(value.type, types) for value in values) if unit is not None]
    if len({unit.name for unit in units}) < 2:
        return list(values)
    finest = Quantity(((min(units, key=lambda unit: (unit.factor, unit.name)).name, 1),))
    return [(converted(value, finest, types) if isinstance(value, Constant) else None) or value for value in values]


def how_to_meet(left: Written, right: Written, types: Types) -> tuple[str, ...]:
    """Help lines for two numbers of different units."""
    for (number, expr), (other, _) in ((right, left), (left, right)):
        if number.type == NUMBER:
            unit = single_unit(other.type, types)
            if unit is None:
                return ("`number(...)` removes the unit",)
            if isinstance(number, Constant):
                return (f"write the number with its unit: `{number.value} {unit.name}`",)
            return (f"if the plain number is in `{unit.name}`, {_written(expr, 'as', unit.name)}",)
    units = single_unit(left[0].type, types), single_unit(right[0].type, types)
    if units[0] is None or units[1] is None or units[0].base != units[1].base:
        return ()
    coarse, expr, fine = (
        (units[0], left[1], units[1]) if units[0].factor > units[1].factor else (units[1], right[1], units[0])
    )
    return (f"to convert one side, {_written(expr, 'to', _target(coarse, fine))}",)


def how_to_become(number: Typed, expr: nodes.Expression, wanted: ValueType, types: Types) -> tuple[str, ...]:
    """Help lines for a number, written as `expr`, that should have another unit."""
    source, target = single_unit(number.type, types), single_unit(wanted, types)
    if target is None:
        return ("`number(...)` removes the unit",) if wanted == NUMBER else ()
    if number.type == NUMBER:
        return (f"if it is in `{target.name}`, {_written(expr, 'as', target.name)}",)
    if source is None or source.base != target.base:
        return ()
    return (f"to convert it, {_written(expr, 'to', _target(source, target))}",)


def _target(source: Unit, target: Unit) -> str:
    """What stands after `to`, with a rounding where the conversion isn't exact."""
    return f"{target.name} down" if source.factor % target.factor else target.name


def _written(expr: nodes.Expression, word: str, target: str) -> str:
    """Tell to write `expr` with `as` or `to` after it; of a long one only how it ends."""
    text = print_operand(expr)
    if len(text) <= LONGEST_EXPRESSION:
        return f"write `({text} {word} {target})`"
    return f"put it in parentheses and write `{word} {target}` after them"
