"""The order of declarations that use each other."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from dsl.check.ordering import dependency_order

NAMES = st.sampled_from("abcdefg")


def test_order_follows_uses_and_else_the_declaration() -> None:
    ordering = dependency_order({"d": ["a"], "c": [], "a": ["b"], "b": []})
    assert ordering.order == ("c", "b", "a", "d")
    assert ordering.cycles == ()


def test_cycles_are_named_in_the_order_of_their_uses() -> None:
    ordering = dependency_order({"x": [], "a": ["c"], "b": ["a"], "c": ["b"], "self": ["self"], "y": ["a"]})
    assert ordering.cycles == (("a", "c", "b"), ("self",))
    assert ordering.order == ("x", "y")


def test_names_that_are_not_declared_do_not_count() -> None:
    assert dependency_order({"a": ["elsewhere"]}).order == ("a",)


@given(uses=st.dictionaries(NAMES, st.lists(NAMES, max_size=2)))
def test_order_and_circles_are_those_of_the_graph(uses: dict[str, list[str]]) -> None:
    ordering = dependency_order(uses)
    graph: nx.DiGraph[str] = nx.DiGraph((used, name) for name in uses for used in uses[name] if used in uses)
    graph.add_nodes_from(uses)
    groups = [group for group in nx.strongly_connected_components(graph) if graph.subgraph(group).edges]
    assert len(ordering.cycles) == len(groups)
    for cycle in ordering.cycles:
        assert sum(set(cycle) <= group for group in groups) == 1
        assert all(used in uses[name] for name, used in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
    graph.remove_nodes_from([name for group in groups for name in group])
    assert ordering.order == tuple(nx.lexicographical_topological_sort(graph, key=list(uses).index))
