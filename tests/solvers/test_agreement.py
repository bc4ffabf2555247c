"""Procedures that share no code must come to the same verdicts: definitions, counting, Z3, cvc5."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies.definitions import judge
from strategies.effort import costly
from strategies.large import large_problem
from strategies.problems import all_worlds, problems

from solvers import evaluate
from solvers.counting.exhaustive import check_world
from solvers.counting.tables import Tables
from solvers.outcome import Assignment, TaskProof, Uniqueness, Verdict, Walk
from solvers.problem import Problem
from solvers.proving.prove import Prover
from solvers.proving.smtlib import recheck_cvc5

Decision = tuple[Verdict, Uniqueness | None]


def _drawn(problem: Problem, chosen: random.Random, faulty: int) -> list[Assignment]:
    """Some worlds whose walk fires a rule and gives a task, and one of any kind."""
    all_ = list(all_worlds(problem))
    chosen.shuffle(all_)
    walks = (evaluate.run_walk(problem, world) for world in all_[:200])
    firing = (walk.start for walk in walks if walk.gives_task and walk.steps)
    return [*itertools.islice(firing, faulty), all_[0]]


def _wanted(problem: Problem, world: Assignment) -> Decision:
    found = judge(problem, world)
    return found.verdict, found.uniqueness


def _decision(proof: TaskProof) -> Decision:
    return proof.verdict, proof.uniqueness


def _confirmed(problem: Problem, proof: TaskProof) -> None:
    """Every refutation is one: another answer, a fix that fails, or a rival that mends the task's own world."""
    walk = proof.walk
    for found in proof.refutations:
        assert evaluate.observe(problem, found.world) == evaluate.observe(problem, walk.start)
        other = evaluate.told_walk(problem, found.world) if found.world != walk.start else walk
        if found.rival is not None:
            assert evaluate.is_repair(problem, walk, found.rival)
        else:
            answers_alike = other.gives_task and walk.gives_task and other.answer == walk.answer
            assert not answers_alike or not evaluate.is_repair(problem, other, dict(walk.fix))


@costly
@given(problems(), st.randoms(use_true_random=False))
def test_all_procedures_agree_on_random_systems(problem: Problem, chosen: random.Random) -> None:
    """Also Z3 without help, with shared templates and with written scripts."""
    tables, shared, written = Tables(problem), Prover(problem), Prover(problem, templates=False)
    for world in _drawn(problem, chosen, faulty=2):
        wanted = _wanted(problem, world)
        counted = check_world(tables, world)
        proofs = (counted, shared.prove(counted), shared.decide(world), written.decide(world))
        assert [_decision(proof) for proof in proofs] == [wanted] * 4
        for proof in proofs:
            _confirmed(problem, proof)


@pytest.mark.slow
@settings(max_examples=80)
@given(problems(), st.randoms(use_true_random=False))
def test_all_procedures_agree_on_many_random_systems_and_so_does_cvc5(problem: Problem, chosen: random.Random) -> None:
    pytest.importorskip("cvc5")
    tables, prover = Tables(problem), Prover(problem)
    for world in _drawn(problem, chosen, faulty=4):
        wanted = _wanted(problem, world)
        counted = check_world(tables, world)
        proofs = (counted, prover.prove(counted), prover.decide(world))
        assert [_decision(proof) for proof in proofs] == [wanted] * 3
        if counted.verdict is Verdict.UNIQUE:
            assert {recheck_cvc5(text) for text in prover.scripts(counted).values()} == {"unsat"}


@costly
@given(problems(), st.randoms(use_true_random=False))
def test_a_claim_one_level_too_strong_is_never_proved(problem: Problem, chosen: random.Random) -> None:
    tables, prover = Tables(problem), Prover(problem)
    for world in _drawn(problem, chosen, faulty=3)[:-1]:
        proof = check_world(tables, world)
        stronger = {Uniqueness.PREFERRED: Uniqueness.NAMED, Uniqueness.NAMED: Uniqueness.ANY}
        if proof.uniqueness in stronger:
            claim = TaskProof(Verdict.UNIQUE, proof.walk, stronger[proof.uniqueness], rival_worlds=proof.rival_worlds)
            found = prover.prove(claim)
            assert found.verdict is Verdict.AMBIGUOUS
            _confirmed(problem, found)


def _large_walks(count: int) -> Iterator[Walk]:
    problem, chosen = large_problem(), random.Random(11)
    walks = (
        evaluate.run_walk(problem, {v.name: chosen.choice(v.domain) for v in problem.variables})
        for _ in itertools.count()
    )
    return itertools.islice((walk for walk in walks if walk.gives_task and walk.steps), count)


@pytest.mark.slow
def test_counting_and_z3_agree_on_a_large_system() -> None:
    problem = large_problem()
    tables, prover = Tables(problem), Prover(problem)
    seen = Counter[Decision]()
    for walk in _large_walks(150):
        counted = check_world(tables, walk.start)
        assert _decision(prover.prove(counted)) == _decision(prover.decide(walk.start)) == _decision(counted)
        seen[_decision(counted)] += 1
    assert {level for _, level in seen} == {None, *Uniqueness}
