"""Search for a rival: another repair, of at most as many changes as the fix, that mends a whole evidence class.

In: the worlds of a class and a fix. Out: a rival; or None, and some worlds that leave no rival between them.

The search relies on this: if a condition fails after some changes, every repair that contains these changes
also changes another field that the condition depends on. So it branches over the fields of one failed condition
only, the one with the fewest ways on. A field that was branched over is closed in later branches, so that no
candidate is looked at twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from solvers.counting.repairs import Conditions, WorldsToMend
from solvers.counting.tables import BoolArray, IntArray
from solvers.counting.walks import world_at
from solvers.outcome import Assignment

PARENTS = 2048
"""How many candidates with some changes are extended at once."""
LEAVES = 1 << 16
"""How many candidates with all their changes are checked at once."""
MOST_CANDIDATES = 4_000_000
"""How many candidates a search looks at before it gives up."""


class TooManyCandidatesError(Exception):
    """The search gave up, and had found no rival."""


class RivalSearch:
    """One search.

    Args:
        own: The world of the task alone.
        groups: All worlds of the class.
        fix: A rival differs from it and changes at most as many fields.
        fields: The fields that a rival may change.
        no_dearer: Whether a rival may not cost more than the fix either.
    """

    def __init__(
        self,
        conditions: Conditions,
        own: WorldsToMend,
        groups: Sequence[WorldsToMend],
        *,
        fix: Mapping[str, int],
        fields: Sequence[str],
        no_dearer: bool,
    ) -> None:
        self.conditions = conditions
        self.own = own
        self.groups = groups
        self.depth = len(fix)
        start = world_at(own.group.start, 0)
        self.start = np.array([start[field] for field in conditions.fields], np.int64)
        self.fix = np.array([fix.get(field, start[field]) for field in conditions.fields], np.int64)
        self.no_dearer = no_dearer
        self.choices = [
            values[values != old] if field in fields else values[:0]
            for field, values, old in zip(conditions.fields, conditions.allowed(own), self.start.tolist(), strict=True)
        ]
        self.witnesses: list[WorldsToMend] = []
        self.looked_at = 0

    @property
    def worlds(self) -> tuple[Assignment, ...]:
        """The worlds that ruled candidates out: the world of the task, then others of its class."""
        return tuple(world_at(found.group.start, 0) for found in (self.own, *self.witnesses))

    def find(self) -> Assignment | None:
        """Return the changes of a rival.

        Raises:
            TooManyCandidatesError: Nothing was found among `MOST_CANDIDATES`.
        """
        open_fields = np.array([len(values) > 0 for values in self.choices])
        stack = [(self.start[None, :], open_fields[None, :], 0)]
        while stack:
            candidates, open_, level = stack.pop()
            self.looked_at += len(candidates)
            if self.looked_at > MOST_CANDIDATES:
                raise TooManyCandidatesError
            if level == self.depth:
                rival = self._among_leaves(candidates)
            else:
                failed = self.conditions.failures(self.own, candidates)
                rival = self._rule_out(candidates, np.nonzero(~failed.any(axis=1))[0], failed)
            if rival is not None:
                return self._changes(candidates[rival])
            if level < self.depth:
                stack.extend(self._extend(candidates, open_, failed, level))
        return None

    def _changes(self, candidate: IntArray) -> Assignment:
        pairs = zip(self.conditions.fields, candidate.tolist(), self.start.tolist(), strict=True)
        return {field: new for field, new, old in pairs if new != old}

    # ---- candidates --------------------------------------------------------------------------------

    def _among_leaves(self, candidates: IntArray) -> int | None:
        """Return the place of a rival among candidates that use all changes."""
        places = np.nonzero((candidates != self.fix).any(axis=1))[0]
        if self.no_dearer:
            places = places[np.array([self._no_dearer(candidate) for candidate in candidates[places]], bool)]
        if not len(places):
            return None
        places = places[self.conditions.mending(self.own, candidates[places])]
        return self._rule_out(candidates, places, np.zeros((len(candidates), self.conditions.count), bool))

    def _no_dearer(self, candidate: IntArray) -> bool:
        """Compare costs, for candidates with as many changes as the fix."""
        return self._cost(candidate) <= self._cost(self.fix)

    def _cost(self, candidate: IntArray) -> tuple[list[int], list[int]]:
        changed = np.nonzero(candidate != self.start)[0].tolist()
        return changed, [int(np.nonzero(self.conditions.domains[place] == candidate[place])[0][0]) for place in changed]

    def _rule_out(self, candidates: IntArray, mending: IntArray, failed: BoolArray) -> int | None:
        """Find a world that it doesn't mend for each candidate that mends the task's own, and note what fails there.

        Returns:
            The place of a candidate that mends all worlds: a rival.
        """
        if len(mending) and sum(map(len, self.groups)) == 1:
            return int(mending[0])
        for witness in self.witnesses:
            mending = self._noted(witness, candidates, mending, failed)
        while len(mending):
            broken = [~self.conditions.mended(group, candidates[mending]) for group in self.groups]
            ruled_out = np.any([part.any(axis=1) for part in broken], axis=0)
            if not ruled_out.all():
                return int(mending[ruled_out.argmin()])
            counts = [part.sum(axis=0) for part in broken]
            group = int(np.argmax([count.max(initial=0) for count in counts]))
            witness = self.groups[group].only(np.array([counts[group].argmax()]))
            self.witnesses.append(witness)
            mending = self._noted(witness, candidates, mending, failed)
        return None

    def _noted(self, witness: WorldsToMend, candidates: IntArray, mending: IntArray, failed: BoolArray) -> IntArray:
        """Note what fails in `witness`, and return the candidates that mend it too."""
        if not len(mending):
            return mending
        failed[mending] = self.conditions.failures(witness, candidates[mending])
        return mending[~failed[mending].any(axis=1)]

    # ---- extending ---------------------------------------------------------------------------------

    def _extend(
        self, candidates: IntArray, open_: BoolArray, failed: BoolArray, level: int
    ) -> Iterator[tuple[IntArray, BoolArray, int]]:
        """Yield candidates with one more change, in pieces: all that may lead to a repair, and their open fields."""
        touches = self.conditions.touches
        last = level + 1 == self.depth
        if last:  # the one change left must touch everything that fails
            branch = open_ & ~((failed.astype(np.float32) @ (~touches).astype(np.float32)) > 0)
        else:
            ways = np.array([len(values) for values in self.choices], np.float32)
            costs = (open_ * ways) @ touches.T.astype(np.float32)
            branch = open_ & touches[np.where(failed, costs, np.inf).argmin(axis=1)]
        rows, opens = [], []
        for place, values in enumerate(self.choices):
            parents = np.nonzero(branch[:, place])[0]
            if len(parents):
                children = np.repeat(candidates[parents], len(values), axis=0)
                children[:, place] = np.tile(values, len(parents))
                rows.append(children)
                if not last:
                    left = open_[parents].copy()
                    left[:, : place + 1] &= ~branch[parents, : place + 1]
                    opens.append(np.repeat(left, len(values), axis=0))
        if rows:
            made = np.concatenate(rows)
            still_open = np.concatenate(opens) if opens else np.zeros((len(made), 0), bool)
            size = LEAVES if last else PARENTS
            for low in range(0, len(made), size):
                yield made[low : low + size], still_open[low : low + size], level + 1
