"""Where walks and searches find their numbers in the state of the routines.

In: a problem. Out: the numbers of slots.
"""

from __future__ import annotations

import attrs

from solvers.problem import Problem


@attrs.frozen
class WalkSlots:
    """The slots that a walk uses.

    Attributes:
        world: Of each variable: its value in the world, which a walk doesn't change.
        now: Of each editable field: its value in the present state.
        before: Of each editable field: its value in the state in which the last rule fired.
        fired: Of each rule: whether it has fired.
        steps: How many have.
        size: How many slots there are.
    """

    world: dict[str, int]
    now: dict[str, int]
    before: dict[str, int]
    fired: tuple[int, ...]
    steps: int
    size: int

    @classmethod
    def of(cls, problem: Problem) -> WalkSlots:
        names, fields = [v.name for v in problem.variables], [v.name for v in problem.editable]
        low = len(names)
        now = {field: low + place for place, field in enumerate(fields)}
        before = {field: low + len(fields) + place for place, field in enumerate(fields)}
        low += 2 * len(fields)
        fired = tuple(range(low, low + len(problem.rules)))
        steps = low + len(fired)
        return cls({name: place for place, name in enumerate(names)}, now, before, fired, steps, steps + 1)

    @property
    def present(self) -> dict[str, int]:
        """Of each variable, its value in the present state."""
        return self.world | self.now


class SearchSlots:
    """The slots that searches use.

    Attributes:
        walk: Those of walks.
        codes: The codes of the given world, as a mask.
        nodes: How many values may still be tried.
        walks: How many worlds were walked.
        epoch: A number that no earlier search of this state had.
        shown: Of each observation, what the given world shows.
        counts: Of each variable: how many values it has.
        values: Of each variable: where its values begin, in the order in which they are tried.
        size: How many slots there are.
    """

    def __init__(self, problem: Problem, walk: WalkSlots) -> None:
        self.walk = walk
        self.size = walk.size
        self.codes, self.nodes, self.walks, self.epoch = (self.reserve() for _ in range(4))
        self.shown = tuple(self.reserve() for _ in problem.observations)
        self.counts = {variable.name: len(variable.domain) for variable in problem.variables}
        self.values = {variable.name: self.reserve(len(variable.domain)) for variable in problem.variables}

    def reserve(self, count: int = 1) -> int:
        """Add slots; the first of them."""
        self.size += count
        return self.size - count
