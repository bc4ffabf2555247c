"""Z3's verdicts on small systems: unique ones, planted faults, and what it must not be believed."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import pytest
from strategies.large import large_problem
from strategies.tank import FITS, LARGEST, LID, LIMIT, SHRINK, SIZE, assign, field, op, shown, tank

from solvers import evaluate
from solvers.outcome import Assignment, Claim, Ending, Refutation, TaskProof, Uniqueness, Verdict
from solvers.problem import Alternative, Assign, Const, Direction, Keep, Kind, Op, Pick, Problem, Rule, Var, Variable
from solvers.proving import encode
from solvers.proving.budget import Budget
from solvers.proving.claims import Claims, path_of
from solvers.proving.engine import Engine, Unknown
from solvers.proving.prove import Prover, UnconfirmedModelError
from solvers.proving.smtlib import FALSE_TERM, TRUE_TERM

FULL = {"size": 8, "lid": 0, "limit": 12}  # needs 24; 4 portions fit


@pytest.fixture(params=[True, False], ids=["templates", "scripts"])
def templates(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def _decide(problem: Problem, world: Assignment, templates: bool = True) -> TaskProof:
    return Prover(problem, templates=templates).decide(world)


def _refuted(problem: Problem, world: Assignment, claim: Claim, templates: bool = True) -> Refutation:
    """The one refutation, of the given claim, and confirmed again."""
    proof = _decide(problem, world, templates)
    assert proof.verdict is Verdict.AMBIGUOUS
    (found,) = proof.refutations
    assert found.claim is claim
    assert evaluate.observe(problem, found.world) == evaluate.observe(problem, world)
    return found


# ---- unique tasks ----------------------------------------------------------------------------------


def test_a_task_whose_fix_alone_changes_so_few_fields_is_unique_among_any(templates: bool) -> None:
    first = assign("open", "LID_ON", op(Op.EQ, Var("lid"), 1), ("lid", 0))
    proof = _decide(tank(rules=[first, SHRINK]), {"size": 4, "lid": 1, "limit": 12}, templates)
    assert (proof.verdict, proof.uniqueness) == (Verdict.UNIQUE, Uniqueness.ANY)
    assert proof.walk.fix == (("lid", 0),)
    assert proof.rival_worlds == (proof.walk.start,)


def test_a_task_that_preferences_decide_is_unique_as_preferred(templates: bool) -> None:
    """Sizes 2 and 1 fit as well; larger is better."""
    proof = _decide(tank(), FULL, templates)
    assert (proof.verdict, proof.uniqueness) == (Verdict.UNIQUE, Uniqueness.PREFERRED)
    assert proof.walk.fix == (("size", 4),)


def test_a_task_with_a_rival_in_another_field_is_unique_among_the_named(templates: bool) -> None:
    """Without the keep, a lid does as well as a smaller size, and no other size does."""
    exact = attrs.evolve(SHRINK, keeps=())
    sizes = field("size", 4, 1)
    proof = _decide(tank(variables=[sizes, LID, LIMIT], rules=[exact]), {"size": 4, "lid": 0, "limit": 11}, templates)
    assert (proof.verdict, proof.uniqueness) == (Verdict.UNIQUE, Uniqueness.NAMED)


def test_a_healthy_world_is_unique_with_an_empty_fix(templates: bool) -> None:
    proof = _decide(tank(), {"size": 2, "lid": 0, "limit": 12}, templates)
    assert proof.walk.ending is Ending.HEALTHY
    assert (proof.verdict, proof.uniqueness) == (Verdict.UNIQUE, Uniqueness.ANY)


def test_routes_that_answer_alike_are_found_and_allowed(templates: bool) -> None:
    """Which alternative is used depends on what isn't shown; what it sets doesn't."""
    unless_25 = op(Op.ITE, op(Op.EQ, Var("limit"), 12), 4, 99)
    rule = assign("shrink", "TOO_LARGE", op(Op.EQ, Var("size"), 8), ("size", unless_25), ("size", 4))
    problem = tank(rules=[rule], limit_shown=op(Op.MOD, Var("limit"), 1))
    proof = _decide(problem, {"size": 8, "lid": 1, "limit": 12}, templates)
    assert proof.verdict is Verdict.UNIQUE
    assert {path_of(walk) for walk in proof.walks} == {((0, 0),), ((0, 1),)}
    assert Prover(problem, templates=templates).prove(attrs.evolve(proof, walks=())).walks == proof.walks


def test_rivals_that_mend_only_some_worlds_of_the_class_are_none(templates: bool) -> None:
    """Each guess at the hidden key mends one world; an engineer can't bet on it."""
    guess = field("guess", 5, 0, 1)
    key = Variable("key", Kind.HIDDEN, (0, 1))
    fixed = field("fixed", 1, 0)
    right = op(Op.OR, op(Op.EQ, Var("fixed"), 1), op(Op.EQ, Var("guess"), Var("key")))
    rule = assign("mend", "BROKEN", op(Op.NOT, right), ("fixed", 1))
    problem = Problem("lock", (guess, fixed, key), (), (shown("guess"), shown("fixed")), (rule,), sound=right)
    proof = _decide(problem, {"guess": 5, "fixed": 0, "key": 0}, templates)
    assert (proof.verdict, proof.uniqueness) == (Verdict.UNIQUE, Uniqueness.ANY)
    assert [world["key"] for world in proof.rival_worlds] == [0, 1]


def test_a_rival_that_a_keep_forbids_on_one_of_the_routes_is_none(templates: bool) -> None:
    """Where the first alternative has a value, it names `spare`, and the keep doesn't bind it."""
    spare, fixed = field("spare", 0, 1), field("fixed", 1, 0)
    key = Variable("key", Kind.HIDDEN, (0, 1))
    right = op(Op.OR, op(Op.EQ, Var("fixed"), 1), op(Op.EQ, Var("spare"), 1))
    rule = Rule(
        "mend",
        "BROKEN",
        op(Op.NOT, right),
        (
            Alternative((Assign("fixed", Const(1)), Assign("spare", op(Op.MUL, Var("key"), 2)))),
            Alternative((Assign("fixed", Const(1)),)),
        ),
        (Keep("spare", Var("spare"), field="spare"),),
    )
    problem = Problem("routes", (spare, fixed, key), (), (shown("spare"), shown("fixed")), (rule,), sound=right)
    world = {"spare": 0, "fixed": 0, "key": 0}
    assert evaluate.is_repair(problem, evaluate.run_walk(problem, world), {"spare": 1})
    proof = _decide(problem, world, templates)
    assert proof.verdict is Verdict.UNIQUE
    assert {path_of(walk) for walk in proof.walks} == {((0, 0),), ((0, 1),)}
    assert [other["key"] for other in proof.rival_worlds] == [0, 1]


def test_worlds_that_the_page_excludes_are_of_no_class(templates: bool) -> None:
    """Another limit would give another answer, and doesn't exist."""
    problem = tank(limit_shown=None, valid=op(Op.EQ, Var("limit"), 12))
    assert _decide(attrs.evolve(problem, stated=problem.valid), FULL, templates).verdict is Verdict.UNIQUE
    assert _refuted(problem, FULL, Claim.P1, templates).world["limit"] != 12


def test_the_fix_has_to_mend_valid_worlds_only(templates: bool) -> None:
    """With a limit of 13 the answer is the same, but a keep forbids the fix."""
    kept = Keep("portions", op(Op.ITE, op(Op.EQ, Var("limit"), 13), Var("size"), 0))
    limit = Variable("limit", Kind.HIDDEN, (12, 13))
    problem = attrs.evolve(tank(variables=[SIZE, LID, limit], limit_shown=None), keeps=(kept,))
    assert _refuted(problem, FULL, Claim.P2, templates).world["limit"] == 13
    proof = _decide(attrs.evolve(problem, valid=op(Op.EQ, Var("limit"), 12)), FULL, templates)
    assert proof.verdict is Verdict.UNIQUE
    assert [world["limit"] for world in proof.rival_worlds] == [12]


def test_rivals_have_to_mend_valid_worlds_only(templates: bool) -> None:
    """Only in a world that isn't valid does another field not do as well."""
    spare, fixed, key = field("spare", 0, 1), field("fixed", 0, 1), Variable("key", Kind.HIDDEN, (0, 1))
    right = op(Op.OR, op(Op.EQ, Var("fixed"), 1), op(Op.AND, op(Op.EQ, Var("spare"), 1), op(Op.EQ, Var("key"), 0)))
    rule = assign("mend", "BROKEN", op(Op.NOT, right), ("fixed", 1))
    problem = Problem("rivals", (spare, fixed, key), (), (shown("spare"), shown("fixed")), (rule,), sound=right)
    world = {"spare": 0, "fixed": 0, "key": 0}
    assert _decide(problem, world, templates).uniqueness is Uniqueness.ANY
    assert (
        _decide(attrs.evolve(problem, valid=op(Op.EQ, Var("key"), 0)), world, templates).uniqueness is Uniqueness.NAMED
    )


# ---- planted faults --------------------------------------------------------------------------------


def test_a_hidden_variable_that_changes_the_answer_refutes_p1(templates: bool) -> None:
    found = _refuted(tank(limit_shown=None), FULL, Claim.P1, templates)
    assert found.world["limit"] != 12
    assert found.answer != evaluate.run_walk(tank(), FULL).answer


def test_rounding_that_hides_the_deciding_digit_refutes_p1(templates: bool) -> None:
    """In tens, 11 and 12 print alike, and only 12 holds four portions."""
    found = _refuted(tank(limit_shown=op(Op.FLOORDIV, Var("limit"), 10)), FULL, Claim.P1, templates)
    assert found.world["limit"] == 11
    assert found.answer is not None
    assert found.answer.fix == (("size", 2),)


def test_a_threshold_off_by_one_refutes_p3(templates: bool) -> None:
    """The rule leaves room for one more than it has to; the size that just fits is preferred and does too."""
    strict = Pick("size", Direction.LARGEST, op(Op.LT, op(Op.ADD, Var("size"), op(Op.MUL, Var("size"), 2)), 12))
    wrong = attrs.evolve(SHRINK, alternatives=(Alternative((strict,)),))
    assert _refuted(tank(rules=[wrong]), FULL, Claim.P3, templates).rival == {"size": 4}


def test_a_missing_keep_refutes_p3(templates: bool) -> None:
    """Without its keep, the second rule's field alone is the cheaper repair of a pair."""
    lid_after = assign("cover", "OPEN", op(Op.AND, op(Op.EQ, Var("lid"), 0), op(Op.LE, Var("size"), 4)), ("lid", 1))
    loose = attrs.evolve(SHRINK, keeps=())
    problem = tank(rules=[loose, lid_after], need=op(Op.SUB, op(Op.MUL, Var("size"), 3), op(Op.MUL, Var("lid"), 12)))
    assert _refuted(problem, FULL, Claim.P3, templates).rival == {"lid": 1}


def test_a_guard_whose_own_fix_does_not_suffice_refutes_p3(templates: bool) -> None:
    """The first rule fires on any excess and covers; only the second one cures, and would have done alone."""
    cover = assign("cover", "OPEN", op(Op.AND, op(Op.NOT, FITS), op(Op.EQ, Var("lid"), 0)), ("lid", 1))
    loose = attrs.evolve(SHRINK, keeps=())
    rival = _refuted(tank(rules=[cover, loose]), FULL, Claim.P3, templates).rival
    assert rival in ({"size": 4}, {"size": 2}, {"size": 1})


def test_aliased_values_in_a_field_refute_nothing_but_weaken_uniqueness(templates: bool) -> None:
    """Two values that mean the same are told apart by preference alone."""
    both = field("lid", 0, 1, 2)
    same = op(Op.MUL, Var("size"), 3)
    rule = assign("open", "LID_ON", op(Op.EQ, Var("lid"), 1), ("lid", 0))
    proof = _decide(
        tank(variables=[SIZE, both, LIMIT], rules=[rule], need=same), {"size": 2, "lid": 1, "limit": 12}, templates
    )
    assert (proof.verdict, proof.uniqueness) == (Verdict.UNIQUE, Uniqueness.PREFERRED)


def test_a_fix_that_breaks_a_keep_in_a_world_of_the_class_refutes_p2(templates: bool) -> None:
    system_keep = attrs.evolve(SHRINK.keeps[0], name="size", value=Var("size"), field=None)
    problem = attrs.evolve(tank(), keeps=(system_keep,))
    assert _refuted(problem, FULL, Claim.P2, templates).answer == evaluate.run_walk(problem, FULL).answer


def test_an_unsound_world_that_no_rule_covers_has_no_unique_answer(templates: bool) -> None:
    proof = _decide(tank(rules=[]), FULL, templates)
    assert (proof.verdict, proof.reason) == (Verdict.AMBIGUOUS, Ending.UNCOVERED.value)
    assert proof.refutations == (Refutation(Claim.P1, FULL),)


def test_a_class_with_a_world_that_gives_no_task_refutes_p1(templates: bool) -> None:
    """With limit 11 and nothing smaller to choose, the rule has no value."""
    sizes = field("size", 8, 4)
    problem = tank(
        variables=[sizes, LID, LIMIT],
        rules=[Rule("shrink", "TOO_LARGE", op(Op.NOT, FITS), (Alternative((LARGEST,)),))],
        limit_shown=op(Op.FLOORDIV, Var("limit"), 10),
    )
    found = _refuted(problem, FULL, Claim.P1, templates)
    assert (found.world["limit"], found.answer) == (11, None)


def test_a_world_that_is_not_valid_is_vacuous(templates: bool) -> None:
    proof = _decide(tank(valid=op(Op.LT, Var("size"), 8)), FULL, templates)
    assert proof.verdict is Verdict.VACUOUS


# ---- what is claimed and what is proved ---------------------------------------------------------------


def test_a_claim_that_is_too_strong_is_refuted(templates: bool) -> None:
    prover = Prover(tank(), templates=templates)
    proof = prover.decide(FULL)
    assert prover.prove(proof) == proof
    stronger = prover.prove(attrs.evolve(proof, uniqueness=Uniqueness.NAMED))
    assert stronger.verdict is Verdict.AMBIGUOUS
    assert stronger.refutations[0].rival in ({"size": 2}, {"size": 1})


def test_an_ambiguity_that_is_none_is_not_confirmed(templates: bool) -> None:
    prover = Prover(tank(), templates=templates)
    proof = prover.decide(FULL)
    wrong = TaskProof(Verdict.AMBIGUOUS, proof.walk, refutations=(Refutation(Claim.P3, FULL, rival={"size": 2}),))
    assert prover.prove(wrong).verdict is Verdict.UNIQUE  # a repair, but one that costs more


def test_an_ambiguity_is_confirmed_by_its_own_rival(templates: bool) -> None:
    cover = assign("cover", "OPEN", op(Op.AND, op(Op.NOT, FITS), op(Op.EQ, Var("lid"), 0)), ("lid", 1))
    prover = Prover(tank(rules=[cover, attrs.evolve(SHRINK, keeps=())]), templates=templates)
    found = prover.decide(FULL)
    assert prover.prove(found) == found


def test_an_inconclusive_proof_claims_nothing() -> None:
    prover = Prover(tank())
    proof = attrs.evolve(prover.decide(FULL), verdict=Verdict.INCONCLUSIVE)
    assert prover.prove(proof) is proof


def test_worlds_of_a_proof_may_name_the_hidden_values_alone(templates: bool) -> None:
    prover = Prover(tank(), templates=templates)
    proof = prover.decide(FULL)
    assert prover.prove(attrs.evolve(proof, rival_worlds=({"limit": 12},))) == proof


def test_worlds_outside_the_class_rule_nothing_out(templates: bool) -> None:
    """In a world with another limit the rival mends nothing; that is no argument."""
    prover = Prover(tank(), templates=templates)
    proof = prover.decide(FULL)
    foreign = {**FULL, "limit": 11, "lid": 1}
    claim = attrs.evolve(proof, uniqueness=Uniqueness.NAMED, rival_worlds=(foreign,))
    assert prover.prove(claim).verdict is Verdict.AMBIGUOUS
    assert prover.prove(attrs.evolve(proof, rival_worlds=(foreign,))).rival_worlds == (FULL,)


def test_walks_outside_the_class_are_no_routes(templates: bool) -> None:
    """Under a lid the same answer comes from another alternative; that names no field for a world without."""
    without = op(Op.ITE, op(Op.EQ, Var("lid"), 0), 2, 99)
    under = Alternative((Assign("size", Const(2)), Assign("lid", Const(1))))
    rule = Rule("shrink", "TOO_LARGE", op(Op.NOT, FITS), (Alternative((Assign("size", without),)), under))
    prover = Prover(tank(rules=[rule]), templates=templates)
    proof = prover.decide(FULL)
    outside = evaluate.run_walk(prover.problem, {**FULL, "lid": 1})
    assert outside.answer == proof.walk.answer
    assert prover.prove(attrs.evolve(proof, walks=(*proof.walks, outside))) == proof


def test_walks_of_other_answers_are_no_routes(templates: bool) -> None:
    """A proof that lists a walk with another answer doesn't hide it."""
    problem = tank(limit_shown=op(Op.FLOORDIV, Var("limit"), 10))
    prover = Prover(problem, templates=templates)
    walk, other = (evaluate.run_walk(problem, {**FULL, "limit": limit}) for limit in (12, 11))
    disguised = attrs.evolve(other, codes=walk.codes, fix=walk.fix)
    claim = TaskProof(Verdict.UNIQUE, walk, Uniqueness.PREFERRED, walks=(walk, disguised))
    assert prover.prove(claim).verdict is Verdict.AMBIGUOUS


def test_a_walk_that_is_not_that_of_its_world_is_refuted(templates: bool) -> None:
    """Steps that go elsewhere, in a walk that is consistent in itself."""
    prover = Prover(tank(), templates=templates)
    walk = prover.decide(FULL).walk
    (step,) = walk.steps
    wrong = attrs.evolve(
        walk, steps=(attrs.evolve(step, sets={"size": 2}),), final={**FULL, "size": 2}, fix=(("size", 2),)
    )
    proof = prover.prove(TaskProof(Verdict.UNIQUE, wrong, Uniqueness.PREFERRED))
    assert proof.verdict is Verdict.AMBIGUOUS
    assert proof.refutations[0].answer == walk.answer


def test_a_walk_that_contradicts_itself_is_refused() -> None:
    prover = Prover(tank())
    proof = prover.decide(FULL)
    for wrong in ({"fix": (("size", 2),)}, {"codes": ("OTHER",)}, {"final": FULL}):
        with pytest.raises(ValueError, match="don't lead to"):
            prover.prove(attrs.evolve(proof, walk=attrs.evolve(proof.walk, **wrong)))


def test_counts_of_worlds_are_handed_on() -> None:
    prover = Prover(tank())
    assert prover.prove(attrs.evolve(prover.decide(FULL), hidden_worlds=7)).hidden_worlds == 7


# ---- budgets and doubts --------------------------------------------------------------------------------


def _large_world() -> Assignment:
    world = {variable.name: variable.domain[0] for variable in large_problem().variables}
    return world | {"batch": 16, "replay": 0, "shard": 1, "peers": 4, "model": 2, "length": 4096, "workers": 8}


def test_a_tiny_budget_leaves_a_task_undecided_and_a_large_one_decides_it() -> None:
    problem = large_problem()
    assert evaluate.run_walk(problem, _large_world()).gives_task
    tiny = Prover(problem, Budget(rlimit=50)).decide(_large_world())
    assert tiny.verdict is Verdict.INCONCLUSIVE
    assert tiny.uniqueness is None
    assert tiny.reason
    assert Prover(problem).decide(_large_world()).verdict in (Verdict.UNIQUE, Verdict.AMBIGUOUS)


def test_a_prover_recovers_from_an_undecided_query() -> None:
    problem = large_problem()
    tiny = Prover(problem, Budget(rlimit=50))
    outcomes = [tiny.decide(_large_world()).verdict for _ in range(3)]
    assert outcomes == [Verdict.INCONCLUSIVE] * 3


def test_a_budget_without_work_is_refused() -> None:
    with pytest.raises(ValueError, match="0 units"):
        Budget(rlimit=0)


def test_unknown_is_never_taken_for_no_solution(monkeypatch: pytest.MonkeyPatch, templates: bool) -> None:
    """Neither for a class that is asked about, nor for a world that isn't valid."""
    monkeypatch.setattr(Engine, "check", lambda *_: Unknown("stopped"))
    for problem in (tank(), tank(valid=op(Op.LT, Var("limit"), 12))):
        prover = Prover(problem, templates=templates)
        found = prover.decide(FULL)
        assert found.verdict is Verdict.INCONCLUSIVE
        assert "stopped" in found.reason


@pytest.fixture
def wrong_rounding() -> Iterator[None]:
    """An encoder that rounds up where it should round down."""
    right = encode.TERM_BUILDERS[Op.FLOORDIV]
    encode.TERM_BUILDERS[Op.FLOORDIV] = encode.TERM_BUILDERS[Op.CEILDIV]
    yield
    encode.TERM_BUILDERS[Op.FLOORDIV] = right


@pytest.mark.usefixtures("wrong_rounding")
def test_a_model_that_evaluation_denies_is_an_error_with_the_whole_case(templates: bool) -> None:
    """To the wrong encoder 12 and 25 print alike only with 11: whatever it finds, it can't be confirmed."""
    problem = tank(limit_shown=op(Op.FLOORDIV, Var("limit"), 10))
    with pytest.raises(UnconfirmedModelError, match="plain evaluation denies") as caught:
        _decide(problem, {"size": 8, "lid": 0, "limit": 25}, templates)
    assert "(check-sat)" in caught.value.case
    assert "; Model: limit@0 = " in caught.value.case


def test_a_rival_that_evaluation_denies_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """To an encoder that forgets keeps, a lid does as well."""
    monkeypatch.setattr(Claims, "keeps_hold", lambda *_: TRUE_TERM)
    problem = tank(variables=[field("size", 4, 1), LID, LIMIT])
    with pytest.raises(UnconfirmedModelError, match="repair other than the fix"):
        _decide(problem, {"size": 4, "lid": 0, "limit": 11})


def test_a_route_that_evaluation_allows_is_an_error_when_z3_denies_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Claims, "keeps_hold", lambda *_: FALSE_TERM)
    with pytest.raises(UnconfirmedModelError, match="another outcome"):
        _decide(tank(), FULL)


def test_a_mended_world_that_z3_takes_for_unmended_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    cover = assign("cover", "OPEN", op(Op.AND, op(Op.NOT, FITS), op(Op.EQ, Var("lid"), 0)), ("lid", 1))
    problem = tank(rules=[cover, attrs.evolve(SHRINK, keeps=())])
    proof = _decide(problem, FULL)
    assert proof.refutations[0].rival is not None
    monkeypatch.setattr(Claims, "is_repair", lambda *_: FALSE_TERM)
    with pytest.raises(UnconfirmedModelError, match="the rival does not mend"):
        Prover(problem).prove(proof)
