"""The exhaustive check against a check by the letter of the definitions."""

from __future__ import annotations

from hypothesis import given
from strategies.definitions import judge, rivals
from strategies.problems import all_worlds, problems

from solvers.counting.exhaustive import check_world
from solvers.counting.tables import Tables
from solvers.evaluate import cost, is_repair, named_fields, run_walk, told_walk, value
from solvers.outcome import Assignment, Claim, TaskProof, Uniqueness, Verdict
from solvers.problem import Problem


def _interesting_worlds(problem: Problem, count: int) -> list[dict[str, int]]:
    """Pick worlds that give tasks, longest walks first, and one that doesn't."""
    walks = [run_walk(problem, world) for world in all_worlds(problem)]
    tasks = sorted((walk for walk in walks if walk.gives_task), key=lambda walk: -len(walk.fix))
    others = [walk for walk in walks if not walk.gives_task]
    return [dict(walk.start) for walk in (*tasks[:count], *tasks[count :: 1 + len(tasks) // 2], *others[:1])]


def _assert_refuted(problem: Problem, proof: TaskProof, worlds: tuple[Assignment, ...]) -> None:
    (refutation,) = proof.refutations
    assert refutation.world in worlds or refutation.world == proof.walk.start
    own = refutation.world == proof.walk.start
    walk = proof.walk if own else told_walk(problem, refutation.world)  # readers know of `valid` what the page states
    match refutation.claim:
        case Claim.P1:
            assert not walk.gives_task or walk.answer != proof.walk.answer
            assert refutation.answer == (walk.answer if walk.gives_task else None)
        case Claim.P2:
            assert not is_repair(problem, walk, dict(proof.walk.fix))
        case _:
            assert refutation.rival is not None
            start, fix = proof.walk.start, dict(proof.walk.fix)
            assert refutation.world == start
            valid = [world for world in worlds if value(problem, problem.valid, world)]
            assert all(is_repair(problem, told_walk(problem, world), refutation.rival) for world in valid)
            assert refutation.rival.keys() <= _named(problem, worlds)
            assert refutation.rival != fix
            assert cost(problem, start, refutation.rival) <= cost(problem, start, fix)


def _named(problem: Problem, worlds: tuple[Assignment, ...]) -> set[str]:
    return set(named_fields(problem, *(told_walk(problem, world) for world in worlds)))


def _assert_no_rival_in(problem: Problem, proof: TaskProof, worlds: tuple[Assignment, ...]) -> None:
    """The rival worlds alone must leave no rival at the claimed level."""
    assert proof.rival_worlds[0] == proof.walk.start
    assert all(world in worlds for world in proof.rival_worlds)
    walk = proof.walk
    left = [
        rival
        for rival in rivals(problem, walk, [told_walk(problem, world) for world in proof.rival_worlds])
        if proof.uniqueness is Uniqueness.ANY or rival.keys() <= _named(problem, worlds)
    ]
    if proof.uniqueness is Uniqueness.PREFERRED:
        price = cost(problem, walk.start, dict(walk.fix))
        left = [rival for rival in left if cost(problem, walk.start, rival) <= price]
    assert left == []


@given(problems())
def test_check_world_agrees_with_the_definitions(problem: Problem) -> None:
    tables = Tables(problem)
    for world in _interesting_worlds(problem, 2):
        proof, truth = check_world(tables, world), judge(problem, world)
        assert proof.walk == run_walk(problem, world)
        assert proof.verdict is truth.verdict
        assert proof.uniqueness is truth.uniqueness
        assert [refutation.claim for refutation in proof.refutations] == ([truth.refuted] if truth.refuted else [])
        assert proof.hidden_worlds == len(truth.worlds)
        if proof.verdict is Verdict.AMBIGUOUS:
            _assert_refuted(problem, proof, truth.worlds)
        if proof.verdict is Verdict.UNIQUE:
            _assert_no_rival_in(problem, proof, truth.worlds)
            assert proof.walks[0] == proof.walk
            assert all(walk.start in truth.worlds and walk.answer == proof.walk.answer for walk in proof.walks)
