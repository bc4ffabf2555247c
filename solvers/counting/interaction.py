"""P4, interaction: which sets of channels leave the diagnosis open, with a world that shows it.

In: a world. Out: for each set of channels, whether it settles the diagnosis. It doesn't if there is a *witness*: a
valid world that shows the same in these channels and whose walk gives a task with other codes. All channels together
settle it (that is P1).

The search for a witness tries all worlds that show the same (`kernel.search`), those near the given one first. Where
that takes long, a pool of random worlds may have a witness. If the search ends without one, the set settles the
diagnosis; if it has to stop before, that stays undecided, and the set counts as settling. So the claimed interaction
may be too small, but never too large. What is found depends on the problem and the evidence alone. Plain evaluation
confirms every witness.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from solvers.counting.exhaustive import WitnessError
from solvers.counting.kernel.build import Kernel, Store, build_kernel
from solvers.counting.kernel.channels import Channels, channel_sets
from solvers.counting.kernel.levels import EXHAUSTED, WITNESSED
from solvers.counting.kernel.walk import mask_of
from solvers.counting.pool import Pool
from solvers.counting.tables import Tables
from solvers.evaluate import observe, run_walk
from solvers.outcome import Assignment
from solvers.streams import Stream, key_of

ATTEMPTS = (1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 28)
"""How many values each attempt at a search may try. The first one begins with the values of the given world, so that it
finds a witness that differs in few of them; the others take the values in random orders. The last one is large enough
to decide nearly always, so that what is claimed doesn't depend on the order in which variables are tried."""


class Settling(enum.Enum):
    """Whether channels settle the diagnosis."""

    YES = "settled"
    NO = "open"
    UNDECIDED = "undecided"


@attrs.frozen
class Interaction:
    """Which sets of channels settle the diagnosis.

    Attributes:
        channels: All of them, in printing order.
        witnesses: A world for each set that leaves the diagnosis open.
        undecided: The sets whose search had to stop.
    """

    channels: Channels
    witnesses: Mapping[Channels, Assignment]
    undecided: frozenset[Channels] = frozenset()

    @property
    def settled(self) -> dict[Channels, Settling]:
        """For each set of channels, the smaller ones first, whether it settles the diagnosis."""
        return {
            chosen: Settling.NO
            if chosen in self.witnesses
            else Settling.UNDECIDED
            if chosen in self.undecided
            else Settling.YES
            for chosen in channel_sets(self.channels)
        }

    @property
    def interaction(self) -> int:
        """The size of the smallest set that settles the diagnosis, or may do so."""
        return min(len(chosen) for chosen, settling in self.settled.items() if settling is not Settling.NO)

    def witness(self, chosen: Channels) -> Assignment | None:
        return self.witnesses.get(chosen)


class Witnesses:
    """Looks for witnesses in one problem; see `measure`."""

    def __init__(self, tables: Tables, kernel: Kernel | None = None, *, store: Store | None = None) -> None:
        self.tables = tables
        self.problem = tables.problem
        self.kernel = build_kernel(tables, store) if kernel is None else kernel
        self.row = self.kernel.machine.row(self.kernel.slots.size)
        self.searches = 0

    @functools.cached_property
    def pool(self) -> Pool:
        return Pool(self.tables)

    def measure(self, world: Assignment) -> Interaction:
        """Look for a witness for each set of channels.

        Args:
            world: A world whose walk gives a task.

        Raises:
            WitnessError: Plain evaluation doesn't confirm a witness.
        """
        codes = run_walk(self.problem, world).answer.codes
        seen = observe(self.problem, world)
        stream = Stream(key_of("interaction", self.problem.name, *seen))
        witnesses: dict[Channels, Assignment] = {}
        undecided: set[Channels] = set()
        for chosen in reversed([*self.kernel.plans]):  # large sets first: their witnesses serve the smaller ones too
            if chosen not in witnesses:
                outcome, found = self._search(chosen, world, seen, codes, stream)
                if outcome == WITNESSED:
                    for part in self._confirmed(chosen, found, seen, codes):
                        witnesses.setdefault(part, found)
                elif outcome != EXHAUSTED:
                    undecided.add(chosen)
        return Interaction(self.problem.channels, witnesses, frozenset(undecided))

    def _search(
        self, chosen: Channels, world: Assignment, seen: Sequence[int], codes: frozenset[str], stream: Stream
    ) -> tuple[int, Assignment]:
        """What the search returns, and the world in which it ended."""
        plan, row, slots = self.kernel.plans[chosen], self.row, self.kernel.slots
        names = [variable.name for variable in self.problem.variables]
        own = [world[name] for name in names]
        self.searches += 1
        row[slots.epoch] = self.searches
        row[slots.codes] = mask_of(self.problem, codes)
        for slot, number in zip(slots.shown, seen, strict=True):
            row[slot] = number
        outcome = EXHAUSTED
        for attempt, nodes in enumerate(ATTEMPTS):
            if attempt == 1 and (found := self.pool.nearest(chosen, world, seen, codes)) is not None:
                return WITNESSED, {name: found[name] for name in names}
            row[0 : len(own)] = own
            row[slots.nodes] = nodes
            for name in plan.order:
                domain = self.problem.variable(name).domain
                values = _near(domain, world[name]) if attempt == 0 else _shuffled(domain, stream)
                place = slots.values[name]
                row[place : place + len(values)] = values
            outcome = self.kernel.machine.run(plan.name, row)
            if outcome in (EXHAUSTED, WITNESSED):
                break
        return outcome, dict(zip(names, row[0 : len(own)], strict=True))

    def _confirmed(
        self, chosen: Channels, witness: Assignment, seen: Sequence[int], codes: frozenset[str]
    ) -> list[Channels]:
        """Confirm a witness for one set of channels, and list all sets for which it is one."""
        shown = zip(self.problem.observations, seen, observe(self.problem, witness), strict=True)
        different = {item.channel for item, here, there in shown if here != there}
        walk = run_walk(self.problem, witness)
        if not (walk.gives_task and walk.answer.codes != codes and different.isdisjoint(chosen)):
            raise WitnessError("P4", self.problem.name, chosen, seen, dict(witness))
        return [channels for channels in self.kernel.plans if different.isdisjoint(channels)]


def _near(domain: Sequence[int], own: int) -> list[int]:
    return [own, *(value for value in domain if value != own)]


def _shuffled(domain: Sequence[int], stream: Stream) -> list[int]:
    return [domain[place] for place in np.argsort(stream.words(len(domain)), kind="stable").tolist()]
