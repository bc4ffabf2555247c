"""The order of declarations that use each other."""

from __future__ import annotations

from dsl.check.ordering import dependency_order


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
