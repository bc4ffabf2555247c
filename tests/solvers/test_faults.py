"""Faults that authors make, planted in a small system: each is refuted with the right claim and witness.

The tank holds `size` portions of 3, two less under a lid, up to a limit that only the log shows. Its rule
takes the largest size that fits and keeps the lid.
"""

from __future__ import annotations

import attrs
import pytest
from strategies.definitions import judge
from strategies.tank import FITS, LID, LIMIT, OVER, SHRINK, SIZE, assign, field, op, shown, tank

from solvers.counting.exhaustive import check_world
from solvers.counting.tables import Tables
from solvers.evaluate import failing, is_repair, run_walk
from solvers.outcome import Assignment, Claim, Ending, Refutation, TaskProof, Uniqueness, Verdict, WalkAnswer
from solvers.problem import (
    TRUE,
    Alternative,
    Assign,
    Const,
    Direction,
    Keep,
    Kind,
    Op,
    Pick,
    Problem,
    Rule,
    Sense,
    Var,
    Variable,
)
from solvers.proving.prove import Prover

FULL = {"size": 8, "lid": 0, "limit": 12}  # needs 24; 4 portions fit
LOOSE = attrs.evolve(SHRINK, keeps=())


def _check(problem: Problem, world: Assignment) -> TaskProof:
    """Check a world, and that the definitions say the same."""
    proof, truth = check_world(Tables(problem), world), judge(problem, world)
    assert (proof.verdict, proof.uniqueness, proof.hidden_worlds) == (
        truth.verdict,
        truth.uniqueness,
        len(truth.worlds),
    )
    assert [found.claim for found in proof.refutations] == ([truth.refuted] if truth.refuted else [])
    return proof


def _refuted(problem: Problem, world: Assignment, claim: Claim) -> Refutation:
    proof = _check(problem, world)
    assert proof.verdict is Verdict.AMBIGUOUS
    (found,) = proof.refutations
    assert found.claim is claim
    return found


def test_the_sound_system_is_unique() -> None:
    proof = _check(tank(), FULL)
    assert proof.verdict is Verdict.UNIQUE
    assert proof.walk.fix == (("size", 4),)


def test_a_threshold_off_by_one() -> None:
    """The cure leaves one more portion free than it must: the size that just fits is preferred, and does."""
    strict = Pick("size", Direction.LARGEST, op(Op.LT, op(Op.MUL, Var("size"), 3), Var("limit")))
    wrong = attrs.evolve(SHRINK, alternatives=(Alternative((strict,)),))
    assert _refuted(tank(rules=[wrong]), FULL, Claim.P3).rival == {"size": 4}


def test_a_guard_off_by_one() -> None:
    """The rule doesn't fire one above the limit: the run is unsound, and no rule covers it."""
    late = attrs.evolve(SHRINK, guard=op(Op.GT, op(Op.MUL, Var("size"), 3), op(Op.ADD, Var("limit"), 1)))
    world = {"size": 4, "lid": 0, "limit": 11}
    proof = _check(tank(rules=[late]), world)
    assert (proof.verdict, proof.reason) == (Verdict.AMBIGUOUS, Ending.UNCOVERED.value)


def test_a_missing_keep() -> None:
    """Without the keep on its lid, the second rule's field alone is a cheaper repair than the pair's fix."""
    cover = assign("cover", "OPEN", op(Op.AND, op(Op.EQ, Var("lid"), 0), op(Op.LE, Var("size"), 4)), ("lid", 1))
    need = op(Op.SUB, op(Op.MUL, Var("size"), 3), op(Op.MUL, Var("lid"), 12))
    problem = tank(rules=[LOOSE, cover], need=need)
    assert _refuted(problem, FULL, Claim.P3).rival == {"lid": 1}
    kept = Keep("size", Var("size"), Sense.NOT_ABOVE)  # a size above 4 would have to stay out of the repair
    with_keep = attrs.evolve(cover, keeps=(kept,))
    assert _check(tank(rules=[LOOSE, with_keep], need=need), FULL).verdict is Verdict.UNIQUE


def test_a_tie_that_the_preference_does_not_settle_the_same_way() -> None:
    """Two sizes do; the rule takes the larger, the field's preference says the smaller first."""
    listed = field("size", 2, 4, 8, 1)
    found = _refuted(tank(variables=[listed, LID, LIMIT]), FULL, Claim.P3)
    assert found.rival == {"size": 2}


def test_a_cheaper_repair_through_another_field() -> None:
    """The rule changes two named fields where one of them is enough."""
    both = Alternative((*SHRINK.alternatives[0].sets, *assign("", "", TRUE, ("lid", 1)).alternatives[0].sets))
    found = _refuted(tank(rules=[attrs.evolve(LOOSE, alternatives=(both,))]), FULL, Claim.P3)
    assert found.rival == {"size": 4}


def test_a_repair_through_a_field_of_lower_rank() -> None:
    """As many changes, but of a field that comes first in the table, and is named by the walk."""
    first = field("lid", 0, 1)
    far = attrs.evolve(
        LOOSE,
        alternatives=(
            Alternative((*assign("", "", TRUE, ("lid", 0)).alternatives[0].sets, *SHRINK.alternatives[0].sets)),
        ),
    )
    need = op(Op.SUB, op(Op.MUL, Var("size"), 3), op(Op.MUL, Var("lid"), 12))
    found = _refuted(tank(variables=[first, SIZE, LIMIT], rules=[far], need=need), FULL, Claim.P3)
    assert found.rival == {"lid": 1}


def test_a_hidden_variable_that_changes_the_answer() -> None:
    found = _refuted(tank(limit_shown=None), FULL, Claim.P1)
    assert found.world == {**FULL, "limit": 11}
    assert found.answer == WalkAnswer(frozenset({"TOO_LARGE"}), (("size", 2),))


def test_rounding_that_hides_the_deciding_digit() -> None:
    """In tens, 11 and 12 print alike, and only 12 holds four portions."""
    found = _refuted(tank(limit_shown=op(Op.FLOORDIV, Var("limit"), 10)), FULL, Claim.P1)
    assert found.world == {**FULL, "limit": 11}
    assert found.answer == WalkAnswer(frozenset({"TOO_LARGE"}), (("size", 2),))


def test_a_hidden_variable_that_makes_a_run_healthy() -> None:
    world = {"size": 4, "lid": 0, "limit": 11}
    found = _refuted(tank(limit_shown=None), world, Claim.P1)
    assert found.world == {**world, "limit": 12}
    assert found.answer == WalkAnswer(frozenset(), ())


def test_an_unsound_world_that_no_rule_covers() -> None:
    proof = _check(tank(rules=[]), FULL)
    assert (proof.verdict, proof.reason) == (Verdict.AMBIGUOUS, Ending.UNCOVERED.value)
    assert proof.refutations == (Refutation(Claim.P1, FULL),)


def test_a_hidden_variable_that_leaves_a_run_uncovered() -> None:
    """A world of the class gives no task: there is no other answer, but no answer either."""
    narrow = attrs.evolve(SHRINK, guard=op(Op.AND, OVER, op(Op.GE, Var("limit"), 12)))
    found = _refuted(tank(rules=[narrow], limit_shown=None), FULL, Claim.P1)
    assert found.world == {**FULL, "limit": 11}
    assert found.answer is None


def test_a_guard_whose_own_fix_does_not_suffice() -> None:
    """The first rule fires on any excess and covers; only the second one cures, and would have done alone."""
    cover = assign("cover", "OPEN", op(Op.AND, op(Op.NOT, FITS), op(Op.EQ, Var("lid"), 0)), ("lid", 1))
    problem = tank(rules=[cover, LOOSE])
    proof = _check(problem, FULL)
    assert proof.walk.answer == WalkAnswer(frozenset({"OPEN", "TOO_LARGE"}), (("size", 4), ("lid", 1)))
    (found,) = proof.refutations
    assert (found.claim, found.rival) == (Claim.P3, {"size": 4})
    assert is_repair(problem, run_walk(problem, FULL), {"size": 4})


@pytest.mark.parametrize(
    ("preference", "verdict", "level"),
    [((0, 2, 1), Verdict.UNIQUE, Uniqueness.PREFERRED), ((2, 0, 1), Verdict.AMBIGUOUS, None)],
    ids=["alias after", "alias first"],
)
def test_two_aliased_values(preference: tuple[int, ...], verdict: Verdict, level: Uniqueness | None) -> None:
    """Lids 0 and 2 mean the same run: only preference tells their repairs apart."""
    lids = field("lid", *preference)
    rule = assign("open", "LID_ON", op(Op.EQ, Var("lid"), 1), ("lid", 0))
    problem = tank(variables=[SIZE, lids, LIMIT], rules=[rule], need=op(Op.MUL, Var("size"), 3))
    proof = _check(problem, {"size": 2, "lid": 1, "limit": 12})
    assert (proof.verdict, proof.uniqueness) == (verdict, level)
    assert [found.rival for found in proof.refutations] == ([] if level else [{"lid": 2}])


def test_a_keep_that_the_fix_itself_breaks() -> None:
    kept = attrs.evolve(tank(), keeps=(Keep("size", Var("size")),))
    found = _refuted(kept, FULL, Claim.P2)
    assert failing(kept, run_walk(kept, found.world), {"size": 4}) == ("keep size",)


def test_a_repair_that_leaves_an_invalid_world() -> None:
    no_four = op(Op.NE, Var("size"), 4)
    proof = _check(tank(valid=no_four), FULL)
    assert (proof.verdict, proof.reason) == (Verdict.AMBIGUOUS, Ending.INVALID.value)


def test_a_condition_that_is_not_stated_excludes_no_world() -> None:
    """A reader can't know that the limit is 12."""
    problem = tank(limit_shown=None, valid=op(Op.EQ, Var("limit"), 12))
    _refuted(problem, FULL, Claim.P1)
    proof = _check(attrs.evolve(problem, stated=problem.valid), FULL)
    assert (proof.verdict, proof.hidden_worlds) == (Verdict.UNIQUE, 1)


def test_a_told_walk_may_pass_through_a_state_that_is_not_valid() -> None:
    """Where the limit is 13 the fix leads out of what is valid, which the page doesn't tell."""
    limit = Variable("limit", Kind.HIDDEN, (12, 13))
    forbidden = op(Op.AND, op(Op.EQ, Var("limit"), 13), op(Op.EQ, Var("size"), 4))
    problem = tank(variables=[SIZE, LID, limit], limit_shown=None, valid=op(Op.NOT, forbidden))
    proof = _check(problem, FULL)
    assert (proof.verdict, proof.refutations[0].claim) == (Verdict.AMBIGUOUS, Claim.P2)
    assert proof.refutations[0].world["limit"] == 13


def test_rivals_that_mend_only_some_worlds_of_the_class_are_none() -> None:
    """Each guess at the hidden key mends one world; the worlds that rule them out are named."""
    guess, fixed = field("guess", 5, 0, 1, 2), field("fixed", 1, 0)
    key = Variable("key", Kind.HIDDEN, (0, 1, 2))
    right = op(Op.OR, op(Op.EQ, Var("fixed"), 1), op(Op.EQ, Var("guess"), Var("key")))
    rule = assign("mend", "BROKEN", op(Op.NOT, right), ("fixed", 1))
    problem = Problem("lock", (guess, fixed, key), (), (shown("guess"), shown("fixed")), (rule,), sound=right)
    proof = _check(problem, {"guess": 5, "fixed": 0, "key": 1})
    assert (proof.verdict, proof.uniqueness) == (Verdict.UNIQUE, Uniqueness.ANY)
    assert [world["key"] for world in proof.rival_worlds] == [1, 0]
    assert proof.hidden_worlds == 3


def test_routes_that_answer_alike_are_listed() -> None:
    """Which alternative is used depends on what isn't shown; what it sets doesn't."""
    unless_25 = op(Op.ITE, op(Op.EQ, Var("limit"), 12), 4, 99)
    rule = assign("shrink", "TOO_LARGE", op(Op.EQ, Var("size"), 8), ("size", unless_25), ("size", 4))
    proof = _check(tank(rules=[rule], limit_shown=None), {"size": 8, "lid": 1, "limit": 12})
    assert proof.verdict is Verdict.UNIQUE
    assert [[step.alternative for step in walk.steps] for walk in proof.walks] == [[0], [1]]
    assert proof.walks[0] == proof.walk


def test_the_fields_that_a_task_names_do_not_hang_on_the_hidden_world() -> None:
    """One alternative sets `a`, the other `a` and `b` (to what it was): the same answer, whichever a world takes."""
    a, b = Var("a"), Var("b")
    ready = op(Op.GE, op(Op.ADD, a, b), 1)
    both = Alternative((Assign("a", Const(1)), Assign("b", b)))
    alone = Alternative((Pick("a", Direction.LARGEST, op(Op.EQ, Var("h"), 0)),))
    problem = Problem(
        "routes",
        (field("a", 0, 1), field("b", 0, 1), Variable("h", Kind.HIDDEN, (0, 1))),
        (),
        (shown("a"), shown("b")),
        (Rule("low", "LOW", op(Op.NOT, ready), (alone, both)),),
        sound=ready,
    )
    proofs = [check_world(Tables(problem), {"a": 0, "b": 0, "h": hidden}) for hidden in (0, 1)]
    assert [proof.verdict for proof in proofs] == [Verdict.UNIQUE, Verdict.UNIQUE]
    assert [proof.uniqueness for proof in proofs] == [Uniqueness.PREFERRED, Uniqueness.PREFERRED]
    assert [Prover(problem).prove(proof).verdict for proof in proofs] == [Verdict.UNIQUE, Verdict.UNIQUE]
