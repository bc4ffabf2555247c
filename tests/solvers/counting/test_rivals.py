"""Conditions of repairs and the search for rivals, each against plain evaluation of everything."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import attrs
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies.effort import costly
from strategies.problems import Draw, all_worlds, planted_problems, problems
from strategies.tank import SHRINK, field, op, shown, tank

from solvers.counting import repairs
from solvers.counting.repairs import Conditions, WorldsToMend
from solvers.counting.rivals import RivalSearch
from solvers.counting.tables import Tables
from solvers.counting.walks import walk_batch, world_at
from solvers.evaluate import cost, is_repair, run_walk
from solvers.outcome import Assignment, Walk
from solvers.problem import Alternative, Assign, Const, Expr, Keep, Kind, Op, Problem, Rule, Var, Variable


def _worlds_to_mend(problem: Problem, worlds: Sequence[Assignment]) -> tuple[Conditions, list[WorldsToMend]]:
    tables = Tables(problem)
    state = {name: np.array([world[name] for world in worlds], np.int64) for name in worlds[0]}
    conditions = tables.shared(Conditions)
    return conditions, [conditions.worlds_to_mend(group) for group in walk_batch(tables, state, len(worlds))]


def _candidates(problem: Problem) -> list[dict[str, int]]:
    """List all values of the editable fields."""
    fields = problem.editable
    names = [field.name for field in fields]
    return [dict(zip(names, row, strict=True)) for row in itertools.product(*(field.domain for field in fields))]


def _rows(candidates: list[dict[str, int]]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array([list(candidate.values()) for candidate in candidates], np.int64)


@costly
@given(problems(), st.sampled_from((1, 7, 1 << 19)))
def test_conditions_agree_with_plain_repairs(problem: Problem, cells: int) -> None:
    worlds = list(all_worlds(problem))[::7]
    candidates = _candidates(problem)[::3]
    conditions, groups = _worlds_to_mend(problem, worlds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repairs, "GRID_CELLS", cells)
        for to_mend in groups[:4]:
            mended = conditions.mended(to_mend, _rows(candidates))
            for place in range(0, len(to_mend), 3):
                walk = run_walk(problem, world_at(to_mend.group.start, place))
                truth = [is_repair(problem, walk, candidate) for candidate in candidates]
                assert mended[:, place].tolist() == truth
                alone = to_mend.only(np.array([place]))
                assert conditions.mending(alone, _rows(candidates)).tolist() == np.flatnonzero(truth).tolist()
                failed = conditions.failures(alone, _rows(candidates))
                assert (~failed.any(axis=1)).tolist() == truth


@costly
@given(planted_problems())
def test_allowed_values_leave_out_no_repair(problem: Problem) -> None:
    worlds = list(all_worlds(problem))[::11]
    conditions, groups = _worlds_to_mend(problem, worlds)
    for to_mend in groups:
        own = to_mend.only(np.array([0]))
        walk = run_walk(problem, world_at(own.group.start, 0))
        allowed = dict(zip(conditions.fields, conditions.allowed(own), strict=True))
        for candidate in _candidates(problem):
            if is_repair(problem, walk, candidate):
                assert all(new in allowed[field] for field, new in candidate.items())


@st.composite
def _searches(draw: Draw) -> tuple[Problem, list[Assignment], dict[str, int], list[str]]:
    """Some worlds with one config, a pretended fix, and the fields that a rival may change."""
    problem = draw(problems())
    worlds = list(all_worlds(problem))
    own = draw(st.sampled_from(worlds))
    editable = {field.name: field for field in problem.editable}
    config = [variable.name for variable in problem.variables if variable.kind.value != "hidden"]
    class_: list[Assignment] = [world for world in worlds if all(world[name] == own[name] for name in config)]
    class_.sort(key=lambda world: world != own)
    changed = draw(st.lists(st.sampled_from(sorted(editable)), min_size=1, max_size=3, unique=True))
    fix = {
        name: draw(st.sampled_from([value for value in editable[name].domain if value != own[name]]))
        for name in changed
    }
    fields = draw(st.one_of(st.just(sorted(editable)), st.lists(st.sampled_from(sorted(editable)), unique=True)))
    return problem, class_[: draw(st.integers(1, 6))], fix, fields


def _true_rivals(
    problem: Problem, walks: list[Walk], fix: dict[str, int], fields: list[str], no_dearer: bool
) -> list[dict[str, int]]:
    start = walks[0].start
    found = []
    for candidate in _candidates(problem):
        rival = {field: new for field, new in candidate.items() if new != start[field]}
        cheap = cost(problem, start, rival) <= cost(problem, start, fix) if no_dearer else len(rival) <= len(fix)
        if rival != fix and cheap and rival.keys() <= set(fields) and all(is_repair(problem, w, rival) for w in walks):
            found.append(rival)
    return found


@costly
@given(_searches(), st.booleans())
def test_the_search_finds_a_rival_exactly_if_there_is_one(
    case: tuple[Problem, list[Assignment], dict[str, int], list[str]], no_dearer: bool
) -> None:
    """Whatever the fix: it need not be one that a walk would give."""
    problem, worlds, fix, fields = case
    conditions, groups = _worlds_to_mend(problem, worlds)
    _, (own,) = _worlds_to_mend(problem, worlds[:1])
    search = RivalSearch(conditions, own, groups, fix=fix, fields=fields, no_dearer=no_dearer)
    found = search.find()
    walks = [run_walk(problem, world) for world in worlds]
    truth = _true_rivals(problem, walks, fix, fields, no_dearer)
    assert found in truth if truth else found is None
    if found is None:
        named = [run_walk(problem, world) for world in search.worlds]
        assert named[0].start == worlds[0]
        assert all(walk.start in worlds for walk in named)
        assert _true_rivals(problem, named, fix, fields, no_dearer) == []


@given(planted_problems())
def test_every_rival_is_looked_at_once(problem: Problem) -> None:
    """With nothing to mend, the search goes through all changes of the fields: none is repeated."""
    editable = problem.editable
    assume(len(editable) >= 2)
    world = next(all_worlds(problem))
    conditions, (own,) = _worlds_to_mend(problem, [world])
    fix = {field.name: field.domain[1] for field in editable[:2]}
    search = RivalSearch(conditions, own, [own], fix=fix, fields=[field.name for field in editable], no_dearer=False)
    search.find()
    singles = sum(len(field.domain) - 1 for field in editable)
    pairs = sum((len(a.domain) - 1) * (len(b.domain) - 1) for a, b in itertools.combinations(editable, 2))
    assert search.looked_at <= 1 + singles + pairs


# ---- searches by hand ----------------------------------------------------------------------------

DOMAIN = (0, 1, 2, 3)
FIELDS = ("a", "b", "c")


def _problem(sound: Expr) -> Problem:
    variables = tuple(field(name, *DOMAIN) for name in FIELDS)
    return Problem("hand", variables, (), tuple(shown(name) for name in FIELDS), (), sound=sound)


def _search(problem: Problem, fix: dict[str, int]) -> RivalSearch:
    conditions, (own,) = _worlds_to_mend(problem, [dict.fromkeys(FIELDS, 0)])
    return RivalSearch(conditions, own, [own], fix=fix, fields=FIELDS, no_dearer=False)


def test_each_failed_condition_may_need_a_field_of_its_own() -> None:
    wrong = [op(Op.GE, Var(name), 2) for name in FIELDS]
    rival = _search(_problem(op(Op.AND, *wrong)), dict.fromkeys(FIELDS, 2)).find()
    assert rival is not None
    assert rival.keys() == set(FIELDS)
    assert set(rival.values()) <= {2, 3}
    only_twos = [op(Op.EQ, Var(name), 2) for name in FIELDS]
    assert _search(_problem(op(Op.AND, *only_twos)), dict.fromkeys(FIELDS, 2)).find() is None


def test_one_failed_condition_may_need_several_fields() -> None:
    total = op(Op.ADD, *(Var(name) for name in FIELDS))
    assert _search(_problem(op(Op.GE, total, 6)), {"a": 3, "b": 3}).find() in ({"a": 3, "c": 3}, {"b": 3, "c": 3})
    assert _search(_problem(op(Op.GE, total, 7)), {"a": 3, "b": 3}).find() is None
    assert _search(_problem(op(Op.GE, total, 9)), dict.fromkeys(FIELDS, 3)).find() is None


def test_a_rival_with_fewer_changes_is_found() -> None:
    assert _search(_problem(op(Op.EQ, Var("b"), 3)), {"a": 1, "b": 3}).find() == {"b": 3}


@pytest.mark.parametrize("paths", [1, 3], ids=["one path", "a path for each world"])
@pytest.mark.parametrize("rival", [None, {"c": 3}], ids=["no other way", "another way"])
def test_a_candidate_that_another_world_rules_out_by_one_condition_is_no_rival(
    rival: dict[str, int] | None, paths: int
) -> None:
    """`a` must equal what isn't shown; the condition on `b` holds whatever that is."""
    key = Variable("key", Kind.HIDDEN, (1, 2, 3))
    right = op(Op.OR, op(Op.EQ, Var("a"), Var("key")), op(Op.EQ, Var("c"), 3 if rival else 4))
    problem = _problem(op(Op.AND, op(Op.LE, Var("b"), 2), right))
    problem = attrs.evolve(problem, variables=(*problem.variables, key))
    worlds = [{**dict.fromkeys(FIELDS, 0), "key": value} for value in key.domain]
    conditions, (whole,) = _worlds_to_mend(problem, worlds)
    own = whole.only(np.array([0]))
    groups = [whole.only(places) for places in np.array_split(np.arange(len(worlds)), paths)]
    search = RivalSearch(conditions, own, groups, fix={"a": 2}, fields=FIELDS, no_dearer=False)
    assert search.find() == rival


def test_keeps_compare_with_the_state_in_which_their_rule_fired() -> None:
    """The second rule fires when the first has already made the size 4."""
    late = Rule(
        "late",
        "LATE",
        op(Op.AND, op(Op.EQ, Var("size"), 4), op(Op.EQ, Var("lid"), 0)),
        (Alternative((Assign("lid", Const(1)),)),),
        (Keep("volume", op(Op.MUL, Var("size"), 2)), Keep("lid", Var("lid"), field="lid")),
    )
    problem = tank(rules=[attrs.evolve(SHRINK, keeps=()), late])
    world = {"size": 8, "lid": 0, "limit": 12}
    conditions, (own,) = _worlds_to_mend(problem, [world])
    walk = run_walk(problem, world)
    assert walk.codes == ("TOO_LARGE", "LATE")
    candidates = _candidates(problem)
    mended = conditions.mended(own, _rows(candidates))[:, 0].tolist()
    assert mended == [is_repair(problem, walk, candidate) for candidate in candidates]
    assert [candidate for candidate, mends in zip(candidates, mended, strict=True) if mends] == [{"size": 4, "lid": 1}]
