"""What a world must meet to show the same as a given one, also said in ways that fewer variables decide.

In: a problem, channels. Out: pure conditions over the variables and over what the given world shows (`shown_name`).
Some follow from others, so they change no result; a search that tests them early looks at fewer worlds.

A value with cases is demanded in three ways: in each case by itself (if the condition holds, the branch has the value
that is shown), as one of the branches, and as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np

from solvers.counting import fold
from solvers.counting.blocks import drawn_worlds, single_blocks, valid_blocks
from solvers.counting.expand import conjuncts, expand, support
from solvers.counting.tables import IntArray, Tables, topological
from solvers.problem import Apply, Const, Expr, Lookup, Op, Sort, Var
from solvers.streams import Stream, key_of

CASES = 16
"""Into how many cases a value is split at most."""
SAMPLED = 1 << 12
"""From how many random worlds it is estimated how likely a demand is met."""


def _rounded(chance: float) -> float:
    return round(chance, 3)


_Worlds = Mapping[str, IntArray]


@attrs.frozen(eq=False)
class Demand:
    """A condition on worlds, what it reads of the unknown variables, and the logarithm of the chance that it is met."""

    condition: Expr
    reads: frozenset[str]
    chance: float = attrs.field(converter=_rounded)


def shown_name(number: int) -> str:
    """The variable that holds what the given world shows in an observation."""
    return f"shown({number})"


class Demands:
    """Lists the demands of one problem."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.problem = tables.problem
        self.values = [expand(self.problem, each.value) for each in self.problem.observations]
        self._known: dict[int, list[tuple[Expr, float]]] = {}
        stream = Stream(key_of("demands", self.problem.name))
        self._any = dict(drawn_worlds(single_blocks(self.problem), stream, SAMPLED))
        blocks = valid_blocks(tables)
        some = all(len(block.rows) for block in blocks)
        self._worlds = dict(drawn_worlds(blocks, stream, SAMPLED)) if some else dict(self._any)
        others = np.argsort(stream.words(SAMPLED), kind="stable")
        self._worlds |= {shown_name(n): self._column(value)[others] for n, value in enumerate(self.values)}

    def of(self, channels: Sequence[str]) -> tuple[list[Demand], frozenset[str]]:
        """The demands that are still open where channels show the same, and the variables that these print exactly."""
        numbers = [number for number, each in enumerate(self.problem.observations) if each.channel in channels]
        values = {number: self.values[number] for number in numbers}
        exact = frozenset(value.name for value in values.values() if isinstance(value, Var))
        found: list[Demand] = []
        for number, value in values.items():
            if not isinstance(value, (Var, Const)) and support(value) - exact:
                found += self._shows(number, value, exact)
        for part in conjuncts(expand(self.problem, self.problem.valid)):
            if reads := support(part) - exact:
                found.append(Demand(part, reads, math.log(self._holds(part, self._any))))
        return found, exact

    def _shows(self, number: int, value: Expr, exact: frozenset[str]) -> Iterator[Demand]:
        reads = support(value) - exact
        weaker = [
            Demand(condition, less, chance)
            for condition, chance in self._weaker(number, value)
            if (less := support(condition) - exact - {shown_name(number)}) and less < reads
        ]
        yield from weaker
        whole = self._agree(value, (value,)) - sum(demand.chance for demand in weaker)
        yield Demand(fold.apply(Op.EQ, (value, self._shown(number))), reads, min(whole, 0.0))

    def _weaker(self, number: int, value: Expr) -> list[tuple[Expr, float]]:
        """Conditions that follow from showing the same value, with the logarithms of their chances."""
        if number not in self._known:
            shown, cases = self._shown(number), _cases(value)
            found = [
                fold.apply(Op.IMPLIES, (fold.apply(Op.AND, conditions), fold.apply(Op.EQ, (branch, shown))))
                for conditions, branch in cases
            ]
            branches = tuple(dict.fromkeys(branch for _, branch in cases))
            one = fold.apply(Op.OR, tuple(fold.apply(Op.EQ, (branch, shown)) for branch in branches))
            self._known[number] = [
                *((condition, math.log(self._holds(condition, self._worlds))) for condition in found),
                (one, self._agree(value, branches)),
            ]
        return self._known[number]

    def _shown(self, number: int) -> Expr:
        return fold.variable(shown_name(number), self.values[number].sort)

    def _agree(self, one: Expr, others: Sequence[Expr]) -> float:
        """How likely another random world gives one of `others` what a random world gives `one`: the mean logarithm."""
        values, counts = np.unique(self._column(one), return_counts=True)
        likely = np.zeros(len(values))
        for other in others:
            there, found = np.unique(self._column(other), return_counts=True)
            places = np.clip(np.searchsorted(there, values), 0, len(there) - 1)
            likely += np.where(there[places] == values, found[places], 0)
        logs = np.log(np.clip(likely, 1, SAMPLED) / SAMPLED)
        return float((logs * counts).sum() / SAMPLED)

    def _holds(self, condition: Expr, worlds: _Worlds) -> float:
        """The chance that a condition holds in a random world; above 0."""
        return max(int(self._column(condition, worlds).sum()), 1) / SAMPLED

    def _column(self, expr: Expr, worlds: _Worlds | None = None) -> IntArray:
        (column,) = self.tables.compiled([expr])(self._worlds if worlds is None else worlds)
        return np.broadcast_to(column, SAMPLED).astype(np.int64)


def _cases(value: Expr) -> list[tuple[tuple[Expr, ...], Expr]]:
    """Split a value by the conditions on which it depends: in each case some hold, and the value is a simpler one."""
    cases: list[tuple[tuple[Expr, ...], Expr]] = [((), value)]
    while len(cases) < CASES:
        split = next((place for place, (_, branch) in enumerate(cases) if _choice(branch) is not None), None)
        if split is None:
            break
        conditions, branch = cases.pop(split)
        choice = _choice(branch)
        assert choice is not None
        cases += [
            ((*conditions, condition), _given(branch, choice, holds))
            for condition, holds in ((choice, True), (fold.negate(choice), False))
            if fold.apply(Op.AND, (*conditions, condition)) is not fold.constant(False)
        ]
    return cases


def _choice(value: Expr) -> Expr | None:
    """The condition of the outermost choice in a value."""
    level: list[Expr] = [value]
    while level:
        for part in level:
            if isinstance(part, Apply) and part.op is Op.ITE:
                return part.args[0]
        level = [
            arg
            for part in level
            if isinstance(part, (Apply, Lookup))
            for arg in (part.args if isinstance(part, Apply) else (part.key,))
            if arg.sort is Sort.INT
        ]
    return None


def _given(value: Expr, condition: Expr, holds: bool) -> Expr:
    """A value where a condition is known to hold, or not to."""
    known: dict[int, Expr] = {id(condition): fold.constant(holds)}
    for part in topological([value], lambda part: id(part) in known):
        if id(part) not in known:
            match part:
                case Apply(op=op, args=args):
                    known[id(part)] = fold.apply(op, tuple(known[id(arg)] for arg in args))
                case Lookup(table=table, entries=entries, key=key):
                    known[id(part)] = fold.lookup(table, entries, known[id(key)])
                case _:
                    known[id(part)] = part
    return known[id(value)]
