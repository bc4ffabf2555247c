"""Worlds on boundaries: the sides of a comparison are equal there, and what holds it turns with it if it can."""

from __future__ import annotations

import pytest

from solvers.counting.boundaries import WORLDS, boundary_worlds
from solvers.counting.tables import Tables
from solvers.problem import Apply, Const, Expr, Kind, Op, Problem, Var, Variable

ROOM, GUESTS, OPEN = Var("room"), Var("guests"), Apply(Op.EQ, (Var("open"), Const(1)))
VARIABLES = (
    Variable("room", Kind.CONFIG, tuple(range(0, 5000, 7)), True, tuple(range(0, 5000, 7))),
    Variable("guests", Kind.GIVEN, tuple(range(3, 5000, 11))),
    Variable("open", Kind.HIDDEN, (0, 1)),
)


def inn(valid: Expr) -> Problem:
    return Problem("inn", VARIABLES, (), (), (), valid=valid)


def test_sides_are_brought_together() -> None:
    """After some plain draws: worlds with equal sides, which few random worlds have, and open ones among them."""
    full = Apply(Op.AND, (OPEN, Apply(Op.LT, (ROOM, GUESTS))))
    found = list(boundary_worlds(Tables(inn(full))))[2 * WORLDS :]
    assert found
    assert all(world["room"] == world["guests"] for world in found)
    assert found[0]["open"] == 1, "where it is closed, the comparison decides nothing"


def test_no_world_is_given_where_no_way_leads() -> None:
    never = Apply(
        Op.LT, (Apply(Op.MUL, (ROOM, Const(2))), Apply(Op.ADD, (Apply(Op.MUL, (GUESTS, Const(2))), Const(1))))
    )
    assert len(list(boundary_worlds(Tables(inn(never))))) == 2 * WORLDS


@pytest.mark.parametrize(
    "valid",
    [
        pytest.param(Const(False), id="by what the condition says"),
        pytest.param(Apply(Op.AND, (OPEN, Apply(Op.NOT, (OPEN,)))), id="by two parts that exclude each other"),
    ],
)
def test_any_worlds_are_given_where_none_is_valid(valid: Expr) -> None:
    found = list(boundary_worlds(Tables(inn(valid))))
    assert len(found) == WORLDS
    assert all(world[variable.name] in variable.domain for world in found for variable in VARIABLES)
