"""P4, interaction: which sets of channels leave the diagnosis open, with a world that shows it.

In: a world. Out: a *witness* for each set of channels that leaves it open: a valid world that shows the same in
these channels and whose walk gives a task with other codes. All channels together leave nothing open (that is P1).

If a set of channels prints all but a few variables exactly, every world that is left is walked. Otherwise witnesses
are looked for in a pool of random worlds, which all tasks of a problem share, and then among lookalikes that are
built for the task. A witness may be missed; then the set counts as determining the diagnosis, so the claimed
interaction may be too small, but never too large. What is found depends on the problem and the evidence alone.
Plain evaluation confirms every witness.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np

from solvers.counting.blocks import drawn_worlds, valid_blocks
from solvers.counting.exhaustive import WitnessError
from solvers.counting.expand import expand
from solvers.counting.lookalikes import Channels, LookalikePlan, Lookalikes, LookalikeSearch
from solvers.counting.tables import BatchState, BatchValue, IntArray, Tables
from solvers.counting.walks import codes_of, select_worlds, walk_batch, world_at, world_flags
from solvers.evaluate import observe, run_walk
from solvers.outcome import Assignment
from solvers.problem import Var, Variable
from solvers.streams import Stream, key_of

POOL = 1 << 15
"""How many random worlds are drawn for the pool; those that give no task are left out."""
TIED_ROWS = 1 << 10
"""Most joint values of variables that a condition ties to each other, in the search for lookalikes."""
WORLDS_COMPARED = 256
"""Among how many witnesses of the pool the nearest one is chosen."""
COUNTED = 1 << 12
"""How many worlds are all walked, if what a set of channels prints exactly leaves no more."""
LOOKALIKES_WALKED = (8, 32, 128)
"""How many lookalikes have been walked after the first try, the second, ..., and at most."""


@attrs.frozen
class Interaction:
    """Which sets of channels determine the diagnosis.

    Attributes:
        channels: All of them, in printing order.
        witnesses: A world for each set that leaves the diagnosis open.
    """

    channels: Channels
    witnesses: Mapping[Channels, Assignment]

    @property
    def determined(self) -> dict[Channels, bool]:
        """For each set of channels, the smaller ones first, whether it determines the diagnosis."""
        return {chosen: chosen not in self.witnesses for chosen in channel_sets(self.channels)}

    @property
    def interaction(self) -> int:
        """The size of the smallest set that determines the diagnosis."""
        return min(len(chosen) for chosen, determines in self.determined.items() if determines)

    def witness(self, chosen: Channels) -> Assignment | None:
        return self.witnesses.get(chosen)


def channel_sets(channels: Channels) -> Iterator[Channels]:
    """Yield every set of channels but the empty one, the smaller ones first."""
    for size in range(1, len(channels) + 1):
        yield from itertools.combinations(channels, size)


class Witnesses:
    """Looks for witnesses in one problem; see `measure`."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.problem = tables.problem
        self.plans: dict[Channels, LookalikePlan] = {}
        blocks = valid_blocks(tables, TIED_ROWS)
        for chosen in channel_sets(self.problem.channels):
            if len(chosen) < len(self.problem.channels):
                self.plans[chosen] = LookalikePlan(tables, blocks, chosen, self.plans.get(chosen[:-1]))
        searches = {chosen: _CompleteSearch.of(tables, chosen) for chosen in self.plans}
        self.complete = {chosen: search for chosen, search in searches.items() if search is not None}

    @functools.cached_property
    def pool(self) -> _Pool:
        return _Pool(self.tables)

    def measure(self, world: Assignment) -> Interaction:
        """Look for a witness for each set of channels.

        Raises:
            WitnessError: Plain evaluation doesn't confirm a witness.
        """
        (own,) = walk_batch(self.tables, dict(world), 1)
        codes = codes_of(self.problem, own)
        seen = observe(self.problem, world)
        search = LookalikeSearch(self.plans, world, Stream(key_of("interaction", self.problem.name, *seen)))
        witnesses: dict[Channels, Assignment] = {}
        for chosen in reversed(self.plans):  # large sets first: their witnesses serve the smaller ones too
            if chosen not in witnesses:
                if chosen in self.complete:
                    found = self.complete[chosen].other(world, codes)
                else:
                    found = self.pool.nearest(chosen, world, seen, codes)
                    if found is None:
                        found = self._among_lookalikes(search.find(chosen), codes)
                if found is not None:
                    witness = {variable.name: found[variable.name] for variable in self.problem.variables}
                    for part in self._confirmed(chosen, witness, seen, codes):
                        witnesses.setdefault(part, witness)
        return Interaction(self.problem.channels, witnesses)

    def _among_lookalikes(self, alike: Lookalikes, codes: frozenset[str]) -> Assignment | None:
        """Return a lookalike whose walk gives a task with other codes; the likeliest are walked first."""
        healthy, foreign, familiar = self._by_first_rule(alike, codes)
        if len(healthy):
            return world_at(alike.state, int(healthy[0]))
        places = np.concatenate([foreign, familiar])
        for low, high in itertools.pairwise((0, *LOOKALIKES_WALKED)):
            part = places[low:high]
            found = _first_with_other_codes(self.tables, select_worlds(alike.state, part), len(part), codes)
            if found is not None:
                return found
        return None

    def _by_first_rule(self, alike: Lookalikes, codes: frozenset[str]) -> tuple[IntArray, IntArray, IntArray]:
        """Return the places of three kinds of valid worlds.

        Returns:
            Healthy worlds (none if that is the diagnosis); worlds in which a rule of another code fires first;
            worlds in which a rule of the diagnosis fires first.
        """
        valid, sound, guards = world_flags(self.tables, alike.state)
        left = np.array(np.broadcast_to(valid, alike.size))
        foreign, familiar = np.zeros(alike.size, bool), np.zeros(alike.size, bool)
        for rule, guard in zip(self.problem.rules, guards, strict=True):
            (familiar if rule.code in codes else foreign)[left & guard] = True
            left &= np.logical_not(guard)
        healthy = left & sound & bool(codes)
        return np.flatnonzero(healthy), np.flatnonzero(foreign), np.flatnonzero(familiar)

    def _confirmed(
        self, chosen: Channels, witness: Assignment, seen: Sequence[int], codes: frozenset[str]
    ) -> list[Channels]:
        """Confirm a witness for one set of channels, and list all sets for which it is one."""
        shown = zip(self.problem.observations, seen, observe(self.problem, witness), strict=True)
        different = {item.channel for item, here, there in shown if here != there}
        walk = run_walk(self.problem, witness)
        if not (walk.gives_task and walk.answer.codes != codes and different.isdisjoint(chosen)):
            raise WitnessError("P4", self.problem.name, chosen, seen, dict(witness))
        return [channels for channels in self.plans if different.isdisjoint(channels)]


class _CompleteSearch:
    """Walks every world that shows the same in some channels, if these print all but a few variables exactly."""

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
    def of(cls, tables: Tables, chosen: Channels) -> _CompleteSearch | None:
        """Prepare the search for a set of channels; None if it leaves too many worlds."""
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
        for value, wanted in zip(self.code(state), self.code(dict(world)), strict=True):
            met &= np.equal(value, wanted)
        rows = np.flatnonzero(met)
        return _first_with_other_codes(self.tables, select_worlds(state, rows), len(rows), codes)


def _first_with_other_codes(
    tables: Tables, state: BatchState, size: int, codes: frozenset[str]
) -> dict[str, int] | None:
    """Return the first world of a batch whose walk gives a task with other codes."""
    others = [
        int(group.rows[0])
        for group in walk_batch(tables, state, size)
        if group.gives_task and codes_of(tables.problem, group) != codes
    ]
    return world_at(state, min(others)) if others else None


class _Pool:
    """Random worlds that give tasks, with their codes and what they show."""

    def __init__(self, tables: Tables) -> None:
        problem = tables.problem
        self.observations = problem.observations
        stream = Stream(key_of("interaction", "pool", problem.name))
        state = drawn_worlds(valid_blocks(tables), stream, POOL)
        self.known_codes: dict[frozenset[str], int] = {}
        codes = np.full(POOL, -1)
        for group in walk_batch(tables, state, POOL):
            if group.gives_task:
                reported = codes_of(problem, group)
                codes[group.rows] = self.known_codes.setdefault(reported, len(self.known_codes))
        tasks = np.flatnonzero(codes >= 0)
        self.codes = codes[tasks]
        self.state = {name: np.broadcast_to(value, POOL)[tasks] for name, value in state.items()}
        shown = tables.evaluate([item.value for item in problem.observations], self.state)
        self.shown = [np.broadcast_to(value, len(tasks)).astype(np.int64) for value in shown]
        variety = [-len(np.unique(value)) for value in self.shown]
        self.order = sorted(range(len(shown)), key=variety.__getitem__)  # what shows most different values comes first

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
