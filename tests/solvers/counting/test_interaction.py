"""Witnesses against all worlds of small problems, and their limits on a large one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.definitions import with_other_codes
from strategies.effort import costly
from strategies.large import large_problem
from strategies.problems import all_worlds, planted_problems, problems, world_count

from solvers.counting import interaction, lookalikes
from solvers.counting.exhaustive import WitnessError
from solvers.counting.interaction import Interaction, Witnesses, channel_sets
from solvers.counting.lookalikes import LookalikeSearch
from solvers.counting.tables import Tables
from solvers.counting.walks import world_at
from solvers.evaluate import observe, run_walk
from solvers.outcome import Assignment
from solvers.problem import TRUE, Kind, Observation, Problem, Var, Variable
from solvers.sampling import Candidate, candidates, key_of
from solvers.streams import Stream


@pytest.fixture(autouse=True)
def _small_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interaction, "POOL", 64)


def _tasks(problem: Problem, count: int) -> list[Assignment]:
    walks = [walk for walk in (run_walk(problem, world) for world in all_worlds(problem)) if walk.gives_task]
    return [walk.start for walk in walks[:: 1 + len(walks) // count]]


@costly
@given(problems())
def test_a_set_is_open_exactly_if_some_world_shows_so(problem: Problem) -> None:
    """On problems this small nothing is missed."""
    witnesses = Witnesses(Tables(problem))
    for world in _tasks(problem, 2):
        found = witnesses.measure(world)
        for chosen in channel_sets(problem.channels):
            truth = with_other_codes(problem, world, chosen)
            witness = found.witness(chosen)
            if len(chosen) < len(problem.channels):
                assert (witness is None) == (not truth) or world_count(problem) > interaction.LOOKALIKES_WALKED[-1]
            assert witness is None or witness in truth
            assert found.determined[chosen] == (witness is None)
        assert found.witness(problem.channels) is None  # whatever the hidden variables leave open: that is P1


@costly
@given(planted_problems(), st.sampled_from((1, 4, 16)))
def test_witnesses_are_right_when_most_worlds_are_left_out(problem: Problem, limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookalikes, "BUILT", limit)
        patch.setattr(lookalikes, "KEPT", limit)
        patch.setattr(lookalikes, "LAST", limit)
        witnesses = Witnesses(Tables(problem))
        for world in _tasks(problem, 2):
            for chosen, witness in witnesses.measure(world).witnesses.items():
                assert witness in with_other_codes(problem, world, chosen)


@costly
@given(planted_problems(), st.booleans())
def test_a_crowd_shows_the_same_and_has_its_own_world(problem: Problem, thinned: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if thinned:
            patch.setattr(lookalikes, "BUILT", 12)
            patch.setattr(lookalikes, "KEPT", 2)
            patch.setattr(lookalikes, "LAST", 8)
        _check_lookalikes(problem, _tasks(problem, 1))


def test_a_thinned_crowd_of_a_large_system_has_its_own_world(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookalikes, "KEPT", 3)
    problem = large_problem()
    drawn = itertools.islice(candidates(Tables(problem), TRUE, frozenset({"STARVED"}), key_of(3)), 3)
    _check_lookalikes(problem, [item.world for item in drawn if isinstance(item, Candidate)])


def _check_lookalikes(problem: Problem, worlds: list[Assignment]) -> None:
    witnesses = Witnesses(Tables(problem))
    for world in worlds:
        search = LookalikeSearch(witnesses.plans, world, Stream(key_of("lookalikes")))
        seen = observe(problem, world)
        for chosen in witnesses.plans:
            alike = search.find(chosen)
            table = {name: np.broadcast_to(cell, alike.size).tolist() for name, cell in alike.state.items()}
            worlds = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
            assert worlds[alike.own] == world
            for other in worlds[:: 1 + len(worlds) // 8]:
                shown = observe(problem, other)
                assert all(
                    here == there
                    for item, here, there in zip(problem.observations, seen, shown, strict=True)
                    if item.channel in chosen
                )


def test_interaction_is_the_size_of_the_smallest_set_that_settles() -> None:
    world = {"x": 0}
    channels = ("a", "b", "c")
    assert Interaction(channels, {}).interaction == 1
    singles: dict[tuple[str, ...], Assignment] = {("a",): world, ("b",): world, ("c",): world}
    assert Interaction(channels, singles).interaction == 2
    pairs: dict[tuple[str, ...], Assignment] = dict.fromkeys(itertools.combinations(channels, 2), world)
    assert Interaction(channels, singles | pairs).interaction == 3
    assert Interaction(channels, {("a",): world, ("b",): world}).interaction == 1
    assert list(Interaction(channels, {}).determined)[-1] == channels


def test_one_channel_settles_alone() -> None:
    variables = (Variable("x", Kind.CONFIG, (0, 1), True, (0, 1)),)
    problem = Problem(
        "one", variables, (), (Observation("x", "config", Var("x")),), (), sound=TRUE, channels=("config",)
    )
    assert Witnesses(Tables(problem)).measure({"x": 1}).interaction == 1


def test_a_false_witness_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = large_problem()
    (found,) = itertools.islice(candidates(Tables(problem), TRUE, frozenset({"STARVED"}), key_of(1)), 1)
    assert isinstance(found, Candidate)
    monkeypatch.setattr(interaction, "run_walk", lambda problem, world: run_walk(problem, found.world))
    with pytest.raises(WitnessError):
        Witnesses(Tables(problem)).measure(found.world)


def test_measures_do_not_depend_on_what_was_measured_before() -> None:
    problem = large_problem()
    drawn = itertools.islice(candidates(Tables(problem), TRUE, frozenset({"STARVED"}), key_of(1)), 4)
    worlds = [found.world for found in drawn if isinstance(found, Candidate)]
    one, other = Witnesses(Tables(problem)), Witnesses(Tables(problem))
    assert [one.measure(world) for world in worlds] == [other.measure(world) for world in reversed(worlds)][::-1]


@given(planted_problems())
def test_the_pool_holds_worlds_of_every_diagnosis_that_was_drawn(problem: Problem) -> None:
    pool = Witnesses(Tables(problem)).pool
    assert set(pool.codes.tolist()) == set(pool.known_codes.values())
    numbers = [
        pool.known_codes[run_walk(problem, world_at(pool.state, n)).answer.codes] for n in range(len(pool.codes))
    ]
    assert pool.codes.tolist() == numbers


@pytest.mark.slow
def test_the_pool_finds_near_worlds_that_show_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interaction, "POOL", 4096)
    problem = large_problem()
    witnesses = Witnesses(Tables(problem))
    drawn = itertools.islice(candidates(Tables(problem), TRUE, frozenset({"STARVED"}), key_of(2)), 20)
    found = 0
    for item in drawn:
        assert isinstance(item, Candidate)
        seen = observe(problem, item.world)
        witness = witnesses.pool.nearest(("log",), item.world, seen, frozenset({"STARVED"}))
        if witness is not None:
            found += 1
            there = observe(problem, witness)
            shown = zip(problem.observations, seen, there, strict=True)
            assert all(here == other for observation, here, other in shown if observation.channel == "log")
            assert run_walk(problem, witness).answer.codes != {"STARVED"}
    assert found >= 10
