"""Expand relations, `With` and `Before`: what is left are pure expressions over variables alone.

In: expressions of a `Problem`. Out: pure expressions (see `fold`), of which equal ones are one object; `tables`
generates code from them. `Before(e)` becomes `e` over the variables `before_name(x)`, which stand for the earlier
state: in a prescription, that in which the rule fired; in a guard, that in which the walk started.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar, assert_never

from solvers.counting import fold
from solvers.counting.fold import conjuncts, support
from solvers.problem import (
    Apply,
    Before,
    Const,
    Expr,
    Lookup,
    Problem,
    RelationValue,
    Rule,
    Var,
    With,
    children,
    once_a_problem,
)

__all__ = [
    "before_name",
    "before_state",
    "conjuncts",
    "expand",
    "expand_guard",
    "expand_guard_at_start",
    "expand_looking_back",
    "pure",
    "substitute",
    "support",
]

Cell = TypeVar("Cell")


def before_name(name: str) -> str:
    """Name the variable that holds what `name` was in the earlier state."""
    return f"before({name})"


def before_state(state: Mapping[str, Cell], names: Iterable[str]) -> dict[str, Cell]:
    """Return what `names` are in `state`, under the names that `Before` reads."""
    return {before_name(name): state[name] for name in names}


class _Expander:
    """The expanded relations of one problem, and every expression expanded so far."""

    def __init__(self, problem: Problem) -> None:
        self.relations: dict[str, Expr] = {}
        self.known: dict[Expr, Expr] = {}
        self.earlier = {v.name: fold.variable(before_name(v.name)) for v in problem.variables}
        for name, definition in problem.relations:
            self.relations[name] = self.expand(definition)

    def expand(self, expr: Expr) -> Expr:
        if expr not in self.known:
            self.known[expr] = self._expand(expr)
        return self.known[expr]

    def _expand(self, expr: Expr) -> Expr:
        match expr:
            case Const(value=value):
                return fold.constant(value)
            case Var(name=name, sort=sort):
                return fold.variable(name, sort)
            case RelationValue(name=name):
                return self.relations[name]
            case Apply(op=op, args=args):
                return fold.apply(op, tuple(self.expand(arg) for arg in args))
            case Lookup(table=table, entries=entries, key=key):
                return fold.lookup(table, entries, self.expand(key))
            case With(body=body, changes=changes):
                return substitute(self.expand(body), {name: self.expand(new) for name, new in changes})
            case Before(body=body):
                return substitute(self.expand(body), self.earlier)
        assert_never(expr)


_expander_of = once_a_problem(_Expander)


def expand(problem: Problem, expr: Expr) -> Expr:
    """Write `expr` over the variables of `problem` alone.

    Remembered for as long as the problem lives. Raises `KeyError` for an unknown relation.
    """
    return _expander_of(problem).expand(expr)


def expand_looking_back(problem: Problem, expr: Expr, differing: Collection[str]) -> Expr:
    """Expand `expr`, where the earlier state differs from the current one in the variables `differing` only."""
    expanded = expand(problem, expr)
    same = {before_name(v.name): v.name for v in problem.variables if v.name not in differing}
    current = {name: expand(problem, Var(now)) for name, now in same.items() if name in support(expanded)}
    return substitute(expanded, current)


def expand_guard(problem: Problem, rule: Rule) -> Expr:
    """Expand a guard for any state of a walk: it differs from the start in editable fields only."""
    return expand_looking_back(problem, rule.guard, [variable.name for variable in problem.editable])


def expand_guard_at_start(problem: Problem, rule: Rule) -> Expr:
    """Expand a guard for the state in which the walk starts."""
    return expand_looking_back(problem, rule.guard, ())


def pure(expr: Expr) -> Expr:
    """Bring an expression without relations, `With` and `Before` into its pure form."""
    return substitute(expr, {})


def substitute(expr: Expr, values: Mapping[str, int | Expr]) -> Expr:
    """Replace variables, all at once, and simplify.

    Args:
        expr: A pure expression, or one that `pure` accepts.
        values: A constant or such an expression for some variables; others stay.
    """
    new = {name: fold.constant(value) if isinstance(value, int) else pure(value) for name, value in values.items()}
    done: dict[int, Expr] = {}
    stack = [expr]
    while stack:
        node = stack[-1]
        if id(node) in done:
            stack.pop()
        elif fold.is_pure(node) and new.keys().isdisjoint(support(node)):
            done[id(node)] = stack.pop()
        elif missing := [part for part in children(node) if id(part) not in done]:
            stack.extend(missing)
        else:
            done[id(node)] = _rebuild(stack.pop(), new, done)
    return done[id(expr)]


def _rebuild(node: Expr, new: Mapping[str, Expr], done: Mapping[int, Expr]) -> Expr:
    match node:
        case Const(value=value):
            return fold.constant(value)
        case Var(name=name, sort=sort):
            return new[name] if name in new else fold.variable(name, sort)
        case Apply(op=op, args=args):
            return fold.apply(op, tuple(done[id(arg)] for arg in args))
        case Lookup(table=table, entries=entries, key=key):
            return fold.lookup(table, entries, done[id(key)])
        case RelationValue() | With() | Before():
            raise ValueError(f"not a pure expression: {node}; `expand` it first")
    assert_never(node)
