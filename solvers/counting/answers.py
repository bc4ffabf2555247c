"""Which answers the runbook gives to worlds that fit, how often, and what tells them apart.

In: `FittingWorlds`. Out: an `AnswerTally`; plain evaluation confirms a world of each answer that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import attrs
import numpy as np

from solvers import evaluate
from solvers.counting.exhaustive import WitnessError
from solvers.counting.expand import expand, support
from solvers.counting.fitting import FittingWorlds
from solvers.counting.tables import BatchState, IntArray, Tables
from solvers.counting.walks import Group, codes_of, walk_batch, world_at
from solvers.outcome import Assignment, Ending, Walk, WalkAnswer
from solvers.problem import Expr
from solvers.streams import Stream, key_of, scaled

MOST_TOLD: Final = 1 << 14
"""How many worlds tell how much a single fact would settle."""

_UNCHANGED: Final = -(1 << 62)


@attrs.frozen
class RunbookAnswer:
    """What the runbook comes to: an answer, or the ending of a walk that gives none."""

    ending: Ending
    answer: WalkAnswer | None


@attrs.frozen(eq=False)
class AnswerTally:
    """The answers to some worlds.

    Attributes:
        counts: To how many worlds each answer is given, the most frequent first.
        numbers: For each world, in the order of its chunks, the place of its answer in `counts`.
    """

    tables: Tables
    worlds: FittingWorlds
    counts: Mapping[RunbookAnswer, int]
    numbers: IntArray

    def world_of(self, wanted: RunbookAnswer, near: Assignment | None = None) -> dict[str, int]:
        """Return a world with this answer: the first, or the one that differs from `near` in the fewest variables."""
        number, best, found = list(self.counts).index(wanted), -1, dict[str, int]()
        low = 0
        for state, size in self.worlds.chunks():
            rows = np.flatnonzero(self.numbers[low : low + size] == number)
            low += size
            if not len(rows):
                continue
            if near is None:
                return world_at(state, int(rows[0]))
            differs = sum((np.asarray(state[name])[rows] != near[name]).astype(np.int64) for name in self.worlds.open)
            least = int(np.min(differs))
            if best < 0 or least < best:
                best, found = least, world_at(state, int(rows[int(np.argmin(differs))]))
        return found

    def told_by(self, exprs: Mapping[str, Expr]) -> dict[str, float]:
        """Return for each expression the share of worlds in which its value settles the answer.

        The share is that among some of the worlds if there are many; it is 1 only if all are settled.
        """
        pure = {name: expand(self.tables.problem, expr) for name, expr in exprs.items()}
        places = scaled(Stream(key_of("told")).words(MOST_TOLD), len(self.numbers))
        some = np.unique(places) if len(self.numbers) > MOST_TOLD else np.arange(len(self.numbers))
        shares = self._settled_by(pure, some)
        hoped = {name: expr for name, expr in pure.items() if shares[name] == 1}
        return shares | self._settled_by(hoped, np.arange(len(self.numbers)))

    def _settled_by(self, pure: Mapping[str, Expr], places: IntArray) -> dict[str, float]:
        """The share of some worlds that each pure expression settles among them."""
        columns: list[list[IntArray]] = [[] for _ in pure]
        low = 0
        for state, size in self.worlds.chunks():
            rows = places[(places >= low) & (places < low + size)] - low
            low += size
            chosen = {name: np.asarray(cell)[rows] for name, cell in state.items()}
            for column, value in zip(columns, self._values(pure.values(), chosen, len(rows)), strict=True):
                column.append(value)
        return {
            name: _settled(np.concatenate(column), self.numbers[places])
            for name, column in zip(pure, columns, strict=True)
        }

    def _values(self, pure: Iterable[Expr], state: BatchState, size: int) -> list[IntArray]:
        values = self.tables.compiled(list(pure))(state)
        return [np.broadcast_to(np.asarray(value, np.int64), size) for value in values]

    def tells(self, expr: Expr) -> bool:
        """Whether the value of an expression differs between the worlds, and only with what decides the answer."""
        read = support(expand(self.tables.problem, expr))
        return read <= self.worlds.told and not read.isdisjoint(self.worlds.open)


def _settled(value: IntArray, numbers: IntArray) -> float:
    """The share of worlds whose value no world with another answer has."""
    _, shown, counts = np.unique(value, return_inverse=True, return_counts=True)
    pairs = np.unique(shown.reshape(-1) * (int(numbers.max()) + 1) + numbers) // (int(numbers.max()) + 1)
    once = np.bincount(pairs, minlength=len(counts)) == 1
    return float(counts[once].sum() / len(numbers))


def tally_answers(tables: Tables, worlds: FittingWorlds) -> AnswerTally:
    """Walk all worlds, and count their answers."""
    counts: dict[RunbookAnswer, int] = {}
    places: dict[RunbookAnswer, int] = {}
    numbers = np.zeros(worlds.size, np.int64)
    low = 0
    for state, size in worlds.chunks():
        for group in walk_batch(tables, state, size):
            for answer, rows in _answers(tables, group):
                counts[answer] = counts.get(answer, 0) + len(rows)
                numbers[low + rows] = places.setdefault(answer, len(places))
        low += size
    order = sorted(counts, key=lambda answer: -counts[answer])
    renumbered = np.zeros(len(places), np.int64)
    for place, answer in enumerate(order):
        renumbered[places[answer]] = place
    return AnswerTally(tables, worlds, {answer: counts[answer] for answer in order}, renumbered[numbers])


def confirmed_walk(tables: Tables, conditions: Iterable[Expr], world: Assignment, found: RunbookAnswer) -> Walk:
    """Return the walk of a world by plain evaluation.

    Raises:
        WitnessError: It isn't what was counted, or the world doesn't fit.
    """
    problem = tables.problem
    walk = evaluate.run_walk(problem, world)
    fits = all(evaluate.value(problem, condition, world) for condition in (problem.valid, *conditions))
    if not fits or answer_of(walk) != found:
        raise WitnessError("case", problem.name, world, found)
    return walk


def answer_of(walk: Walk) -> RunbookAnswer:
    """What a walk comes to."""
    return RunbookAnswer(walk.ending, walk.answer if walk.gives_task else None)


def _answers(tables: Tables, group: Group) -> list[tuple[RunbookAnswer, IntArray]]:
    """The answers of a group, each with the worlds of the batch that get it."""
    if not group.gives_task:
        return [(RunbookAnswer(group.ending, None), group.rows)]
    codes = codes_of(tables.problem, group)
    set_by_steps = {name for step in group.steps for name in step.sets}
    fields = [variable.name for variable in tables.problem.editable if variable.name in set_by_steps]
    if not fields:
        return [(RunbookAnswer(group.ending, WalkAnswer(codes, ())), group.rows)]
    size = len(group.rows)
    changes = np.empty((size, len(fields)), np.int64)
    for place, field in enumerate(fields):
        old, new = np.asarray(group.start[field]), np.asarray(group.final[field])
        changes[:, place] = np.where(new == old, _UNCHANGED, new)
    distinct, which = np.unique(changes, axis=0, return_inverse=True)
    which = which.reshape(-1)
    found = []
    for number, row in enumerate(distinct.tolist()):
        fix = tuple((field, new) for field, new in zip(fields, row, strict=True) if new != _UNCHANGED)
        found.append((RunbookAnswer(group.ending, WalkAnswer(codes, fix)), group.rows[which == number]))
    return found
