"""Random worlds that all tasks of a problem share: an easy witness is often among them.

In: a problem. Out: a world that shows the same as a given one in some channels, and has other codes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from solvers.counting.blocks import drawn_worlds, valid_blocks
from solvers.counting.kernel.channels import Channels
from solvers.counting.tables import Tables
from solvers.counting.walks import codes_of, walk_batch
from solvers.outcome import Assignment
from solvers.streams import Stream, key_of

POOL = 1 << 15
"""How many random worlds are drawn; those that give no task are left out."""
WORLDS_COMPARED = 256
"""Among how many witnesses the nearest one is chosen."""


class Pool:
    """Random worlds of a problem that give tasks, with their codes and what they show."""

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
        """Return a world that shows the same in some channels and has other codes, if there is one.

        Args:
            world: Of those found, the one that differs from it in the fewest variables is returned.
            seen: What it shows.
            codes: Which it has.
        """
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
