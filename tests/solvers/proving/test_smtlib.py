"""Scripts: what is written out must mean the same to Z3, to cvc5, and to whoever reads it."""

from __future__ import annotations

import sys

import attrs
import pytest
import z3
from strategies.large import large_problem
from strategies.tank import LID, LIMIT, SHRINK, assign, field, op, tank

from solvers.outcome import TaskProof, Verdict
from solvers.problem import Op, Var
from solvers.proving.prove import Prover
from solvers.proving.smtlib import BOOL, INT, TermPool, integer, quote, recheck_cvc5, script, symbol

FULL = {"size": 8, "lid": 0, "limit": 12}
HARD = """(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)
(assert (and (> x 1) (> y 1) (> z 1) (= (+ (* x x x) (* y y y)) (* z z z))))(check-sat)"""


def _z3_says(text: str) -> str:
    solver = z3.Solver(ctx=z3.Context())
    solver.from_string(text)
    return str(solver.check())


def _proofs() -> list[tuple[Prover, TaskProof]]:
    any_ = tank(rules=[assign("open", "LID_ON", op(Op.EQ, Var("lid"), 1), ("lid", 0)), SHRINK])
    loose = tank(variables=[field("size", 4, 1), LID, LIMIT], rules=[attrs.evolve(SHRINK, keeps=())])
    either = op(Op.ITE, op(Op.EQ, Var("limit"), 12), 4, 99)
    routes = tank(
        rules=[assign("shrink", "TOO_LARGE", op(Op.EQ, Var("size"), 8), ("size", either), ("size", 4))],
        limit_shown=op(Op.MOD, Var("limit"), 1),
    )
    cases = [
        (tank(), FULL),
        (tank(), {**FULL, "size": 1}),
        (any_, {"size": 4, "lid": 1, "limit": 12}),
        (loose, {"size": 4, "lid": 0, "limit": 11}),
        (routes, {"size": 8, "lid": 1, "limit": 12}),
    ]
    provers = [(Prover(problem), world) for problem, world in cases]
    return [(prover, prover.decide(world)) for prover, world in provers]


# ---- terms -------------------------------------------------------------------------------------------


def test_equal_parts_are_one_definition() -> None:
    pool = TermPool()
    long = pool.apply("+", [symbol(f"a_rather_long_name_{number}") for number in range(5)], INT)
    again = pool.apply("+", [symbol(f"a_rather_long_name_{number}") for number in range(5)], INT)
    assert long is again
    text = pool.body([pool.apply("<", [long, again], BOOL)])
    assert text.count("define-fun") == 1
    assert text.count("declare-const") == 5


def test_values_turn_names_into_definitions() -> None:
    pool = TermPool()
    text = pool.body([pool.apply("<", [symbol("x"), symbol("y")], BOOL)], values={"x": -3})
    assert text == "(define-fun x () Int (- 3))\n(declare-const y Int)\n(assert (< x y))\n"


def test_only_what_is_needed_is_written() -> None:
    pool = TermPool()
    pool.apply("+", [symbol(f"an_unused_name_{number}") for number in range(6)], INT)
    assert pool.body([pool.equal(symbol("x"), integer(1))]) == "(declare-const x Int)\n(assert (= x 1))\n"


def test_the_first_label_of_a_term_is_used() -> None:
    pool = TermPool()
    long = pool.apply("+", [symbol(f"a_rather_long_name_{number}") for number in range(5)], INT)
    other = pool.apply("*", [symbol(f"a_rather_long_name_{number}") for number in range(5)], INT)
    pool.label(long, "total")
    pool.label(long, "sum")
    pool.label(other, "total")
    text = pool.body([pool.equal(long, other)], labels=True)
    assert "(define-fun total () Int (+ " in text
    assert "(define-fun $1 () Int (* " in text
    assert "(assert (= total $1))" in text
    assert "(declare-const total Int)" in pool.body([pool.equal(symbol("total"), long)], labels=True)
    assert "(define-fun total " not in pool.body([pool.equal(symbol("total"), long)], labels=True)


@pytest.mark.parametrize(
    ("name", "written"), [("peak_mem", "peak_mem"), ("x@0", "x@0"), ("0@e", "|0@e|"), ("a b", "|a b|")]
)
def test_names_are_quoted_where_they_must_be(name: str, written: str) -> None:
    assert quote(name) == written
    pool = TermPool()
    assert _z3_says(script("", pool.body([pool.equal(symbol(name), integer(1))]), expected="sat")) == "sat"


@pytest.mark.parametrize("name", ["a|b", "a\\b", "a\nb", "$3"])
def test_names_that_no_symbol_may_have_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="can't be an SMT-LIB symbol"):
        quote(name)


def test_trivial_parts_disappear() -> None:
    pool = TermPool()
    true, false, x = pool.all_of([]), pool.any_of([]), pool.equal(symbol("x"), integer(1))
    assert (true.text, false.text) == ("true", "false")
    assert pool.all_of([x, true, x]) is x
    assert pool.any_of([x, false]) is x
    assert pool.all_of([x, false]) is false
    assert pool.any_of([x, true]).text == "true"
    assert pool.implies(false, x).text == "true"
    assert pool.choose(true, x, false) is x
    assert pool.equal(integer(2), integer(3)).text == "false"


# ---- scripts -------------------------------------------------------------------------------------------


def test_scripts_state_their_claim_and_what_to_expect() -> None:
    prover, proof = _proofs()[0]
    scripts = prover.scripts(proof)
    assert list(scripts) == ["determined", "unique"]
    head = scripts["unique"].splitlines()
    assert head[:3] == [
        "; System: tank",
        "; Claim: there is no repair other than the fix that is as good",
        "; Gold: TOO_LARGE; fix: size = 4",
    ]
    assert head[3].startswith("; Names: x@0 is x in the unrepaired world")
    assert head[4:6] == ["(set-info :status unsat)", "(set-logic QF_NIA)"]
    assert head[-1] == "(check-sat)"


def test_scripts_name_the_relations_that_are_long() -> None:
    """Of the repaired world, `@r`: nothing else is open."""
    prover = Prover(tank(need=op(Op.MAX, *(op(Op.MUL, Var("size"), factor) for factor in (1, 2, 3)))))
    scripts = prover.scripts(prover.decide(FULL))
    assert "(define-fun need@r () Int (ite " in scripts["unique"]


def test_scripts_of_a_healthy_task_leave_uniqueness_out() -> None:
    prover, proof = _proofs()[1]
    scripts = prover.scripts(proof)
    assert list(scripts) == ["determined"]
    assert "; Gold: no code; fix: none" in scripts["determined"]


def test_scripts_are_the_same_every_time() -> None:
    for (prover, proof), (other, same) in zip(_proofs(), _proofs(), strict=True):
        assert prover.scripts(proof) == other.scripts(same) == prover.scripts(proof)


def test_scripts_of_an_ambiguous_task_are_refused() -> None:
    prover, proof = _proofs()[0]
    with pytest.raises(ValueError, match="unique task"):
        prover.scripts(attrs.evolve(proof, verdict=Verdict.AMBIGUOUS))


def test_scripts_have_the_same_status_in_z3_and_cvc5() -> None:
    pytest.importorskip("cvc5")
    for prover, proof in _proofs():
        assert proof.verdict is Verdict.UNIQUE
        for text in prover.scripts(proof).values():
            assert _z3_says(text) == "unsat"
            assert recheck_cvc5(text) == "unsat"


def test_scripts_find_the_routes_that_a_proof_left_out() -> None:
    prover, proof = _proofs()[4]
    assert len(proof.walks) == 2
    assert prover.scripts(attrs.evolve(proof, walks=())) == prover.scripts(proof)


def test_a_wrong_claim_is_satisfiable_in_both() -> None:
    """The prover doesn't agree with the stronger claim; its script says what was claimed."""
    pytest.importorskip("cvc5")
    prover, proof = _proofs()[0]
    assert proof.uniqueness is not None
    stronger = attrs.evolve(proof, uniqueness=type(proof.uniqueness).NAMED)
    text = prover.scripts(stronger)["unique"]
    assert _z3_says(text) == "sat"
    assert recheck_cvc5(text) == "sat"


@pytest.mark.slow
def test_scripts_of_a_large_system_are_rechecked_by_cvc5() -> None:
    pytest.importorskip("cvc5")
    world = {variable.name: variable.domain[0] for variable in large_problem().variables}
    world |= {"batch": 16, "replay": 0, "shard": 1, "peers": 4, "model": 2, "length": 4096, "workers": 8}
    prover = Prover(large_problem())
    proof = prover.decide(world)
    assert proof.verdict is Verdict.UNIQUE
    for text in prover.scripts(proof).values():
        assert recheck_cvc5(text) == "unsat"


# ---- cvc5 ------------------------------------------------------------------------------------------------


def test_cvc5_says_unknown_when_its_bound_is_reached() -> None:
    pytest.importorskip("cvc5")
    assert recheck_cvc5(HARD, rlimit=1000) == "unknown"


def test_cvc5_refuses_text_that_is_no_script() -> None:
    pytest.importorskip("cvc5")
    with pytest.raises(ValueError, match="cvc5 can't read"):
        recheck_cvc5("(assert (= x 1))(check-sat)")
    with pytest.raises(ValueError, match="a script has one `check-sat`; this one has 0"):
        recheck_cvc5("(set-logic QF_LIA)")


def test_a_missing_cvc5_is_an_import_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cvc5", None)
    with pytest.raises(ImportError):
        recheck_cvc5("(check-sat)")
