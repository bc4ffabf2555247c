"""The worlds that fit conditions are those that plain evaluation lets through, no more and no fewer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import costly
from strategies.problems import Draw, all_worlds, bool_exprs, problems
from strategies.tank import op

from solvers import evaluate
from solvers.counting.fitting import FITTING_DRAWN, FittingWorlds, worlds_that_fit
from solvers.counting.tables import Tables
from solvers.counting.walks import world_at
from solvers.problem import Const, Expr, Kind, Op, Problem, Var, Variable


@st.composite
def _problem_with_conditions(draw: Draw) -> tuple[Problem, list[Expr]]:
    problem = draw(problems())
    names = [variable.name for variable in problem.variables]
    return problem, draw(st.lists(bool_exprs(names), max_size=3))


def listed_worlds(fitting: FittingWorlds) -> list[tuple[tuple[str, int], ...]]:
    return [tuple(sorted(world_at(state, place).items())) for state, size in fitting.chunks() for place in range(size)]


@costly
@given(_problem_with_conditions())
def test_the_worlds_are_those_that_plain_evaluation_lets_through(case: tuple[Problem, list[Expr]]) -> None:
    """Among worlds that agree in all that decides, there is one; it is given the answer of the others."""
    problem, conditions = case
    fitting = worlds_that_fit(Tables(problem), conditions)
    assert fitting.complete
    found = [dict(world) for world in listed_worlds(fitting)]
    right = [
        world
        for world in all_worlds(problem)
        if all(evaluate.value(problem, each, world) for each in (problem.valid, *conditions))
    ]
    assert all(world in right for world in found)
    assert len(found) == len({seen(fitting, world) for world in found}) == fitting.size
    assert {seen(fitting, world) for world in found} == {seen(fitting, world) for world in right}
    answers = {seen(fitting, world): answer_of(problem, world) for world in found}
    assert all(answer_of(problem, world) == answers[seen(fitting, world)] for world in right)


def seen(fitting: FittingWorlds, world: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """What of a world decides."""
    return tuple((name, value) for name, value in sorted(world.items()) if name in fitting.told)


def answer_of(problem: Problem, world: dict[str, int]) -> object:
    walk = evaluate.run_walk(problem, world)
    return walk.ending, walk.codes, walk.fix


def numbers(count: int, values: Sequence[int]) -> Problem:
    """A problem in which every variable decides whether a run is sound."""
    return Problem(
        "numbers",
        tuple(Variable(f"x{place}", Kind.HIDDEN, tuple(values)) for place in range(count)),
        (),
        (),
        (),
        sound=op(Op.GE, op(Op.ADD, *(Var(f"x{place}") for place in range(count))), 0),
    )


def test_tied_variables_are_tried_together_where_all_combinations_would_be_too_many() -> None:
    problem = numbers(12, range(40))
    chain = [op(Op.EQ, Var(f"x{place}"), Var(f"x{place + 1}")) for place in range(11)]
    fitting = worlds_that_fit(Tables(problem), chain)
    assert fitting.size == 40
    assert all(len(set(dict(world).values())) == 1 for world in listed_worlds(fitting))


def test_a_false_condition_leaves_nothing() -> None:
    assert worlds_that_fit(Tables(numbers(2, range(3))), [Const(False)]).size == 0


@pytest.mark.slow
def test_some_of_too_many_worlds_are_drawn_and_the_widest_variables_named() -> None:
    problem = numbers(4, range(100))
    condition = op(Op.LT, Var("x2"), 50)
    fitting = worlds_that_fit(Tables(problem), [condition])
    assert (fitting.complete, fitting.size) == (False, FITTING_DRAWN)
    assert fitting.widest == ("x0", "x1", "x3", "x2")
    worlds = listed_worlds(fitting)
    assert len(worlds) == FITTING_DRAWN
    assert all(evaluate.value(problem, condition, dict(world)) for world in worlds)
    assert worlds == listed_worlds(worlds_that_fit(Tables(problem), [condition]))


@pytest.mark.slow
def test_some_of_too_many_combinations_for_one_condition_are_drawn() -> None:
    problem = numbers(5, range(100))
    whole = op(Op.ADD, *(Var(f"x{place}") for place in range(5)))
    fitting = worlds_that_fit(Tables(problem), [op(Op.LT, whole, 100)])
    assert not fitting.complete
    assert fitting.size > 0
    assert all(sum(dict(world).values()) < 100 for world in listed_worlds(fitting)[:1000])


def test_a_variable_that_decides_nothing_has_one_value() -> None:
    problem = Problem("idle", (Variable("x", Kind.HIDDEN, (3, 1, 2)),), (), (), ())
    fitting = worlds_that_fit(Tables(problem), [])
    assert (fitting.size, fitting.open) == (1, ())
    assert listed_worlds(fitting) == [(("x", 3),)]


def test_large_sets_come_in_pieces() -> None:
    fitting = worlds_that_fit(Tables(numbers(4, range(30))), [])
    sizes = [size for _, size in fitting.chunks()]
    assert len(sizes) > 1
    assert sum(sizes) == fitting.size == 30**4
    assert all(isinstance(column, np.ndarray) for state, _ in fitting.chunks() for column in state.values())
