"""Draws and candidate worlds a second for each shipped archetype, beside value-by-value choice with Z3.

Both give worlds of the same archetype, in turn. Z3 gets the whole condition of the archetype once, and then each
variable in random order gets a random value with which Z3 finds the condition feasible.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Iterator

import numpy as np
import z3

from benchmarks.measure import Cell, Result, per_second
from benchmarks.sources import SHIPPED, SMALL, load_program
from compiler.tasks.tools import SystemTools
from solvers.outcome import Assignment
from solvers.problem import Expr, Problem
from solvers.proving.claims import Claims, Path, start_name
from solvers.sampling import Candidate, candidates, key_of

COMPARED = ("pass_too_large", "rows_misdivided")
"""Shipped archetypes that are also drawn value by value; those of the small domain all are."""
RLIMIT = 200_000
"""Z3's budget for one question; a value that stays undecided counts as infeasible."""


def run(*, quick: bool = False) -> Result:
    budget, by_z3 = (0.01, 0.1) if quick else (0.05, 2.0)
    rows: list[tuple[Cell, ...]] = []
    for folder in (SMALL, SHIPPED):
        program = load_program(folder)
        systems = {name: SystemTools(program, name) for name in program.systems}
        for name in sorted(program.archetypes)[: 1 if quick else None]:
            archetype = program.archetypes[name]
            tables, wanted = systems[archetype.system].tables, (archetype.where, archetype.codes)
            start = time.process_time()
            next(candidates(tables, *wanted, key_of("warm", name)))
            built = time.process_time() - start
            drawn, found, spent = draw_for(budget, candidates(tables, *wanted, key_of(name)))
            rate, slow = per_second(found, spent), None
            if folder == SMALL or name in COMPARED:
                slow = choose_for(by_z3, Chooser(tables.problem, *wanted, seed=1))
            ratio = rate / slow if slow else None
            rows.append(
                (archetype.system, name, per_second(drawn, spent), rate, found / drawn, 1000 * built, slow, ratio)
            )
    rates = [float(row[3] or 0) for row in rows]
    ratios = [float(row[-1]) for row in rows if row[-1] is not None]
    facts: dict[str, Cell] = {
        "candidates/s, median archetype": statistics.median(rates),
        "candidates/s, slowest archetype": min(rates),
        "vectorised over value by value, median": statistics.median(ratios) if ratios else None,
        "vectorised over value by value, least": min(ratios, default=None),
        "processor time for value by value, s an archetype": by_z3,
    }
    columns = ("system", "archetype", "draws/s", "candidates/s", "accepted", "first ms", "by Z3/s", "ratio")
    return Result("drawing", "worlds a second of processor time", columns, tuple(rows), facts)


def choose_for(budget: float, chooser: Chooser) -> float:
    """Worlds a second of processor time by `chooser`, tried for about `budget` seconds."""
    started = time.process_time()
    found = 0
    while time.process_time() - started < budget:
        found += chooser.draw() is not None
    return per_second(found, time.process_time() - started)


def draw_for(budget: float, stream: Iterator[object]) -> tuple[int, int, float]:
    """Take candidates for about `budget` seconds of processor time: draws, candidates and the time itself."""
    started = time.process_time()
    drawn = found = 0
    for item in stream:
        assert isinstance(item, Candidate)
        drawn, found = item.attempts, item.number + 1
        if time.process_time() - started >= budget:
            break
    return drawn, found, time.process_time() - started


class Chooser:
    """Draws worlds of an archetype variable by variable; Z3 says which values are feasible."""

    def __init__(self, problem: Problem, condition: Expr, codes: frozenset[str], *, seed: int) -> None:
        self.problem = problem
        self.random = np.random.default_rng(seed)
        claims = Claims(problem)
        start = claims.start()
        walks = [claims.takes_route_in_domains(claims.route(start, path)) for path in paths(problem, codes)]
        wanted = claims.pool.all_of(
            (
                claims.in_domains(start, start.values),
                claims.valid(start),
                claims.encoder.term(condition, start),
                claims.pool.any_of(walks),
            )
        )
        self.solver = z3.SimpleSolver()
        self.solver.set("rlimit", RLIMIT)
        self.solver.add(z3.parse_smt2_string(claims.pool.body([wanted])))
        self.names = {variable.name: z3.Int(start_name(variable.name)) for variable in problem.variables}

    def draw(self) -> Assignment | None:
        """Return a world, or None if no value of some variable could be found feasible within the budget."""
        world: dict[str, int] = {}
        self.solver.push()
        for place in self.random.permutation(len(self.problem.variables)):
            variable = self.problem.variables[place]
            for value in self.random.permutation(variable.domain).tolist():
                self.solver.push()
                self.solver.add(self.names[variable.name] == value)
                if self.solver.check() == z3.sat:
                    world[variable.name] = value
                    break
                self.solver.pop()
            else:
                break
        self.solver.pop(len(world) + 1)
        return world if len(world) == len(self.problem.variables) else None


def paths(problem: Problem, codes: frozenset[str]) -> Iterator[Path]:
    """Every way to fire rules with exactly these codes."""
    rules = [number for number, rule in enumerate(problem.rules) if rule.code in codes]
    for order in itertools.permutations(rules):
        for used in itertools.product(*(range(len(problem.rules[number].alternatives)) for number in order)):
            yield tuple(zip(order, used, strict=True))
