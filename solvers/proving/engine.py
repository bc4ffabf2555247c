"""Ask Z3: read text, fill in numbers, check within a budget, read a model.

In: SMT-LIB text (see `smtlib`). Out: `Sat` with values, `Unsat`, or `Unknown`. Each engine has its own Z3
context, so no problem influences another. Z3's objects leave this module only inside a `Formula`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import z3

from solvers.proving.budget import Budget


@attrs.frozen
class Sat:
    """There is a solution: a value for each of the names asked for."""

    values: Mapping[str, int]


@attrs.frozen
class Unsat:
    """There is no solution."""


@attrs.frozen
class Unknown:
    """The budget ran out, or Z3 gave up: nothing is known."""

    reason: str


SolverOutcome = Sat | Unsat | Unknown

_RENEWED_AFTER = 128
"""After how many queries a solver is replaced: older versions of Z3 keep some memory of each query."""


@attrs.frozen(eq=False)
class Formula:
    """A condition in the context of one engine, with the names that it leaves open."""

    names: tuple[str, ...]
    term: Any = attrs.field(repr=False)


class Engine:
    """One Z3 context, and a solver that is renewed from time to time; no query depends on those before it."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._context = z3.Context()
        self._solver = self._new_solver()
        self._asked = 0
        self._numbers: dict[int, Any] = {}
        self._symbols: dict[str, Any] = {}

    def parse(self, text: str, names: Iterable[str]) -> Formula:
        """Read the conjunction of the assertions in `text`, whose undefined names are `names`."""
        asserted = z3.parse_smt2_string(text, ctx=self._context)
        term = asserted[0] if len(asserted) == 1 else z3.And(*asserted, self._context)
        return Formula(tuple(sorted(names)), term)

    def fill(self, formula: Formula, values: Mapping[str, int]) -> Formula:
        """Put numbers in the place of names."""
        given = tuple(name for name in formula.names if name in values)
        if not given:
            return formula
        # Through the raw interface: the checks of `z3.substitute` cost more than the substitution.
        context, count = self._context, len(given)
        sources = (z3.Ast * count)(*[self._symbol(name).as_ast() for name in given])
        targets = (z3.Ast * count)(*[self._number(values[name]).as_ast() for name in given])
        filled = z3.Z3_substitute(context.ref(), formula.term.as_ast(), count, sources, targets)
        names = tuple(name for name in formula.names if name not in values)
        return Formula(names, z3.BoolRef(filled, context))

    def check(self, formulas: Sequence[Formula]) -> SolverOutcome:
        """Look for values of the open names that fulfil all of the formulas.

        An undecided query is asked again on a new solver, so that `Unknown` doesn't depend on earlier queries.
        """
        self._asked += 1
        if self._asked % _RENEWED_AFTER == 0:
            self._solver = self._new_solver()
        outcome = self._check(formulas)
        if isinstance(outcome, Unknown):
            self._solver = self._new_solver()
            outcome = self._check(formulas)
            self._solver = self._new_solver()
        return outcome

    def _check(self, formulas: Sequence[Formula]) -> SolverOutcome:
        solver = self._solver
        solver.push()
        try:
            for formula in formulas:
                solver.add(formula.term)
            answer = solver.check()
            if answer == z3.unsat:
                return Unsat()
            if answer != z3.sat:
                return Unknown(f"{solver.reason_unknown()} (budget {self._budget.rlimit})")
            model = solver.model()
            names = sorted({name for formula in formulas for name in formula.names})
            return Sat({name: model.eval(self._symbol(name), model_completion=True).as_long() for name in names})
        finally:
            solver.pop()

    def _new_solver(self) -> Any:
        solver = z3.SimpleSolver(ctx=self._context)
        solver.set("rlimit", self._budget.rlimit)
        solver.set("random_seed", self._budget.seed)
        return solver

    def _symbol(self, name: str) -> Any:
        if name not in self._symbols:
            self._symbols[name] = z3.Int(name, self._context)
        return self._symbols[name]

    def _number(self, value: int) -> Any:
        if value not in self._numbers:
            self._numbers[value] = z3.IntVal(value, self._context)
        return self._numbers[value]
