"""The order of declarations that use each other, and circles among them.

In: which names each declaration mentions. Out: an order in which each comes after those that it uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import networkx as nx

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
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(uses)
    graph.add_edges_from((used, name) for name, names in uses.items() for used in names if used in uses)
    place = {name: number for number, name in enumerate(uses)}
    cycles = []
    for group in list(nx.strongly_connected_components(graph)):
        first = min(group, key=place.__getitem__)
        if len(group) > 1 or graph.has_edge(first, first):
            edges = nx.find_cycle(graph.subgraph(group), first)
            cycles.append((first, *(edge[0] for edge in reversed(edges[1:]))))
            graph.remove_nodes_from(list(group))
    order = tuple(nx.lexicographical_topological_sort(graph, key=place.__getitem__))
    return Ordering(order, tuple(sorted(cycles, key=lambda cycle: place[cycle[0]])))


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
