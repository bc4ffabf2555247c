"""The reference meaning, case by case."""

from __future__ import annotations

import itertools

import attrs
import numpy as np
import pytest
from strategies.problems import ARITHMETIC, COMPARISONS, LOGIC, all_worlds
from strategies.semantics import OPERANDS, Case, applied, cases
from strategies.tank import FITS, LARGEST, LID, LIMIT, OVER, SHRINK, SIZE, assign, field, op, shown, tank

from solvers.evaluate import (
    cost,
    failing,
    is_repair,
    named_fields,
    observe,
    relations,
    run_walk,
    value,
)
from solvers.outcome import Ending, WalkAnswer
from solvers.problem import (
    Alternative,
    Apply,
    Assign,
    Before,
    Const,
    Direction,
    Keep,
    Kind,
    Op,
    Pick,
    Problem,
    RelationValue,
    Rule,
    Sense,
    Sort,
    Var,
    Variable,
    With,
    walk_expr,
)

FULL = {"size": 8, "lid": 0, "limit": 12}  # needs 24; 4 portions fit


# ---- expressions and evidence --------------------------------------------------------------------


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_value_follows_the_semantics_table(case: Case) -> None:
    result = value(case.problem, case.expr, case.bindings, before=case.before)
    assert result == case.value
    assert isinstance(result, bool) == isinstance(case.value, bool)


@pytest.mark.parametrize("op", Op)
def test_the_semantics_tables_show_every_operator(op: Op) -> None:
    shown = {part.op for case in cases() for part in walk_expr(case.expr) if isinstance(part, Apply)}
    assert op in shown


def test_random_problems_draw_every_operator() -> None:
    """`if` has a case of its own there."""
    assert {*ARITHMETIC, *COMPARISONS, *LOGIC, Op.ITE} == {*Op}


@pytest.mark.parametrize("op", Op)
def test_every_operator_comes_to_a_value_of_its_sort(op: Op) -> None:
    for world in all_worlds(OPERANDS):
        sort = Sort.BOOL if isinstance(value(OPERANDS, applied(op), world), bool) else Sort.INT
        assert sort is applied(op).sort


@pytest.mark.parametrize(("size", "lid"), list(itertools.product((4, 8), (0, 1))))
def test_numpy_integers_mean_what_plain_ones_do(size: int, lid: int) -> None:
    large, open_ = op(Op.EQ, Var("size"), 8), op(Op.EQ, Var("lid"), 0)
    worlds = {"size": size, "lid": lid}, {"size": np.int64(size), "lid": np.int64(lid)}
    for expr in (op(Op.AND, large, open_), op(Op.OR, large, open_), op(Op.NOT, large), op(Op.IMPLIES, large, open_)):
        plain, numpy = (value(tank(), expr, {**FULL, **world}) for world in worlds)
        assert bool(numpy) is plain


def test_before_means_nothing_outside_a_prescription() -> None:
    with pytest.raises(ValueError, match="only inside a prescription"):
        value(tank(), Before(Var("size")), FULL)


@pytest.mark.parametrize(
    "expr", [Var("other"), RelationValue("other"), With(Var("size"), (("other", Const(1)),))], ids=str
)
def test_unknown_names_are_errors(expr: Var | RelationValue | With) -> None:
    with pytest.raises(KeyError):
        value(tank(), expr, FULL)


def test_relations_come_in_order() -> None:
    assert list(relations(tank(), FULL).items()) == [("need", 24), ("fits", False)]


def test_observe_gives_integers() -> None:
    problem = tank()
    problem = attrs.evolve(problem, observations=(*problem.observations, shown("fits", FITS, "log")))
    seen = observe(problem, FULL)
    assert seen == (8, 0, 12, 24, 0)
    assert all(type(number) is int for number in seen)


# ---- endings -------------------------------------------------------------------------------------

OPEN = assign("open", "LID_ON", op(Op.EQ, Var("lid"), 1), ("lid", 0))


def test_a_walk_that_answers() -> None:
    walk = run_walk(tank(), FULL)
    assert walk.ending is Ending.ANSWER
    assert walk.gives_task
    assert walk.answer == WalkAnswer(frozenset({"TOO_LARGE"}), (("size", 4),))
    (step,) = walk.steps
    assert (step.rule, step.alternative, step.before, step.sets) == (0, 0, FULL, {"size": 4})
    assert walk.final == {**FULL, "size": 4}


def test_a_healthy_world() -> None:
    walk = run_walk(tank(), {**FULL, "size": 4})
    assert walk.ending is Ending.HEALTHY
    assert walk.answer == WalkAnswer(frozenset(), ())


def test_an_invalid_world_is_not_walked() -> None:
    walk = run_walk(tank(valid=op(Op.LT, Var("size"), 8)), FULL)
    assert (walk.ending, walk.steps, walk.gives_task) == (Ending.INVALID, (), False)


def test_a_state_on_the_way_may_be_invalid() -> None:
    walk = run_walk(tank(valid=op(Op.NE, Var("size"), 4)), FULL)
    assert (walk.ending, len(walk.steps)) == (Ending.INVALID, 1)


def test_an_uncovered_world() -> None:
    assert run_walk(tank(rules=[]), FULL).ending is Ending.UNCOVERED


def test_a_rule_that_fires_twice() -> None:
    """It cures nothing, and stands before the rule that would."""
    idle = assign("idle", "IDLE", op(Op.NOT, FITS), ("lid", 1))
    walk = run_walk(tank(rules=[idle, SHRINK]), FULL)
    assert (walk.ending, walk.codes) == (Ending.REPEATED, ("IDLE",))


def test_no_value_in_any_alternative() -> None:
    never = attrs.evolve(
        SHRINK,
        alternatives=(
            Alternative((Assign("size", Const(3)),)),
            Alternative((attrs.evolve(LARGEST, where=op(Op.LT, Var("size"), 0)),)),
        ),
    )
    walk = run_walk(tank(rules=[never]), FULL)
    assert (walk.ending, walk.steps, walk.final) == (Ending.NO_VALUE, (), FULL)


def test_too_many_codes() -> None:
    one = attrs.evolve(tank(rules=[OPEN, SHRINK]), max_codes=1)
    walk = run_walk(one, {**FULL, "lid": 1})
    assert (walk.ending, walk.codes) == (Ending.TOO_MANY, ("LID_ON",))
    assert run_walk(attrs.evolve(one, max_codes=2), {**FULL, "lid": 1}).ending is Ending.ANSWER


def test_repeating_is_seen_before_too_many_codes() -> None:
    idle = assign("idle", "IDLE", op(Op.NOT, FITS), ("lid", 1))
    assert run_walk(attrs.evolve(tank(rules=[idle]), max_codes=1), FULL).ending is Ending.REPEATED


def test_a_walk_that_ends_unsound() -> None:
    walk = run_walk(tank(rules=[OPEN]), {**FULL, "lid": 1})
    assert (walk.ending, walk.gives_task) == (Ending.UNSOUND, False)


def test_a_walk_back_to_its_start_repeats_itself() -> None:
    """So a walk with codes never has an empty fix."""
    up = assign("up", "UP", op(Op.EQ, Var("lid"), 0), ("lid", 1))
    down = assign("down", "DOWN", op(Op.EQ, Var("lid"), 1), ("lid", 0))
    walk = run_walk(attrs.evolve(tank(rules=[up, down]), max_codes=9), FULL)
    assert (walk.ending, walk.codes, walk.fix) == (Ending.REPEATED, ("UP", "DOWN"), ())


def test_masked_and_unmasked_codes() -> None:
    wide = assign("wide", "WIDE", op(Op.AND, op(Op.EQ, Var("size"), 8), op(Op.EQ, Var("lid"), 0)), ("size", 4))
    problem = tank(rules=[SHRINK, wide])
    walk = run_walk(problem, FULL)
    assert (walk.codes, walk.masked, walk.unmasked) == (("TOO_LARGE",), ("WIDE",), ())
    late = assign("late", "LATE", op(Op.AND, op(Op.EQ, Var("size"), 4), op(Op.EQ, Var("lid"), 0)), ("lid", 1))
    walk = run_walk(tank(rules=[SHRINK, late]), FULL)
    assert (walk.codes, walk.masked, walk.unmasked) == (("TOO_LARGE", "LATE"), (), ("LATE",))


# ---- prescriptions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "size"), [(Direction.LARGEST, 4), (Direction.SMALLEST, 1), (Direction.FIRST, 2)], ids=str
)
def test_picks_go_by_direction(direction: Direction, size: int) -> None:
    sizes = Variable("size", Kind.CONFIG, (4, 1, 8, 2), editable=True, preference=(8, 2, 4, 1))
    rule = attrs.evolve(SHRINK, alternatives=(Alternative((attrs.evolve(LARGEST, direction=direction),)),))
    assert run_walk(tank(variables=[sizes, LID, LIMIT], rules=[rule]), FULL).fix == (("size", size),)


def test_later_sets_see_earlier_ones_and_before_sees_neither() -> None:
    keep_sum = op(Op.EQ, op(Op.ADD, Var("size"), Var("lid")), Before(op(Op.ADD, Var("size"), Var("lid"))))
    lids = field("lid", 0, 1, 4, 6)
    alternative = Alternative((LARGEST, Pick("lid", Direction.FIRST, keep_sum)))
    walk = run_walk(
        tank(
            variables=[SIZE, lids, LIMIT],
            rules=[attrs.evolve(SHRINK, alternatives=(alternative,))],
            need=op(Op.MUL, Var("size"), 3),
        ),
        FULL,
    )
    assert walk.fix == (("size", 4), ("lid", 4))


def test_an_alternative_counts_only_if_each_set_has_a_value() -> None:
    half = Alternative((LARGEST, Assign("lid", Const(7))))
    rule = attrs.evolve(SHRINK, alternatives=(half, Alternative((Assign("size", Const(1)),))))
    walk = run_walk(tank(rules=[rule]), FULL)
    assert (walk.steps[0].alternative, walk.fix) == (1, (("size", 1),))


def test_a_guard_looks_back_at_the_start_of_the_walk() -> None:
    """The second rule fires after the first only, since it reads the size that was printed."""
    guard = op(Op.AND, op(Op.LE, Var("size"), 4), op(Op.EQ, Before(Var("size")), 8), op(Op.EQ, Var("lid"), 0))
    problem = tank(rules=[attrs.evolve(SHRINK, keeps=()), assign("late", "LATE", guard, ("lid", 1))])
    walk = run_walk(problem, FULL)
    assert (walk.codes, walk.masked, walk.unmasked) == (("TOO_LARGE", "LATE"), (), ("LATE",))
    assert run_walk(problem, {**FULL, "size": 4}).codes == ()


# ---- repairs -------------------------------------------------------------------------------------


def test_after_a_repair_guards_look_back_at_the_unrepaired_world() -> None:
    moved = op(Op.AND, FITS, op(Op.GT, Before(Var("size")), Var("size")), op(Op.EQ, Var("lid"), 0))
    problem = tank(rules=[attrs.evolve(SHRINK, keeps=()), assign("moved", "MOVED", moved, ("lid", 1))])
    walk = run_walk(problem, FULL)
    assert failing(problem, walk, {"size": 4}) == ("rule MOVED fires",)
    assert failing(problem, walk, {"size": 4, "lid": 1}) == ()


def test_the_fix_is_a_repair() -> None:
    walk = run_walk(tank(), FULL)
    assert is_repair(tank(), walk, dict(walk.fix))
    assert {**FULL, **dict(walk.fix)} == walk.final


@pytest.mark.parametrize(
    ("repair", "reasons"),
    [
        ({"size": 2}, ()),
        ({}, ("unsound", "rule TOO_LARGE fires")),
        ({"limit": 25}, ("limit isn't editable",)),
        ({"size": 3, "lid": 2}, ("size can't be 3", "lid can't be 2")),
        ({"size": 4, "lid": 1}, ("keep lid",)),
        ({"size": 1, "lid": 1}, ("invalid", "keep lid")),
    ],
    ids=str,
)
def test_failing_names_every_reason(repair: dict[str, int], reasons: tuple[str, ...]) -> None:
    problem = tank(valid=op(Op.GE, Var("size"), op(Op.MUL, Var("lid"), 2)))
    assert failing(problem, run_walk(problem, FULL), repair) == reasons


@pytest.mark.parametrize(
    ("sense", "sizes"),
    [(Sense.EQUAL, {4}), (Sense.NOT_ABOVE, {1, 2, 4}), (Sense.NOT_BELOW, {4, 8})],
    ids=str,
)
def test_keeps_bind_from_the_state_in_which_the_rule_fired(sense: Sense, sizes: set[int]) -> None:
    """The second rule fires when the size is 4 already."""
    late = Rule(
        "late",
        "LATE",
        op(Op.AND, op(Op.EQ, Var("size"), 4), op(Op.EQ, Var("lid"), 0)),
        (Alternative((Assign("lid", Const(1)),)),),
        (Keep("volume", op(Op.MUL, Var("size"), 2), sense),),
    )
    problem = tank(rules=[attrs.evolve(SHRINK, keeps=()), late], sound=op(Op.EQ, 1, 1))
    walk = run_walk(problem, FULL)
    assert walk.codes == ("TOO_LARGE", "LATE")
    kept = {size for size in SIZE.domain if "keep volume" not in failing(problem, walk, {"size": size, "lid": 1})}
    assert kept == sizes


def test_a_keep_on_a_field_that_a_fired_rule_sets_does_not_bind() -> None:
    keeps = (Keep("size", Var("size"), field="size"), Keep("portions", Var("size")))
    problem = tank(rules=[attrs.evolve(SHRINK, keeps=keeps)])
    assert failing(problem, run_walk(problem, FULL), {"size": 4}) == ("keep portions",)


def test_keeps_of_the_system_bind_against_the_unrepaired_world() -> None:
    problem = attrs.evolve(tank(), keeps=(Keep("total", op(Op.ADD, Var("size"), Var("lid")), Sense.NOT_BELOW),))
    walk = run_walk(problem, FULL)
    assert failing(problem, walk, {"size": 4}) == ("keep total",)
    assert "keep total" not in failing(problem, walk, {})
    assert failing(attrs.evolve(problem, keeps=(Keep("limit", Var("limit")),)), walk, {"size": 4}) == ()


def test_named_fields_are_those_of_the_used_alternatives() -> None:
    rule = attrs.evolve(
        SHRINK,
        alternatives=(
            Alternative((Assign("lid", Const(5)),)),
            Alternative((Assign("lid", Const(0)), LARGEST)),
        ),
    )
    walk = run_walk(tank(rules=[rule]), FULL)
    assert named_fields(tank(), walk) == ("size", "lid")
    assert walk.fix == (("size", 4),)


def test_cost_counts_then_ranks_then_preferences() -> None:
    problem = tank()
    repairs = [{}, {"size": 8, "lid": 0}, {"size": 4}, {"size": 2}, {"lid": 1}, {"size": 4, "lid": 1}]
    costs = [cost(problem, FULL, repair) for repair in repairs]
    assert costs == [
        (0, (), ()),
        (0, (), ()),
        (1, (0,), (1,)),
        (1, (0,), (2,)),
        (1, (1,), (1,)),
        (2, (0, 1), (1, 1)),
    ]
    assert sorted(costs) == costs


def test_ranks_count_locked_fields_too() -> None:
    locked = Variable("first", Kind.CONFIG, (0,))
    problem = Problem("ranks", (locked, LID), (), (), ())
    assert cost(problem, {"first": 0, "lid": 0}, {"lid": 1}) == (1, (1,), (1,))


def test_the_guard_may_ask_whether_its_own_cure_suffices() -> None:
    assert value(tank(), OVER, FULL) is True
    assert value(tank(), OVER, {**FULL, "limit": 2}) is False
