"""Document to answer: every world that prints the same, the walk in each, one answer for all.

In: a `Document`. Out: a `Solution`. Nothing but the page's text goes in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from math import prod
from typing import Any, Final

import attrs

from compiler.reader.answer.document import Document
from compiler.reader.answer.generate import ReadState
from compiler.reader.answer.walk import Meter, ReadEnding, ReadGroup, ReadStep, net_changes, walk_worlds
from compiler.reader.text.errors import TooMuchWorkError, UndefinedError
from compiler.reader.text.sentences import HEALTHY_CODE
from compiler.reader.text.values import ReadValue

_CHUNK: Final = 2_048

_UNIQUE: Final = "unique"
_AMBIGUOUS: Final = "ambiguous"
_NO_WORLD: Final = "no world fits"
_UNDEFINED: Final = "undefined value"
_TOO_MUCH_WORK: Final = "too much work"


@attrs.frozen
class ReadWalk:
    """One way in which the walk goes.

    Attributes:
        ending: How it ends.
        steps: The rules that fired, in order.
        fix: Net change of the fields, in the order of the page.
        worlds: How many of the fitting worlds go this way.
        world: One of them: value by name of each variable that is not printed exactly.
    """

    ending: ReadEnding
    steps: tuple[ReadStep, ...]
    fix: Mapping[str, ReadValue]
    worlds: int
    world: Mapping[str, ReadValue]

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes in the order in which the rules fired."""
        return tuple(step.code for step in self.steps)


@attrs.frozen
class Solution:
    """What follows from a page.

    Attributes:
        answer: `{"diagnosis": code or codes, "fix": {field: value}}`; None if there is none or more than one.
            A number that the config prints with all its decimals is a float, as JSON reads it.
        reason: `unique` with an answer. Otherwise `ambiguous`, `no world fits`, `undefined value`,
            `too much work`, or the `ReadEnding` of a walk that gives no answer.
        detail: The reason in a few more words.
        worlds: Number of hidden assignments that fit.
        walks: The different walks in them, in the order found.
        evidence: As in `Document`.
    """

    answer: dict[str, Any] | None
    reason: str
    detail: str
    worlds: int
    walks: tuple[ReadWalk, ...]
    evidence: Mapping[str, str]


def solve(document: Document) -> Solution:
    """Answer the task from the printed text alone.

    Whatever the document says, the result is a `Solution`: what stands in the way of an answer is its `reason`.
    """
    walks: dict[tuple[ReadEnding, tuple[ReadStep, ...]], ReadWalk] = {}
    meter = Meter()
    try:
        for starts in fitting_worlds(document):
            for ending, group in walk_worlds(document.system, starts, meter):
                key = (ending, group.steps)
                new = _walk(document, ending, group)
                old = walks.get(key)
                walks[key] = new if old is None else attrs.evolve(old, worlds=old.worlds + new.worlds)
    except (UndefinedError, ZeroDivisionError) as error:
        detail = str(error) if isinstance(error, UndefinedError) else "a divisor is zero"
        return Solution(None, _UNDEFINED, detail, 0, (), document.evidence)
    except TooMuchWorkError:
        detail = "walking the worlds that fit exceeds the limit"
        return Solution(None, _TOO_MUCH_WORK, detail, 0, (), document.evidence)
    return _conclude(document, tuple(walks.values()))


def answer_json(solution: Solution) -> str:
    """Write the answer as JSON: `null` if there is none."""
    return json.dumps(solution.answer, ensure_ascii=False)


def fitting_worlds(document: Document) -> Iterator[list[ReadState]]:
    """Find the worlds that print the same, some at a time.

    Worlds that differ in nothing that a check, rule or keep depends on count as one here; see
    `multiplicity`.
    """
    system = document.system
    state: ReadState = [None] * len(system.slots)
    for name, value in document.values.items():
        state[system.slots[name]] = value
    for slot, values in document.domains.items():
        state[slot] = values[0]
    found = system.search(state, document.observations, document.domains)
    while chunk := list(islice(found, _CHUNK)):
        yield chunk


def multiplicity(document: Document) -> int:
    """Count the hidden assignments that each world of `fitting_worlds` stands for."""
    loops = frozenset(document.system.loops)
    return prod(len(values) for slot, values in document.domains.items() if slot not in loops)


def hidden_values(document: Document, state: ReadState) -> dict[str, ReadValue]:
    """Give the values in `state` of the variables that are not printed exactly."""
    slots = document.system.slots
    return {name: state[slot] for name, slot in slots.items() if slot in document.domains}


def _as_printed(document: Document, fix: Mapping[str, ReadValue]) -> dict[str, ReadValue | float]:
    exact = document.system.exact
    return {name: int(value) / exact[name].parts if name in exact else value for name, value in fix.items()}


def _walk(document: Document, ending: ReadEnding, group: ReadGroup) -> ReadWalk:
    start = group.starts[0]
    return ReadWalk(
        ending=ending,
        steps=group.steps,
        fix=net_changes(document.system, start, group.nows[0]),
        worlds=len(group.starts) * multiplicity(document),
        world=hidden_values(document, start),
    )


def _conclude(document: Document, walks: tuple[ReadWalk, ...]) -> Solution:
    worlds = sum(walk.worlds for walk in walks)

    def without(reason: str, detail: str) -> Solution:
        return Solution(None, reason, detail, worlds, walks, document.evidence)

    if not walks:
        return without(_NO_WORLD, "no assignment of the hidden quantities prints these numbers and log lines")
    answering = [walk for walk in walks if walk.ending.gives_answer]
    answers = {(frozenset(walk.codes), tuple(walk.fix.items())) for walk in answering}
    if len(answers) > 1:
        return without(_AMBIGUOUS, f"{_fitting(worlds)}, with {len(answers)} answers")
    for walk in walks:
        if walk not in answering:
            shown = " and then ".join(walk.codes) or "no rule"
            detail = f"the walk ends so in {walk.worlds} of the {worlds} worlds that fit, after {shown}"
            return without(walk.ending.value, detail)
    codes = [rule.code for rule in document.system.rules if rule.code in answering[0].codes]
    diagnosis = codes if len(codes) > 1 else (codes[0] if codes else HEALTHY_CODE)
    answer = {"diagnosis": diagnosis, "fix": _as_printed(document, answering[0].fix)}
    return Solution(answer, _UNIQUE, _fitting(worlds), worlds, walks, document.evidence)


def _fitting(worlds: int) -> str:
    return "1 hidden assignment fits" if worlds == 1 else f"{worlds} hidden assignments fit"
