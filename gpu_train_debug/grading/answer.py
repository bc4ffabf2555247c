"""Reads answers and golds: from text to codes and fields, with exact types.

In: the reply of a model, or a gold. Out: an `Answer`, or why the reply has none. Nothing is repaired: what
is not JSON is not read, and what is not of the form that the prompt asks for is kept as it is, for the
rubric to count as wrong.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isinf
from typing import Any, NamedTuple

from gpu_train_debug.grading.scan import MAX_LENGTH, Found, last_object

MAX_ANSWER_DEPTH = 16
"""How many objects and arrays may lie in each other; an answer needs two."""

MAX_DIGITS = 100
"""Longer numbers are compared with nothing. Python's own limit differs between processes."""

_THINKING, _THOUGHT = "<think>", "</think>"


class OtherNumber(NamedTuple):
    """A number that is very long, too large or too small: no value of a field."""

    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a JSON object says.

    Attributes:
        diagnosis: The codes in the order given, a single one as a tuple of one; entries that aren't
            strings stay in it. None if there is neither a code nor a list.
        fix: New value of each field. None if there is no object.
        beside: Keys of the object other than these two.
    """

    diagnosis: tuple[object, ...] | None
    fix: Mapping[str, object] | None
    beside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why a reply holds no answer."""

    reason: str


@dataclass(frozen=True, slots=True)
class Gold:
    """The right answer: different codes, and fields with integers, decimal fractions, strings or truth values."""

    codes: tuple[str, ...]
    fix: Mapping[str, int | float | str | bool]


class _RepeatedKeyError(Exception):
    """An object has a key twice, so what it says depends on who reads it."""


def read_answer(completion: str) -> Answer | NoAnswer:
    """Read the answer of a reply: its last complete JSON object behind the thinking."""
    text = _behind_thinking(completion)
    found = last_object(text)
    if found is None:
        where = "" if text == completion else " behind its thinking"
        return NoAnswer(f"the reply has no complete JSON object{where}")
    if found.end - found.start > MAX_LENGTH:
        return NoAnswer(f"the JSON object is longer than {MAX_LENGTH} characters")
    if found.depth > MAX_ANSWER_DEPTH:
        return NoAnswer(f"the JSON object nests deeper than {MAX_ANSWER_DEPTH} levels")
    try:
        return _answer(_decode(text[found.start : found.end]))
    except _RepeatedKeyError:
        return NoAnswer("the JSON object has a key twice")


def read_gold(text: str) -> Gold:
    """Read the gold of a task.

    Raises:
        ValueError: It isn't one. The task is at fault, so no score would be right.
    """
    if last_object(text) != Found(0, len(text), depth=2):
        raise ValueError("the gold isn't a JSON object that holds another, and nothing else")
    try:
        answer = _answer(_decode(text))
    except _RepeatedKeyError:
        raise ValueError("the gold has a key twice") from None
    codes = tuple(code for code in answer.diagnosis or () if isinstance(code, str))
    if not codes or codes != answer.diagnosis or len(set(codes)) < len(codes):
        raise ValueError("the diagnosis of the gold is neither a code nor a list of different codes")
    fix = {field: new for field, new in (answer.fix or {}).items() if isinstance(new, int | float | str)}
    if fix != answer.fix or answer.beside:
        raise ValueError("the fix of the gold isn't an object of numbers, strings and truth values")
    return Gold(codes, fix)


def _behind_thinking(completion: str) -> str:
    """The reply without its thinking.

    Up to the last closing tag all is thinking, with or without an opening tag before it (templates often
    print that one). If what remains starts with an opening tag, thinking never ended and nothing remains.
    """
    text = completion.rpartition(_THOUGHT)[2]
    return "" if text.lstrip().startswith(_THINKING) else text


def _decode(text: str) -> dict[str, Any]:
    value = json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_float=_fraction)
    assert isinstance(value, dict)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise _RepeatedKeyError
    return result


def _integer(text: str) -> int | OtherNumber:
    return int(text) if len(text) <= MAX_DIGITS else OtherNumber(text)


def _fraction(text: str) -> float | OtherNumber:
    """A number that is written with a fraction or an exponent; not one that a double can't hold."""
    number = float(text)
    vanished = number == 0 and any(digit in "123456789" for digit in text.lower().partition("e")[0])
    return OtherNumber(text) if len(text) > MAX_DIGITS or isinf(number) or vanished else number


def _answer(value: dict[str, Any]) -> Answer:
    match value.get("diagnosis"):
        case str(code):
            diagnosis: tuple[object, ...] | None = (code,)
        case list(codes):
            diagnosis = tuple(codes)
        case _:
            diagnosis = None
    fix = value.get("fix")
    beside = tuple(key for key in value if key not in ("diagnosis", "fix"))
    return Answer(diagnosis, fix if isinstance(fix, dict) else None, beside)
