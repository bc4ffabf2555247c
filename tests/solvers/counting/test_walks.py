"""Walks of batches must be the walks of their worlds."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import costly
from strategies.problems import Draw, all_worlds, problems, worlds
from strategies.tank import LARGEST, LID, LIMIT, SHRINK, SIZE, assign, field, op, tank

from solvers.counting.tables import BatchValue, Tables
from solvers.counting.walks import walk_at, walk_batch
from solvers.evaluate import run_walk
from solvers.outcome import Ending
from solvers.problem import TRUE, Alternative, Direction, Kind, Op, Problem, Var, Variable


def _batch(batch: list[dict[str, int]]) -> dict[str, BatchValue]:
    return {name: np.array([world[name] for world in batch], np.int64) for name in batch[0]}


@costly
@given(problems())
def test_walk_batch_agrees_with_the_reference_on_all_worlds(problem: Problem) -> None:
    batch = list(all_worlds(problem))
    tables = Tables(problem)
    groups = walk_batch(tables, _batch(batch), len(batch))
    assert sorted(row for group in groups for row in group.rows.tolist()) == list(range(len(batch)))
    for group in groups:
        assert group.gives_task == (group.ending in (Ending.ANSWER, Ending.HEALTHY))
        for place, row in list(enumerate(group.rows.tolist()))[:: 1 + len(group.rows) // 5]:
            assert walk_at(tables, group, place) == run_walk(problem, batch[row])


@st.composite
def _problem_and_partly_equal_worlds(draw: Draw) -> tuple[Problem, list[dict[str, int]]]:
    problem = draw(problems())
    first, others = draw(worlds(problem)), draw(st.lists(worlds(problem), max_size=4))
    varying = draw(st.sets(st.sampled_from(sorted(first)), max_size=2))
    return problem, [first, *({**first, **{name: other[name] for name in varying}} for other in others)]


@costly
@given(_problem_and_partly_equal_worlds())
def test_walk_batch_agrees_where_worlds_share_most_values(case: tuple[Problem, list[dict[str, int]]]) -> None:
    problem, batch = case
    tables = Tables(problem)
    for group in walk_batch(tables, _batch(batch), len(batch)):
        for place, row in enumerate(group.rows.tolist()):
            assert walk_at(tables, group, place) == run_walk(problem, batch[row])


def test_walk_batch_of_nothing_is_nothing() -> None:
    problem = Problem("empty", (), (), (), ())
    assert walk_batch(Tables(problem), {}, 0) == []


def test_a_field_of_one_value_is_assigned_in_the_worlds_that_ask_for_it() -> None:
    """The others get no value, though the batch computes all at once."""
    rule = assign("cover", "OPEN", TRUE, ("lid", op(Op.SUB, Var("limit"), 11)))
    problem = tank(variables=[SIZE, field("lid", 0), LIMIT], rules=[rule])
    tables = Tables(problem)
    worlds = [{"size": 1, "lid": 0, "limit": limit} for limit in (11, 12, 25)]
    for group in walk_batch(tables, _batch(worlds), len(worlds)):
        for place, row in enumerate(group.rows.tolist()):
            assert walk_at(tables, group, place) == run_walk(problem, worlds[row])


@pytest.mark.parametrize("direction", list(Direction), ids=str)
def test_picks_go_by_direction_for_one_world_and_for_many(direction: Direction) -> None:
    """In an order of the domain that is neither sorted nor that of preference."""
    sizes = Variable("size", Kind.CONFIG, (4, 1, 8, 2), editable=True, preference=(8, 2, 4, 1))
    rule = attrs.evolve(SHRINK, alternatives=(Alternative((attrs.evolve(LARGEST, direction=direction),)),))
    problem = tank(variables=[sizes, LID, LIMIT], rules=[rule])
    tables = Tables(problem)
    worlds = [{"size": 8, "lid": 0, "limit": limit} for limit in (11, 12)]
    for batch in ([worlds[0]], worlds):
        for group in walk_batch(tables, _batch(batch), len(batch)):
            for place, row in enumerate(group.rows.tolist()):
                assert walk_at(tables, group, place) == run_walk(problem, batch[row])
