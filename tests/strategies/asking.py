"""Ask Z3 for the values of terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from solvers.proving.budget import Budget
from solvers.proving.engine import Engine, Sat
from solvers.proving.smtlib import INT, Term, TermPool, integer, symbol


def ask(pool: TermPool, terms: Sequence[Term], fixed: Mapping[str, int] | None = None) -> list[int]:
    """Compute what Z3 says the terms are (truth values as 0 and 1) when their open names have the values `fixed`."""
    names = [f"result {number}" for number in range(len(terms))]
    numbers = [term if term.sort == INT else pool.choose(term, integer(1), integer(0)) for term in terms]
    said = [pool.equal(symbol(name), number) for name, number in zip(names, numbers, strict=True)]
    used = {name: value for name, value in (fixed or {}).items() if any(name in term.symbols for term in terms)}
    engine = Engine(Budget())
    outcome = engine.check([engine.fill(engine.parse(pool.body(said), [*names, *used]), used)])
    assert isinstance(outcome, Sat)
    return [outcome.values[name] for name in names]
