"""The walk: what an engineer does who follows the runbook.

In: a run. Out: a `PlainWalk`, which says how the walk ends, which rules fired and what they set. The first rule whose
guard holds fires, its prescription is carried out, and all starts again from the top, until no rule fires.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Final, assert_never

import attrs

from dsl.checked import CheckedAssign, CheckedPick, CheckedRule, CheckedSet, CheckedVariable
from dsl.meaning.expressions import PlainValue, PlainWorld, RunState, domain_values, holds, interpret, plain_value
from dsl.operators import PickBy

MOST_FIRED: Final = 2
"""A walk on which more rules would fire than this gives no task."""


class PlainEnding(enum.Enum):
    """How a walk ends. Only `ANSWER` and `HEALTHY` give a task."""

    ANSWER = "answer"
    HEALTHY = "healthy"
    INVALID = "invalid"  # the world, or a state on the way, breaks a `require`
    UNCOVERED = "uncovered"  # unsound, and no rule fires
    REPEATED = "repeated"  # a rule fires a second time
    NO_VALUE = "no value"  # no alternative of the rule that fired has a value
    TOO_MANY = "too many codes"
    UNSOUND = "ends unsound"


@attrs.frozen
class PlainStep:
    """A rule that fired, the state in which it did, the alternative that it used (counted from 0) and what that set."""

    rule: CheckedRule
    fired_in: RunState
    alternative: int
    sets: PlainWorld


@attrs.frozen
class PlainWalk:
    """A walk from the run `start` to the state `final`."""

    ending: PlainEnding
    start: RunState
    steps: tuple[PlainStep, ...]
    final: RunState

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes, in firing order."""
        return tuple(step.rule.code for step in self.steps)

    @property
    def fix(self) -> dict[str, PlainValue]:
        """The net change, by field: a field that is set and set back isn't in it."""
        start = self.start.world
        return {name: new for name, new in self.final.world.items() if new != start[name]}

    @property
    def named_fields(self) -> frozenset[str]:
        """The fields that the used alternatives set."""
        return frozenset(field for step in self.steps for field in step.sets)


def follow_runbook(start: RunState) -> PlainWalk:
    """Walk from `start` until no rule fires, or until it is clear that the walk gives no task."""
    return _followed(start, valid_run)


def follow_told_runbook(start: RunState) -> PlainWalk:
    """The same, as one walks who knows only those conditions on worlds that are stated."""
    return _followed(start, stated_run)


def _followed(start: RunState, exists: Callable[[RunState], bool]) -> PlainWalk:
    here, steps = start, list[PlainStep]()

    def ended(ending: PlainEnding) -> PlainWalk:
        return PlainWalk(ending, start, tuple(steps), here)

    while True:
        if not exists(here):
            return ended(PlainEnding.INVALID)
        rule = first_to_fire(here, start)
        if rule is None:
            return ended(_quiet_ending(here, steps))
        if rule.name in (step.rule.name for step in steps):
            return ended(PlainEnding.REPEATED)
        if len(steps) == MOST_FIRED:
            return ended(PlainEnding.TOO_MANY)
        prescribed = _prescription(rule, here)
        if prescribed is None:
            return ended(PlainEnding.NO_VALUE)
        alternative, sets = prescribed
        steps.append(PlainStep(rule, here, alternative, sets))
        here = here.changed(sets)


def valid_run(run: RunState) -> bool:
    """Whether the world of `run` exists: every `require` holds."""
    return all(holds(require.condition, run) for require in run.system.requires)


def stated_run(run: RunState) -> bool:
    """Whether a reader takes the world of `run` for possible: every `require stated` holds."""
    return all(holds(require.condition, run) for require in run.system.requires if require.stated)


def sound_run(run: RunState) -> bool:
    """Whether the run is all right: every `sound` holds."""
    return all(holds(sound.condition, run) for sound in run.system.sounds)


def first_to_fire(run: RunState, start: RunState) -> CheckedRule | None:
    """The first rule of the runbook whose guard holds in `run`, on a walk from `start`."""
    return next((rule for rule in run.system.rules if holds(rule.guard, run, start)), None)


def _quiet_ending(here: RunState, steps: list[PlainStep]) -> PlainEnding:
    """How a walk ends in a state in which no rule fires."""
    if steps:
        return PlainEnding.ANSWER if sound_run(here) else PlainEnding.UNSOUND
    return PlainEnding.HEALTHY if sound_run(here) else PlainEnding.UNCOVERED


def _prescription(rule: CheckedRule, fired: RunState) -> tuple[int, dict[str, PlainValue]] | None:
    """The first alternative all of whose sets have a value, and what it sets; None if there is no such alternative."""
    for number, alternative in enumerate(rule.alternatives):
        sets = _carried_out(alternative, fired)
        if sets is not None:
            return number, sets
    return None


def _carried_out(alternative: tuple[CheckedSet, ...], fired: RunState) -> dict[str, PlainValue] | None:
    """What an alternative sets, each set in the state that the earlier ones left; None if one has no value."""
    sets: dict[str, PlainValue] = {}
    for item in alternative:
        new = _new_value(item, fired.changed(sets), fired)
        if new is None:
            return None
        sets[item.field] = new
    return sets


def _new_value(item: CheckedSet, now: RunState, fired: RunState) -> PlainValue | None:
    variable = now.system.variable(item.field)
    match item:
        case CheckedAssign(value=value):
            new = interpret(value, now, fired)
            return new if new in domain_values(variable) else None
        case CheckedPick(by=by, where=where):
            tried = _tried(variable, by)
            return next((new for new in tried if holds(where, now.changed({item.field: new}), fired)), None)
    assert_never(item)


def _tried(variable: CheckedVariable, by: PickBy) -> list[PlainValue]:
    """The values of a field in the order in which a prescription tries them."""
    match by:
        case PickBy.LARGEST:
            coded = sorted(variable.domain, reverse=True)
        case PickBy.SMALLEST:
            coded = sorted(variable.domain)
        case PickBy.FIRST:
            coded = list(variable.preference)
        case _:
            assert_never(by)
    return [plain_value(value, variable.type) for value in coded]
