"""Draw worlds of an archetype: uniformly, and always the same ones for a key.

In: a condition, a set of codes, a key. Out: worlds that satisfy the condition and whose walk reports exactly
these codes; each is uniform over all of them and independent of the others. No solver takes part.

How: a draw picks a row from each *block*, a table of joint values of one or a few variables. The parts of the
condition that concern the variables of one block have cut its rows beforehand; the other parts are tested on the
draw, which is thrown away if one fails. Both leave the remaining worlds equally likely. A draw uses one word of
the stream for each block, so draw k of a key is the same world, however large the batches are and however many
candidates are taken.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import attrs
import numpy as np

from solvers.counting import fold
from solvers.counting.blocks import cut_blocks
from solvers.counting.expand import conjuncts, expand, expand_guard_at_start, support
from solvers.counting.tables import BatchValue, Compiled, IntArray, Tables
from solvers.counting.walks import Group, codes_of, select_worlds, walk_batch, world_at
from solvers.outcome import Assignment
from solvers.problem import Expr, Op, Problem
from solvers.streams import Stream, Words, key_of, scaled

__all__ = ["MOST_DRAWS", "Candidate", "Exhausted", "Stream", "candidates", "key_of"]

MOST_DRAWS = 1 << 20
"""How many draws the search for the next candidate makes before it gives up."""
BATCHES = (64, 256, 1024, 4096, 16384)
"""How many draws are made at once: first, second, ..., and from then on."""


class Candidate(NamedTuple):
    """An accepted world; `number` counts accepted ones from 0, `attempts` all draws up to this one."""

    number: int
    world: Assignment
    attempts: int


@attrs.frozen
class Exhausted:
    """The search gave up. `reasons` counts why draws failed, over all of `drawn`.

    The reasons are `condition`; `invalid`; `first code` (another rule fires first, or none does); `another code`
    (another rule fires later in the walk); the ending of the walk; and `codes A` if the walk reports only A and more
    codes are wanted. If the condition leaves some variables without a value, nothing is drawn, and the reason names
    them.
    """

    drawn: int
    reasons: Mapping[str, int]


def candidates(
    tables: Tables, condition: Expr, codes: frozenset[str], key: bytes, *, limit: int = MOST_DRAWS
) -> Iterator[Candidate | Exhausted]:
    """Yield the candidates of a key in order; worlds may repeat.

    It ends only when `limit` draws in a row have failed; the last item is then an `Exhausted`.
    """
    plan = tables.shared(_Plans).plan(condition, codes)
    stream = Stream(key)
    reasons: Counter[str] = Counter()
    drawn = last = number = 0
    empty = next((block for block in plan.blocks if not len(block.rows)), None)
    if empty is not None:
        yield Exhausted(0, {f"no value of {', '.join(empty.names)} fits": 0})
        return
    for size in itertools.chain(BATCHES, itertools.repeat(BATCHES[-1])):
        size = min(size, last + limit - drawn)
        for place, world in plan.accepted(stream, size, reasons):
            last = drawn + place + 1
            yield Candidate(number, world, last)
            number += 1
        drawn += size
        if drawn == last + limit:
            yield Exhausted(drawn, {reason: count for reason, count in reasons.items() if count})
            return


class _Plans:
    """The plans of one problem, by condition and codes."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.made: dict[tuple[Expr, frozenset[str]], _Plan] = {}

    def plan(self, condition: Expr, codes: frozenset[str]) -> _Plan:
        if (condition, codes) not in self.made:
            self.made[condition, codes] = _Plan(self.tables, condition, codes)
        return self.made[condition, codes]


class _Plan:
    """How to draw the worlds of one archetype."""

    def __init__(self, tables: Tables, condition: Expr, codes: frozenset[str]) -> None:
        self.tables = tables
        self.codes = codes
        self.rules = frozenset(n for n, rule in enumerate(tables.problem.rules) if rule.code in codes)
        stages = (
            ("condition", expand(tables.problem, condition)),
            ("invalid", expand(tables.problem, tables.problem.valid)),
            ("first code", _starts_with(tables.problem, codes)),
        )
        parts = {part: None for _, whole in stages for part in conjuncts(whole)}
        self.blocks, decided = cut_blocks(tables, tuple(parts))
        self.tests: list[tuple[str, list[int], Compiled]] = []
        named = {name: place for place, block in enumerate(self.blocks) for name in block.names}
        waiting = set(range(len(self.blocks)))
        for reason, whole in stages:
            left = [part for part in conjuncts(whole) if part not in decided]
            read = {named[name] for part in left for name in support(part)} & waiting
            waiting -= read
            self.tests.append((reason, sorted(read), tables.compiled(left)))
        self.untested = sorted(waiting)

    def accepted(self, stream: Stream, size: int, reasons: Counter[str]) -> Iterator[tuple[int, Assignment]]:
        """Make `size` draws; yield the place among them and the world of each that is accepted.

        A block gets its values when a test first reads one of them, and only in the worlds that are left.
        """
        words = stream.words(size * len(self.blocks)).reshape(size, len(self.blocks))
        state: dict[str, BatchValue] = {}
        places = np.arange(size)
        for reason, read, test in self.tests:
            state |= self.values(words, places, read)
            passed: Any = True
            for flag in test(state):
                passed = passed & flag
            kept = np.nonzero(np.broadcast_to(passed, len(places)))[0]
            if len(kept) < len(places):
                reasons[reason] += len(places) - len(kept)
                places, state = places[kept], select_worlds(state, kept)
        state |= self.values(words, places, self.untested)
        found = []
        groups = walk_batch(self.tables, state, len(places), rules=self.rules)
        reasons["another code"] += len(places) - sum(len(group.rows) for group in groups)
        for group in groups:
            refused = self.refusal(group)
            if refused is None:
                found += [(int(places[row]), group, at) for at, row in enumerate(group.rows.tolist())]
            else:
                reasons[refused] += len(group.rows)
        for place, group, at in sorted(found, key=lambda item: item[0]):
            world = world_at(group.start, at)
            yield place, {variable.name: world[variable.name] for variable in self.tables.problem.variables}

    def values(self, words: Words, draws: IntArray, blocks: Sequence[int]) -> dict[str, BatchValue]:
        """The values in some blocks, given by place, of some draws; `words` has a row for each draw there is."""
        found: dict[str, BatchValue] = {}
        for place in blocks:
            block = self.blocks[place]
            found |= block.columns(scaled(words[draws, place], len(block.rows)))
        return found

    def refusal(self, group: Group) -> str | None:
        """Say why a walk doesn't report the right codes."""
        if not group.gives_task:
            return group.ending.value
        codes = codes_of(self.tables.problem, group)
        return None if codes == self.codes else f"codes {' + '.join(sorted(codes)) or 'none'}"


def _starts_with(problem: Problem, codes: frozenset[str]) -> Expr:
    """Build the condition that the first rule that fires has one of `codes`; without codes, that the run is healthy."""
    holds = fold.constant(False) if codes else expand(problem, problem.sound)
    for rule in reversed(problem.rules):
        holds = fold.apply(Op.ITE, (expand_guard_at_start(problem, rule), fold.constant(rule.code in codes), holds))
    return holds
