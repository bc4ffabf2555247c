"""Build pure expressions: equal ones are one object, constants are folded, comparisons have one form.

In: operators and pure arguments. Out: an expression of the same value over `Const`, `Var`, `Apply` and `Lookup`.
Two calls that come to the same expression give the same object for as long as it is alive, so that
shared parts can be found by identity.

What comes out has no `>`, `>=`, `<=`, `!=` or `implies`: `a <= b` is `not b < a`, so that a condition and
its negation share one comparison. Parts may be dropped because every expression has a value: no divisor is
zero and no key is missing.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Literal, assert_never, cast

from solvers.problem import Apply, Const, Expr, Lookup, Op, Sort, Var, children


class _Entry(weakref.ref[Expr]):
    """A weak reference to a pure expression, with its key, its identity and the variables that occur in it."""

    __slots__ = ("key", "number", "support")
    key: Hashable
    number: int
    support: frozenset[str]


_by_key: dict[Hashable, _Entry] = {}
_by_id: dict[int, _Entry] = {}


def _forget(entry: weakref.ref[Expr]) -> None:
    gone = cast(_Entry, entry)
    del _by_key[gone.key]
    del _by_id[gone.number]


def _intern(key: Hashable, build: Callable[[], Expr]) -> Expr:
    """Return the living expression of this key, or build and remember it.

    A key holds the identities of the arguments; they live at least as long as the expression that holds them.
    """
    entry = _by_key.get(key)
    known = None if entry is None else entry()
    if known is not None:
        return known
    built = build()
    entry = _Entry(built, _forget)
    entry.key, entry.number = key, id(built)
    parts = [_by_id[id(part)].support for part in children(built)]
    entry.support = frozenset((built.name,)) if isinstance(built, Var) else frozenset().union(*parts)
    _by_key[key] = _by_id[id(built)] = entry
    return built


def is_pure(expr: Expr) -> bool:
    """Whether `expr` was built here."""
    return id(expr) in _by_id


def support(expr: Expr) -> frozenset[str]:
    """Return the variables that occur in a pure expression."""
    return _by_id[id(expr)].support


def constant(value: int | bool) -> Const:
    return cast(Const, _intern((type(value), value), lambda: Const(value)))


def variable(name: str, sort: Sort = Sort.INT) -> Expr:
    return _intern((Var, name, sort), lambda: Var(name, sort))


def lookup(table: str, entries: tuple[tuple[int, int], ...], key: Expr) -> Expr:
    if isinstance(key, Const):
        return constant(dict(entries)[key.value])
    if len({value for _, value in entries}) == 1:
        return constant(entries[0][1])
    return _intern((Lookup, table, entries, id(key)), lambda: Lookup(table, entries, key))


def negate(expr: Expr) -> Expr:
    return apply(Op.NOT, (expr,))


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """Split a pure condition into parts that all have to hold; no part for `true`."""
    if expr is constant(True):
        return ()
    return expr.args if isinstance(expr, Apply) and expr.op is Op.AND else (expr,)


def apply(op: Op, args: tuple[Expr, ...]) -> Expr:
    """Build the pure expression that applies `op` to pure arguments."""
    constants = [arg.value for arg in args if isinstance(arg, Const)]
    if len(constants) == len(args):
        return constant(CONSTANT_VALUES[op](*constants))
    match op:
        case Op.ADD | Op.MUL:
            return _sum_or_product(op, args)
        case Op.MIN | Op.MAX:
            return _extreme(op, args)
        case Op.AND | Op.OR:
            return _all_or_any(op, args)
        case Op.SUB:
            return _difference(*args)
        case Op.NEG | Op.NOT:
            return _opposite(op, *args)
        case Op.ABS:
            return _node(op, args)
        case Op.FLOORDIV | Op.CEILDIV | Op.MOD:
            return _quotient(op, *args)
        case Op.ITE:
            return _choice(*args)
        case Op.EQ | Op.NE | Op.LT | Op.LE | Op.GT | Op.GE:
            return _comparison(op, *args)
        case Op.IMPLIES:
            premise, conclusion = args
            return apply(Op.OR, (negate(premise), conclusion))
    assert_never(op)


def _node(op: Op, args: tuple[Expr, ...]) -> Expr:
    return _intern((op, *map(id, args)), lambda: Apply(op, args))


def _sum_or_product(op: Literal[Op.ADD, Op.MUL], args: tuple[Expr, ...]) -> Expr:
    """Gather the constants of a sum or product into one, written last."""
    neutral = 0 if op is Op.ADD else 1
    number = CONSTANT_VALUES[op](*(arg.value for arg in args if isinstance(arg, Const)))
    if op is Op.MUL and number == 0:
        return constant(0)
    rest: list[Expr] = [arg for arg in args if not isinstance(arg, Const)]
    if number != neutral:
        rest.append(constant(number))
    return rest[0] if len(rest) == 1 else _node(op, tuple(rest))


def _extreme(op: Literal[Op.MIN, Op.MAX], args: tuple[Expr, ...]) -> Expr:
    """Gather the constants into one, written last, and drop repeated arguments."""
    constants = [arg.value for arg in args if isinstance(arg, Const)]
    rest: list[Expr] = list(_distinct(arg for arg in args if not isinstance(arg, Const)))
    if constants:
        rest.append(constant(CONSTANT_VALUES[op](*constants)))
    return rest[0] if len(rest) == 1 else _node(op, tuple(rest))


def _all_or_any(op: Literal[Op.AND, Op.OR], args: tuple[Expr, ...]) -> Expr:
    """Flatten; drop repeated and neutral parts; see where a part decides, or a part and its negation do."""
    neutral, absorbing = (constant(True), constant(False)) if op is Op.AND else (constant(False), constant(True))
    flat: list[Expr] = []
    for arg in args:
        flat.extend(arg.args if isinstance(arg, Apply) and arg.op is op else (arg,))
    parts = [part for part in _distinct(flat) if part is not neutral]
    present = {id(part) for part in parts}
    if id(absorbing) in present or any(
        isinstance(part, Apply) and part.op is Op.NOT and id(part.args[0]) in present for part in parts
    ):
        return absorbing
    if not parts:
        return neutral
    return parts[0] if len(parts) == 1 else _node(op, tuple(parts))


def _distinct(parts: Iterable[Expr]) -> Iterable[Expr]:
    return {id(part): part for part in parts}.values()


def _difference(left: Expr, right: Expr) -> Expr:
    if left is right:
        return constant(0)
    if isinstance(right, Const):
        return apply(Op.ADD, (left, constant(-right.value)))
    return _node(Op.SUB, (left, right))


def _opposite(op: Literal[Op.NEG, Op.NOT], arg: Expr) -> Expr:
    if isinstance(arg, Apply) and arg.op is op:
        return arg.args[0]
    return _node(op, (arg,))


def _quotient(op: Literal[Op.FLOORDIV, Op.CEILDIV, Op.MOD], dividend: Expr, divisor: Expr) -> Expr:
    if isinstance(divisor, Const) and divisor.value == 1:
        return constant(0) if op is Op.MOD else dividend
    return _node(op, (dividend, divisor))


def _choice(condition: Expr, then: Expr, other: Expr) -> Expr:
    """Build `if condition then then else other`; with a constant branch it becomes `and` or `or`."""
    if isinstance(condition, Const):
        return then if condition.value else other
    if then is other:
        return then
    if then is constant(True):
        return apply(Op.OR, (condition, other))
    if then is constant(False):
        return apply(Op.AND, (negate(condition), other))
    if other is constant(True):
        return apply(Op.OR, (negate(condition), then))
    if other is constant(False):
        return apply(Op.AND, (condition, then))
    return _node(Op.ITE, (condition, then, other))


def _comparison(op: Literal[Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE], left: Expr, right: Expr) -> Expr:
    """Write a comparison with `==` and `<` alone."""
    match op:
        case Op.EQ:
            return _equality(left, right)
        case Op.LT:
            return constant(False) if left is right else _node(op, (left, right))
        case Op.NE:
            return negate(_comparison(Op.EQ, left, right))
        case Op.GT:
            return _comparison(Op.LT, right, left)
        case Op.LE:
            return negate(_comparison(Op.LT, right, left))
        case Op.GE:
            return negate(_comparison(Op.LT, left, right))
    assert_never(op)


def _equality(left: Expr, right: Expr) -> Expr:
    """Write a constant second, and `b == true` as `b`."""
    if left is right:
        return constant(True)
    if isinstance(left, Const):
        left, right = right, left
    if left.sort is Sort.BOOL and isinstance(right, Const):
        return left if right.value else negate(left)
    return _node(Op.EQ, (left, right))


CONSTANT_VALUES: Mapping[Op, Callable[..., Any]] = {
    Op.ADD: lambda *a: sum(a),
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda *a: math.prod(a),
    Op.NEG: lambda a: -a,
    Op.FLOORDIV: lambda a, b: a // b,
    Op.CEILDIV: lambda a, b: -((-a) // b),
    Op.MOD: lambda a, b: a % b,
    Op.MIN: lambda *a: min(a),
    Op.MAX: lambda *a: max(a),
    Op.ABS: abs,
    Op.ITE: lambda c, a, b: a if c else b,
    Op.EQ: lambda a, b: a == b,
    Op.NE: lambda a, b: a != b,
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.GT: lambda a, b: a > b,
    Op.GE: lambda a, b: a >= b,
    Op.AND: lambda *a: all(a),
    Op.OR: lambda *a: any(a),
    Op.NOT: lambda a: not a,
    Op.IMPLIES: lambda a, b: (not a) or b,
}
