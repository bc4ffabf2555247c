"""Every step of a routine does the same in each language, and what the language of problems says."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.counting.fold import CONSTANT_VALUES
from solvers.counting.kernel.llvm_writer import WIDEST_TABLE, LlvmWriter
from solvers.counting.kernel.machine import LlvmMachine, PythonMachine, Runner, machine_code
from solvers.counting.kernel.writer import Operand, TooWideError, Writer
from solvers.problem import Op, Sort

pytest.importorskip("llvmlite")

Body = Callable[[Writer], Operand]
NUMBERS = (-(2**60), -1000, -7, -3, -2, -1, 0, 1, 2, 3, 7, 1000, 2**40)
LOGICAL = (Op.AND, Op.OR, Op.NOT, Op.IMPLIES)
DIVISIONS = (Op.FLOORDIV, Op.CEILDIV, Op.MOD)


def machines(bodies: dict[str, Body]) -> list[Runner]:
    """A machine of each kind with a routine that returns what each body makes."""

    def write(writer: Writer) -> None:
        for name, body in bodies.items():
            with writer.routine(name):
                writer.leave(body(writer))

    return [PythonMachine(write), LlvmMachine(machine_code(write), list(bodies))]


def results(body: Body, state: Sequence[int]) -> list[tuple[int, list[int]]]:
    """What each machine returns for a state, and leaves in it."""
    found = []
    for machine in machines({"body": body}):
        row = machine.row(len(state))
        row[0 : len(state)] = list(state)
        found.append((machine.run("body", row), list(row[0 : len(state)])))
    return found


def _arity(op: Op) -> int:
    return 1 if op in (Op.NEG, Op.ABS, Op.NOT) else 3 if op is Op.ITE else 2


@pytest.mark.parametrize("op", Op, ids=lambda op: op.name)
def test_an_operator_means_the_same_everywhere(op: Op) -> None:
    sort = Sort.BOOL if op in LOGICAL else Sort.INT

    def body(writer: Writer) -> Operand:
        sorts = [Sort.BOOL, Sort.INT, Sort.INT] if op is Op.ITE else [sort] * _arity(op)
        return writer.apply(op, [writer.load(slot, each) for slot, each in enumerate(sorts)])

    both = machines({"body": body})
    values = (0, 1) if sort is Sort.BOOL else NUMBERS
    for args in itertools.product(values, repeat=_arity(op)):
        if (op is Op.MUL and max(map(abs, args)) > 2**20) or (op in DIVISIONS and args[1] == 0):
            continue
        given_ = tuple(map(bool, args)) if sort is Sort.BOOL else (bool(args[0]), *args[1:]) if op is Op.ITE else args
        wanted = int(CONSTANT_VALUES[op](*given_))
        for machine in both:
            row = machine.row(3)
            row[0 : len(args)] = list(args)
            assert int(machine.run("body", row)) == wanted, (op, args, type(machine))


@pytest.mark.parametrize("op", DIVISIONS, ids=lambda op: op.name)
def test_a_division_by_zero_in_a_branch_that_does_not_count_ends_nothing(op: Op) -> None:
    def body(writer: Writer) -> Operand:
        writer.apply(op, [writer.load(0), writer.load(1)])
        return writer.constant(5)

    assert [result for result, _ in results(body, [7, 0])] == [5, 5]


@pytest.mark.parametrize("op", [Op.AND, Op.OR, Op.ADD, Op.MUL, Op.MIN, Op.MAX], ids=lambda op: op.name)
def test_operators_take_many_arguments(op: Op) -> None:
    sort = Sort.BOOL if op in LOGICAL else Sort.INT
    state = [0, 1, 0, 1] if sort is Sort.BOOL else [5, -2, 9, 3]

    def body(writer: Writer) -> Operand:
        return writer.apply(op, [writer.load(slot, sort) for slot in range(4)])

    wanted = int(CONSTANT_VALUES[op](*(map(bool, state) if sort is Sort.BOOL else state)))
    assert [int(result) for result, _ in results(body, state)] == [wanted] * 2


def test_no_condition_holds_all_and_none_of_none() -> None:
    for op, wanted in ((Op.AND, 1), (Op.OR, 0)):
        assert [int(result) for result, _ in results(lambda writer, op=op: writer.apply(op, []), [0])] == [wanted] * 2


@pytest.mark.parametrize("keys", [(3, 4, 5), (-2, 7, 100), (0,)])
def test_a_table_gives_its_entries(keys: tuple[int, ...]) -> None:
    entries = [(key, 11 * key + 1) for key in keys]
    both = machines({"body": lambda writer: writer.lookup(entries, writer.load(0))})
    for machine, key in itertools.product(both, keys):
        row = machine.row(1)
        row[0] = key
        assert machine.run("body", row) == 11 * key + 1


def test_a_key_without_an_entry_ends_nothing() -> None:
    def body(writer: Writer) -> Operand:
        writer.lookup([(3, 1), (5, 2)], writer.load(0))
        return writer.constant(8)

    for key in (-(2**60), 2, 4, 6, 2**60):
        assert [result for result, _ in results(body, [key])] == [8, 8]


def test_what_machine_code_cannot_hold_is_refused() -> None:
    writer = LlvmWriter()
    with pytest.raises(TooWideError, match="beyond"):
        writer.constant(2**62)
    with pytest.raises(TooWideError, match="span"), writer.routine("body"):
        writer.lookup([(0, 1), (WIDEST_TABLE, 2)], writer.load(0))


def test_loops_blocks_and_calls() -> None:
    """The sum of the squares of 0 .. 9 that are odd, and what is stored on the way."""

    def write(writer: Writer) -> None:
        with writer.routine("square"):
            number = writer.load(1)
            writer.leave(writer.apply(Op.MUL, [number, number]))
        with writer.routine("body"):
            with writer.loop(10) as turn:
                odd = writer.apply(Op.EQ, [writer.apply(Op.MOD, [turn, writer.constant(2)]), writer.constant(1)])
                with writer.if_(odd):
                    writer.store(1, writer.element(list(range(10)), turn))
                    writer.store(0, writer.apply(Op.ADD, [writer.load(0), writer.call("square")]))
                writer.store_to(2, turn, odd)
            writer.leave(writer.load_from(2, writer.constant(9)))
        with writer.routine("nothing"):
            writer.load(0)

    for machine in (PythonMachine(write), LlvmMachine(machine_code(write), ["body", "nothing"])):
        row = machine.row(12)
        assert machine.run("body", row) == 1
        assert list(row[0:12]) == [165, 9, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
        assert machine.run("nothing", row) == 0


def test_a_routine_is_left_from_within_its_blocks() -> None:
    def write(writer: Writer) -> None:
        with writer.routine("body"):
            with writer.loop(10) as turn, writer.if_(writer.apply(Op.EQ, [turn, writer.load(0)])):
                writer.leave(writer.apply(Op.MUL, [turn, writer.constant(100)]))
            writer.leave(writer.constant(-1))

    for machine in (PythonMachine(write), LlvmMachine(machine_code(write), ["body"])):
        for wanted, result in ((4, 400), (9, 900), (10, -1)):
            row = machine.row(1)
            row[0] = wanted
            assert machine.run("body", row) == result


@given(st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=4))
def test_a_hash_is_the_same_everywhere(values: list[int]) -> None:
    def body(writer: Writer) -> Operand:
        return writer.hashed([writer.load(slot) for slot in range(len(values))], 10)

    (one, _), (other, _) = results(body, values)
    assert one == other
    assert 0 <= one < 1024
