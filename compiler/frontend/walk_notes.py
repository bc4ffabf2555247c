"""Walks in words, for the notes of diagnostics: what each rule does, and the numbers that it looks at.

In: a walk, with the plan and the checked form of its system. Out: texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

import numpy as np

from compiler.plan import SystemPlan
from dsl.checked import CheckedSystem, Constant, Operation, Typed, subexpressions
from dsl.evaluation import Evaluator, ValueArray
from dsl.value_types import value_text
from solvers.evaluate import value
from solvers.outcome import Assignment, Ending, Walk

FAILURES_SHOWN: Final = 5
"""How many terms of a guard a note gives the values of."""

LONGEST_SHOWN: Final = 60
"""How many characters such a term may have."""

_ENDINGS: Mapping[Ending, str] = {
    Ending.INVALID: "a state on the way breaks a `require`",
    Ending.UNCOVERED: "the run isn't sound, and no rule fires",
    Ending.UNSOUND: "the run isn't sound after the last fix, and no rule fires",
}


def ending_text(walk: Walk, plan: SystemPlan, system: CheckedSystem) -> str:
    """Why the walk gives no task, with the rule that it stops at."""
    rule = _firing(plan, walk)
    name = "" if rule is None else f"`{system.rules[rule].name}`"
    match walk.ending:
        case Ending.REPEATED:
            return f"rule {name} fires twice"
        case Ending.NO_VALUE:
            return f"no alternative of rule {name} has a value"
        case Ending.TOO_MANY:
            return f"a third rule fires, {name}"
        case _:
            return _ENDINGS[walk.ending]


def _firing(plan: SystemPlan, walk: Walk) -> int | None:
    """The first rule whose guard holds where the walk has ended."""
    return next((rule for rule in range(len(plan.problem.rules)) if _holds(rule, walk.final, walk, plan)), None)


def _holds(rule: int, state: Assignment, walk: Walk, plan: SystemPlan) -> bool:
    """Whether the guard of a rule holds in a state of the walk."""
    return bool(value(plan.problem, plan.problem.rules[rule].guard, state, before=walk.start))


def walk_notes(codes: Collection[str], walk: Walk, plan: SystemPlan, system: CheckedSystem) -> tuple[str, ...]:
    """What a walk does, step by step, and the numbers that the rules in question look at; `codes` are expected."""
    notes = [
        f"step {number}: {system.rules[step.rule].code} sets {fix_text(tuple(step.sets.items()), system)}"
        for number, step in enumerate(walk.steps, start=1)
    ]
    notes += [
        _guard_note(step.rule, step.before, "fires", walk, system)
        for step in walk.steps
        if system.rules[step.rule].code not in codes
    ]
    if walk.ending is Ending.INVALID:
        return (*notes, *(f"broken after that: {text}" for text in broken_requires(plan, walk.final)))
    last = _firing(plan, walk)
    if last is not None:
        again = "fires again" if any(step.rule == last for step in walk.steps) else "fires"
        notes.append(_guard_note(last, walk.final, again, walk, system))
    return (
        *notes,
        *(
            _silent_note(number, walk, plan, system)
            for number, rule in enumerate(system.rules)
            if rule.code in codes and rule.code not in walk.codes and number != last
        ),
    )


def _silent_note(rule: int, walk: Walk, plan: SystemPlan, system: CheckedSystem) -> str:
    """Why a rule that the author expects isn't among the steps."""
    if _holds(rule, walk.final, walk, plan):
        return f"`{system.rules[rule].name}` would fire, but stands later in the runbook"
    if walk.steps and _holds(rule, walk.start, walk, plan):
        return _guard_note(rule, walk.final, "would fire at the start, but no longer after these steps", walk, system)
    return _guard_note(rule, walk.final, "doesn't fire", walk, system)


def broken_requires(plan: SystemPlan, state: Assignment) -> list[str]:
    """The texts of the conditions on worlds that a state breaks."""
    return [text or "a `require`" for text, condition in plan.requires if not value(plan.problem, condition, state)]


def _guard_note(rule: int, state: Assignment, does: str, walk: Walk, system: CheckedSystem) -> str:
    """What a rule does in a state of the walk, with the values that its guard reads there."""
    values = [f"`{text}` is {shown}" for text, shown in _read(system.rules[rule].guard, state, walk.start, system)]
    return f"`{system.rules[rule].name}` {does}" + (f": {', '.join(values[:FAILURES_SHOWN])}" if values else "")


def _read(guard: Typed, state: Assignment, start: Assignment, system: CheckedSystem) -> list[tuple[str, str]]:
    """The terms of a guard and their values in a state. A term of a quantifier, with many values, is left out."""
    definitions = {relation.name: relation.value for relation in system.relations}
    evaluator = Evaluator(_point(state), definitions, Evaluator(_point(start), definitions))
    found: dict[str, set[str]] = {}
    for term in _terms(guard):
        text = " ".join(term.span.text.split())
        if len(text) <= LONGEST_SHOWN:
            found.setdefault(text, set()).add(value_text(int(evaluator.value(term)), term.type))
    return [(text, shown) for text, values in found.items() if len(values) == 1 for shown in values]


def _point(state: Assignment) -> dict[str, ValueArray]:
    return {name: np.array(new, dtype=object) for name, new in state.items()}


def _terms(expr: Typed) -> Iterator[Typed]:
    """The outermost parts of an expression that are no operations, without constants."""
    if isinstance(expr, Operation):
        for part in subexpressions(expr):
            yield from _terms(part)
    elif not isinstance(expr, Constant):
        yield expr


def codes_text(codes: tuple[str, ...]) -> str:
    return " + ".join(codes) or "HEALTHY"


def fix_text(fix: tuple[tuple[str, int], ...], system: CheckedSystem) -> str:
    changes = [f"{name} = {value_text(new, system.variable(name).type)}" for name, new in fix]
    return "{ " + ", ".join(changes) + " }" if changes else "no change"
