"""Generated numpy code must agree with the reference evaluator, in every shape of its input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.problems import all_worlds, expressions, problems, worlds
from strategies.semantics import OPERANDS, Case, applied, cases

from solvers.counting.expand import before_name, expand, pure, support
from solvers.counting.tables import Tables, compile_exprs, generate, topological
from solvers.evaluate import value
from solvers.problem import Apply, Const, Expr, Kind, Lookup, Op, Problem, RelationValue, Sort, Var, Variable


def _environment(case: Case) -> dict[str, int]:
    earlier = {before_name(name): old for name, old in (case.before or {}).items()}
    return {**case.bindings, **earlier}


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_tables_follow_the_semantics_table(case: Case) -> None:
    """Each case as plain integers, as one array, and with every variable on an axis of its own."""
    tables = Tables(case.problem)
    env = _environment(case)
    separate = {
        name: np.array([bound - 1, bound]).reshape([2 if axis == place else 1 for axis in range(len(env))])
        for place, (name, bound) in enumerate(env.items())
        if "lookup" not in case.id
    }
    for shaped in (env, {name: np.array([bound, bound]) for name, bound in env.items()}, separate):
        (result,) = tables.evaluate([case.expr], {**env, **shaped})
        assert result.dtype == (np.bool_ if isinstance(case.value, bool) else np.int64)
        assert result.flat[-1] == case.value


@pytest.mark.parametrize("op", Op)
def test_every_operator_is_written_as_numpy_code(op: Op) -> None:
    """Also those that `fold` writes with the help of others; over arrays, and over plain integers."""
    code = compile_exprs([applied(op)])
    batch = list(all_worlds(OPERANDS))
    expected = [value(OPERANDS, applied(op), world) for world in batch]
    (found,) = code({name: np.array([world[name] for world in batch]) for name in ("x", "y")})
    assert found.tolist() == expected
    assert [code(world)[0] for world in batch] == expected


@given(st.data())
def test_tables_agree_with_the_reference_on_a_flat_batch(data: st.DataObject) -> None:
    problem = data.draw(problems())
    batch = data.draw(st.lists(worlds(problem), min_size=1, max_size=4))
    env = {v.name: np.array([world[v.name] for world in batch]) for v in problem.variables}
    exprs = expressions(problem)
    for expr, result in zip(exprs, Tables(problem).evaluate(exprs, env), strict=True):
        wide = np.broadcast_to(result, len(batch)).tolist()
        assert wide == [value(problem, expr, world) for world in batch]
        assert all(isinstance(cell, bool) == (expr.sort is Sort.BOOL) for cell in wide)


@given(problems())
def test_tables_agree_with_the_reference_over_separate_axes(problem: Problem) -> None:
    sizes = [len(variable.domain) for variable in problem.variables]
    env = {
        variable.name: np.array(variable.domain).reshape([-1 if a == place else 1 for a in range(len(sizes))])
        for place, variable in enumerate(problem.variables)
    }
    exprs = expressions(problem)
    results = Tables(problem).evaluate(exprs, env)
    for expr, result in zip(exprs, results, strict=True):
        used = support(expand(problem, expr))
        assert result.size <= np.prod([n for n, v in zip(sizes, problem.variables, strict=True) if v.name in used])
    wide = [np.broadcast_to(result, sizes).reshape(-1).tolist() for result in results]
    for number, world in list(enumerate(all_worlds(problem)))[::17]:
        assert [column[number] for column in wide] == [value(problem, expr, world) for expr in exprs]


@given(problems())
def test_tables_keep_to_plain_values_where_no_array_is_involved(problem: Problem) -> None:
    exprs = [expand(problem, expr) for expr in expressions(problem)]
    world = next(all_worlds(problem))
    for result in Tables(problem).compiled(exprs)(world):
        assert type(result) in (int, bool)


X = Var("x")
PLAIN = Problem("plain", (Variable("x", Kind.CONFIG, (0, 1, 2)),), (("r", Apply(Op.ADD, (X, Const(1)))),), (), ())


def test_each_shared_part_is_computed_once() -> None:
    square = Apply(Op.MUL, (RelationValue("r"), RelationValue("r")))
    source, _ = generate([expand(PLAIN, square), expand(PLAIN, Apply(Op.SUB, (square, RelationValue("r"))))])
    assert source.count(" + (1)") == 1
    assert source.count(" * ") == 1


def test_names_are_reused_when_values_are_no_longer_needed() -> None:
    expr: Expr = X
    for number in range(50):
        expr = Apply(Op.MAX, (Apply(Op.MUL, (expr, X)), Const(number)))
    source, _ = generate([pure(expr)])
    assert len({line.split()[0] for line in source.splitlines()[1:-1]}) <= 3


@pytest.mark.slow
def test_a_long_chain_needs_no_recursion() -> None:
    relations: list[tuple[str, Expr]] = [("r0", X)]
    for number in range(1, 3000):
        relations.append((f"r{number}", Apply(Op.SUB, (Const(number), RelationValue(f"r{number - 1}")))))
    problem = Problem("chain", PLAIN.variables, tuple(relations), (), ())
    last = RelationValue("r2999")
    assert len(topological([expand(problem, last)])) > 2999
    (result,) = Tables(problem).evaluate([last], {"x": np.array([5])})
    assert result.tolist() == [value(problem, last, {"x": 5})]


def test_a_lookup_gives_something_for_keys_of_the_branch_not_taken() -> None:
    for entries in (((0, 5), (1, 6)), ((0, 5), (100_000, 6))):
        guarded = Apply(Op.ITE, (Apply(Op.LE, (X, Const(1))), Lookup("t", entries, X), Const(-1)))
        (result,) = Tables(PLAIN).evaluate([guarded], {"x": np.array([0, 7, -7 + 9, 200_000])})
        assert result.tolist() == [5, -1, -1, -1]
        (single,) = Tables(PLAIN).evaluate([guarded], {"x": 7})
        assert single.tolist() == -1


def test_compiled_functions_are_cached_per_tuple_of_expressions() -> None:
    tables = Tables(PLAIN)
    exprs = [expand(PLAIN, RelationValue("r"))]
    assert tables.compiled(exprs) is tables.compiled(list(exprs))
