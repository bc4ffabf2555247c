"""Build lookalikes of a world: other worlds that show the same in some channels.

In: a world and a set of channels. Out: `Lookalikes`.

How: observation by observation. The variables that it depends on and that have no value yet are given all their
values, or random ones if these are too many; worlds that don't show the same are dropped. Variables that no
observation of the channels depends on come last. All lookalikes are found if no step had to draw or to thin out:
so it is with channels that print the config, unless there are very many hidden values.
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
"""Most of them that go on to the next step, besides the world itself."""
LAST = 1024
"""Most worlds that the last step builds."""


@attrs.frozen(eq=False)
class Lookalikes:
    """Worlds that show the same as the one at the place `own`; some variables may have no value yet."""

    state: Mapping[str, BatchValue]
    size: int
    own: int

    def only(self, places: IntArray) -> Lookalikes:
        own = int(np.searchsorted(places, self.own))
        return Lookalikes(select_worlds(self.state, places), len(places), own)


class LookalikeSearch:
    """The lookalikes of one world, built when asked for.

    Those for a set of channels are built from those for the set without its last channel.
    """

    def __init__(self, plans: Mapping[Channels, LookalikePlan], world: Assignment, stream: Stream) -> None:
        self.plans = plans
        self.world = world
        self.stream = stream
        self.built: dict[Channels, Lookalikes] = {(): Lookalikes({}, 1, 0)}

    def find(self, chosen: Channels) -> Lookalikes:
        """Return lookalikes in which every variable has a value."""
        return self.plans[chosen].last.applied(self._partial(chosen), self.world, self.stream, LAST)

    def _partial(self, chosen: Channels) -> Lookalikes:
        """Return lookalikes in which those variables have values that the channels show something of."""
        if chosen not in self.built:
            self.built[chosen] = self.plans[chosen].extended(self._partial(chosen[:-1]), self.world, self.stream)
        return self.built[chosen]


class LookalikePlan:
    """How to build lookalikes for one set of channels from those for all but its last channel.

    Attributes:
        printed: Variables that the last channel shows exactly and that have no value before.
        known: The variables that have a value afterwards.
        last: Gives values to all other variables.
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

    def extended(self, alike: Lookalikes, world: Assignment, stream: Stream) -> Lookalikes:
        fixed = {name: world[name] for name in self.printed}
        alike = Lookalikes({**alike.state, **fixed}, alike.size, alike.own)
        for step in self.steps:
            alike = step.applied(alike, world, stream, BUILT)
            if alike.size > KEPT:
                drawn = scaled(stream.words(KEPT), alike.size)
                alike = alike.only(np.unique(np.append(drawn, alike.own)))
        return alike


def _unknown(problem: Problem, part: Expr, known: set[str]) -> list[Variable]:
    """List the variables that `part` depends on and that have no value yet."""
    needed = support(part) - known
    return [variable for variable in problem.variables if variable.name in needed]


def _combinations(variables: Sequence[Variable]) -> int:
    return math.prod(len(variable.domain) for variable in variables)


class _Step:
    """Give some variables values, and keep the worlds that show the same."""

    def __init__(self, tables: Tables, variables: Sequence[Variable], shown: Sequence[Expr]) -> None:
        self.code = tables.compiled(shown)
        self.domains = {variable.name: np.array(variable.domain, np.int64) for variable in variables}
        self.combinations = _combinations(variables)
        self.grid: dict[str, IntArray] = {}
        if self.combinations <= max(BUILT, LAST):
            axes = np.meshgrid(*self.domains.values(), indexing="ij")
            self.grid = {name: axis.ravel() for name, axis in zip(self.domains, axes, strict=True)}

    def applied(self, alike: Lookalikes, world: Assignment, stream: Stream, most: int) -> Lookalikes:
        if alike.size * self.combinations <= most:
            alike = self._with_all_values(alike, world)
        else:
            alike = self._with_some_values(alike, world, stream, max(1, most // alike.size))
        same: BoolArray | bool = True
        for value, wanted in zip(self.code(alike.state), self.code(world), strict=True):
            same = same & (value == wanted)
        return alike if same is True else alike.only(np.flatnonzero(np.broadcast_to(same, alike.size)))

    def _with_all_values(self, alike: Lookalikes, world: Assignment) -> Lookalikes:
        place, new = 0, dict[str, BatchValue]()
        for name, domain in self.domains.items():
            place = place * len(domain) + int(np.flatnonzero(domain == world[name])[0])
            new[name] = np.tile(self.grid[name], alike.size)
        old = _repeated(alike.state, self.combinations)
        return Lookalikes({**old, **new}, alike.size * self.combinations, alike.own * self.combinations + place)

    def _with_some_values(self, alike: Lookalikes, world: Assignment, stream: Stream, copies: int) -> Lookalikes:
        """Draw values; a variable keeps that of `world` with probability one half."""
        size, own = alike.size * copies, alike.own * copies
        new: dict[str, BatchValue] = {}
        parts = stream.words(-(-size * len(self.domains) // 4)).astype("<u8").view("<u2").astype(np.int64)
        for place, (name, domain) in enumerate(self.domains.items()):
            drawn = parts[place * size : (place + 1) * size]
            column = np.where(drawn & 1, world[name], domain[drawn * len(domain) >> 16])
            column[own] = world[name]
            new[name] = column
        return Lookalikes({**_repeated(alike.state, copies), **new}, size, own)


def _repeated(state: Mapping[str, BatchValue], times: int) -> dict[str, BatchValue]:
    return {name: value if isinstance(value, int) else np.repeat(value, times) for name, value in state.items()}
