"""Which sentences of the handbook a system needs: a form that none of its lines has isn't explained.

In: a system, what decides in it, and the lines of its handbook. Out: what occurs in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from compiler.emit.prompt.slice import Slice
from compiler.emit.prompt.text import comment_free
from compiler.plan import SystemPlan

_PICKS = ("first", "largest", "smallest")


@attrs.frozen
class Phrases:
    """What occurs in a handbook.

    Attributes:
        changed: `X[f=a]`.
        decimals: A value that is printed with decimals.
        missing: An explained profiler value that may be `n/a`.
        picks: The words that choose a value of a field.
        several: A line that sets several fields.
        otherwise: A line that begins with `else`.
    """

    changed: bool
    decimals: bool
    missing: bool
    picks: tuple[str, ...]
    several: bool
    otherwise: bool
    keeping: bool
    before: bool
    printed: bool


def phrases_of(
    system: SystemPlan, slice_: Slice, relations: Sequence[str], shown: Sequence[str], rules: Sequence[str]
) -> Phrases:
    """Find what occurs in the lines of three sections of a handbook."""
    formulas = "\n".join(comment_free(line) for line in (*relations, *shown, *rules))
    runbook = system.problem.rules
    return Phrases(
        changed=re.search(r"\[\w+=(?!=)", formulas) is not None,
        decimals=re.search(r"\d decimals?(;|\)|$)", "\n".join(shown), flags=re.MULTILINE) is not None,
        missing=any(relation.when is not None for relation in system.relations if relation.name in slice_.values),
        picks=tuple(word for word in _PICKS if re.search(rf"= {word} (with|keeping) ", formulas)),
        several=any(len(alternative.sets) > 1 for rule in runbook for alternative in rule.alternatives),
        otherwise=any(len(rule.alternatives) > 1 for rule in runbook),
        keeping=" keeping " in formulas,
        before="before(" in formulas,
        printed="printed(" in formulas,
    )
