"""Build worlds that show the same as a given one in some channels.

In: a world and a set of channels. Out: a `Lookalikes` of such worlds.

How: observation by observation, the variables that it depends on and that have no value yet are given all
their values, or random ones where these are too many, and what doesn't show the same is dropped. Variables
that the channels show nothing of come last. A crowd has every world that there is if no step had to draw or
thin out: so it is with channels that print the config, unless there are very many hidden values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from solvers.counting.expand import expand, support
from solvers.counting.tables import BatchValue, BoolArray, IntArray, Tables
from solvers.counting.walks import select_worlds
from solvers.outcome import Assignment
from solvers.problem import Expr, Problem, Var, Variable
from solvers.streams import Stream, scaled

Channels = tuple[str, ...]

BUILT = 1 << 15
"""Most worlds that a step builds."""
KEPT = 256
"""About how many of them are taken on to the next step at most."""
LAST = 1024
"""Most worlds of a finished crowd."""


@attrs.frozen(eq=False)
class Lookalikes:
    """Worlds in the making that show the same so far; `own` is the place of the one we started from."""

    state: Mapping[str, BatchValue]
    size: int
    own: int

    def only(self, places: IntArray) -> Lookalikes:
        own = int(np.searchsorted(places, self.own))
        return Lookalikes(select_worlds(self.state, places), len(places), own)


class LookalikeSearch:
    """The lookalikes of one world, built when asked for.

    A set of channels goes on from the set that lacks its last channel.
    """

    def __init__(self, views: Mapping[Channels, LookalikePlan], world: Assignment, stream: Stream) -> None:
        self.views = views
        self.world = world
        self.stream = stream
        self.built: dict[Channels, Lookalikes] = {(): Lookalikes({}, 1, 0)}

    def crowd(self, chosen: Channels) -> Lookalikes:
        if chosen not in self.built:
            self.built[chosen] = self.views[chosen].shown(self.crowd(chosen[:-1]), self.world, self.stream)
        return self.built[chosen]

    def complete(self, chosen: Channels) -> Lookalikes:
        """Give values to the variables that the channels show nothing of."""
        return self.views[chosen].last.applied(self.crowd(chosen), self.world, self.stream, LAST)


class LookalikePlan:
    """How to build the worlds that show the same in one set of channels, from those of all but its last channel.

    Attributes:
        printed: Variables that are shown exactly, and weren't known before.
        known: All variables that have a value once this is done.
    """

    known: frozenset[str]

    def __init__(self, tables: Tables, chosen: Channels, base: LookalikePlan | None) -> None:
        problem = tables.problem
        known: set[str] = set() if base is None else set(base.known)
        parts = [expand(problem, item.value) for item in problem.observations if item.channel == chosen[-1]]
        self.printed = tuple(part.name for part in parts if isinstance(part, Var) and part.name not in known)
        known |= set(self.printed)
        waiting = [part for part in dict.fromkeys(parts) if not (isinstance(part, Var) and part.name in self.printed)]
        self.steps: list[_Step] = []
        while waiting:
            new = min((_unknown(problem, part, known) for part in waiting), key=_combinations)
            known |= {variable.name for variable in new}
            self.steps.append(_Step(tables, new, [part for part in waiting if support(part) <= known]))
            waiting = [part for part in waiting if not support(part) <= known]
        self.known = frozenset(known)
        self.last = _Step(tables, [v for v in problem.variables if v.name not in known], [])

    def shown(self, crowd: Lookalikes, world: Assignment, stream: Stream) -> Lookalikes:
        fixed = {name: world[name] for name in self.printed}
        crowd = Lookalikes({**crowd.state, **fixed}, crowd.size, crowd.own)
        for step in self.steps:
            crowd = step.applied(crowd, world, stream, BUILT)
            if crowd.size > KEPT:
                drawn = scaled(stream.words(KEPT), crowd.size)
                crowd = crowd.only(np.unique(np.append(drawn, crowd.own)))
        return crowd


def _unknown(problem: Problem, part: Expr, known: set[str]) -> list[Variable]:
    needed = support(part) - known
    return [variable for variable in problem.variables if variable.name in needed]


def _combinations(variables: Sequence[Variable]) -> int:
    return math.prod(len(variable.domain) for variable in variables)


class _Step:
    """Give some variables values and keep what shows the same."""

    def __init__(self, tables: Tables, variables: Sequence[Variable], shown: Sequence[Expr]) -> None:
        self.code = tables.compiled(shown)
        self.domains = {variable.name: np.array(variable.domain, np.int64) for variable in variables}
        self.combinations = _combinations(variables)
        self.grid: dict[str, IntArray] = {}
        if self.combinations <= max(BUILT, LAST):
            axes = np.meshgrid(*self.domains.values(), indexing="ij")
            self.grid = {name: axis.ravel() for name, axis in zip(self.domains, axes, strict=True)}

    def applied(self, crowd: Lookalikes, world: Assignment, stream: Stream, most: int) -> Lookalikes:
        if crowd.size * self.combinations <= most:
            crowd = self._with_all_values(crowd, world)
        else:
            crowd = self._with_some_values(crowd, world, stream, max(1, most // crowd.size))
        same: BoolArray | bool = True
        for cell, wanted in zip(self.code(crowd.state), self.code(world), strict=True):
            same = same & (cell == wanted)
        return crowd if same is True else crowd.only(np.flatnonzero(np.broadcast_to(same, crowd.size)))

    def _with_all_values(self, crowd: Lookalikes, world: Assignment) -> Lookalikes:
        place, new = 0, dict[str, BatchValue]()
        for name, domain in self.domains.items():
            place = place * len(domain) + int(np.flatnonzero(domain == world[name])[0])
            new[name] = np.tile(self.grid[name], crowd.size)
        old = _repeated(crowd.state, self.combinations)
        return Lookalikes({**old, **new}, crowd.size * self.combinations, crowd.own * self.combinations + place)

    def _with_some_values(self, crowd: Lookalikes, world: Assignment, stream: Stream, copies: int) -> Lookalikes:
        """Draw values; every second one is that of the world we started from."""
        size, own = crowd.size * copies, crowd.own * copies
        new: dict[str, BatchValue] = {}
        parts = stream.words(-(-size * len(self.domains) // 4)).astype("<u8").view("<u2").astype(np.int64)
        for place, (name, domain) in enumerate(self.domains.items()):
            drawn = parts[place * size : (place + 1) * size]
            column = np.where(drawn & 1, world[name], domain[drawn * len(domain) >> 16])
            column[own] = world[name]
            new[name] = column
        return Lookalikes({**_repeated(crowd.state, copies), **new}, size, own)


def _repeated(state: Mapping[str, BatchValue], times: int) -> dict[str, BatchValue]:
    return {name: cell if isinstance(cell, int) else np.repeat(cell, times) for name, cell in state.items()}
