"""The order of declarations that use each other, and circles among them.

In: which names each declaration mentions. Out: an order in which each comes after those that it uses.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

import attrs

from dsl.diagnostics.collector import Collector
from dsl.syntax import nodes


def mentioned(expr: nodes.Expression) -> Iterator[str]:
    """Every name in an expression that could be a value, those in `with` and of tables included."""
    stack: list[Any] = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(reversed(node))
        elif isinstance(node, nodes.Name | nodes.Ident):
            yield node.name
        elif attrs.has(type(node)):
            fields = [getattr(node, field.name) for field in attrs.fields(type(node)) if field.name != "span"]
            stack.extend(reversed(fields))


@attrs.frozen
class Ordering:
    """Names, each after those it uses, and circles, in which each uses the next; those are left out of `order`."""

    order: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]


def dependency_order(uses: Mapping[str, Iterable[str]]) -> Ordering:
    """Order the keys of `uses`; where there is a choice, as in `uses`."""
    known = {name: [used for used in names if used in uses] for name, names in uses.items()}
    try:
        return Ordering(_order(known), ())
    except CycleError:
        found = _cycles(known)
    circular = frozenset[str]().union(*(group for group, _ in found))
    rest = {name: [each for each in used if each not in circular] for name, used in known.items()}
    order = _order({name: used for name, used in rest.items() if name not in circular})
    return Ordering(order, tuple(cycle for _, cycle in found))


def _order(uses: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Each name after those that it uses, else as early as it stands in `uses`; a circle raises `CycleError`."""
    names = list(uses)
    place = {name: number for number, name in enumerate(names)}
    sorter = TopologicalSorter(uses)
    sorter.prepare()
    order: list[str] = []
    ready: list[int] = []
    while sorter.is_active():
        for name in sorter.get_ready():
            heapq.heappush(ready, place[name])
        order.append(names[heapq.heappop(ready)])
        sorter.done(order[-1])
    return tuple(order)


def _cycles(uses: Mapping[str, Iterable[str]]) -> list[tuple[set[str], tuple[str, ...]]]:
    """The groups of names that use each other in circles, each with one such circle, in the order of `uses`."""
    import networkx as nx  # takes long, and circles are rare

    graph: nx.DiGraph[str] = nx.DiGraph((used, name) for name, names in uses.items() for used in names)
    place = {name: number for number, name in enumerate(uses)}
    found = []
    for group in nx.strongly_connected_components(graph):
        first = min(group, key=place.__getitem__)
        if len(group) > 1 or graph.has_edge(first, first):
            edges = nx.find_cycle(graph.subgraph(group), first)
            found.append((group, (first, *(edge[0] for edge in reversed(edges[1:])))))
    return sorted(found, key=lambda each: place[each[1][0]])


def report_cycle(what: str, cycle: Sequence[nodes.Ident], collector: Collector) -> None:
    """Report declarations each of which uses the next, and the last the first."""
    path = " -> ".join(f"`{ident.name}`" for ident in (*cycle, cycle[0]))
    collector.error(
        "E205",
        f"the {what} form a circle: {path}",
        cycle[0].span,
        "uses itself" if len(cycle) == 1 else f"uses `{cycle[1 % len(cycle)].name}`",
        secondary=[
            (ident.span, f"uses `{cycle[(place + 2) % len(cycle)].name}`") for place, ident in enumerate(cycle[1:])
        ],
    )
