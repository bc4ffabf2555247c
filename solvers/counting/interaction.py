"""P4, interaction: which sets of channels leave the diagnosis open, with a world that shows it.

In: a world. Out: for each set of channels a *witness*: a valid world that shows the same in these channels and
whose walk gives a task with other codes; or none. All channels together leave nothing open (that is P1).

Witnesses are looked for first in a pool of random worlds, which every task of a problem shares, then in a crowd
that is built for the task (see `lookalikes`). One may be missed; then the set counts as settling the
diagnosis: too little interaction is claimed, never too much. What is found depends on the problem and
on the evidence alone. Plain evaluation confirms every witness.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np

from solvers.counting.exhaustive import WitnessError
from solvers.counting.expand import expand
from solvers.counting.lookalikes import Channels, LookalikePlan, Lookalikes, LookalikeSearch
from solvers.counting.tables import BatchValue, IntArray, Tables
from solvers.counting.walks import select_worlds, walk_batch, world_at, world_flags
from solvers.evaluate import observe, run_walk
from solvers.outcome import Assignment
from solvers.problem import Var, Variable
from solvers.streams import Stream, key_of, random_worlds

POOL = 1 << 15
"""How many random worlds the pool is made of; those that give no task are left out."""
WORLDS_COMPARED = 256
"""Among how many witnesses of the pool the nearest one is chosen."""
COUNTED = 1 << 12
"""Up to how many worlds may be left by what a set of channels prints exactly for all of them to be looked at."""
CROWD_STEPS = (8, 32, 128)
"""How many worlds of a crowd are walked, at first, then if there is no witness yet, ..., and at most."""


@attrs.frozen
class Interaction:
    """What the sets of channels settle.

    Attributes:
        channels: All of them, in printing order.
        witnesses: For each set that leaves the diagnosis open, a world that shows so.
    """

    channels: Channels
    witnesses: Mapping[Channels, Assignment]

    @property
    def determined(self) -> dict[Channels, bool]:
        """For each set of channels, the smaller ones first, whether it settles the diagnosis."""
        return {chosen: chosen not in self.witnesses for chosen in channel_sets(self.channels)}

    @property
    def interaction(self) -> int:
        """The size of the smallest set that settles the diagnosis."""
        return min(len(chosen) for chosen, settles in self.determined.items() if settles)

    def witness(self, chosen: Channels) -> Assignment | None:
        return self.witnesses.get(chosen)


def channel_sets(channels: Channels) -> Iterator[Channels]:
    """Yield every set of channels but the empty one, the smaller ones first."""
    for size in range(1, len(channels) + 1):
        yield from itertools.combinations(channels, size)


class Witnesses:
    """Looks for witnesses in one problem."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.problem = tables.problem
        self.views: dict[Channels, LookalikePlan] = {}
        for chosen in channel_sets(self.problem.channels):
            if len(chosen) < len(self.problem.channels):
                self.views[chosen] = LookalikePlan(tables, chosen, self.views.get(chosen[:-1]))
        self.counts = {chosen: count for chosen in self.views if (count := _Count.of(tables, chosen)) is not None}

    @functools.cached_property
    def pool(self) -> _Pool:
        return _Pool(self.tables)

    def measure(self, world: Assignment) -> Interaction:
        """Look for a witness for each set of channels.

        Raises:
            WitnessError: Plain evaluation doesn't confirm a witness.
        """
        (own,) = walk_batch(self.tables, dict(world), 1)
        codes = frozenset(self.problem.rules[step.rule].code for step in own.steps)
        seen = observe(self.problem, world)
        search = LookalikeSearch(self.views, world, Stream(key_of("interaction", self.problem.name, *seen)))
        witnesses: dict[Channels, Assignment] = {}
        for chosen in reversed(self.views):  # large sets first: their witnesses serve the smaller ones too
            if chosen not in witnesses:
                if chosen in self.counts:
                    found = self.counts[chosen].other(world, codes)
                else:
                    found = self.pool.nearest(chosen, world, seen, codes)
                    if found is None:
                        found = self._other(search.complete(chosen), codes)
                if found is not None:
                    witness = {variable.name: found[variable.name] for variable in self.problem.variables}
                    for part in self._opened(chosen, witness, seen, codes):
                        witnesses.setdefault(part, witness)
        return Interaction(self.problem.channels, witnesses)

    def _other(self, crowd: Lookalikes, codes: frozenset[str]) -> Assignment | None:
        """Return the first world of a crowd, by how quickly it is told, whose walk gives a task with other codes."""
        healthy, foreign, familiar = self._sorted(crowd, codes)
        if len(healthy):
            return world_at(crowd.state, int(healthy[0]))
        places = np.concatenate([foreign, familiar])
        for low, high in itertools.pairwise((0, *CROWD_STEPS)):
            part = places[low:high]
            others = [
                int(group.rows[0])
                for group in walk_batch(self.tables, select_worlds(crowd.state, part), len(part))
                if group.gives_task and {self.problem.rules[step.rule].code for step in group.steps} != codes
            ]
            if others:
                return world_at(crowd.state, int(part[min(others)]))
        return None

    def _sorted(self, crowd: Lookalikes, codes: frozenset[str]) -> tuple[IntArray, IntArray, IntArray]:
        """Find the places of healthy worlds (unless that is the diagnosis), of those in which another
        rule fires first, and of those in which a rule of the diagnosis does."""
        valid, sound, guards = world_flags(self.tables, crowd.state)
        left = np.array(np.broadcast_to(valid, crowd.size))
        foreign, familiar = np.zeros(crowd.size, bool), np.zeros(crowd.size, bool)
        for rule, guard in zip(self.problem.rules, guards, strict=True):
            (familiar if rule.code in codes else foreign)[left & guard] = True
            left &= np.logical_not(guard)
        healthy = left & sound & bool(codes)
        return np.flatnonzero(healthy), np.flatnonzero(foreign), np.flatnonzero(familiar)

    def _opened(
        self, chosen: Channels, witness: Assignment, seen: Sequence[int], codes: frozenset[str]
    ) -> list[Channels]:
        """Confirm a witness for one set of channels, and list all sets that it leaves open."""
        shown = zip(self.problem.observations, seen, observe(self.problem, witness), strict=True)
        different = {item.channel for item, here, there in shown if here != there}
        walk = run_walk(self.problem, witness)
        if not (walk.gives_task and walk.answer.codes != codes and different.isdisjoint(chosen)):
            raise WitnessError("P4", self.problem.name, chosen, seen, dict(witness))
        return [channels for channels in self.views if different.isdisjoint(channels)]


class _Count:
    """Looks at every world that shows the same in some channels, where these print all but a few variables exactly."""

    def __init__(self, tables: Tables, chosen: Channels, unknown: Sequence[Variable]) -> None:
        self.tables = tables
        shown = [item.value for item in tables.problem.observations if item.channel in chosen]
        self.code = tables.compiled([expand(tables.problem, value) for value in shown])
        grid = np.indices([len(variable.domain) for variable in unknown]).reshape(len(unknown), -1)
        self.columns = {
            variable.name: np.array(variable.domain, np.int64)[places]
            for variable, places in zip(unknown, grid, strict=True)
        }

    @classmethod
    def of(cls, tables: Tables, chosen: Channels) -> _Count | None:
        """The count for a set of channels; None if too many worlds are left."""
        observations = tables.problem.observations
        exact = {item.value.name for item in observations if item.channel in chosen and isinstance(item.value, Var)}
        unknown = [variable for variable in tables.problem.variables if variable.name not in exact]
        left = math.prod(len(variable.domain) for variable in unknown)
        return cls(tables, chosen, unknown) if unknown and left <= COUNTED else None

    def other(self, world: Assignment, codes: frozenset[str]) -> Assignment | None:
        """Return the first world whose walk gives a task with other codes."""
        state: dict[str, BatchValue] = {**world, **self.columns}
        size = len(next(iter(self.columns.values())))
        met = np.ones(size, bool)
        for cell, wanted in zip(self.code(state), self.code(dict(world)), strict=True):
            met &= np.equal(cell, wanted)
        rows = np.flatnonzero(met)
        same = select_worlds(state, rows)
        others = [
            int(group.rows[0])
            for group in walk_batch(self.tables, same, len(rows))
            if group.gives_task and {self.tables.problem.rules[step.rule].code for step in group.steps} != codes
        ]
        return world_at(same, min(others)) if others else None


class _Pool:
    """Random worlds that give tasks, with their codes and what they show."""

    def __init__(self, tables: Tables) -> None:
        problem = tables.problem
        self.observations = problem.observations
        stream = Stream(key_of("interaction", "pool", problem.name))
        state: dict[str, BatchValue] = {**random_worlds(problem.variables, stream, POOL)}
        self.known_codes: dict[frozenset[str], int] = {}
        codes = np.full(POOL, -1)
        for group in walk_batch(tables, state, POOL):
            if group.gives_task:
                reported = frozenset(problem.rules[step.rule].code for step in group.steps)
                codes[group.rows] = self.known_codes.setdefault(reported, len(self.known_codes))
        tasks = np.flatnonzero(codes >= 0)
        self.codes = codes[tasks]
        self.state = {name: np.broadcast_to(cell, POOL)[tasks] for name, cell in state.items()}
        shown = tables.evaluate([item.value for item in problem.observations], self.state)
        self.shown = [np.broadcast_to(cell, len(tasks)).astype(np.int64) for cell in shown]
        variety = [-len(np.unique(cell)) for cell in self.shown]
        self.order = sorted(range(len(shown)), key=variety.__getitem__)  # what tells most worlds apart comes first

    def nearest(
        self, chosen: Channels, world: Assignment, seen: Sequence[int], codes: frozenset[str]
    ) -> Assignment | None:
        """Return a world that shows the same in some channels and has other codes, with few variables changed."""
        places = np.flatnonzero(self.codes != self.known_codes.get(codes, -1))
        for number in self.order:
            if self.observations[number].channel in chosen:
                places = places[self.shown[number][places] == seen[number]]
        if not len(places):
            return None
        places = places[:WORLDS_COMPARED]
        changed = sum((column[places] != world[name]).astype(np.int64) for name, column in self.state.items())
        place = int(places[np.argmin(changed)])
        return {name: int(column[place]) for name, column in self.state.items()}
