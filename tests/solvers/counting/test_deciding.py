"""What decides: rules that can't fire, and what only they read or set, are left out; the rest isn't."""

from __future__ import annotations

from strategies.tank import op

from solvers.counting.deciding import deciding_variables
from solvers.counting.expand import expand
from solvers.problem import TRUE, Alternative, Assign, Before, Const, Expr, Kind, Op, Problem, Rule, Var, Variable


def rule(name: str, guard: Expr, field: str, new: int | Expr = 0) -> Rule:
    value = Const(new) if isinstance(new, int) else new
    return Rule(name, name.upper(), guard, (Alternative((Assign(field, value),)),))


def problem(*rules: Rule, sound: Expr = TRUE) -> Problem:
    values = (0, 1, 2, 3)
    fields = tuple(Variable(name, Kind.CONFIG, values, True, values) for name in "abc")
    hidden = tuple(Variable(name, Kind.HIDDEN, values) for name in "xyz")
    return Problem("p", (*fields, *hidden), (), (), rules, sound=sound)


def decides(of: Problem, *holding: Expr, **fixed: int) -> str:
    return "".join(sorted(deciding_variables(of, [expand(of, each) for each in holding], fixed)))


FIRST = rule("first", op(Op.GT, Var("x"), 1), "a", Var("y"))
SECOND = rule("second", op(Op.GT, op(Op.ADD, Var("a"), Var("b")), 2), "b")


def test_guards_prescriptions_and_fields_decide() -> None:
    assert decides(problem(FIRST)) == "axy"


def test_soundness_decides() -> None:
    assert decides(problem(sound=op(Op.LT, Var("z"), 3))) == "z"


def test_a_rule_whose_guard_is_known_to_fail_decides_nothing() -> None:
    assert decides(problem(FIRST), op(Op.NOT, op(Op.GT, Var("x"), 1))) == ""
    assert decides(problem(FIRST), op(Op.LE, Var("x"), 1)) == ""
    assert decides(problem(FIRST), x=1) == ""


def test_what_another_rule_may_change_is_known_no_longer() -> None:
    silent = op(Op.LE, op(Op.ADD, Var("a"), Var("b")), 2)
    assert decides(problem(SECOND), silent) == ""
    assert decides(problem(FIRST, SECOND), silent) == "abxy"
    assert decides(problem(FIRST, SECOND), silent, x=0) == ""
    assert decides(problem(FIRST, SECOND), a=0, b=0) == "abxy"


def test_what_a_guard_looks_back_at_is_what_it_was_at_the_start() -> None:
    back = rule("back", op(Op.AND, op(Op.GT, Before(Var("a")), 1), op(Op.GT, Var("c"), 0)), "c")
    assert decides(problem(back)) == "ac"
    assert decides(problem(FIRST, back), a=1) == "axy"
    assert decides(problem(FIRST, back), a=2) == "acxy"
