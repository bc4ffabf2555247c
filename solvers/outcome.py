"""The results of walks and proofs: values, never exceptions.

In: nothing. Out: frozen values that `evaluate`, `counting` and `proving` return and compare.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

import attrs

Assignment = Mapping[str, int]
"""A value for each of some variables; a world is one for every variable of a problem."""


class Ending(enum.Enum):
    """How a walk ends. Only `ANSWER` and `HEALTHY` give a task."""

    ANSWER = "answer"
    HEALTHY = "healthy"
    INVALID = "invalid"  # the world, or a state on the way, isn't valid
    UNCOVERED = "uncovered"  # unsound, and no rule fires at the start
    REPEATED = "repeated"  # a rule fires twice
    NO_VALUE = "no value"  # no alternative of a fired rule has a value
    TOO_MANY = "too many codes"
    UNSOUND = "ends unsound"


@attrs.frozen
class Step:
    """One fired rule: the state in which it fired, the alternative that it used and what that set."""

    rule: int
    alternative: int
    before: Assignment
    sets: Assignment


@attrs.frozen
class WalkAnswer:
    """The answer to a task: the codes (no code for a healthy run) and the net change."""

    codes: frozenset[str]
    fix: tuple[tuple[str, int], ...]  # in field order


@attrs.frozen
class Walk:
    """A walk from `start`.

    Attributes:
        codes: In firing order.
        fix: Net change, final state against first, in field order.
        masked: Codes whose guard held at the start and that were never reported.
        unmasked: Reported codes whose guard did not hold at the start.
    """

    ending: Ending
    start: Assignment
    steps: tuple[Step, ...]
    final: Assignment
    codes: tuple[str, ...]
    fix: tuple[tuple[str, int], ...]
    masked: tuple[str, ...] = ()
    unmasked: tuple[str, ...] = ()

    @property
    def gives_task(self) -> bool:
        return self.ending in (Ending.ANSWER, Ending.HEALTHY)

    @property
    def answer(self) -> WalkAnswer:
        return WalkAnswer(frozenset(self.codes), self.fix)


class Verdict(enum.Enum):
    """What a proof of P1 to P3 comes to."""

    UNIQUE = "unique"
    AMBIGUOUS = "ambiguous"  # a claim is refuted
    VACUOUS = "vacuous"  # the world isn't valid
    INCONCLUSIVE = "inconclusive"  # a bound or budget ran out: nothing is known


class Uniqueness(enum.Enum):
    """How strong P3 is for a task, strongest first."""

    ANY = "any"
    NAMED = "named"
    PREFERRED = "preferred"


class Claim(enum.Enum):
    """What is proved about a task."""

    P1 = "determined"
    P2 = "sound"
    P3 = "unique and minimal"


@attrs.frozen
class Refutation:
    """Why a claim fails: a world with the same evidence and what it answers, or a rival repair."""

    claim: Claim
    world: Assignment
    rival: Assignment | None = None
    answer: WalkAnswer | None = None


@attrs.frozen
class TaskProof:
    """The result of proving P1 to P3 for the evidence class of one world.

    Attributes:
        walk: The walk of the world itself; its answer is the gold when the verdict is unique.
        hidden_worlds: How many worlds the evidence class has, invalid ones included.
        rival_worlds: Valid worlds of the class, that of the task first: no rival mends all of them, so P3 needs
            no others.
        walks: Walks in the class with the answer of `walk`, one for each route: the fired rules, the
            alternatives that they use and what these set. Routes may be missing.
    """

    verdict: Verdict
    walk: Walk
    uniqueness: Uniqueness | None = None
    hidden_worlds: int = 0
    rival_worlds: tuple[Assignment, ...] = ()
    refutations: tuple[Refutation, ...] = ()
    reason: str = ""
    walks: tuple[Walk, ...] = ()
