"""Pure expressions have one form, one object each, and the value of what they are built from."""

from __future__ import annotations

import gc

import pytest
from strategies.problems import all_worlds
from strategies.semantics import OPERANDS, applied

from solvers.counting import fold
from solvers.counting.expand import pure, substitute
from solvers.counting.fold import conjuncts
from solvers.evaluate import value
from solvers.problem import Apply, Const, Expr, Lookup, Op, Var

X, Y = Var("x"), Var("y")


@pytest.mark.parametrize("op", Op)
def test_every_operator_folds_to_the_value_of_the_reference(op: Op) -> None:
    for world in all_worlds(OPERANDS):
        expected = value(OPERANDS, applied(op), world)
        assert substitute(applied(op), world) is fold.constant(expected)
        half = substitute(applied(op), {"x": world["x"]})
        assert value(OPERANDS, half, world) == value(OPERANDS, pure(applied(op)), world) == expected


def test_the_table_of_constant_values_is_complete() -> None:
    assert set(fold.CONSTANT_VALUES) == set(Op)


def test_condition_and_negation_share_their_atom() -> None:
    above = pure(Apply(Op.GT, (X, Y)))
    within = pure(Apply(Op.LE, (X, Y)))
    assert within is fold.negate(above)
    assert pure(Apply(Op.AND, (above, within))) == Const(False)


def test_conjuncts_flatten() -> None:
    parts = [Apply(Op.LT, (X, Const(number))) for number in (3, 4, 5)]
    nested = pure(Apply(Op.AND, (parts[0], Apply(Op.AND, (parts[1], parts[2], parts[0])))))
    assert conjuncts(nested) == tuple(pure(part) for part in parts)
    assert conjuncts(pure(Const(True))) == ()


@pytest.mark.parametrize(
    ("expr", "simple"),
    [
        (Apply(Op.ADD, (Const(2), X, Const(-2))), X),
        (Apply(Op.MUL, (X, Y, Const(0))), Const(0)),
        (Apply(Op.SUB, (X, X)), Const(0)),
        (Apply(Op.NEG, (Apply(Op.NEG, (X,)),)), X),
        (Apply(Op.MOD, (X, Const(1))), Const(0)),
        (Apply(Op.MAX, (X, X)), X),
        (Apply(Op.ITE, (Apply(Op.LT, (X, Y)), X, X)), X),
        (Apply(Op.IMPLIES, (Const(True), Const(False))), Const(False)),
        (Apply(Op.EQ, (Apply(Op.LT, (X, Y)), Const(True))), pure(Apply(Op.LT, (X, Y)))),
        (Lookup("t", ((0, 7), (1, 7)), X), Const(7)),
        (Lookup("t", ((0, 7), (1, 8)), Const(1)), Const(8)),
    ],
    ids=str,
)
def test_pure_simplifies(expr: Expr, simple: Expr) -> None:
    assert pure(expr) == simple


@pytest.mark.slow
def test_expressions_are_forgotten_when_unused() -> None:
    gc.collect()
    before = len(fold._by_key)
    made = pure(Apply(Op.ADD, (X, Apply(Op.MUL, (Y, Const(123_457))))))
    assert len(fold._by_key) > before
    del made
    gc.collect()
    assert len(fold._by_key) == before


def test_one_and_true_stay_apart() -> None:
    assert pure(Const(1)) != pure(Const(True))
    assert fold.apply(Op.ADD, (pure(Const(1)), fold.variable("x"))) is not fold.variable("x")
