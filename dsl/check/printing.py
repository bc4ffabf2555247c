"""Texts with placeholders, and how numbers are printed.

A placeholder is a name in braces, `{request}`; a brace means nothing else in a text that may have them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from dsl.check.names import Scope
from dsl.check.unit_help import described, single_unit
from dsl.checked import ExactPrinting, Printing, PrintingForm
from dsl.diagnostics.collector import Collector
from dsl.syntax import nodes
from dsl.value_types import NUMBER, Quantity, ValueType, conversion, unit_of

MAX_DECIMALS: Final = 6

_RANGE = re.compile(r"([0-9]{1,18})\.\.([0-9]{1,18})")
_PLACE = re.compile(r"\{([^{}]*)\}|[{}]")


def fill_text(
    text: nodes.StrLit, value_of: Callable[[str], str | None], names: Iterable[str], what: str, collector: Collector
) -> str:
    """Replace each placeholder of `text` by what `value_of` gives for its name.

    Args:
        names: What a placeholder can name, for suggestions.
        what: What such a name stands for, with its article.
    """

    def replace(match: re.Match[str]) -> str:
        name = match.group(1)
        if name is None:
            collector.error(
                "E422",
                "this brace doesn't belong to a placeholder",
                text.span,
                "in this text",
                helps=("write `{name}`",),
            )
            return match.group(0)
        value = value_of(name)
        if value is None:
            collector.error(
                "E422",
                f"`{{{name}}}` isn't the name of {what}",
                text.span,
                "in this text",
                helps=collector.suggestion(name, names) or (f"a placeholder in this text is the name of {what}",),
            )
            return match.group(0)
        return value

    return _PLACE.sub(replace, text.value)


def refuse_empty_wordings(wordings: Iterable[nodes.StrLit], collector: Collector) -> None:
    """A line of the log that has no attributes needs words."""
    for wording in wordings:
        if not wording.value.strip():
            message, helps = "this wording is empty", ("write what the line says, or leave this wording out",)
            collector.error("E457", message, wording.span, "the line would say nothing", helps=helps)


def check_noise_text(text: nodes.StrLit, collector: Collector) -> str:
    """A wording of noise, in which `{3..9}` stands for a random number of that range."""
    refuse_empty_wordings((text,), collector)
    for match in _PLACE.finditer(text.value):
        written = _RANGE.fullmatch(match.group(1) or "")
        if written is None or int(written[1]) > int(written[2]):
            collector.error(
                "E422",
                f"`{match.group(0)}` isn't a range of numbers",
                text.span,
                "in this text",
                helps=("write `{3..9}` for a random number from 3 to 9; noise has no attributes",),
            )
    return text.value


def check_show(
    show: nodes.ShowForm | None, type_: ValueType, scope: Scope, collector: Collector
) -> PrintingForm | None:
    """How `show` prints a value of `type_`; None if it is printed as it is, or if `show` is wrong."""
    if show is None:
        return None
    if not isinstance(type_, Quantity):
        collector.error(
            "E313",
            f"`show` is for numbers, and this is {described(type_)}",
            show.span,
            "leave it out: words are printed as they are",
        )
        return None
    if isinstance(show, nodes.ShowDivided):
        return _divided(show, collector)
    return _rounded(show, type_, scope, collector)


def _divided(show: nodes.ShowDivided, collector: Collector) -> ExactPrinting | None:
    rest = show.divisor
    for factor in (2, 5):
        while rest and rest % factor == 0:
            rest //= factor
    if rest == 1:
        return ExactPrinting(show.divisor, show.scientific)
    collector.error(
        "E313",
        f"a number divided by {show.divisor} can't be printed with all its digits",
        show.span,
        "they may never end" if show.divisor else "nothing can be divided by 0",
        helps=("divide by a product of twos and fives, such as 10, 1000 or 10^7",),
    )
    return None


def _rounded(show: nodes.Show, type_: Quantity, scope: Scope, collector: Collector) -> Printing | None:
    if show.decimals > MAX_DECIMALS:
        collector.error(
            "E313", f"`show` prints at most {MAX_DECIMALS} decimals", show.span, f"this asks for {show.decimals}"
        )
        return None
    if show.unit is None:
        return Printing(unit_of(type_), 1, 1, show.decimals)
    target = scope.unit(show.unit, collector)
    if target is None:
        return None
    source = single_unit(type_, scope.types)
    ratio = None if source is None else conversion(source, target)
    if ratio is None:
        collector.error(
            "E306",
            f"can't show {described(type_)} in `{target.name}`",
            show.unit.span,
            "they have no common base unit",
            helps=(f"give the value the unit first: `(...) as {target.name}`",) if type_ == NUMBER else (),
        )
        return None
    return Printing(target.name, ratio.numerator, ratio.denominator, show.decimals)
