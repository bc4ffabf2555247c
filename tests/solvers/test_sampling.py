"""Draws: the right worlds, evenly, and always the same."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import costly
from strategies.problems import all_worlds, bool_exprs, planted_problems

from solvers import sampling
from solvers.counting import blocks
from solvers.counting.tables import Tables
from solvers.evaluate import run_walk, value
from solvers.outcome import Assignment
from solvers.problem import (
    TRUE,
    Alternative,
    Apply,
    Const,
    Direction,
    Expr,
    Kind,
    Op,
    Pick,
    Problem,
    RelationValue,
    Rule,
    Var,
    Variable,
)
from solvers.sampling import Candidate, Exhausted, candidates, key_of


def _worlds_of(problem: Problem, condition: Expr, codes: frozenset[str]) -> list[Assignment]:
    """Count an archetype out."""
    found: list[Assignment] = []
    for world in all_worlds(problem):
        if value(problem, condition, world):
            walk = run_walk(problem, world)
            if walk.gives_task and walk.answer.codes == codes:
                found.append(world)
    return found


def _draw(tables: Tables, condition: Expr, codes: frozenset[str], count: int, *key: str | int) -> list[Candidate]:
    found = list(itertools.islice(candidates(tables, condition, codes, key_of(*key), limit=1 << 14), count))
    return [candidate for candidate in found if isinstance(candidate, Candidate)]


@costly
@given(st.data())
def test_candidates_belong_to_the_archetype(data: st.DataObject) -> None:
    problem = data.draw(planted_problems())
    names = [variable.name for variable in problem.variables]
    condition = data.draw(bool_exprs(names, tuple(RelationValue(n, e.sort) for n, e in problem.relations), 2))
    codes = frozenset(data.draw(st.sets(st.sampled_from([rule.code for rule in problem.rules]), max_size=2)))
    truth = _worlds_of(problem, condition, codes)
    found = _draw(Tables(problem), condition, codes, 5, "k")
    assert all(candidate.world in truth for candidate in found)
    assert [candidate.number for candidate in found] == list(range(len(found)))
    assert bool(found) == bool(truth)


@costly
@given(planted_problems(), st.integers(0, 5))
def test_candidates_do_not_depend_on_batches(problem: Problem, seed: int) -> None:
    walks = [walk for world in all_worlds(problem) if (walk := run_walk(problem, world)).gives_task]
    codes = next((walk.answer.codes for walk in walks if walk.codes), frozenset[str]())
    first = _draw(Tables(problem), TRUE, codes, 40, seed)
    assert bool(first) == any(walk.answer.codes == codes for walk in walks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "BATCHES", (1, 5, 3))
        again = _draw(Tables(problem), TRUE, codes, 40, seed)
    assert again == first
    assert _draw(Tables(problem), TRUE, codes, 3, seed) == first[:3]


def test_attempts_count_every_draw_up_to_the_candidate() -> None:
    """Where every world is accepted."""
    free = Problem("free", (Variable("x", Kind.GIVEN, (0, 1, 2)),), (), (), ())
    assert [found.attempts for found in _draw(Tables(free), TRUE, frozenset(), 100, 1)] == list(range(1, 101))


# ---- evenness ------------------------------------------------------------------------------------

A, B, C = Var("a"), Var("b"), Var("c")


def _ops(op: Op, *args: Expr | int) -> Expr:
    return Apply(op, tuple(Const(arg) if isinstance(arg, int) else arg for arg in args))


LOAD = RelationValue("load")
SKEWED = Problem(
    name="skewed",
    variables=(
        Variable("a", Kind.CONFIG, tuple(range(12)), True, tuple(range(12))),
        Variable("b", Kind.CONFIG, tuple(range(9)), True, tuple(range(9))),
        Variable("c", Kind.GIVEN, (1, 2, 3, 5, 8)),
        Variable("h", Kind.HIDDEN, (0, 1, 2)),
    ),
    relations=(("load", _ops(Op.ADD, _ops(Op.MUL, A, C), _ops(Op.MUL, B, 2), Var("h"))),),
    observations=(),
    rules=(
        Rule(
            "shed",
            "SHED",
            _ops(Op.GT, LOAD, 30),
            (Alternative((Pick("a", Direction.LARGEST, _ops(Op.LE, LOAD, 30)),)),),
        ),
        Rule(
            "trim",
            "TRIM",
            _ops(Op.GT, _ops(Op.ADD, A, B), 10),
            (Alternative((Pick("b", Direction.LARGEST, _ops(Op.LE, _ops(Op.ADD, A, B), 10)),)),),
        ),
    ),
    valid=_ops(Op.NE, _ops(Op.ADD, A, B), 7),
)
ODD = _ops(Op.AND, _ops(Op.LE, B, 7), _ops(Op.IMPLIES, _ops(Op.GT, A, 5), _ops(Op.LT, C, 8)), _ops(Op.NE, LOAD, 33))
DRAWS = 3000


@pytest.mark.parametrize(
    ("condition", "codes"),
    [(TRUE, set()), (TRUE, {"SHED"}), (ODD, {"SHED"}), (ODD, {"TRIM"}), (ODD, {"SHED", "TRIM"})],
    ids=["healthy", "one code", "one code, odd condition", "second code", "pair"],
)
@pytest.mark.parametrize("block_rows", [1, 1 << 14], ids=["single variables", "joint blocks"])
def test_draws_are_uniform(condition: Expr, codes: set[str], block_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each variable's total variation from the truth, and all worlds by chi square, are within the noise."""
    monkeypatch.setattr(blocks, "BLOCK_ROWS", block_rows)
    truth = _worlds_of(SKEWED, condition, frozenset(codes))
    drawn = [c.world for c in _draw(Tables(SKEWED), condition, frozenset(codes), DRAWS, "uniform")]
    assert len(drawn) == DRAWS
    for variable in SKEWED.variables:
        counts = Counter(world[variable.name] for world in drawn)
        shares = Counter(world[variable.name] for world in truth)
        p = np.array([shares[v] / len(truth) for v in variable.domain])
        observed = np.array([counts[v] / DRAWS for v in variable.domain])
        distance = abs(observed - p).sum() / 2
        noise = np.sqrt(2 * p * (1 - p) / (np.pi * DRAWS)).sum() / 2  # expected distance of a uniform sample
        assert distance < 4 * noise + 1e-12  # of two equal shares: 3.2 standard deviations
    by_world = Counter(tuple(world.values()) for world in drawn)
    expected = DRAWS / len(truth)
    chi_square = sum((by_world[tuple(world.values())] - expected) ** 2 / expected for world in truth)
    assert abs(chi_square - (len(truth) - 1)) < 4.5 * np.sqrt(2 * len(truth))


# ---- giving up -----------------------------------------------------------------------------------


def test_exhausted_says_why() -> None:
    never = _ops(Op.AND, _ops(Op.GT, LOAD, 30), _ops(Op.LT, LOAD, 31))
    (end,) = candidates(Tables(SKEWED), never, frozenset({"SHED"}), key_of(1), limit=1000)
    assert isinstance(end, Exhausted)
    assert end.drawn == 0
    assert list(end.reasons) == ["no value of a, b, c, h fits"]


def test_exhausted_counts_every_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 1)
    never = _ops(Op.AND, _ops(Op.GT, LOAD, 30), _ops(Op.LT, LOAD, 31))
    (end,) = candidates(Tables(SKEWED), never, frozenset({"SHED"}), key_of(1), limit=1000)
    assert isinstance(end, Exhausted)
    assert end.drawn == sum(end.reasons.values()) == 1000
    assert end.reasons["condition"] > 0


def test_the_search_goes_on_while_candidates_come() -> None:
    tables, codes = Tables(SKEWED), frozenset({"TRIM"})
    *_, last = itertools.islice(candidates(tables, TRUE, codes, key_of(1), limit=50), 200)
    assert isinstance(last, Candidate)
    assert last.attempts > 200


def test_exhausted_is_the_last_item_after_candidates() -> None:
    rare = _ops(Op.AND, _ops(Op.EQ, LOAD, 90), _ops(Op.GT, LOAD, 30))
    *found, end = candidates(Tables(SKEWED), rare, frozenset({"SHED"}), key_of(3), limit=2)
    assert isinstance(end, Exhausted)
    assert all(isinstance(item, Candidate) for item in found)
    last = found[-1].attempts if found and isinstance(found[-1], Candidate) else 0
    assert end.drawn == last + 2


def test_an_unknown_code_has_no_worlds() -> None:
    (end,) = candidates(Tables(SKEWED), TRUE, frozenset({"OTHER"}), key_of(1), limit=1000)
    assert isinstance(end, Exhausted)


def test_a_false_condition_has_no_worlds() -> None:
    (end,) = candidates(Tables(SKEWED), Const(False), frozenset({"SHED"}), key_of(1), limit=1000)
    assert end == Exhausted(0, {"no value of a fits": 0})


@pytest.mark.parametrize(
    ("rows", "worlds"),
    [(128, [(14, 8), (18, 8), (8, 6)]), (129, [(3, 17), (17, 6), (9, 2)])],
    ids=["joined", "too large to join"],
)
def test_candidates_at_the_bound_of_a_block_are_pinned(rows: int, worlds: list[tuple[int, ...]]) -> None:
    """Whether two variables are drawn as one row or one by one decides which worlds come."""
    problem = Problem(
        "wide",
        (Variable("a", Kind.GIVEN, tuple(range(128))), Variable("b", Kind.GIVEN, tuple(range(rows)))),
        (),
        (),
        (),
    )
    found = _draw(Tables(problem), _ops(Op.LE, _ops(Op.ADD, A, B), 40), frozenset(), 3, 2027)
    assert [tuple(candidate.world.values()) for candidate in found] == worlds


def test_candidates_are_pinned() -> None:
    """These worlds never change while the problem doesn't: datasets depend on them."""
    found = _draw(Tables(SKEWED), ODD, frozenset({"SHED"}), 3, 2027, "shed", "train", 0)
    assert [tuple(candidate.world.values()) for candidate in found] == [(8, 5, 5, 0), (5, 4, 8, 0), (10, 6, 5, 2)]
