"""Bounded work: pieces of any size give the same result, and what is too much is said to be undecided."""

from __future__ import annotations

import itertools

import attrs
import numpy as np
import pytest
from hypothesis import given
from strategies.definitions import evidence_worlds, judge
from strategies.effort import costly
from strategies.large import large_problem
from strategies.problems import all_worlds, planted_problems, problems
from strategies.tank import LID, LIMIT, SHRINK, SIZE, field, op, tank

from solvers import evaluate
from solvers.counting import evidence, exhaustive, repairs, rivals, walks
from solvers.counting.evidence import evidence_class, free_variables
from solvers.counting.exhaustive import WitnessError, check_world
from solvers.counting.tables import Tables
from solvers.evaluate import is_repair, run_walk
from solvers.outcome import Assignment, TaskProof, Uniqueness, Verdict, Walk
from solvers.problem import TRUE, Kind, Op, Problem, Var, Variable
from solvers.sampling import Candidate, candidates, key_of

FULL = {"size": 8, "lid": 0, "limit": 12}


def _tasks(problem: Problem, count: int) -> list[Assignment]:
    found = [walk for walk in (run_walk(problem, world) for world in all_worlds(problem)) if walk.gives_task]
    found.sort(key=lambda walk: -len(walk.fix))
    return [walk.start for walk in found[:count]]


def _same(left: TaskProof, right: TaskProof) -> bool:
    """Whether two proofs agree; which worlds and rivals they name may differ."""
    parts = [(p.verdict, p.uniqueness, p.hidden_worlds, [r.claim for r in p.refutations]) for p in (left, right)]
    return parts[0] == parts[1]


@costly
@given(planted_problems())
def test_small_pieces_give_the_same_proof(problem: Problem) -> None:
    worlds = _tasks(problem, 3)
    whole = [check_world(Tables(problem), world) for world in worlds]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "CLASS_CHUNK", 2)
        patch.setattr(exhaustive, "WORLDS_PER_WALK", 3)
        patch.setattr(repairs, "GRID_CELLS", 2)
        patch.setattr(rivals, "PARENTS", 2)
        patch.setattr(rivals, "LEAVES", 3)
        patch.setattr(walks, "PICK_CELLS", 5)
        pieces = [check_world(Tables(problem), world) for world in worlds]
    assert all(map(_same, whole, pieces))


@costly
@given(problems())
def test_the_evidence_class_is_complete_and_in_order(problem: Problem) -> None:
    tables = Tables(problem)
    for world in list(all_worlds(problem))[::29]:
        state, size = evidence_class(tables, world)
        columns = {name: np.broadcast_to(np.asarray(cell), size).tolist() for name, cell in state.items()}
        found = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        assert found == list(evidence_worlds(problem, world))


def test_the_class_of_a_world_that_the_page_excludes_holds_the_others() -> None:
    allowed = op(Op.GT, Var("limit"), 11)
    problem = attrs.evolve(tank(limit_shown=None, valid=allowed), stated=allowed)
    state, size = evidence_class(Tables(problem), {**FULL, "limit": 11})
    assert size == 2
    assert np.asarray(state["limit"]).tolist() == [12, 25]
    proof = check_world(Tables(problem), {**FULL, "limit": 11})
    assert (proof.verdict, proof.reason) == (Verdict.VACUOUS, "no valid world")
    nowhere = tank(limit_shown=None, valid=op(Op.GT, Var("limit"), 25))
    assert check_world(Tables(nowhere), FULL).verdict is Verdict.VACUOUS


def test_given_variables_that_are_rounded_are_free() -> None:
    rough, exact = Variable("rough", Kind.GIVEN, (1, 2)), Variable("exact", Kind.GIVEN, (1, 2))
    problem = tank(variables=[SIZE, LID, LIMIT, rough, exact])
    assert [variable.name for variable in free_variables(problem)] == ["limit"]
    hidden = tuple(item for item in problem.observations if item.name != "rough")
    problem = attrs.evolve(problem, observations=hidden)
    assert [variable.name for variable in free_variables(problem)] == ["limit", "rough"]
    world = {**FULL, "rough": 1, "exact": 2}
    assert check_world(Tables(problem), world).hidden_worlds == len(judge(problem, world).worlds) == 2


@pytest.mark.parametrize(
    ("most", "verdict", "reason"),
    [(3, Verdict.AMBIGUOUS, ""), (2, Verdict.INCONCLUSIVE, "too many hidden worlds")],
    ids=["just enough", "one too few"],
)
def test_too_many_hidden_worlds_are_undecided(
    most: int, verdict: Verdict, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "MOST_COMBINATIONS", most)
    proof = check_world(Tables(tank(limit_shown=None)), FULL)
    assert (proof.verdict, proof.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("most", "level"),
    [(100, Uniqueness.ANY), (3, Uniqueness.NAMED), (1, None)],
    ids=["enough", "enough for the named fields", "not enough"],
)
def test_too_many_candidates_weaken_the_claim(
    most: int, level: Uniqueness | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rivals, "MOST_CANDIDATES", most)
    extra = [field(f"extra{number}", 0, 1) for number in range(3)]
    need = op(Op.ADD, op(Op.MUL, Var("size"), 3), *(Var(each.name) for each in extra))
    problem = tank(variables=[field("size", 4, 1), LIMIT, *extra], rules=[attrs.evolve(SHRINK, keeps=())], need=need)
    world = {"size": 4, "limit": 11, **{each.name: 0 for each in extra}}
    proof = check_world(Tables(problem), world)
    assert proof.uniqueness is level
    assert (proof.verdict is Verdict.INCONCLUSIVE) == (level is None)


@pytest.mark.parametrize("claim", ["P1", "P2", "P3"])
def test_a_refutation_that_plain_evaluation_denies_is_an_error(claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables are right here; the reference is made to differ."""
    problem = tank(limit_shown=None) if claim == "P1" else tank()
    plain = run_walk(problem, FULL)
    if claim == "P1":
        monkeypatch.setattr(evaluate, "run_walk", lambda problem, world: plain)
    elif claim == "P2":
        monkeypatch.setattr(repairs.Conditions, "mended", lambda self, part, fix: np.zeros((1, len(part)), bool))
    else:
        monkeypatch.setattr(rivals.RivalSearch, "find", lambda self: {"size": 8})
        monkeypatch.setattr(exhaustive._Check, "_beats", lambda self, rival, named: True)
    with pytest.raises(WitnessError):
        check_world(Tables(problem), FULL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "codes",
    [{"ACTIVATION_PEAK"}, {"REPLAY_MISSING"}, {"ACTIVATION_PEAK", "STARVED"}],
    ids=lambda codes: "+".join(sorted(codes)),
)
def test_no_repair_of_a_large_system_is_overlooked(codes: set[str]) -> None:
    """Where uniqueness is claimed over any fields: all repairs of as few changes, in plain evaluation."""
    problem = large_problem()
    tables = Tables(problem)
    for found in itertools.islice(candidates(tables, TRUE, frozenset(codes), key_of("limits", *sorted(codes))), 6):
        assert isinstance(found, Candidate)
        proof = check_world(tables, found.world)
        if proof.verdict is Verdict.UNIQUE and proof.uniqueness is Uniqueness.ANY and len(proof.walk.fix) <= 2:
            assert not any(_repairs_of(problem, proof.walk))


def _repairs_of(problem: Problem, walk: Walk) -> list[dict[str, int]]:
    fields = problem.editable
    changes = [{v.name: new} for v in fields for new in v.domain if new != walk.start[v.name]]
    if len(walk.fix) == 2:
        changes += [{**a, **b} for a, b in itertools.combinations(changes, 2) if a.keys() != b.keys()]
    return [repair for repair in changes if repair != dict(walk.fix) and is_repair(problem, walk, repair)]
