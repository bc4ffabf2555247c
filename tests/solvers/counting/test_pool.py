"""Random worlds that all tasks of a problem share."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given
from strategies.large import large_problem
from strategies.problems import all_worlds, planted_problems

from solvers.counting import interaction, pool
from solvers.counting.interaction import Witnesses
from solvers.counting.pool import Pool
from solvers.counting.tables import Tables
from solvers.counting.walks import world_at
from solvers.evaluate import observe, run_walk, value
from solvers.problem import TRUE, Problem
from solvers.sampling import Candidate, candidates, key_of


@given(planted_problems())
def test_it_holds_worlds_of_every_diagnosis_that_was_drawn(problem: Problem) -> None:
    assume(any(value(problem, problem.valid, world) for world in all_worlds(problem)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "POOL", 64)
        found = Pool(Tables(problem))
    assert set(found.codes.tolist()) == set(found.known_codes.values())
    reported = [run_walk(problem, world_at(found.state, n)).answer.codes for n in range(len(found.codes))]
    assert found.codes.tolist() == [found.known_codes[codes] for codes in reported]


@pytest.mark.slow
def test_it_finds_near_worlds_that_show_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "POOL", 4096)
    problem = large_problem()
    shared = Pool(Tables(problem))
    found = 0
    for item in itertools.islice(candidates(Tables(problem), TRUE, frozenset({"STARVED"}), key_of(2)), 20):
        assert isinstance(item, Candidate)
        seen = observe(problem, item.world)
        witness = shared.nearest(("log",), item.world, seen, frozenset({"STARVED"}))
        if witness is not None:
            found += 1
            shown = zip(problem.observations, seen, observe(problem, witness), strict=True)
            assert all(here == there for observation, here, there in shown if observation.channel == "log")
            assert run_walk(problem, witness).answer.codes != {"STARVED"}
    assert found >= 10


@pytest.mark.slow
def test_it_helps_where_a_search_would_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short attempt leaves the log of a large problem undecided; with the pool there is a witness."""
    monkeypatch.setattr(pool, "POOL", 4096)
    tables = Tables(large_problem())
    (world,) = [
        found.world
        for found in itertools.islice(candidates(tables, TRUE, frozenset({"STARVED"}), key_of(1)), 1)
        if isinstance(found, Candidate)
    ]
    monkeypatch.setattr(interaction, "ATTEMPTS", (1,))
    assert ("log",) in Witnesses(tables).measure(world).undecided
    monkeypatch.setattr(interaction, "ATTEMPTS", (1, 1))
    assert ("log",) in Witnesses(tables).measure(world).witnesses
