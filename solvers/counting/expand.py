"""Expand relations, `With` and `Before`: what is left are pure expressions over variables alone.

In: expressions of a `Problem`. Out: pure expressions (see `fold`), of which equal ones are one object; `tables`
generates code from them. `Before(e)` becomes `e` over the variables `before_name(x)`, which stand for the state
in which the rule fired.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import assert_never

from solvers.counting import fold
from solvers.counting.fold import conjuncts, support
from solvers.problem import Apply, Before, Const, Expr, Lookup, Problem, RelationValue, Var, With, children

__all__ = ["before_name", "conjuncts", "expand", "pure", "substitute", "support"]


def before_name(name: str) -> str:
    """Name the variable that holds what `name` was when the rule fired."""
    return f"before({name})"


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


_expanders: weakref.WeakKeyDictionary[Problem, _Expander] = weakref.WeakKeyDictionary()


def expand(problem: Problem, expr: Expr) -> Expr:
    """Write `expr` over the variables of `problem` alone.

    Remembered for as long as the problem lives. Raises `KeyError` for an unknown relation.
    """
    expander = _expanders.get(problem)
    if expander is None:
        expander = _expanders[problem] = _Expander(problem)
    return expander.expand(expr)


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
