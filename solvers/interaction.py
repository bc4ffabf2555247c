"""P4, interaction: which sets of channels leave the diagnosis open, with a world that shows it.

In: a world whose gold is proved. Out: for each set of channels a *witness*, another valid world that shows
the same in these channels and whose walk gives other codes, or none. All channels together leave nothing
open (that is P1). The search is our own: fixed moves and keyed random ones over vectorised walks, in rounds
that grow while a set is still closed. It depends on the problem and the world alone. A set for which it
finds nothing counts as settling the diagnosis, which errs on the side of too little interaction.

Every witness is confirmed by plain evaluation.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from solvers.evaluate import observe, run_walk
from solvers.exhaustive import WitnessError
from solvers.expand import expand, support
from solvers.outcome import Assignment
from solvers.problem import Problem, Var, Variable
from solvers.tables import Cell, IntArray, Tables
from solvers.walks import walk_batch

Channels = tuple[str, ...]

ROUNDS: Final = (48, 512, 2048)
"""Most worlds that a round walks for one set of channels; the last round is for single channels only."""
CHANGED: Final = (0, 2, 3)
"""How many bound variables the moves of a round change together."""
MOVES: Final = 20_000
"""Most moves of a round."""


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
    """Every set of channels but the empty one, the smaller ones first."""
    for size in range(1, len(channels) + 1):
        yield from itertools.combinations(channels, size)


class Witnesses:
    """Looks for witnesses in one problem."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.problem = tables.problem
        proper = [chosen for chosen in channel_sets(self.problem.channels) if len(chosen) < len(self.problem.channels)]
        self.views = [_View(tables, chosen) for chosen in reversed(proper)]

    def measure(self, world: Assignment) -> Interaction:
        """Look for a witness for each set of channels.

        Raises:
            WitnessError: Plain evaluation doesn't confirm a witness.
        """
        codes = frozenset(run_walk(self.problem, world).codes)
        words = _words(self.problem, world)
        witnesses: dict[Channels, Assignment] = {}
        for number, rows in enumerate(ROUNDS):
            last = number == len(ROUNDS) - 1
            views = [
                view for view in self.views if view.chosen not in witnesses and not (last and len(view.chosen) > 1)
            ]
            blocks = [view.candidates(world, number, rows, words) for view in views]
            for view, found in zip(views, self._others(blocks, codes), strict=True):
                if found is not None and view.chosen not in witnesses:
                    self._confirm(view.chosen, world, found, codes)
                    witnesses.update({chosen: found for chosen in channel_sets(view.chosen) if chosen not in witnesses})
        return Interaction(self.problem.channels, witnesses)

    def _others(self, blocks: Sequence[Mapping[str, IntArray]], codes: frozenset[str]) -> list[Assignment | None]:
        """In each block of worlds, the first whose walk gives a task with other codes."""
        names = [variable.name for variable in self.problem.variables]
        sizes = [len(block[names[0]]) for block in blocks]
        ends = np.cumsum(sizes)
        size = int(ends[-1]) if blocks else 0
        if size == 0:
            return [None] * len(blocks)
        state = {name: np.concatenate([block[name] for block in blocks]) for name in names}
        other = np.zeros(size, bool)
        for group in walk_batch(self.tables, state, size):
            if group.gives_task and {self.problem.rules[step.rule].code for step in group.steps} != codes:
                other[group.rows] = True
        found: list[Assignment | None] = []
        for end, length in zip(ends.tolist(), sizes, strict=True):
            places = np.flatnonzero(other[end - length : end])
            place = end - length + int(places[0]) if len(places) else None
            found.append(None if place is None else {name: int(state[name][place]) for name in names})
        return found

    def _confirm(self, chosen: Channels, world: Assignment, witness: Assignment, codes: frozenset[str]) -> None:
        walk = run_walk(self.problem, witness)
        shown = zip(
            self.problem.observations, observe(self.problem, world), observe(self.problem, witness), strict=True
        )
        same = all(here == there for item, here, there in shown if item.channel in chosen)
        if not (walk.gives_task and same and frozenset(walk.codes) != codes):
            raise WitnessError("not a witness", chosen, dict(world), dict(witness))


class _View:
    """What one set of channels shows, and which variables it doesn't depend on."""

    def __init__(self, tables: Tables, chosen: Channels) -> None:
        problem = tables.problem
        self.chosen = chosen
        self.variables = problem.variables
        shown = [expand(problem, item.value) for item in problem.observations if item.channel in chosen]
        self.code = tables.compiled(shown)
        seen = frozenset[str]().union(*map(support, shown))
        self.free = [variable for variable in self.variables if variable.name not in seen]
        printed = {value.name for value in shown if isinstance(value, Var)}
        self.bound = [variable for variable in self.variables if variable.name in seen and variable.name not in printed]
        self.domains = {variable.name: np.array(variable.domain, np.int64) for variable in self.variables}
        self._moves: dict[int, npt.NDArray[np.int16]] = {}

    def candidates(self, world: Assignment, number: int, rows: int, words: np.random.Philox) -> dict[str, IntArray]:
        """Worlds that show the same, at most `rows`: the moves of a round that keep what is shown, then free values."""
        state: dict[str, Cell] = dict(world)
        kept = 1
        if CHANGED[number]:
            moved = self._move(world, CHANGED[number])
            met = self._shows_the_same(world, moved)
            places = np.flatnonzero(met)[: rows // 2]
            kept = len(places) + 1  # and the world itself
            for variable in self.bound:
                column = np.concatenate([[world[variable.name]], moved[variable.name][places]])
                state[variable.name] = column.astype(np.int64)
        copies = max(1, rows // kept)
        size = kept * copies
        block = {
            name: np.tile(np.broadcast_to(np.asarray(cell, np.int64), kept), copies) for name, cell in state.items()
        }
        rare = np.arange(size) % 2 == 1  # every second world changes only some of its free variables
        for variable in self.free:
            drawn = words.random_raw(size)
            values = self.domains[variable.name][(drawn >> np.uint64(8)) % np.uint64(len(variable.domain))]
            stays = rare & (drawn % np.uint64(4) != 0)
            block[variable.name] = np.where(stays, block[variable.name], values)
        return block

    def _shows_the_same(self, world: Assignment, moved: Mapping[str, IntArray]) -> npt.NDArray[np.bool_]:
        size = len(next(iter(moved.values()))) if moved else 0
        met = np.ones(size, bool)
        for cell, wanted in zip(self.code({**world, **moved}), self.code(world), strict=True):
            met &= cell == wanted
        return met

    def _move(self, world: Assignment, changed: int) -> dict[str, IntArray]:
        """A column for each bound variable: the moves that change `changed` of them, each to any value."""
        if changed not in self._moves:
            self._moves[changed] = _moves(self.bound, changed)
        moves = self._moves[changed]
        return {
            variable.name: np.where(
                moves[:, place] < 0, world[variable.name], self.domains[variable.name][moves[:, place]]
            )
            for place, variable in enumerate(self.bound)
        }


def _moves(variables: Sequence[Variable], changed: int) -> npt.NDArray[np.int16]:
    """Every way to give `changed` variables a value; -1 for those left alone. Thinned evenly to at most `MOVES`."""
    parts = []
    for chosen in itertools.combinations(range(len(variables)), min(changed, len(variables))):
        grids = np.meshgrid(*(np.arange(len(variables[place].domain)) for place in chosen), indexing="ij")
        part = np.full((grids[0].size if grids else 1, len(variables)), -1, np.int16)
        for place, grid in zip(chosen, grids, strict=True):
            part[:, place] = grid.ravel()
        parts.append(part)
    moves = np.concatenate(parts) if parts else np.zeros((0, len(variables)), np.int16)
    step = -(-len(moves) // MOVES) or 1
    return moves[::step]


def _words(problem: Problem, world: Assignment) -> np.random.Philox:
    """Random words that hang on the problem's name and the evidence of the world alone."""
    text = repr((problem.name, observe(problem, world)))
    key = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16, person=b"witnesses").digest(), "little")
    return np.random.Philox(key=key)
