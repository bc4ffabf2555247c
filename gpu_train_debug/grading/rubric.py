"""The rubric that every prompt prints: half for the diagnosis, half for the fix.

In: a reply and the gold of its task. Out: a `Grade`. The score depends on these two texts alone. What it
means is printed in each prompt, in the section on the answer, and explained in docs/grading.md; the
three must say the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpu_train_debug.grading.answer import Answer, Gold, NoAnswer, OtherNumber, read_answer, read_gold

HALF = 0.5
WRONG_CODE = 0.25
MAX_REASONS = 20

_SHOWN = 60  # characters of a name or value that a reason quotes


@dataclass(frozen=True, slots=True)
class Grade:
    """What a reply earns.

    Attributes:
        score: Between 0 and 1: the sum of the two halves.
        exact: The answer is the gold; then and only then the score is 1.
        diagnosis: Earned by the diagnosis, at most 0.5.
        fix: Earned by the fix, at most 0.5.
        reasons: Why the rest wasn't earned, in ASCII, at most 20; none if the answer is exact.
    """

    score: float
    exact: bool
    diagnosis: float
    fix: float
    reasons: tuple[str, ...]


def grade(completion: str | None, gold: str) -> Grade:
    """Score a reply.

    Args:
        completion: Any text at all, thinking included; None, as some servers send it, counts as empty.
        gold: The `gold` of the task as it stands in its record.

    Raises:
        ValueError: `gold` is malformed. No completion raises anything.
    """
    expected = read_gold(gold)
    answer = read_answer(completion or "")
    if isinstance(answer, NoAnswer):
        return Grade(0.0, False, 0.0, 0.0, (answer.reason,))
    codes = _count_codes(answer, expected)
    fields = _count_fields(answer, expected)
    diagnosis = max(0.0, HALF * codes.right / codes.expected - WRONG_CODE * codes.further)
    reasons = [*codes.reasons, *fields.reasons]
    exact = not reasons
    if expected.fix:
        fix = HALF * max(0, fields.right - fields.further) / fields.expected
    else:
        fix = HALF if exact else 0.0  # no field shows that the run was understood: the diagnosis must
        if codes.reasons and not fields.reasons:
            reasons.append("an empty fix counts only with exactly the right diagnosis")
    return Grade(diagnosis + fix, exact, diagnosis, fix, _cut(reasons))


@dataclass(frozen=True, slots=True)
class _Count:
    """How many codes or fields are expected, are right, and are named beyond the expected ones.

    `reasons` tells what is missing, wrong or beyond, and is empty if nothing is.
    """

    expected: int
    right: int
    further: int
    reasons: list[str]


def _count_codes(answer: Answer, gold: Gold) -> _Count:
    expected = len(gold.codes)
    if answer.diagnosis is None:
        return _Count(expected, 0, 0, ["`diagnosis` is neither a code nor a list of codes"])
    named = Counter(code for code in answer.diagnosis if isinstance(code, str))
    right = sum(code in named for code in gold.codes)
    further = len(answer.diagnosis) - right
    wrong = [code for code in answer.diagnosis if code not in gold.codes]
    reasons = [f"the code {_show(code)} is missing" for code in gold.codes if code not in named]
    reasons += _each("the code {} is wrong", wrong)
    reasons += (f"the code {_show(code)} is named {named[code]} times" for code in gold.codes if named[code] > 1)
    return _Count(expected, right, further, reasons)


def _count_fields(answer: Answer, gold: Gold) -> _Count:
    expected = len(gold.fix)
    reasons = []
    fix: Mapping[str, object] = {}
    if answer.fix is None:
        reasons.append("`fix` isn't an object of fields")
    else:
        fix = answer.fix
        reasons += (f"the field {_show(field)} is missing" for field in gold.fix if field not in fix)
    right = 0
    for field, value in gold.fix.items():
        if field in fix:
            if _same(fix[field], value):
                right += 1
            else:
                reasons.append(f"the field {_show(field)} is {_show(fix[field])} instead of {_show(value)}")
    beyond = [field for field in fix if field not in gold.fix]
    reasons += _each("the field {} isn't one to change", beyond)
    reasons += _each("the key {} isn't part of an answer", answer.beside)
    return _Count(expected, right, len(beyond) + len(answer.beside), reasons)


def _same(new: object, right: object) -> bool:
    """Compare a value with the right one: integers, words and flags by type too, decimal fractions by number."""
    if isinstance(right, float):
        return isinstance(new, int | float) and not isinstance(new, bool) and new == right
    return type(new) is type(right) and new == right


def _each(form: str, values: Sequence[object]) -> Iterator[str]:
    """A reason for each value; of those that are cut off anyway, without the value."""
    for place, value in enumerate(values):
        yield form.format(_show(value)) if place < MAX_REASONS else form


def _cut(reasons: list[str]) -> tuple[str, ...]:
    if len(reasons) <= MAX_REASONS:
        return tuple(reasons)
    return (*reasons[: MAX_REASONS - 1], f"and {len(reasons) - MAX_REASONS + 1} more")


def _show(value: object) -> str:
    """A short form of any value that an answer can hold, in ASCII."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return json.dumps(_short(value))
        case OtherNumber(text):
            return _short(text)
        case _:
            return _short(json.dumps(value))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
