"""P1 to P3 by counting: every world of the evidence class, and every repair that could be as good as the fix.

P1 is decided over the whole class, which holds the worlds that a reader takes for possible, with the walks that the
page tells; P2 and P3 over its valid worlds.

In: a world. Out: a `TaskProof`, with refutations that plain evaluation has confirmed. No solver is involved;
`proving` proves the same claims again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import attrs
import numpy as np

from solvers import evaluate
from solvers.counting.evidence import TooManyWorldsError, evidence_class
from solvers.counting.repairs import Conditions, WorldsToMend
from solvers.counting.rivals import RivalSearch, TooManyCandidatesError
from solvers.counting.tables import BatchState, Tables
from solvers.counting.walks import Group, codes_of, select_worlds, valid_worlds, walk_at, walk_batch, world_at
from solvers.outcome import Assignment, Claim, Refutation, TaskProof, Uniqueness, Verdict, Walk

WORLDS_PER_WALK = 1 << 17
"""How many worlds of a class are walked at once."""
CONFIRMED = 1
"""In how many other worlds of the class than the task's own plain evaluation confirms a rival."""


class WitnessError(Exception):
    """Plain evaluation denies what was counted: a fault in this package. The arguments describe the case."""


def check_world(tables: Tables, world: Assignment) -> TaskProof:
    """Prove or refute P1 to P3 for the evidence class of `world`.

    The verdict is inconclusive if there are too many combinations of hidden values (see `evidence`), or too many
    candidates for a rival over the named fields (see `rivals`). If only the search over all fields has too many,
    the weaker level of uniqueness is claimed.

    Raises:
        WitnessError: Plain evaluation doesn't confirm a refutation.
    """
    return _Check(tables, world).run()


class _Check:
    """The check of one task."""

    def __init__(self, tables: Tables, world: Assignment) -> None:
        self.tables = tables
        self.problem = tables.problem
        self.conditions = tables.shared(Conditions)
        (self.own,) = walk_batch(tables, dict(world), 1)
        self.walk = walk_at(tables, self.own, 0)
        self.answer = self.walk.answer

    def run(self) -> TaskProof:
        try:
            state, size = evidence_class(self.tables, self.walk.start)
        except TooManyWorldsError:
            return self._ends(Verdict.INCONCLUSIVE, reason="too many hidden worlds")
        if not size:
            return self._ends(Verdict.VACUOUS, reason="no valid world")
        if not self.walk.gives_task:
            if not evaluate.value(self.problem, self.problem.valid, self.walk.start):
                return self._ends(Verdict.VACUOUS, size, reason="no valid world")
            refutation = Refutation(Claim.P1, self.walk.start)
            return self._refuted(refutation, size, reason=self.walk.ending.value)
        groups = list(self._walk_class(state, size))
        other = self._other_answer(groups)
        if other is not None:
            return self._refuted(other, size)
        to_mend = [self.conditions.worlds_to_mend(group) for group in valid_worlds(self.tables, groups)]
        unmended = self._unmended(to_mend)
        if unmended is not None:
            return self._refuted(unmended, size)
        sets = {field for group in groups for step in group.steps for field in step.sets}
        return attrs.evolve(self._unique(to_mend, sets, size), walks=self._routes(groups))

    def _ends(self, verdict: Verdict, size: int = 0, reason: str = "") -> TaskProof:
        return TaskProof(verdict, self.walk, hidden_worlds=size, reason=reason)

    def _refuted(self, refutation: Refutation, size: int, reason: str = "") -> TaskProof:
        return attrs.evolve(self._ends(Verdict.AMBIGUOUS, size, reason), refutations=(refutation,))

    # ---- P1 ----------------------------------------------------------------------------------------

    def _walk_class(self, state: BatchState, size: int) -> Iterable[Group]:
        for low in range(0, size, WORLDS_PER_WALK):
            rows = np.arange(low, min(low + WORLDS_PER_WALK, size))
            for group in walk_batch(
                self.tables.told, state if len(rows) == size else select_worlds(state, rows), len(rows)
            ):
                yield attrs.evolve(group, rows=rows[group.rows])

    def _other_answer(self, groups: Sequence[Group]) -> Refutation | None:
        """Find the first world of the class that answers otherwise."""
        found = [
            (int(group.rows[place]), group, place) for group in groups if (place := self._differs(group)) is not None
        ]
        if not found:
            return None
        _, group, place = min(found, key=lambda item: item[0])
        world = world_at(group.start, place)
        other = evaluate.told_walk(self.problem, world)
        same = evaluate.observe(self.problem, world) == evaluate.observe(self.problem, self.walk.start)
        if not same or (other.gives_task and other.answer == self.answer):
            raise WitnessError("P1", self.problem.name, self.walk.start, world)
        return Refutation(Claim.P1, world, answer=other.answer if other.gives_task else None)

    def _differs(self, group: Group) -> int | None:
        """Return the place of the first world of a group with another answer than the task's own."""
        if not group.gives_task or codes_of(self.problem, group) != self.answer.codes:
            return 0
        differs = np.zeros(len(group.rows), bool)
        for field in self.conditions.fields:
            differs |= group.final[field] != self.walk.final[field]
        return int(differs.argmax()) if differs.any() else None

    def _routes(self, groups: Sequence[Group]) -> tuple[Walk, ...]:
        """Return the walk of the task and one of each other path."""
        own = [(step.rule, step.alternative) for step in self.walk.steps]
        others = [group for group in groups if [(step.rule, step.alternative) for step in group.steps] != own]
        return (self.walk, *(walk_at(self.tables, group, 0) for group in others))

    # ---- P2 ----------------------------------------------------------------------------------------

    def _unmended(self, to_mend: Sequence[WorldsToMend]) -> Refutation | None:
        """Find a world of the class that the fix doesn't mend."""
        fix = np.array([[self.walk.final[field] for field in self.conditions.fields]], np.int64)
        for part in to_mend:
            mended = self.conditions.mended(part, fix)[0]
            if not mended.all():
                world = world_at(part.group.start, int(mended.argmin()))
                if evaluate.is_repair(self.problem, evaluate.told_walk(self.problem, world), dict(self.walk.fix)):
                    raise WitnessError("P2", self.problem.name, self.walk.start, world)
                return Refutation(Claim.P2, world, answer=self.answer)
        return None

    # ---- P3 ----------------------------------------------------------------------------------------

    def _unique(self, to_mend: Sequence[WorldsToMend], sets: Collection[str], size: int) -> TaskProof:
        """Find the strongest level at which there is no rival; `sets` are the fields that walks of the class set."""
        if not self.walk.fix:  # only the empty repair changes no field
            return self._proved(Uniqueness.ANY, (self.walk.start,), size)
        named = tuple(field for field in self.conditions.fields if field in sets)
        own = self.conditions.worlds_to_mend(self.own)
        for level, fields in (
            (Uniqueness.ANY, self.conditions.fields),
            (Uniqueness.NAMED, named),
            (Uniqueness.PREFERRED, named),
        ):
            search = RivalSearch(
                self.conditions,
                own,
                to_mend,
                fix=dict(self.walk.fix),
                fields=fields,
                no_dearer=level is Uniqueness.PREFERRED,
            )
            try:
                rival = search.find()
            except TooManyCandidatesError:
                continue
            if rival is None:
                return self._proved(level, search.worlds, size)
            if self._beats(rival, named):
                self._confirm_rival(rival, to_mend)
                return self._refuted(Refutation(Claim.P3, self.walk.start, rival=rival), size)
        return self._ends(Verdict.INCONCLUSIVE, size, "too many candidate repairs")

    def _proved(self, level: Uniqueness, worlds: tuple[Assignment, ...], size: int) -> TaskProof:
        return attrs.evolve(self._ends(Verdict.UNIQUE, size), uniqueness=level, rival_worlds=worlds)

    def _beats(self, rival: Assignment, named: Sequence[str]) -> bool:
        start = self.walk.start
        cheap = evaluate.cost(self.problem, start, rival) <= evaluate.cost(self.problem, start, dict(self.walk.fix))
        return cheap and rival.keys() <= set(named)

    def _confirm_rival(self, rival: Assignment, to_mend: Sequence[WorldsToMend]) -> None:
        worlds = [world_at(part.group.start, place) for part in to_mend for place in range(min(len(part), CONFIRMED))]
        for world in (self.walk.start, *worlds[:CONFIRMED]):
            if not evaluate.is_repair(self.problem, evaluate.told_walk(self.problem, world), rival):
                raise WitnessError("P3", self.problem.name, self.walk.start, world, rival)
