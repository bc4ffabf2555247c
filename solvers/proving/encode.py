"""Expressions as solver terms: the only module that says what an operator means to Z3.

In: expressions of a `Problem`, and states that give each variable a term: an integer, or a name whose value
the solver chooses. Out: SMT-LIB terms in one `TermPool`. Relations, `With` and `Before` are followed from state
to state, without the help of `counting.expand`, so that a fault in either shows as a disagreement.

Relies on what the language proves: no divisor is zero, each table has an entry for every key, and `Before` occurs
in prescriptions and guards only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from solvers.problem import (
    Apply,
    Before,
    Const,
    Expr,
    Lookup,
    Op,
    Problem,
    RelationValue,
    Sort,
    Var,
    With,
    walk_expr,
)
from solvers.proving.smtlib import BOOL, INT, Term, TermPool, boolean, integer


class TermState:
    """A term for every variable, and the terms that were built from them so far.

    Attributes:
        label: Ends the names of its relations in scripts; empty for states between the sets of an alternative.
        before: The state that `Before` goes back to: itself, outside prescriptions and guards.
        origin: The state from which this one differs in the variables `changes` alone.
    """

    def __init__(
        self,
        values: Mapping[str, Term],
        *,
        label: str = "",
        before: TermState | None = None,
        origin: TermState | None = None,
        changes: frozenset[str] = frozenset(),
    ) -> None:
        self.values = dict(values)
        self.label = label
        self.before = self if before is None else before
        self.origin = origin
        self.changes = changes
        self.known: dict[int, tuple[Expr, Term]] = {}  # by identity; holding the expression keeps it valid
        self.relations: dict[str, Term] = {}
        self._neighbours: dict[tuple[str, ...], TermState] = {}
        self._looking_back: dict[int, TermState] = {}  # by identity of the start, which they hold

    def changed(self, changes: Mapping[str, Term]) -> TermState:
        """Return the state that differs in some variables, seen from the same fired rule."""
        return self._neighbour(changes, "", self.before)

    def entered(self, changes: Mapping[str, Term], label: str) -> TermState:
        """Return the state that differs in some variables, as one in which rules may fire."""
        return self._neighbour(changes, label, None)

    def looking_back(self, start: TermState) -> TermState:
        """Return the same state as guards see it, for which `Before` goes back to `start`."""
        if id(start) not in self._looking_back:
            self._looking_back[id(start)] = TermState(self.values, before=start, origin=self)
        return self._looking_back[id(start)]

    def _neighbour(self, changes: Mapping[str, Term], label: str, before: TermState | None) -> TermState:
        key = (label, *(part for name, term in changes.items() for part in (name, term.text)))
        if key not in self._neighbours:
            if unknown := changes.keys() - self.values.keys():
                raise KeyError(min(unknown))
            values = {**self.values, **changes}
            self._neighbours[key] = TermState(
                values, label=label, before=before, origin=self, changes=frozenset(changes)
            )
        return self._neighbours[key]


class Encoder:
    """Turns expressions of one problem into terms of one pool."""

    def __init__(self, problem: Problem) -> None:
        self.pool = TermPool()
        self._definitions = dict(problem.relations)
        self._support: dict[str, frozenset[str]] = {}
        for name, definition in problem.relations:
            self._support[name] = self._variables_of(definition)

    def _variables_of(self, expr: Expr) -> frozenset[str]:
        """Collect the variables that `expr` may depend on, and perhaps some more."""
        found = set[str]()
        for part in walk_expr(expr):
            match part:
                case Var(name=name):
                    found.add(name)
                case RelationValue(name=name):
                    found |= self._support[name]
                case Const() | Apply() | Lookup() | With() | Before():
                    pass  # `walk_expr` comes to their parts
                case _:
                    assert_never(part)
        return frozenset(found)

    def term(self, expr: Expr, state: TermState) -> Term:
        """Encode `expr` in `state`."""
        known = state.known.get(id(expr))
        if known is not None:
            return known[1]
        term = self._build(expr, state)
        state.known[id(expr)] = (expr, term)
        return term

    def number(self, expr: Expr, state: TermState) -> Term:
        """Encode `expr` as an integer: a truth value counts as 0 or 1."""
        term = self.term(expr, state)
        if term.sort == INT:
            return term
        return self.pool.choose(term, integer(1), integer(0))

    def _build(self, expr: Expr, state: TermState) -> Term:
        match expr:
            case Apply(op=op, args=args):
                return TERM_BUILDERS[op](self.pool, [self.term(arg, state) for arg in args])
            case Const(value=value):
                return boolean(value) if isinstance(value, bool) else integer(value)
            case Var(name=name, sort=sort):
                held = state.values[name]
                return held if sort is Sort.INT else self.pool.negate(self.pool.equal(held, integer(0)))
            case RelationValue(name=name):
                return self._relation(name, state)
            case Lookup(entries=entries, key=key):
                return self._entry(entries, self.number(key, state))
            case With(body=body, changes=changes):
                new = {name: self.number(value, state) for name, value in changes}
                return self.term(body, state.changed(new))
            case Before(body=body):
                return self.term(body, state.before)
        assert_never(expr)

    def _relation(self, name: str, state: TermState) -> Term:
        known = state.relations.get(name)
        if known is not None:
            return known
        if state.origin is not None and state.changes.isdisjoint(self._support[name]):
            term = self._relation(name, state.origin)
        else:
            term = self.term(self._definitions[name], state)
            if state.label:
                self.pool.label(term, f"{name}@{state.label}")
        state.relations[name] = term
        return term

    def _entry(self, entries: Sequence[tuple[int, int]], key: Term) -> Term:
        """Choose among table entries; the last one stands for all other keys, and there are no others."""
        (_, chosen), *others = reversed(entries)
        term = integer(chosen)
        for given, value in others:
            term = self.pool.choose(self.pool.equal(key, integer(given)), integer(value), term)
        return term


# ---- operators ---------------------------------------------------------------------------------------

Build = Callable[[TermPool, list[Term]], Term]


def _plain(operator: str, sort: str) -> Build:
    return lambda pool, args: pool.apply(operator, args, sort)


def _sum(operator: str) -> Build:
    return lambda pool, args: args[0] if len(args) == 1 else pool.apply(operator, args, INT)


def _floor(pool: TermPool, args: list[Term]) -> Term:
    """Round the quotient down. SMT-LIB does so for positive divisors only."""
    top, bottom = args
    return pool.choose(
        _is_positive(pool, bottom),
        pool.apply("div", (top, bottom), INT),
        pool.apply("div", (_opposite(pool, top), _opposite(pool, bottom)), INT),
    )


def _ceiling(pool: TermPool, args: list[Term]) -> Term:
    top, bottom = args
    return _opposite(pool, _floor(pool, [_opposite(pool, top), bottom]))


def _remainder(pool: TermPool, args: list[Term]) -> Term:
    """What rounding down leaves: it has the sign of the divisor."""
    top, bottom = args
    minus = _opposite(pool, bottom)
    return pool.choose(
        _is_positive(pool, bottom),
        pool.apply("mod", (top, bottom), INT),
        _opposite(pool, pool.apply("mod", (_opposite(pool, top), minus), INT)),
    )


def _is_positive(pool: TermPool, term: Term) -> Term:
    if term.literal is not None:
        return boolean(term.literal > 0)
    return pool.apply(">", (term, integer(0)), BOOL)


def _opposite(pool: TermPool, term: Term) -> Term:
    return integer(-term.literal) if term.literal is not None else pool.apply("-", (term,), INT)


def _extreme(comparison: str) -> Build:
    def build(pool: TermPool, args: list[Term]) -> Term:
        best = args[0]
        for arg in args[1:]:
            best = pool.choose(pool.apply(comparison, (best, arg), BOOL), best, arg)
        return best

    return build


def _absolute(pool: TermPool, args: list[Term]) -> Term:
    return pool.choose(pool.apply(">=", (args[0], integer(0)), BOOL), args[0], _opposite(pool, args[0]))


TERM_BUILDERS: dict[Op, Build] = {
    Op.ADD: _sum("+"),
    Op.SUB: _plain("-", INT),
    Op.MUL: _sum("*"),
    Op.NEG: lambda pool, args: _opposite(pool, args[0]),
    Op.FLOORDIV: _floor,
    Op.CEILDIV: _ceiling,
    Op.MOD: _remainder,
    Op.MIN: _extreme("<="),
    Op.MAX: _extreme(">="),
    Op.ABS: _absolute,
    Op.ITE: lambda pool, args: pool.choose(args[0], args[1], args[2]),
    Op.EQ: lambda pool, args: pool.equal(args[0], args[1]),
    Op.NE: lambda pool, args: pool.negate(pool.equal(args[0], args[1])),
    Op.LT: _plain("<", BOOL),
    Op.LE: _plain("<=", BOOL),
    Op.GT: _plain(">", BOOL),
    Op.GE: _plain(">=", BOOL),
    Op.AND: lambda pool, args: pool.all_of(args),
    Op.OR: lambda pool, args: pool.any_of(args),
    Op.NOT: lambda pool, args: pool.negate(args[0]),
    Op.IMPLIES: lambda pool, args: pool.implies(args[0], args[1]),
}
