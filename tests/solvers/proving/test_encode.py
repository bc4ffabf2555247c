"""Encoded expressions must mean to Z3 what they mean to the reference evaluator."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.asking import ask
from strategies.effort import costly
from strategies.problems import all_worlds, expressions, problems, worlds
from strategies.semantics import OPERANDS, Case, applied, cases

from solvers.evaluate import value
from solvers.problem import Apply, Const, Expr, Kind, Op, Problem, RelationValue, Var, Variable, With
from solvers.proving.encode import TERM_BUILDERS, Encoder, TermState
from solvers.proving.smtlib import integer, symbol

NUMBERS = Problem(
    name="numbers",
    variables=tuple(Variable(name, Kind.CONFIG, tuple(range(-7, 8))) for name in "xy"),
    relations=(("sum", Apply(Op.ADD, (Var("x"), Var("y")))),),
    observations=(),
    rules=(),
)


def _ask(encoder: Encoder, results: list[tuple[Expr, TermState]], fixed: dict[str, int] | None = None) -> list[int]:
    return ask(encoder.pool, [encoder.term(expr, state) for expr, state in results], fixed)


def _literal(world: dict[str, int], before: dict[str, int] | None = None) -> TermState:
    earlier = None if before is None else TermState({name: integer(number) for name, number in before.items()})
    return TermState({name: integer(number) for name, number in world.items()}, before=earlier)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_encoding_follows_the_semantics_table(case: Case) -> None:
    """Each case with its numbers written out, and with names that are filled in later."""
    bindings, before = dict(case.bindings), None if case.before is None else dict(case.before)
    encoder = Encoder(case.problem)
    assert _ask(encoder, [(case.expr, _literal(bindings, before))]) == [int(case.value)]

    earlier = TermState({name: symbol(f"{name}.before") for name in before}) if before is not None else None
    later = TermState({name: symbol(name) for name in bindings}, before=earlier)
    fixed = bindings | {f"{name}.before": number for name, number in (before or {}).items()}
    assert _ask(encoder, [(case.expr, later)], fixed) == [int(case.value)]


def test_the_table_of_operators_is_complete() -> None:
    assert set(TERM_BUILDERS) == set(Op)


@pytest.mark.parametrize("op", Op)
def test_every_operator_is_encoded_as_the_reference_has_it(op: Op) -> None:
    batch = list(all_worlds(OPERANDS))
    open_ = [
        (applied(op), TermState({name: symbol(f"{name}{number}") for name in ("x", "y")}))
        for number in range(len(batch))
    ]
    fixed = {f"{name}{number}": world[name] for number, world in enumerate(batch) for name in ("x", "y")}
    assert _ask(Encoder(OPERANDS), open_, fixed) == [value(OPERANDS, applied(op), world) for world in batch]


@pytest.mark.parametrize("op", [Op.FLOORDIV, Op.CEILDIV, Op.MOD])
def test_division_rounds_as_the_reference_does_for_all_signs(op: Op) -> None:
    """With both open, with a fixed divisor, and with a fixed dividend."""
    pairs = [(x, y) for x in range(-7, 8) for y in range(-7, 8) if y != 0]
    wanted = [value(NUMBERS, Apply(op, (Const(x), Const(y))), {}) for x, y in pairs]
    open_both = [
        (Apply(op, (Var("x"), Var("y"))), TermState({"x": symbol(f"x{n}"), "y": symbol(f"y{n}")}))
        for n in range(len(pairs))
    ]
    fixed = {f"x{n}": x for n, (x, _) in enumerate(pairs)} | {f"y{n}": y for n, (_, y) in enumerate(pairs)}
    assert _ask(Encoder(NUMBERS), open_both, fixed) == wanted
    for left, right in (("x", None), (None, "y"), (None, None)):
        written = [
            (Apply(op, (Var("x") if left else Const(x), Var("y") if right else Const(y))), _literal({"x": x, "y": y}))
            for x, y in pairs
        ]
        assert _ask(Encoder(NUMBERS), written) == wanted


@costly
@given(st.data())
def test_encoding_agrees_with_the_reference_in_random_worlds(data: st.DataObject) -> None:
    problem = data.draw(problems())
    world = data.draw(worlds(problem))
    state = TermState({name: symbol(name) for name in world})
    encoder = Encoder(problem)
    exprs = expressions(problem)
    wanted = [int(value(problem, expr, world)) for expr in exprs]
    assert _ask(encoder, [(expr, state) for expr in exprs], world) == wanted
    assert _ask(encoder, [(expr, _literal(world)) for expr in exprs]) == wanted


def test_states_that_differ_share_what_does_not_depend_on_the_difference() -> None:
    encoder = Encoder(NUMBERS)
    start = TermState({"x": symbol("x"), "y": symbol("y")})
    other = start.changed({"y": integer(3)})
    assert encoder.term(Var("x"), other).text == "x"
    assert encoder.term(RelationValue("sum"), start).text == "(+ x y)"
    assert encoder.term(RelationValue("sum"), other).text == "(+ x 3)"
    assert start.changed({"y": integer(3)}) is other


def test_a_changed_state_remembers_nothing_of_an_equal_change_elsewhere() -> None:
    """The same `With` in two states means two things."""
    encoder = Encoder(NUMBERS)
    moved = With(RelationValue("sum"), (("x", Apply(Op.ADD, (Var("y"), Const(1)))),))
    results = [(moved, _literal({"x": 0, "y": y})) for y in (1, 2)]
    assert _ask(encoder, results) == [3, 5]


def test_unknown_variables_are_refused() -> None:
    with pytest.raises(KeyError, match="z"):
        _literal({"x": 1}).changed({"z": integer(0)})
    with pytest.raises(KeyError, match="z"):
        Encoder(NUMBERS).term(Var("z"), _literal({"x": 1}))
