"""Walks in routines report the codes that plain evaluation reports."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies.effort import costly
from strategies.large import large_problem
from strategies.problems import all_worlds, planted_problems, problems
from strategies.tank import op

from solvers.counting.kernel.machine import LlvmMachine, PythonMachine, Runner, machine_code
from solvers.counting.kernel.slots import WalkSlots
from solvers.counting.kernel.walk import NO_TASK, WALK, WalkRoutines, codes_in_order, mask_of
from solvers.counting.kernel.writer import Writer
from solvers.counting.tables import Tables
from solvers.evaluate import run_walk, value
from solvers.outcome import Assignment
from solvers.problem import TRUE, Alternative, Assign, Const, Kind, Observation, Op, Problem, Rule, Var, Variable
from solvers.sampling import Candidate, candidates, key_of


def _machines(problem: Problem) -> list[Runner]:
    def write(writer: Writer) -> None:
        WalkRoutines(writer, problem).write()

    pytest.importorskip("llvmlite")
    return [PythonMachine(write), LlvmMachine(machine_code(write), [WALK])]


def _agrees(problem: Problem, machine: Runner, worlds: list[Assignment]) -> None:
    row = machine.row(WalkSlots.of(problem).size)
    names = [variable.name for variable in problem.variables]
    for world in worlds:
        row[0 : len(names)] = [world[name] for name in names]
        walk = run_walk(problem, world)
        wanted = mask_of(problem, set(walk.codes)) if walk.gives_task else NO_TASK
        assert machine.run(WALK, row) == wanted
        assert list(row[0 : len(names)]) == [world[name] for name in names], "a walk leaves its world alone"


@costly
@given(problems())
def test_walks_of_all_valid_worlds(problem: Problem) -> None:
    worlds = [world for world in all_worlds(problem) if value(problem, problem.valid, world)]
    for machine in _machines(problem):
        _agrees(problem, machine, worlds)


@costly
@given(planted_problems())
def test_walks_of_problems_with_planted_faults(problem: Problem) -> None:
    worlds = [world for world in all_worlds(problem) if value(problem, problem.valid, world)]
    for machine in _machines(problem):
        _agrees(problem, machine, worlds[:: 1 + len(worlds) // 200])


def test_walks_of_a_large_problem() -> None:
    problem = large_problem()
    drawn = candidates(Tables(problem), TRUE, frozenset({"STARVED"}), key_of(1))
    worlds = [found.world for _, found in zip(range(20), drawn, strict=False) if isinstance(found, Candidate)]
    for machine in _machines(problem):
        _agrees(problem, machine, worlds)


def test_each_code_has_a_bit() -> None:
    problem = large_problem()
    codes = codes_in_order(problem)
    masks = [mask_of(problem, {code}) for code in codes]
    assert sorted(masks) == [1 << place for place in range(len(codes))]
    assert mask_of(problem, set(codes)) == sum(masks)
    assert mask_of(problem, set()) == 0


def test_a_walk_of_more_codes_than_allowed_gives_no_task() -> None:
    names = ("x", "y", "z")
    high = {name: op(Op.EQ, Var(name), Const(1)) for name in names}
    problem = Problem(
        name="three",
        variables=tuple(Variable(name, Kind.CONFIG, (0, 1), True, (0, 1)) for name in names),
        relations=(),
        observations=tuple(Observation(name, "config", Var(name)) for name in names),
        rules=tuple(Rule(name, name.upper(), high[name], (Alternative((Assign(name, Const(0)),)),)) for name in names),
        sound=op(Op.NOT, op(Op.OR, *high.values())),
        channels=("config",),
        max_codes=2,
    )
    assert not run_walk(problem, dict.fromkeys(names, 1)).gives_task
    for machine in _machines(problem):
        _agrees(problem, machine, list(all_worlds(problem)))


def test_a_rule_that_fires_twice_gives_no_task() -> None:
    lower = Alternative((Assign("x", op(Op.SUB, Var("x"), Const(1))),))
    problem = Problem(
        name="twice",
        variables=(Variable("x", Kind.CONFIG, (0, 1, 2), True, (0, 1, 2)),),
        relations=(),
        observations=(Observation("x", "config", Var("x")),),
        rules=(Rule("high", "HIGH", op(Op.GT, Var("x"), Const(0)), (lower,)),),
        sound=op(Op.EQ, Var("x"), Const(0)),
        channels=("config",),
        max_codes=2,
    )
    assert run_walk(problem, {"x": 1}).gives_task
    assert not run_walk(problem, {"x": 2}).gives_task
    for machine in _machines(problem):
        _agrees(problem, machine, list(all_worlds(problem)))
