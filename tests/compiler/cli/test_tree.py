"""Frozen values as text."""

from __future__ import annotations

from enum import Enum

import attrs

from compiler.cli.tree import tree_text


class Colour(Enum):
    RED = 1


@attrs.frozen
class Leaf:
    name: str
    span: int = attrs.field(eq=False, default=0)


@attrs.frozen
class Branch:
    colour: Colour
    leaves: tuple[Leaf, ...]
    weights: dict[str, int]


TREE = Branch(Colour.RED, (Leaf("a", 7), Leaf("b")), {"x": 1, "y": 2})


def test_a_value_that_fits_stands_on_one_line() -> None:
    assert tree_text(TREE) == "Branch(colour=RED, leaves=[Leaf(name='a'), Leaf(name='b')], weights={x: 1, y: 2})"


def test_a_longer_value_is_indented() -> None:
    assert tree_text(TREE, width=30) == (
        "Branch(\n  colour=RED,\n  leaves=[\n    Leaf(name='a'),\n    Leaf(name='b'),\n  ],\n  weights={x: 1, y: 2},\n)"
    )


def test_short_items_share_lines() -> None:
    assert tree_text(tuple(range(20)), width=30) == (
        "[\n  0, 1, 2, 3, 4, 5, 6, 7, 8,\n  9, 10, 11, 12, 13, 14, 15,\n  16, 17, 18, 19,\n]"
    )


def test_sets_are_sorted_and_empty_values_are_shown() -> None:
    assert tree_text((frozenset({"b", "a"}), (), {}, None, True)) == "[{'a', 'b'}, [], {}, None, True]"
