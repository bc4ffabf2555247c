"""Walks of batches must be the walks of their worlds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies.problems import Draw, all_worlds, problems, worlds

from solvers.evaluate import run_walk
from solvers.outcome import Ending
from solvers.problem import Problem
from solvers.tables import Cell, Tables
from solvers.walks import plain_walk, walk_batch


def _batch(batch: list[dict[str, int]]) -> dict[str, Cell]:
    return {name: np.array([world[name] for world in batch], np.int64) for name in batch[0]}


@given(problems())
def test_walk_batch_agrees_with_the_reference_on_all_worlds(problem: Problem) -> None:
    batch = list(all_worlds(problem))
    tables = Tables(problem)
    groups = walk_batch(tables, _batch(batch), len(batch))
    assert sorted(row for group in groups for row in group.rows.tolist()) == list(range(len(batch)))
    for group in groups:
        assert group.gives_task == (group.ending in (Ending.ANSWER, Ending.HEALTHY))
        for place, row in list(enumerate(group.rows.tolist()))[:: 1 + len(group.rows) // 5]:
            assert plain_walk(tables, group, place) == run_walk(problem, batch[row])


@st.composite
def _problem_and_partly_equal_worlds(draw: Draw) -> tuple[Problem, list[dict[str, int]]]:
    problem = draw(problems())
    first, others = draw(worlds(problem)), draw(st.lists(worlds(problem), max_size=4))
    varying = draw(st.sets(st.sampled_from(sorted(first)), max_size=2))
    return problem, [first, *({**first, **{name: other[name] for name in varying}} for other in others)]


@given(_problem_and_partly_equal_worlds())
def test_walk_batch_agrees_where_worlds_share_most_values(case: tuple[Problem, list[dict[str, int]]]) -> None:
    problem, batch = case
    tables = Tables(problem)
    for group in walk_batch(tables, _batch(batch), len(batch)):
        for place, row in enumerate(group.rows.tolist()):
            assert plain_walk(tables, group, place) == run_walk(problem, batch[row])


def test_walk_batch_of_nothing_is_nothing() -> None:
    problem = Problem("empty", (), (), (), ())
    assert walk_batch(Tables(problem), {}, 0) == []
