"""The worlds that show the same evidence as a given one.

In: a world. Out: its evidence class as a state (see `walks`): every world with the same config and the same
observations that satisfies what the page states, valid or not. Only *free* variables differ in it: hidden ones,
and given ones that aren't shown exactly. All their combinations are tried; each observation is computed over its own
variables only.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from solvers.counting.expand import conjuncts, expand, support
from solvers.counting.tables import BatchState, BatchValue, BoolArray, IntArray, Tables
from solvers.counting.walks import collapsed
from solvers.outcome import Assignment
from solvers.problem import Expr, Kind, Problem, Var, Variable

MOST_COMBINATIONS = 1 << 24
"""Most combinations of free values that are tried, once each variable's own observations have cut its domain."""
CLASS_CHUNK = 1 << 20
"""How many combinations are tried at once."""


class TooManyWorldsError(Exception):
    """The free variables have more than `MOST_COMBINATIONS` combinations."""


def free_variables(problem: Problem) -> tuple[Variable, ...]:
    """List the variables that worlds with the same evidence may disagree on."""
    exact = {shown.value.name for shown in problem.observations if isinstance(shown.value, Var)}
    return tuple(
        variable
        for variable in problem.variables
        if variable.kind is Kind.HIDDEN or (variable.kind is Kind.GIVEN and variable.name not in exact)
    )


def evidence_class(tables: Tables, world: Assignment) -> tuple[dict[str, BatchValue], int]:
    """Return the evidence class of `world` and its size.

    The order is that of the domains of the free variables, the last changing fastest.

    Raises:
        TooManyWorldsError: There are too many combinations to try.
    """
    return tables.told.shared(_Classes).of(world)


class _Classes:
    """The compiled demands on the worlds of a class: parts of what is stated, and observations of free variables."""

    def __init__(self, tables: Tables) -> None:
        problem = tables.problem
        self.free = free_variables(problem)
        names = {variable.name for variable in self.free}
        required = conjuncts(expand(problem, problem.stated))
        shown = tuple(expand(problem, observation.value) for observation in problem.observations)
        varying = sorted(dict.fromkeys((*required, *shown)), key=lambda part: len(support(part) & names))

        def over(*chosen: frozenset[str]) -> _Demands:
            parts = [part for part in varying if support(part) & names in chosen]
            return _Demands(tables, [part for part in parts if part in required], parts)

        self.fixed = tables.compiled([part for part in required if not support(part) & names])
        self.single = [(variable.name, over(frozenset({variable.name}))) for variable in self.free]
        self.joint = over(*(own for part in varying if len(own := support(part) & names) > 1))

    def of(self, world: Assignment) -> tuple[dict[str, BatchValue], int]:
        state: dict[str, BatchValue] = dict(world)
        if not all(self.fixed(world)):
            return state, 0
        domains = {variable.name: np.array(variable.domain, np.int64) for variable in self.free}
        for name, demands in self.single:
            domain = domains[name]
            domains[name] = domain[demands.met({**world, name: domain}, demands.wanted(world), domain.shape)]
        if not all(map(len, domains.values())):
            return state, 0
        columns, size = self.enumerate(world, domains)
        return {**state, **{name: collapsed(column) for name, column in columns.items()}}, size

    def enumerate(self, world: Assignment, domains: dict[str, IntArray]) -> tuple[dict[str, IntArray], int]:
        """Find the combinations that meet the joint demands: a column for each free variable, and their number."""
        if not domains:
            return {}, 1
        sizes = [len(domain) for domain in domains.values()]
        if np.prod(sizes, dtype=float) > MOST_COMBINATIONS:
            raise TooManyWorldsError
        outer = 0  # leading variables that are stepped through one value at a time
        while outer < len(sizes) - 1 and np.prod(sizes[outer:], dtype=float) > CLASS_CHUNK:
            outer += 1
        names, shape = list(domains), tuple(sizes[outer:])
        axes: dict[str, BatchValue] = {
            name: domains[name].reshape([-1 if axis == place else 1 for axis in range(len(shape))])
            if len(domains[name]) > 1
            else int(domains[name][0])
            for place, name in enumerate(names[outer:])
        }
        wanted = self.joint.wanted(world)
        found: list[list[IntArray]] = [[] for _ in names]
        for values in itertools.product(*(domains[name].tolist() for name in names[:outer])):
            fixed = dict(zip(names[:outer], values, strict=True))
            kept = np.nonzero(self.joint.met({**world, **fixed, **axes}, wanted, shape))
            for column, value in zip(found, values, strict=False):
                column.append(np.full(len(kept[0]), value, np.int64))
            for column, name, places in zip(found[outer:], names[outer:], kept, strict=True):
                column.append(domains[name][places])
        columns = {name: np.concatenate(parts) for name, parts in zip(names, found, strict=True)}
        return columns, len(columns[names[0]])


class _Demands:
    """What the worlds of a class must show: stated parts are true, observations are those of the given world."""

    def __init__(self, tables: Tables, required: Sequence[Expr], parts: Sequence[Expr]) -> None:
        self.code = tables.compiled(parts)
        self.required = [part in required for part in parts]

    def wanted(self, world: Assignment) -> list[Any]:
        return [required or value for required, value in zip(self.required, self.code(world), strict=True)]

    def met(self, state: BatchState, wanted: Sequence[Any], shape: tuple[int, ...]) -> BoolArray:
        met: Any = True
        for shown, value in zip(self.code(state), wanted, strict=True):
            met = met & (shown == value)
        return np.broadcast_to(met, shape)
