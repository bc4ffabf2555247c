"""In which order a search tries variables: so that few worlds are looked at.

In: what demands read, and how likely a random world meets them. Out: an order. The estimate takes demands for
independent of each other, which they aren't; it is good enough to compare orders. Estimates are rounded, so that the
same problem gets the same order on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set

from solvers.counting.kernel.demands import Demand
from solvers.streams import Stream

TRIED = 3000
"""How many moves of a variable are tried to better an order."""


def search_order(sizes: Mapping[str, int], demands: Sequence[Demand], others: Set[str], key: bytes) -> list[str]:
    """Order the variables of the demands and `others`.

    Args:
        sizes: How many values each has; variables come in the order of this mapping where nothing else decides.
        key: Of the stream of moves that are tried.
    """
    best = _greedy(sizes, [demand.reads for demand in demands], others)
    if len(best) < 2:
        return best
    logs = {name: math.log(sizes[name]) for name in best}
    least = _effort(best, logs, demands)
    moves = iter(Stream(key).words(2 * TRIED).tolist())
    for _ in range(TRIED):
        order = list(best)
        moved = order.pop(next(moves) * len(order) >> 64)
        order.insert(next(moves) * len(best) >> 64, moved)
        effort = _effort(order, logs, demands)
        if effort < least:
            best, least = order, effort
    return best


def _effort(order: Sequence[str], logs: Mapping[str, float], demands: Sequence[Demand]) -> tuple[int, int]:
    """How many values are tried in all, as estimated, and then at every level: logarithms, in millionths."""
    level = {name: place for place, name in enumerate(order)}
    cut = [0.0] * len(order)
    for demand in demands:
        cut[max(level[name] for name in demand.reads)] += demand.chance
    total = reached = levels = 0.0
    for name, chance in zip(order, cut, strict=True):
        reached += logs[name]
        total += math.exp(min(reached, 600.0))
        levels += reached
        reached += chance
    return round(1e6 * math.log(total)), round(1e6 * levels)


def _greedy(sizes: Mapping[str, int], tied: Sequence[Set[str]], others: Set[str]) -> list[str]:
    """First the variables of the demand that leaves the fewest ways."""
    places = {name: place for place, name in enumerate(sizes)}

    def in_order(names: Iterable[str]) -> list[str]:
        return sorted(names, key=lambda name: (sizes[name], places[name]))

    order: dict[str, None] = {}
    left = list(tied)
    while left := [names - order.keys() for names in left if not names <= order.keys()]:
        order |= dict.fromkeys(in_order(min(left, key=lambda names: math.prod(sizes[name] for name in names))))
    return [*order, *in_order(others - order.keys())]
