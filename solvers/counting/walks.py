"""Walks of whole batches of worlds, by the generated code of `tables`.

In: a state, which gives each variable an integer, or an int64 array with an entry for each world. Out: groups of
worlds that take the same path: the same rules, the same alternatives, the same ending. The meaning is that of
`evaluate.run_walk`. A variable on which all worlds agree becomes a plain integer, so that worlds which differ in
a few hidden variables cost little more than one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

import attrs
import numpy as np

from solvers.counting.expand import (
    before_name,
    before_state,
    expand,
    expand_guard,
    expand_guard_at_start,
    expand_looking_back,
    support,
)
from solvers.counting.tables import BatchState, BatchValue, BoolArray, IntArray, Tables
from solvers.outcome import Ending, Step, Walk
from solvers.problem import Alternative, Assign, Direction, Expr, Pick, Problem, Variable

BatchFlag = bool | BoolArray
"""A truth value for all worlds of a batch, or for each."""

PICK_CELLS = 1 << 18
"""Most pairs of a world and a tried value over which a prescription is evaluated at once."""


@attrs.frozen(eq=False)
class GroupStep:
    """A rule that fired in every world of a group: the state in which it did, and what it set."""

    rule: int
    alternative: int
    before: BatchState
    sets: BatchState


@attrs.frozen(eq=False)
class Group:
    """Worlds that take one path; every array has an entry for each of `rows`, their places in the batch."""

    rows: IntArray
    start: BatchState
    steps: tuple[GroupStep, ...]
    final: BatchState
    ending: Ending

    @property
    def gives_task(self) -> bool:
        return self.ending in (Ending.ANSWER, Ending.HEALTHY)

    def only(self, chosen: BoolArray) -> Group:
        """Select worlds by a truth value for each."""
        steps = tuple(
            attrs.evolve(step, before=select_worlds(step.before, chosen), sets=select_worlds(step.sets, chosen))
            for step in self.steps
        )
        start, final = select_worlds(self.start, chosen), select_worlds(self.final, chosen)
        return Group(self.rows[chosen], start, steps, final, self.ending)


def walk_batch(tables: Tables, state: BatchState, size: int, *, rules: frozenset[int] | None = None) -> list[Group]:
    """Walk `size` worlds. Every world is in exactly one group; the order of groups means nothing.

    Args:
        rules: If given, worlds in which another rule fires are dropped and not walked any further.
    """
    return tables.shared(_Walker).walk(state, size, rules)


def valid_worlds(tables: Tables, groups: Iterable[Group]) -> Iterator[Group]:
    """Yield the valid worlds of each group that has any."""
    code = tables.compiled([expand(tables.problem, tables.problem.valid)])
    for group in groups:
        valid = np.broadcast_to(code(group.start)[0], len(group.rows))
        if valid.all():
            yield group
        elif valid.any():
            yield group.only(valid)


def codes_of(problem: Problem, group: Group) -> frozenset[str]:
    """Return the codes that the walks of a group report."""
    return frozenset(problem.rules[step.rule].code for step in group.steps)


def world_flags(tables: Tables, state: BatchState) -> tuple[BatchFlag, BatchFlag, list[BatchFlag]]:
    """Return whether the worlds are valid, whether they are sound, and whether each guard holds where walks start."""
    valid, sound, *guards = tables.shared(_Walker).start_flags(state)
    return valid, sound, guards


def select_worlds(state: BatchState, rows: IntArray | BoolArray) -> dict[str, BatchValue]:
    """Select worlds of a batch, by their places or by a truth value for each."""
    return {name: value if isinstance(value, int) else collapsed(value[rows]) for name, value in state.items()}


def collapsed(value: BatchValue) -> BatchValue:
    """Return a plain integer for an array that holds one value only."""
    if isinstance(value, int) or not len(value):
        return value
    first = value[0]
    return int(first) if first == value[-1] and (value == first).all() else value


def both(left: BatchFlag, right: BatchFlag) -> BatchFlag:
    """Return where both flags hold."""
    if isinstance(left, bool):
        return right if left else False
    if isinstance(right, bool):
        return left if right else False
    return left & right


def opposite(flag: BatchFlag) -> BatchFlag:
    """Return where a flag doesn't hold."""
    return not flag if isinstance(flag, bool) else ~flag


@attrs.frozen(eq=False)
class _FiredRule:
    """A rule that fired in every world of a group, the alternative that it used, and what that set."""

    rule: int
    alternative: int
    sets: BatchState


@attrs.frozen(eq=False)
class _PartialGroup:
    """Worlds that have taken the same path so far."""

    rows: IntArray
    start: BatchState
    fired: tuple[_FiredRule, ...] = ()

    def states(self) -> list[dict[str, BatchValue]]:
        """List the states along the path: the start, then one after each fired rule."""
        states = [dict(self.start)]
        for step in self.fired:
            states.append({**states[-1], **step.sets})
        return states

    def where(self, chosen: BatchFlag) -> _PartialGroup | None:
        """Return the chosen part; None if it is empty."""
        if isinstance(chosen, bool):
            return self if chosen else None
        count = np.count_nonzero(chosen)
        if count in (0, len(chosen)):
            return self if count else None
        fired = tuple(attrs.evolve(step, sets=select_worlds(step.sets, chosen)) for step in self.fired)
        return _PartialGroup(self.rows[chosen], select_worlds(self.start, chosen), fired)

    def after(self, rule: int, alternative: int, sets: BatchState) -> _PartialGroup:
        return _PartialGroup(self.rows, self.start, (*self.fired, _FiredRule(rule, alternative, sets)))

    def ends(self, ending: Ending) -> Group:
        *earlier, final = self.states()
        steps = tuple(
            GroupStep(step.rule, step.alternative, before, step.sets)
            for step, before in zip(self.fired, earlier, strict=True)
        )
        return Group(self.rows, self.start, steps, final, ending)


class _Walker:
    """The compiled guards and prescriptions of one problem."""

    def __init__(self, tables: Tables) -> None:
        problem = tables.problem
        self.max_codes = problem.max_codes
        whole = [expand(problem, problem.valid), expand(problem, problem.sound)]
        guards = [expand_guard(problem, rule) for rule in problem.rules]
        self.flags = tables.compiled([*whole, *guards])
        self.start_flags = tables.compiled([*whole, *(expand_guard_at_start(problem, rule) for rule in problem.rules)])
        read = frozenset[str]().union(*map(support, guards))
        self.looked_back_at = tuple(v.name for v in problem.editable if before_name(v.name) in read)
        self.prescriptions = tuple(
            tuple(_Prescription(tables, alternative) for alternative in rule.alternatives) for rule in problem.rules
        )

    def walk(self, state: BatchState, size: int, rules: frozenset[int] | None) -> list[Group]:
        start = {name: collapsed(value) for name, value in state.items()}
        return list(self.enter(_PartialGroup(np.arange(size), start), rules)) if size else []

    def enter(self, group: _PartialGroup, rules: frozenset[int] | None) -> Iterator[Group]:
        """Go on from a state that the worlds have just come to."""
        if group.fired:
            printed = before_state(group.start, self.looked_back_at)
            valid, sound, *guards = self.flags({**group.states()[-1], **printed})
        else:
            valid, sound, *guards = self.start_flags(group.start)
        if (stranded := group.where(opposite(valid))) is not None:
            yield stranded.ends(Ending.INVALID)
        quiet: BatchFlag = valid  # no rule before this one fires
        for rule, guard in enumerate(guards):
            wanted = rules is None or rule in rules
            if wanted and (firing := group.where(both(quiet, guard))) is not None:
                yield from self.fire(firing, rule, rules)
            quiet = both(quiet, opposite(guard))
        endings = (Ending.ANSWER, Ending.UNSOUND) if group.fired else (Ending.HEALTHY, Ending.UNCOVERED)
        for flag, ending in zip((sound, opposite(sound)), endings, strict=True):
            if (part := group.where(both(quiet, flag))) is not None:
                yield part.ends(ending)

    def fire(self, group: _PartialGroup, rule: int, rules: frozenset[int] | None) -> Iterator[Group]:
        """Apply the first alternative that has a value."""
        if any(step.rule == rule for step in group.fired):
            yield group.ends(Ending.REPEATED)
            return
        if len(group.fired) == self.max_codes:
            yield group.ends(Ending.TOO_MANY)
            return
        for number, prescription in enumerate(self.prescriptions[rule]):
            has_value, sets = prescription.apply(group.states()[-1], len(group.rows))
            if (part := group.where(has_value)) is not None:
                chosen = sets if part is group or isinstance(has_value, bool) else select_worlds(sets, has_value)
                yield from self.enter(part.after(rule, number, chosen), rules)
            left = group.where(opposite(has_value))
            if left is None:
                return
            group = left
        yield group.ends(Ending.NO_VALUE)


class _Prescription:
    """The compiled sets of one alternative."""

    def __init__(self, tables: Tables, alternative: Alternative) -> None:
        problem = tables.problem
        self.fields = tuple(item.field for item in alternative.sets)
        self.sets: list[_AssignCode | _PickCode] = []
        for number, item in enumerate(alternative.sets):
            variable = problem.variable(item.field)
            differing = self.fields[: number + 1]
            if isinstance(item, Assign):
                self.sets.append(_AssignCode(tables, variable, expand_looking_back(problem, item.value, differing)))
            else:
                where = expand_looking_back(problem, item.where, differing)
                self.sets.append(_PickCode(tables, variable, where, _tries(variable, item)))

    def apply(self, state: BatchState, size: int) -> tuple[BatchFlag, BatchState]:
        """Return which worlds get a value for each set, and the values; those of other worlds mean nothing."""
        env = {**state, **before_state(state, self.fields)}
        has_value: BatchFlag = True
        sets: dict[str, BatchValue] = {}
        for field, code in zip(self.fields, self.sets, strict=True):
            found, value = code.run(env, size)
            has_value = both(has_value, found)
            sets[field] = env[field] = value
            if has_value is False:
                break
        return has_value, sets


def _tries(variable: Variable, item: Pick) -> tuple[int, ...]:
    match item.direction:
        case Direction.LARGEST:
            return tuple(sorted(variable.domain, reverse=True))
        case Direction.SMALLEST:
            return tuple(sorted(variable.domain))
        case Direction.FIRST:
            return variable.preference or variable.domain
    assert_never(item.direction)


class _AssignCode:
    """The compiled value of an `Assign`."""

    def __init__(self, tables: Tables, variable: Variable, value: Expr) -> None:
        self.code = tables.compiled([value])
        self.domain = frozenset(variable.domain)
        self.values = np.array(variable.domain, np.int64)

    def run(self, env: BatchState, size: int) -> tuple[BatchFlag, BatchValue]:
        (value,) = self.code(env)
        if isinstance(value, int):
            return value in self.domain, value
        found = np.isin(value, self.values)
        return found, np.where(found, value, self.values[0])  # in the domain, since later sets may divide by it


class _PickCode:
    """The compiled condition of a `Pick`, and the values in the order in which it tries them."""

    def __init__(self, tables: Tables, variable: Variable, where: Expr, tries: tuple[int, ...]) -> None:
        self.code = tables.compiled([where])
        self.field = variable.name
        self.needs = tuple(support(where) - {variable.name})
        self.tries = np.array(tries, np.int64)

    def run(self, env: BatchState, size: int) -> tuple[BatchFlag, BatchValue]:
        """Try every value along a second axis and take the first that fits."""
        columns = {name: env[name] for name in self.needs}
        wide = {name: value for name, value in columns.items() if not isinstance(value, int)}
        if not wide:
            fits = np.broadcast_to(self.code({**columns, self.field: self.tries})[0], len(self.tries))
            return bool(fits.any()), int(self.tries[fits.argmax()])
        found, chosen = [], []
        step = max(1, PICK_CELLS // len(self.tries))
        for low in range(0, size, step):
            part = {name: value[low : low + step, None] for name, value in wide.items()}
            (fits,) = self.code({**columns, **part, self.field: self.tries})
            fits = np.broadcast_to(fits, (min(step, size - low), len(self.tries)))
            found.append(fits.any(axis=1))
            chosen.append(self.tries[fits.argmax(axis=1)])
        return np.concatenate(found), collapsed(np.concatenate(chosen))


def world_at(state: BatchState, place: int) -> dict[str, int]:
    """Return one world of a batch."""
    return {name: value if isinstance(value, int) else int(value[place]) for name, value in state.items()}


def walk_at(tables: Tables, group: Group, place: int) -> Walk:
    """Return the walk of one world of a group."""
    problem = tables.problem
    start, final = world_at(group.start, place), world_at(group.final, place)
    _, _, guards = world_flags(tables, start)
    held = [rule.code for rule, guard in zip(problem.rules, guards, strict=True) if guard]
    codes = tuple(problem.rules[step.rule].code for step in group.steps)
    return Walk(
        ending=group.ending,
        start=start,
        steps=tuple(
            Step(step.rule, step.alternative, world_at(step.before, place), world_at(step.sets, place))
            for step in group.steps
        ),
        final=final,
        codes=codes,
        fix=tuple((v.name, final[v.name]) for v in problem.editable if final[v.name] != start[v.name]),
        masked=tuple(code for code in held if code not in codes),
        unmasked=tuple(code for code in codes if code not in held),
    )
