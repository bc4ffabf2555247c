"""The lines of a runbook.

In: a system and what its names stand for. Out: lines. Each rule has one with its number, code and condition, then one
for each alternative of its sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from compiler.emit.prompt.formula import formula
from compiler.emit.prompt.text import commented
from compiler.emit.prompt.vocabulary import Vocabulary
from compiler.plan import SystemPlan
from solvers.problem import Alternative, Apply, Assign, Before, Expr, Op, Pick


def runbook_lines(system: SystemPlan, names: Vocabulary) -> tuple[str, ...]:
    """The lines of all rules.

    Raises:
        ValueError: The plans of the rules aren't in the order of the problem.
    """
    return tuple(line for number, _ in enumerate(system.rules) for line in _rule(system, number, names))


def kept(where: Expr) -> Expr | None:
    """What a pick keeps, if that is all that it asks for."""
    match where:
        case Apply(op=Op.EQ, args=(left, Before(body=body))) if left == body:
            return left
        case _:
            return None


def _rule(system: SystemPlan, number: int, names: Vocabulary) -> Iterator[str]:
    rule, plan = system.problem.rules[number], system.rules[number]
    if plan.name != rule.name or plan.code != rule.code:
        raise ValueError(f"rule `{rule.name}` has the plan of `{plan.name}`")
    guard = formula(rule.guard, names, earlier="printed")
    yield commented(f"{number + 1}. {rule.code}: {guard}", plan.title)
    for place, alternative in enumerate(rule.alternatives):
        yield f"   {'else' if place else '->'} {_sets(alternative, names)}"


def _sets(alternative: Alternative, names: Vocabulary) -> str:
    return ", ".join(f"{item.field} = {_value(item, names)}" for item in alternative.sets)


def _value(item: Assign | Pick, names: Vocabulary) -> str:
    match item:
        case Assign(value=value):
            return formula(value, names)
        case Pick(direction=direction, where=where):
            same = kept(where)
            if same is not None:
                return f"{direction.value} keeping {formula(same, names)}"
            return f"{direction.value} with {formula(where, names)}"
    assert_never(item)
