"""Answers are counted as plain evaluation gives them, and what tells them apart is found."""

from __future__ import annotations

from collections import Counter

import attrs
import pytest
from hypothesis import given
from strategies.effort import costly
from strategies.problems import problems
from strategies.tank import op

from solvers import evaluate
from solvers.counting.answers import answer_of, confirmed_walk, tally_answers
from solvers.counting.exhaustive import WitnessError
from solvers.counting.fitting import worlds_that_fit
from solvers.counting.tables import Tables
from solvers.counting.walks import world_at
from solvers.problem import Kind, Op, Problem, Var, Variable


@costly
@given(problems())
def test_answers_are_counted_as_plain_evaluation_gives_them(problem: Problem) -> None:
    tables = Tables(problem)
    tally = tally_answers(tables, worlds_that_fit(tables, []))
    worlds = [world_at(state, place) for state, size in tally.worlds.chunks() for place in range(size)]
    answers = [answer_of(evaluate.run_walk(problem, world)) for world in worlds]
    assert tally.counts == Counter(answers)
    assert [list(tally.counts)[number] for number in tally.numbers] == answers
    assert list(tally.counts.values()) == sorted(tally.counts.values(), reverse=True)
    for answer in tally.counts:
        world = tally.world_of(answer)
        assert answer_of(confirmed_walk(tables, [], world, answer)) == answer
        near = tally.world_of(answer, worlds[0])
        distances = [
            _distance(other, worlds[0]) for other, given in zip(worlds, answers, strict=True) if given == answer
        ]
        assert _distance(near, worlds[0]) == min(distances)


def _distance(one: dict[str, int], other: dict[str, int]) -> int:
    return sum(value != other[name] for name, value in one.items())


@costly
@given(problems())
def test_a_fact_tells_what_share_of_the_worlds_it_settles(problem: Problem) -> None:
    tables = Tables(problem)
    tally = tally_answers(tables, worlds_that_fit(tables, []))
    if not tally.worlds.size:
        return
    told = tally.told_by({name: Var(name) for name in tally.worlds.open})
    assert list(told) == list(tally.worlds.open)
    worlds = [world_at(state, place) for state, size in tally.worlds.chunks() for place in range(size)]
    for name, share in told.items():
        answers: dict[int, set[int]] = {}
        for world, number in zip(worlds, tally.numbers.tolist(), strict=True):
            answers.setdefault(world[name], set()).add(number)
        settled = sum(len(answers[world[name]]) == 1 for world in worlds)
        assert share == settled / len(worlds)


def test_many_worlds_are_told_by_some_unless_one_fact_settles_all() -> None:
    names = [f"x{place}" for place in range(4)]
    sizes = op(Op.LT, Var("x0"), 2)
    problem = Problem(
        "numbers",
        tuple(Variable(name, Kind.HIDDEN, tuple(range(20))) for name in names),
        (),
        (),
        (),
        sound=op(Op.AND, sizes, op(Op.GE, op(Op.ADD, *map(Var, names)), 0)),
    )
    tables = Tables(problem)
    tally = tally_answers(tables, worlds_that_fit(tables, []))
    assert sorted(tally.counts.values()) == [2 * 20**3, 18 * 20**3]
    told = tally.told_by({name: Var(name) for name in names})
    assert told == {"x0": 1.0, "x1": 0.0, "x2": 0.0, "x3": 0.0}


def test_a_world_whose_walk_is_another_is_not_confirmed() -> None:
    problem = Problem("empty", (), (), (), ())
    right = answer_of(evaluate.run_walk(problem, {}))
    assert confirmed_walk(Tables(problem), [], {}, right).start == {}
    with pytest.raises(WitnessError):
        confirmed_walk(Tables(problem), [], {}, attrs.evolve(right, answer=None))
