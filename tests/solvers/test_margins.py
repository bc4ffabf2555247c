"""By how little a walk is decided: cases by hand, and the promise behind the number."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.problems import all_worlds, problems
from strategies.tank import field, op

from solvers.evaluate import run_walk, value
from solvers.margins import WIDEST, walk_margin
from solvers.problem import (
    TRUE,
    Alternative,
    Apply,
    Assign,
    Before,
    Const,
    Direction,
    Expr,
    Op,
    Pick,
    Problem,
    RelationValue,
    Rule,
    Sort,
    Var,
    With,
)

N = Var("n")
NEAR, FAR = op(Op.LT, 990, 1000), op(Op.LT, 500, 1000)  # both hold: by 10 and by 500 permille
NOT_NEAR, NOT_FAR = op(Op.GT, 990, 1000), op(Op.GT, 500, 1000)


def guarded(guard: Expr, relations: tuple[tuple[str, Expr], ...] = ()) -> Problem:
    """A problem of one rule, whose fix takes the guard away without a margin of its own."""
    done = op(Op.AND, op(Op.EQ, N, 0), guard)
    rule = Rule("r", "R", done, (Alternative((Assign("n", Const(1)),)),))
    return Problem("guarded", (field("n", 0, 1),), relations, (), (rule,))


def margin_of(guard: Expr, relations: tuple[tuple[str, Expr], ...] = ()) -> int:
    problem = guarded(guard, relations)
    return walk_margin(problem, run_walk(problem, {"n": 0}))


@pytest.mark.parametrize(
    ("guard", "margin"),
    [
        (NEAR, 10),
        (op(Op.LE, -990, -980), 10),
        (op(Op.LT, -1, 1), WIDEST),
        (op(Op.LE, 1000, 1000), WIDEST),
        (op(Op.GE, 1001, 1000), 0),
        (op(Op.EQ, 990, 990), WIDEST),
        (op(Op.AND, NEAR, FAR), 10),
        (op(Op.AND, NOT_NEAR, NOT_FAR), 500),
        (op(Op.OR, NEAR, FAR), 500),
        (op(Op.OR, NEAR, NOT_FAR), 10),
        (op(Op.OR, NOT_NEAR, NOT_FAR), 10),
        (op(Op.NOT, NOT_NEAR), 10),
        (op(Op.IMPLIES, FAR, NEAR), 10),
        (op(Op.IMPLIES, NOT_FAR, NEAR), 500),
        (op(Op.ITE, NEAR, FAR, NOT_FAR), 10),
        (op(Op.ITE, NEAR, FAR, FAR), 500),
        (op(Op.EQ, NEAR, FAR), 10),
        (op(Op.AND), WIDEST),
    ],
)
def test_a_guard_that_holds_or_fails_has_its_margin(guard: Expr, margin: int) -> None:
    assert margin_of(guard) == margin


def test_relations_changed_worlds_and_the_printed_run_are_followed() -> None:
    relations = (("close", op(Op.LT, op(Op.ADD, N, 990), 1000)), ("same", RelationValue("close", Sort.BOOL)))
    same = RelationValue("same", Sort.BOOL)
    assert margin_of(same, relations) == 10
    assert margin_of(With(same, (("n", Const(1)),)), relations) == 9
    assert margin_of(Before(same), relations) == 10


def test_a_long_chain_of_conditions_is_followed() -> None:
    chain = [("c0", NEAR)]
    chain += [(f"c{n}", op(Op.NOT, RelationValue(f"c{n - 1}", Sort.BOOL))) for n in range(1, 3001)]
    assert margin_of(RelationValue("c3000", Sort.BOOL), tuple(chain)) == 10


def test_values_that_are_tried_decide() -> None:
    """Of 1, 2, 3 the largest with 100 n < 299: 3 fails by 3 permille, and 2 is taken."""
    pick = Pick("n", Direction.LARGEST, op(Op.LT, op(Op.MUL, N, 100), 299))
    rule = Rule("r", "R", op(Op.EQ, N, 0), (Alternative((pick,)),))
    problem = Problem("picked", (field("n", 0, 1, 2, 3),), (), (), (rule,))
    assert walk_margin(problem, run_walk(problem, {"n": 0})) == 3


def test_alternatives_without_a_value_decide_too() -> None:
    never = Pick("n", Direction.FIRST, op(Op.GT, op(Op.ADD, N, 994), 1000))
    rule = Rule("r", "R", op(Op.EQ, N, 0), (Alternative((never,)), Alternative((Assign("n", Const(3)),))))
    problem = Problem("else", (field("n", 0, 1, 2, 3),), (), (), (rule,))
    assert walk_margin(problem, run_walk(problem, {"n": 0})) == 3


# ------------------------------------------------------------------ what the number promises


def conditions() -> st.SearchStrategy[Expr]:
    numbers = st.integers(1, 60)
    atoms = st.builds(lambda o, a, b: op(o, a, b), st.sampled_from([Op.LT, Op.LE, Op.GT, Op.GE]), numbers, numbers)

    def deeper(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        return st.one_of(
            st.builds(lambda a: op(Op.NOT, a), parts),
            st.builds(lambda o, a, b: op(o, a, b), st.sampled_from([Op.AND, Op.OR, Op.IMPLIES, Op.EQ]), parts, parts),
            st.builds(lambda a, b, c: op(Op.ITE, a, b, c), parts, parts, parts),
        )

    return st.recursive(atoms, deeper, max_leaves=6)


def turned(expr: Expr, turns: set[int], counter: Iterator[int]) -> Expr:
    """The condition with those of its comparisons negated whose places, from left to right, are in `turns`."""
    assert isinstance(expr, Apply)
    if expr.op in (Op.LT, Op.LE, Op.GT, Op.GE):
        return op(Op.NOT, expr) if next(counter) in turns else expr
    return Apply(expr.op, tuple(turned(arg, turns, counter) for arg in expr.args))


@given(conditions())
def test_comparisons_with_smaller_margins_decide_nothing(condition: Expr) -> None:
    """Whatever the comparisons that are closer than the margin come to, the condition comes to the same."""
    problem = guarded(TRUE)
    guard = condition if value(problem, condition, {"n": 0}) else op(Op.NOT, condition)
    margin = margin_of(guard)
    places = itertools.count()
    atoms = [e for e in ordered(condition) if e.op in (Op.LT, Op.LE, Op.GT, Op.GE)]
    closer = [place for place, atom in zip(places, atoms, strict=False) if margin_of(held(atom)) < margin]
    for size in range(len(closer) + 1):
        for turns in itertools.combinations(closer, size):
            other = turned(condition, set(turns), itertools.count())
            assert value(problem, other, {"n": 0}) == value(problem, condition, {"n": 0})


def held(atom: Apply) -> Expr:
    return atom if value(guarded(TRUE), atom, {"n": 0}) else op(Op.NOT, atom)


def ordered(expr: Expr) -> Iterator[Apply]:
    """Operators from left to right, parents first; unlike `walk_expr`, each as often as it stands there."""
    if isinstance(expr, Apply):
        yield expr
        for arg in expr.args:
            yield from ordered(arg)


@given(problems())
def test_every_walk_of_a_random_problem_has_a_margin(problem: Problem) -> None:
    for world in itertools.islice(all_worlds(problem), 20):
        walk = run_walk(problem, world)
        assert 0 <= walk_margin(problem, walk) <= WIDEST
