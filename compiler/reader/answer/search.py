"""The order in which hidden assignments are tried, and the code that tries them.

In: the checks that a world must pass, with the variables each reads. Out: a generator function
that nests one loop per hidden variable and makes each check as soon as its variables have values,
so that a failed check cuts off all worlds below it. Variables come in the order that completes
cheap and selective checks first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from compiler.reader.answer.generate import Generator, ReadState
from compiler.reader.answer.traits import slots_of
from compiler.reader.text.values import ReadValue

_MAX_LOOPS: Final = 14
_LOOP_WORK: Final = 4


@attrs.frozen
class Check:
    """One test of a world.

    Attributes:
        failing: Python text, over the state `s` and the observations `o<n>`, that is true if the
            world is to be refused.
        reads: Variables it depends on, as a bit mask.
        work: Bound on its operations.
    """

    failing: str
    reads: int
    work: int


@attrs.frozen
class Level:
    """One loop: its variables' slots and the checks made inside it, cheapest first."""

    slots: tuple[int, ...]
    checks: tuple[Check, ...]

    @property
    def work(self) -> int:
        """Bound on the operations of one turn."""
        return _LOOP_WORK + sum(check.work for check in self.checks)


def plan_levels(checks: Sequence[Check], sizes: Mapping[int, int]) -> tuple[Level, ...]:
    """Order the loops.

    Args:
        sizes: Number of values by slot, for every variable to loop over.

    Returns:
        Levels from the outermost; the first has no variables. All but the last loop have one.
    """
    loops = sum(1 << slot for slot in sizes)
    order: list[int] = []
    placed = 0
    waiting = [check.reads & loops for check in checks]
    while any(reads & ~placed for reads in waiting):
        best = min(
            (_product(sizes, reads & ~placed), checks[at].work, at)
            for at, reads in enumerate(waiting)
            if reads & ~placed
        )[2]
        for slot in slots_of(waiting[best] & ~placed):
            order.append(slot)
            placed |= 1 << slot
    order += [slot for slot in sizes if not placed >> slot & 1]
    singles, rest = order[:_MAX_LOOPS], order[_MAX_LOOPS:]
    groups = [(), *((slot,) for slot in singles), *([tuple(rest)] if rest else [])]
    levels: list[Level] = []
    have = done = 0
    for group in groups:
        have |= sum(1 << slot for slot in group)
        ready = [at for at, reads in enumerate(waiting) if not reads & ~have and not done >> at & 1]
        done |= sum(1 << at for at in ready)
        ready.sort(key=lambda at: (checks[at].work, at))
        levels.append(Level(group, tuple(checks[at] for at in ready)))
    return tuple(levels)


def _product(sizes: Mapping[int, int], mask: int) -> int:
    product = 1
    for slot in slots_of(mask):
        product *= sizes[slot]
    return product


def search_work(levels: Sequence[Level], sizes: Mapping[int, int]) -> int:
    """Bound the operations of a search whose variables have `sizes` values."""
    turns = 1
    work = 0
    for level in levels:
        for slot in level.slots:
            turns *= sizes[slot]
        work += turns * level.work
    return work


def make_search(
    generator: Generator, levels: Sequence[Level], observations: int
) -> Callable[[ReadState, Sequence[Any], Mapping[int, Sequence[ReadValue]]], Iterator[ReadState]]:
    """Make the search function.

    It takes a state with every variable outside the loops set and no relation known, the
    observations, and the values to try by slot. It yields a copy of the state for each world that
    passes all checks.
    """
    body = [f"{''.join(f'o{at}, ' for at in range(observations))}= o"] if observations else []
    indent = ""
    for level in levels:
        if len(level.slots) == 1:
            (slot,) = level.slots
            body.append(f"{indent}for s[{slot}] in d[{slot}]:")
        elif level.slots:
            targets = ", ".join(f"s[{slot}]" for slot in level.slots)
            domains = ", ".join(f"d[{slot}]" for slot in level.slots)
            body.append(f"{indent}for {targets} in product({domains}):")
        leave = "continue" if level.slots else "return"
        if level.slots:
            indent += "    "
            mask = sum(1 << slot for slot in level.slots)
            body += [indent + line for line in generator.forget("s", mask)]
        body += [f"{indent}if {check.failing}: {leave}" for check in level.checks]
    body.append(f"{indent}yield s.copy()")
    return generator.define(generator.fresh("f"), "s, o, d", body, 1)
