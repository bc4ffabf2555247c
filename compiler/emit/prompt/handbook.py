"""The lines of a system's handbook: what is the same on all pages of its tasks.

In: a system. Out: lines of text without their line ends, by section; `templates/handbook.txt.j2` puts them under their
headings and holds the free text. The reader of pages is written against these lines.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from compiler.emit.prompt.conversions import Conversions, conversions_of, own_unit
from compiler.emit.prompt.formula import formula, formula_lines
from compiler.emit.prompt.phrases import Phrases, phrases_of
from compiler.emit.prompt.runbook import runbook_lines
from compiler.emit.prompt.shown import shown_lines
from compiler.emit.prompt.slice import Slice, slice_of
from compiler.emit.prompt.tables import table_lines
from compiler.emit.prompt.text import commented, is_rounded, step_text, values_text
from compiler.emit.prompt.vocabulary import Vocabulary, vocabulary_of
from compiler.emit.templating import fill_template
from compiler.plan import SystemPlan, VariablePlan
from solvers.problem import Kind, Variable

MOST_CODES = 2
"""The handbook says that there are never more codes than this."""


@attrs.frozen
class HandbookLines:
    """Lines under each heading, free text apart."""

    fields: tuple[str, ...]
    fixed: tuple[str, ...]
    hidden: tuple[str, ...]
    tables: tuple[str, ...]
    equations: tuple[str, ...]
    relations: tuple[str, ...]
    shown: tuple[str, ...]
    rules: tuple[str, ...]
    phrases: Phrases


def handbook_text(system: SystemPlan) -> str:
    """The handbook of `system`; ends with an empty line.

    Raises:
        ValueError: The parts of the plan don't belong together, a display can't be described, or a walk may report
            more than two codes.
    """
    if system.problem.max_codes > MOST_CODES:
        raise ValueError(f"the walks of `{system.name}` may report {system.problem.max_codes} codes, and pages say two")
    return fill_template("handbook.txt.j2", title=system.title, book=handbook_of(system))


def handbook_of(system: SystemPlan) -> HandbookLines:
    """Build the lines of `system`; errors as for `handbook_text`."""
    slice_ = slice_of(system)
    return _Builder(system, slice_, vocabulary_of(system), conversions_of(system, slice_)).handbook()


@attrs.frozen
class _Builder:
    system: SystemPlan
    slice: Slice
    names: Vocabulary
    conversions: Conversions

    def handbook(self) -> HandbookLines:
        variables = self.variables()
        relations = (*self.relations(), *self.always())
        shown = shown_lines(self.system, self.slice, self.names, self.conversions)
        rules = runbook_lines(self.system, self.names)
        return HandbookLines(
            fields=tuple(self.field(*each) for each in variables if each[0].editable),
            fixed=tuple(self.fixed(*each) for each in variables if self.is_fixed(*each)),
            hidden=tuple(self.listed(each[1], each[0].domain) for each in variables if self.is_hidden(each[0])),
            tables=table_lines(self.system, self.slice, self.names),
            equations=tuple(self.conversions.equations.values()),
            relations=relations,
            shown=shown,
            rules=rules,
            phrases=phrases_of(self.system, self.slice, relations, shown, rules),
        )

    def variables(self) -> list[tuple[Variable, VariablePlan]]:
        plans = {plan.name: plan for plan in self.system.variables}
        return [(variable, plans[variable.name]) for variable in self.system.problem.variables]

    def field(self, variable: Variable, plan: VariablePlan) -> str:
        return self.listed(plan, variable.preference or variable.domain)

    def listed(self, plan: VariablePlan, values: tuple[int, ...]) -> str:
        return self.described(f"{plan.name}: {values_text(values, plan.display)}", plan)

    def is_fixed(self, variable: Variable, plan: VariablePlan) -> bool:
        """Whether a fixed field needs a line: it decides, and its name and its value alone don't tell all of it."""
        if variable.editable or variable.kind is Kind.HIDDEN or variable.name not in self.slice.variables:
            return False
        return bool(plan.text) or plan.display.exact or self.is_converted(plan)

    def fixed(self, variable: Variable, plan: VariablePlan) -> str:
        if not self.is_converted(plan):
            return self.described(plan.name, plan)
        values = ", ".join(map(str, variable.domain))
        return self.described(f"{plan.name}: {values} ({self.conversions.note(own_unit(plan), plan.display)})", plan)

    def is_converted(self, plan: VariablePlan) -> bool:
        """Whether a config prints another number than formulas count with."""
        return not plan.display.exact and (own_unit(plan) != plan.display.unit or is_rounded(plan.display))

    def is_hidden(self, variable: Variable) -> bool:
        return variable.kind is Kind.HIDDEN and variable.name in self.slice.relevant

    def described(self, line: str, plan: VariablePlan) -> str:
        """A line with the text of its variable; the unit stands there if a page prints another one, or no text does."""
        unit = own_unit(plan)
        parts = [unit] if unit and (not plan.text or self.conversions.counts_in(unit)) else []
        text = ", ".join((*parts, plan.text) if plan.text else parts)
        return commented(line, text, f"formulas count in {step_text(plan.display)}" if plan.display.exact else "")

    def relations(self) -> Iterator[str]:
        for (name, expr), plan in zip(self.system.problem.relations, self.system.relations, strict=True):
            if plan.name != name:
                raise ValueError(f"relation `{name}` has the plan of `{plan.name}`")
            if name not in self.slice.defined:
                continue
            first, *more = formula_lines(expr, self.names)
            yield commented(f"{name} =" if more else f"{name} = {first}", plan.text or plan.unit)
            if more:
                yield from (f"  {line}" for line in (first, *more))

    def always(self) -> Iterator[str]:
        for text, condition in self.system.stated:
            yield commented(f"Always: {formula(condition, self.names)}", text)
