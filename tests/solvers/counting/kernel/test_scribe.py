"""What a routine computes once."""

from __future__ import annotations

import weakref

from solvers.counting.kernel.machine import PythonMachine
from solvers.counting.kernel.scribe import Scribe
from solvers.counting.kernel.writer import Writer
from solvers.problem import Apply, Const, Op, Var


def test_an_expression_lives_as_long_as_what_was_written_of_it() -> None:
    """Parts are known by identity, and Python gives that of an expression that is gone to another one."""

    def write(writer: Writer) -> None:
        with writer.routine("sums"):
            scribe = Scribe(writer, {"x": 0})
            expr = Apply(Op.ADD, (Var("x"), Const(1)))
            scribe.cell(expr)
            alive = weakref.ref(expr)
            del expr
            assert alive() is not None
            total = writer.constant(0)
            for number in range(200):
                part = scribe.cell(Apply(Op.MUL, (Var("x"), Const(number))))
                total = writer.apply(Op.ADD, [total, part])
            writer.leave(total)

    machine = PythonMachine(write)
    row = machine.row(1)
    row[0:1] = [3]
    assert machine.run("sums", row) == 3 * sum(range(200))
