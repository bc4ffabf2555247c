"""Dead ends: what a level remembers, and that it remembers all that it must."""

from __future__ import annotations

import pytest
from strategies.tank import op

from solvers.counting.interaction import Witnesses
from solvers.counting.kernel.build import Kernel, build_kernel, interpreted_kernel
from solvers.counting.tables import Tables
from solvers.evaluate import run_walk
from solvers.problem import Alternative, Assign, Const, Kind, Observation, Op, Problem, Rule, Var, Variable

ORDER = ("a", "b", "e", "c")


def _is(name: str, number: int) -> object:
    return op(Op.EQ, Var(name), Const(number))


def _problem() -> Problem:
    """The log shows 1 where `a` is `c` + 10, and where `b` and `c` are 0; `e` says nothing, so `c` has dead ends."""
    fix = (Alternative((Assign("k", Const(0)),)),)
    here = op(Op.AND, _is("b", 0), _is("c", 0))
    shown = op(Op.OR, op(Op.EQ, Var("a"), op(Op.ADD, Var("c"), Const(10))), here)
    silent = op(Op.LT, Var("e"), Const(5))
    return Problem(
        name="dead ends",
        variables=(
            Variable("k", Kind.CONFIG, (0, 1), True, (0, 1)),
            Variable("a", Kind.HIDDEN, (0, 12)),
            Variable("b", Kind.HIDDEN, (0, 1)),
            Variable("e", Kind.HIDDEN, (0, 1)),
            Variable("c", Kind.HIDDEN, (0, 1, 2, 3)),
        ),
        relations=(),
        observations=(
            Observation("k", "config", Var("k")),
            Observation("shown", "log", op(Op.ITE, shown, Const(1), Const(0))),
            Observation("again", "log", Var("k")),
        ),
        rules=(
            Rule("first", "FIRST", op(Op.AND, _is("b", 0), _is("k", 1), silent), fix),
            Rule("other", "OTHER", op(Op.AND, _is("b", 1), _is("k", 1), silent), fix),
        ),
        sound=_is("k", 0),
        channels=("config", "log"),
    )


@pytest.mark.parametrize("machine", ["python", "llvm"])
def test_a_dead_end_is_one_for_the_same_values_of_every_variable_that_is_read(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `a` 0 and `b` 1 no `c` fits, whatever `e` is; with `a` 12 and `b` 1 one does: the only witness."""
    monkeypatch.setattr("solvers.counting.kernel.search.search_order", lambda *_: list(ORDER))
    tables = Tables(_problem())
    if machine == "llvm":
        pytest.importorskip("llvmlite")
    kernel: Kernel = interpreted_kernel(tables) if machine == "python" else build_kernel(tables)
    world = dict.fromkeys(ORDER, 0) | {"k": 1}
    assert run_walk(tables.problem, world).answer.codes == {"FIRST"}
    witness = Witnesses(tables, kernel).measure(world).witness(("log",))
    assert witness is not None
    assert (witness["a"], witness["b"], witness["c"]) == (12, 1, 2)
