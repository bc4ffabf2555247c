"""Expanding must not change what an expression means, and must share what is equal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.problems import (
    Draw,
    all_worlds,
    bool_exprs,
    expressions,
    int_exprs,
    planted_problems,
    wild_problems,
    worlds,
)

from solvers.counting.expand import before_name, expand, pure, substitute, support
from solvers.evaluate import value
from solvers.problem import (
    Apply,
    Before,
    Const,
    Expr,
    Kind,
    Op,
    Problem,
    RelationValue,
    Sort,
    Var,
    Variable,
    With,
    prescribed,
    walk_expr,
)

NAMES = ("x", "y", "z")
PLAIN = Problem(
    name="plain",
    variables=tuple(Variable(name, Kind.CONFIG, (0, 1, 2, 5), editable=True) for name in NAMES),
    relations=(
        ("sum", Apply(Op.ADD, (Var("x"), Var("y")))),
        ("double", Apply(Op.MUL, (RelationValue("sum"), Const(2)))),
    ),
    observations=(),
    rules=(),
)
X, Y = Var("x"), Var("y")


@st.composite
def pure_exprs(draw: Draw) -> Expr:
    make = draw(st.sampled_from((int_exprs, bool_exprs)))
    return expand(PLAIN, draw(make(NAMES, (), 3)))


@given(st.data())
def test_expand_keeps_every_value(data: st.DataObject) -> None:
    problem = data.draw(st.one_of(wild_problems(), planted_problems()))
    world = data.draw(worlds(problem))
    for expr in expressions(problem):
        expanded = expand(problem, expr)
        assert not any(isinstance(part, RelationValue | With | Before) for part in walk_expr(expanded))
        assert value(problem, expanded, world) == value(problem, expr, world)


@given(st.data())
def test_expand_names_the_state_of_before(data: st.DataObject) -> None:
    problem = data.draw(wild_problems())
    now, earlier = data.draw(worlds(problem)), data.draw(worlds(problem))
    both = {**now, **{before_name(name): old for name, old in earlier.items()}}
    for rule in problem.rules:
        for expr in prescribed(rule):
            assert value(problem, expand(problem, expr), both) == value(problem, expr, now, before=earlier)


@given(pure_exprs(), pure_exprs(), pure_exprs(), st.data())
def test_substitute_is_parallel(expr: Expr, first: Expr, second: Expr, data: st.DataObject) -> None:
    new = {name: e for name, e in (("x", first), ("y", second)) if e.sort is Sort.INT}
    world = data.draw(worlds(PLAIN))
    changed = {**world, **{name: value(PLAIN, e, world) for name, e in new.items()}}
    assert value(PLAIN, substitute(expr, new), world) == value(PLAIN, expr, changed)


@given(pure_exprs())
def test_substitute_folds_to_a_constant_when_all_is_known(expr: Expr) -> None:
    for world in list(all_worlds(PLAIN))[::7]:
        folded = substitute(expr, world)
        assert isinstance(folded, Const)
        assert folded == Const(value(PLAIN, expr, world))


@given(pure_exprs())
def test_support_is_what_occurs(expr: Expr) -> None:
    assert support(expr) == {part.name for part in walk_expr(expr) if isinstance(part, Var)}


@given(pure_exprs())
def test_expansion_is_its_own_normal_form(expr: Expr) -> None:
    assert expand(PLAIN, expr) is expr


def test_expand_shares_equal_parts() -> None:
    total = expand(PLAIN, RelationValue("sum"))
    double = expand(PLAIN, RelationValue("double"))
    assert isinstance(double, Apply)
    assert double.args[0] is total


def test_with_swaps_without_capture() -> None:
    swapped = With(Apply(Op.SUB, (X, Y)), (("x", Y), ("y", X)))
    assert expand(PLAIN, swapped) is expand(PLAIN, Apply(Op.SUB, (Y, X)))


def test_pure_refuses_relations() -> None:
    with pytest.raises(ValueError, match="not a pure expression"):
        pure(RelationValue("sum"))
