"""Cases: whether a run may be the one that a case tells of.

In: a checked case and a run. Out: whether all that is known of the case holds there, rounded as its source rounds it.
"""

from __future__ import annotations

from dsl.checked import CheckedCase, CheckedFact
from dsl.meaning.evidence import printed_value
from dsl.meaning.expressions import RunState, holds, interpret, plain_value
from dsl.meaning.walks import valid_run


def fits_case(case: CheckedCase, run: RunState) -> bool:
    """Whether `run` exists, shows every fact of the case, and meets its conditions."""
    return (
        valid_run(run)
        and all(_shows(fact, run) for fact in case.facts)
        and all(holds(where.condition, run) for where in case.wheres)
    )


def _shows(fact: CheckedFact, run: RunState) -> bool:
    shown = fact.shown_if is None or holds(fact.shown_if, run)
    if fact.absent or not shown or fact.value is None:
        return shown is not fact.absent
    value, _ = printed_value(interpret(fact.value, run), fact.value.type, fact.printing, run)
    return value == plain_value(fact.amount, fact.value.type)
