"""The lines of each section of a system's prompt: everything that is the same for all its tasks.

In: a system. Out: lines of text without their line ends, by section; `templates/prompt.txt.j2` puts them
under their headings and holds the free text. The reader of prompts is written against these lines.
"""

from __future__ import annotations

from typing import assert_never

import attrs

from compiler.emit.prompt.formula import TRUTH_VALUES, formula
from compiler.emit.prompt.text import is_rounded, printing_note, unit_tag, values_text
from compiler.plan import Display, EventPlan, SystemPlan, VariablePlan
from solvers.problem import Alternative, Assign, Expr, Keep, Kind, Pick, Sense, Variable

_SENSES = {Sense.EQUAL: "", Sense.NOT_ABOVE: " not above", Sense.NOT_BELOW: " not below"}
_NO_REPAIR = {Sense.EQUAL: "changes", Sense.NOT_ABOVE: "raises", Sense.NOT_BELOW: "lowers"}


@attrs.frozen
class Sections:
    """Lines under each heading, free text apart."""

    codes: tuple[str, ...]
    fields: tuple[str, ...]
    facts: tuple[str, ...]
    hidden: tuple[str, ...]
    relations: tuple[str, ...]
    tables: tuple[str, ...]
    events: tuple[str, ...]
    conditions: tuple[str, ...]
    keeps: tuple[str, ...]
    rules: tuple[str, ...]


def is_flag(display: Display) -> bool:
    """Whether a value is true or false rather than a number or a word."""
    return display.labels is not None and {label: value for value, label in display.labels.items()} == TRUTH_VALUES


def static_sections(system: SystemPlan) -> Sections:
    """Build the lines of `system`.

    Raises:
        ValueError: The parts of the plan don't belong together, or a display can't be described.
    """
    return _Builder(system).sections()


class _Builder:
    def __init__(self, system: SystemPlan) -> None:
        self.system = system
        self.plans = {plan.name: plan for plan in system.variables}
        self.flags = frozenset(plan.name for plan in system.variables if is_flag(plan.display))

    def sections(self) -> Sections:
        system, problem = self.system, self.system.problem
        return Sections(
            codes=tuple(f"- {rule.code}: {rule.title}" for rule in system.rules),
            fields=tuple(self.field(rank, field) for rank, field in enumerate(problem.of_kind(Kind.CONFIG), start=1)),
            facts=tuple(self.fact(variable) for variable in problem.of_kind(Kind.GIVEN)),
            hidden=tuple(self.hidden(variable) for variable in problem.of_kind(Kind.HIDDEN)),
            relations=tuple(self.relations()),
            tables=tuple(self.tables()),
            events=tuple(line for event in system.events for line in self.event(event)),
            conditions=(
                *(self.condition("every run satisfies", expr, text) for text, expr in system.requires),
                *(self.condition("a run is sound when", expr, text) for text, expr in system.sounds),
            ),
            keeps=tuple(f"- no repair {_NO_REPAIR[keep.sense]} `{keep.name}`" for keep in problem.keeps),
            rules=tuple(line for number, _ in enumerate(problem.rules) for line in self.rule(number)),
        )

    def formula(self, expr: Expr) -> str:
        return f"`{formula(expr, self.flags)}`"

    def field(self, rank: int, variable: Variable) -> str:
        plan = self.plans[variable.name]
        values = (variable.preference or variable.domain) if variable.editable else variable.domain
        locked = "" if variable.editable else " (locked)"
        head = f"{rank}. {variable.name}{locked}{unit_tag(_unit(plan))}"
        return _described(f"{head}: {values_text(values, plan.display.labels)}", plan.text)

    def fact(self, variable: Variable) -> str:
        plan = self.plans[variable.name]
        unit = _unit(plan)
        note = printing_note(unit, plan.display)
        head = f"- {variable.name}{unit_tag(unit)}{'' if note == ' (printed)' else note}"
        if is_rounded(plan.display):
            head += f": {values_text(variable.domain, None)}"
        return _described(head, plan.text)

    def hidden(self, variable: Variable) -> str:
        plan = self.plans[variable.name]
        values = values_text(variable.domain, plan.display.labels)
        return _described(f"- {variable.name}{unit_tag(_unit(plan))}: {values}", plan.text)

    def relations(self) -> list[str]:
        lines = []
        for (name, expr), plan in zip(self.system.problem.relations, self.system.relations, strict=True):
            if plan.name != name:
                raise ValueError(f"relation `{name}` has the plan of `{plan.name}`")
            note = "" if plan.display is None else printing_note(plan.unit, plan.display)
            lines.append(_described(f"- {name}{unit_tag(plan.unit)}{note} = {self.formula(expr)}", plan.text))
        return lines

    def tables(self) -> list[str]:
        lines = []
        for table in self.system.tables:
            entries = ", ".join(
                f"{values_text((key,), table.key_labels)} {values_text((entry,), table.value_labels)}"
                for key, entry in table.entries
            )
            lines.append(_described(f"- {table.name}: {entries}", table.text))
        return lines

    def event(self, event: EventPlan) -> list[str]:
        when = "always" if event.condition is None else f"when {self.formula(event.condition)}"
        lines = [_described(f"- {event.name}: {when}", event.text)]
        for attribute in event.attributes:
            unit = attribute.display.unit if attribute.unit is None else attribute.unit
            note = printing_note(unit, attribute.display)
            lines.append(f"  - {attribute.name}{unit_tag(unit)}{note} = {self.formula(attribute.value)}")
        return lines

    def condition(self, what: str, expr: Expr, text: str) -> str:
        return _described(f"- {what} {self.formula(expr)}", text)

    def rule(self, number: int) -> list[str]:
        rule, plan = self.system.problem.rules[number], self.system.rules[number]
        if plan.name != rule.name or plan.code != rule.code:
            raise ValueError(f"rule `{rule.name}` has the plan of `{plan.name}`")
        lines = [f"{number + 1}. {rule.code}: {plan.title}", f"   when {self.formula(rule.guard)}"]
        for alternative in rule.alternatives:
            start = "set" if alternative is rule.alternatives[0] else "else set"
            lines.append(f"   {start} {self.sets(alternative)}")
        if rule.keeps:
            lines.append(f"   keep {', '.join(_keep(keep) for keep in rule.keeps)}")
        if plan.says:
            lines.append(f"   note: {plan.says}")
        return lines

    def sets(self, alternative: Alternative) -> str:
        texts = []
        for item in alternative.sets:
            match item:
                case Assign(field=field, value=value):
                    texts.append(f"{field} = {self.formula(value)}")
                case Pick(field=field, direction=direction, where=where):
                    texts.append(f"{field} = {direction.value} where {self.formula(where)}")
                case _:
                    assert_never(item)
        return "; ".join(texts)


def _unit(plan: VariablePlan) -> str:
    return plan.display.unit if plan.unit is None else plan.unit


def _keep(keep: Keep) -> str:
    return f"`{keep.name}`{_SENSES[keep.sense]}"


def _described(line: str, text: str) -> str:
    return f"{line} | {text}" if text else line
