"""How even draws are: total variation of each variable's marginal from exact counting, on small archetypes.

Beside our own draws stand draws of the same number that are exactly uniform (many times, for the noise), and
value-by-value choice with Z3. Small archetypes are those of the test domain, and shipped ones whose domains are cut
around one of their worlds until all worlds can be counted.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np
import numpy.typing as npt

from benchmarks.drawing import Chooser
from benchmarks.measure import Cell, Result
from benchmarks.sources import SHIPPED, SMALL, load_program
from solvers.counting.tables import BatchState, IntArray, Tables
from solvers.counting.walks import walk_batch
from solvers.evaluate import run_walk
from solvers.outcome import Assignment
from solvers.problem import Expr, Problem
from solvers.sampling import Candidate, candidates, key_of

FloatArray = npt.NDArray[np.float64]
Marginals = Mapping[str, tuple[IntArray, FloatArray]]

MOST_WORLDS = 1 << 18
REPEATS = 200
CUT = ("pass_too_large", "rows_misdivided", "states_then_pass")


def run(*, quick: bool = False) -> Result:
    size, by_z3 = (50, 0.1) if quick else (500, 3.0)
    rows = tuple(
        measured(name, tables, condition, codes, size, by_z3)
        for name, tables, condition, codes in itertools.islice(small_archetypes(), 1 if quick else None)
    )
    outside = sum(float(row[3] or 0) > float(row[6] or 0) for row in rows)
    facts: dict[str, Cell] = {
        "draws, ours and uniform": size,
        "processor time for draws by Z3, s an archetype": by_z3,
        "archetypes whose largest variation is above the 95 percent line": f"{outside} of {len(rows)}",
    }
    columns = (
        "archetype",
        "worlds",
        "mean",
        "largest",
        "uniform mean",
        "uniform largest",
        "uniform largest 95 %",
        "draws by Z3",
        "by Z3 mean",
        "uniform mean of as many",
    )
    return Result("evenness", "total variation of marginals from exact counts", columns, rows, facts)


def measured(
    name: str, tables: Tables, condition: Expr, codes: frozenset[str], size: int, by_z3: float
) -> tuple[Cell, ...]:
    worlds = all_worlds(tables, condition, codes)
    truth = marginals(worlds)
    stream = candidates(tables, condition, codes, key_of("evenness", name))
    drawn = [item.world for item in itertools.islice(stream, size) if isinstance(item, Candidate)]
    ours = variations(truth, columns_of(drawn))
    uniform = np.array([variations(truth, chosen) for chosen in uniform_samples(worlds, size)])
    return (
        name,
        len(next(iter(worlds.values()))),
        float(np.mean(ours)),
        float(np.max(ours)),
        float(uniform.mean()),
        float(uniform.max(axis=1).mean()),
        float(np.quantile(uniform.max(axis=1), 0.95)),
        *by_choice(Chooser(tables.problem, condition, codes, seed=7), worlds, truth, by_z3),
    )


def by_choice(
    chooser: Chooser, worlds: Mapping[str, IntArray], truth: Marginals, budget: float
) -> tuple[Cell, Cell, Cell]:
    """How many worlds value-by-value choice draws in the time, their mean variation, and that of uniform ones."""
    started = time.process_time()
    drawn: list[Assignment] = []
    while time.process_time() - started < budget:
        world = chooser.draw()
        if world is not None:
            drawn.append(world)
    if not drawn:
        return 0, None, None
    fewer = [variations(truth, chosen) for chosen in uniform_samples(worlds, len(drawn))]
    return len(drawn), float(np.mean(variations(truth, columns_of(drawn)))), float(np.mean(fewer))


def small_archetypes() -> Iterator[tuple[str, Tables, Expr, frozenset[str]]]:
    program = load_program(SMALL)
    for name, archetype in sorted(program.archetypes.items()):
        problem = program.systems[archetype.system].problem
        yield name, Tables(problem), archetype.where, archetype.codes
    program = load_program(SHIPPED)
    for name in CUT:
        archetype = program.archetypes[name]
        tables = Tables(program.systems[archetype.system].problem)
        first = next(candidates(tables, archetype.where, archetype.codes, key_of("cut", name)))
        assert isinstance(first, Candidate)
        problem = cut_domains(tables.problem, first.world)
        yield f"{name}, cut", Tables(problem), archetype.where, archetype.codes


def cut_domains(problem: Problem, world: Assignment) -> Problem:
    """Take values away, from the largest domain first, but none that `world` has or its walk sets."""
    kept = {name: {value} for name, value in world.items()}
    for step in run_walk(problem, world).steps:
        for name, value in step.sets.items():
            kept[name].add(value)
    domains = {variable.name: list(variable.domain) for variable in problem.variables}
    while math.prod(map(len, domains.values())) > MOST_WORLDS:
        name = max(domains, key=lambda name: len(domains[name]) - len(kept[name]))
        domains[name].remove(next(value for value in reversed(domains[name]) if value not in kept[name]))
    variables = tuple(
        attrs.evolve(
            variable,
            domain=tuple(domains[variable.name]),
            preference=tuple(value for value in variable.preference if value in domains[variable.name]),
        )
        for variable in problem.variables
    )
    return attrs.evolve(problem, variables=variables)


def all_worlds(tables: Tables, condition: Expr, codes: frozenset[str]) -> dict[str, IntArray]:
    """Every world of an archetype, a column for each variable."""
    problem = tables.problem
    grid = np.meshgrid(*(np.array(variable.domain, np.int64) for variable in problem.variables), indexing="ij")
    state: BatchState = {variable.name: axis.ravel() for variable, axis in zip(problem.variables, grid, strict=True)}
    size = grid[0].size
    (holds,) = tables.evaluate([condition], state)
    kept = np.zeros(size, bool)
    for group in walk_batch(tables, state, size):
        if group.gives_task and {problem.rules[step.rule].code for step in group.steps} == codes:
            kept[group.rows] = True
    kept &= np.broadcast_to(holds, size)
    return {name: np.asarray(column)[kept] for name, column in state.items()}


def columns_of(worlds: Sequence[Assignment]) -> dict[str, IntArray]:
    return {name: np.array([world[name] for world in worlds], np.int64) for name in worlds[0]}


def uniform_samples(worlds: Mapping[str, IntArray], size: int) -> Iterator[dict[str, IntArray]]:
    random = np.random.default_rng(3)
    count = len(next(iter(worlds.values())))
    for _ in range(REPEATS):
        places = random.integers(count, size=size)
        yield {name: column[places] for name, column in worlds.items()}


def marginals(
    worlds: Mapping[str, IntArray],
) -> Marginals:
    """For each variable that varies: its values and their shares."""
    found = {}
    for name, column in worlds.items():
        values, counts = np.unique(column, return_counts=True)
        if len(values) > 1:
            found[name] = (values, counts / len(column))
    return found


def variations(truth: Marginals, sample: Mapping[str, IntArray]) -> list[float]:
    """The total variation distance of each variable's marginal."""
    found = []
    for name, (values, shares) in truth.items():
        seen = np.array([(sample[name] == value).mean() for value in values])
        assert math.isclose(seen.sum(), 1), f"a draw has a value of {name} that no world has"
        found.append(float(abs(seen - shares).sum() / 2))
    return found
