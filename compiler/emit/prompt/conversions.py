"""The units that a page prints and those in which its formulas count.

In: a system and what decides in it. Out: one equation for each printed unit that differs from that of a formula, and
the notes of displays, which say more where the equation isn't enough.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from compiler.emit.prompt.slice import Slice
from compiler.emit.prompt.text import display_note, unit_equation
from compiler.plan import AttributePlan, Display, SystemPlan, VariablePlan


@attrs.frozen
class Conversions:
    """The equations of one page, by printed unit; each is the first that the page needs for its unit."""

    equations: dict[str, str]

    def note(self, unit: str, display: Display) -> str:
        """How a value that is computed in `unit` is printed."""
        equation = self.equations.get(display.unit)
        return display_note(display, factor=equation is not None and unit_equation(unit, display) != equation)

    def counts_in(self, unit: str) -> bool:
        """Whether formulas count in `unit` what is printed in another one."""
        return any(equation.endswith(f" {unit}") for equation in self.equations.values())


def conversions_of(system: SystemPlan, slice_: Slice) -> Conversions:
    """Find the equations that a page of `system` needs.

    Raises:
        ValueError: A display scales a number without going from one unit to another.
    """
    equations: dict[str, str] = {}
    for unit, display in _explained(system, slice_):
        equation = unit_equation(unit, display)
        if equation is not None:
            equations.setdefault(display.unit, equation)
    return Conversions(equations)


def own_unit(plan: VariablePlan | AttributePlan) -> str:
    """The unit in which formulas count a variable, or compute an attribute, whatever unit is printed."""
    return plan.display.unit if plan.unit is None else plan.unit


def _explained(system: SystemPlan, slice_: Slice) -> Iterator[tuple[str, Display]]:
    """Each explained thing that a page prints: in which unit it is computed, and how it is printed."""
    for variable in system.variables:
        if variable.name in slice_.variables:
            yield own_unit(variable), variable.display
    for relation in system.relations:
        if relation.display is not None and relation.name in slice_.values:
            yield relation.unit, relation.display
    for event in system.events:
        explained = slice_.events.get(event.name)
        for attribute in event.attributes:
            if explained is not None and attribute.name in explained.attributes:
                yield own_unit(attribute), attribute.display
