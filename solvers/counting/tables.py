"""Vectorised evaluation: numpy code generated from the expanded expressions of a problem.

In: pure expressions (see `fold`), and an environment that gives each variable an integer or an int64 array; arrays
broadcast. Out: a value for each expression: an int64 or bool array, or a plain Python value if no array is involved.
Each shared part is computed once, and only over the axes of its own variables: with variables on separate axes,
a table of all their combinations is cheap.

Sums and products don't overflow: the language bounds every value by 2**60. Both branches of `if` are computed, so
a lookup gives some entry for a key that its table lacks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, assert_never

import numpy as np
import numpy.typing as npt

from solvers.counting.expand import expand
from solvers.problem import Apply, Before, Const, Expr, Lookup, Op, Problem, RelationValue, Var, With, as_told, children

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Array = npt.NDArray[Any]
BatchValue = int | IntArray
"""The value of a variable in a batch of worlds: one integer for all of them, or an array with one for each."""
BatchState = Mapping[str, BatchValue]
Compiled = Callable[[BatchState], tuple[Any, ...]]

Made = TypeVar("Made")

DENSE_SPAN = 4096
"""Widest range of keys for which a lookup table is stored as an array with holes."""


class Tables:
    """The vectorised evaluation of one problem. Functions are compiled when they are first asked for, and kept."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._compiled: dict[tuple[int, ...], tuple[tuple[Expr, ...], Compiled]] = {}
        self._shared: dict[object, Any] = {}

    @functools.cached_property
    def told(self) -> Tables:
        """The tables of the problem as its page tells it."""
        told = as_told(self.problem)
        return self if told is self.problem else Tables(told)

    def shared(self, build: Callable[[Tables], Made]) -> Made:
        """Return what `build` makes of these tables: made at the first call, and shared by all later ones."""
        if build not in self._shared:
            self._shared[build] = build(self)
        made: Made = self._shared[build]
        return made

    def evaluate(self, exprs: Sequence[Expr], env: Mapping[str, int | Array]) -> list[Array]:
        """Evaluate expressions of the problem.

        Args:
            env: A value for each variable that the expressions depend on; arrays of any integer type.

        Returns:
            An array for each expression, in the broadcast shape of the variables that it depends on.
        """
        cells = {name: cell if isinstance(cell, int) else np.asarray(cell, np.int64) for name, cell in env.items()}
        values = self.compiled([expand(self.problem, expr) for expr in exprs])(cells)
        return [np.asarray(value) for value in values]

    def compiled(self, exprs: Sequence[Expr]) -> Compiled:
        """Return a function from an environment to the values of pure expressions.

        The environment holds Python integers and int64 arrays; the top of this module says what the values are.
        """
        key = tuple(map(id, exprs))
        if key not in self._compiled:
            self._compiled[key] = tuple(exprs), compile_exprs(exprs)
        return self._compiled[key][1]


def compile_exprs(exprs: Sequence[Expr]) -> Compiled:
    """Compile pure expressions into one function of an environment."""
    source, constants = generate(exprs)
    scope: dict[str, Any] = {"least": _least, "greatest": _greatest, "where": np.where}
    exec(compile(source, "<tables>", "exec"), {**scope, **constants}, scope)
    compiled: Compiled = scope["evaluate"]
    return compiled


def generate(exprs: Sequence[Expr]) -> tuple[str, dict[str, Any]]:
    """Write the source of `evaluate(env)`, and the constants that it refers to.

    The source holds names made here, numbers and quoted variable names only. A local name is reused once
    its value isn't needed any more, which keeps the memory of a large batch near the widest moment.
    """
    order = topological(exprs)
    uses = {id(node): 0 for node in order}
    for part in (*(part for node in order for part in children(node)), *exprs):
        uses[id(part)] += 1
    constants: dict[str, Any] = {}
    text: dict[int, str] = {}
    free: list[str] = []
    lines = ["def evaluate(env):"]
    for node in order:
        if isinstance(node, Const):
            text[id(node)] = _text(node, [], constants)
            continue
        right = _text(node, [text[id(part)] for part in children(node)], constants)
        for part in children(node):
            uses[id(part)] -= 1
            if uses[id(part)] == 0 and not isinstance(part, Const):
                free.append(text[id(part)])
        text[id(node)] = free.pop() if free else f"t{len(lines)}"
        lines.append(f"    {text[id(node)]} = {right}")
    lines.append(f"    return ({''.join(text[id(expr)] + ', ' for expr in exprs)})")
    return "\n".join(lines), constants


def topological(exprs: Sequence[Expr], whole: Callable[[Expr], bool] = lambda part: False) -> list[Expr]:
    """List every distinct part of pure expressions once, arguments before what uses them.

    Args:
        whole: Parts that are listed without their own parts.
    """
    order: list[Expr] = []
    seen: set[int] = set()
    stack = [(expr, False) for expr in reversed(exprs)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            if not whole(node):
                stack.extend((part, False) for part in reversed(children(node)) if id(part) not in seen)
    return order


def _text(node: Expr, args: list[str], constants: dict[str, Any]) -> str:
    """Write one part, whose arguments are written already; tables go into `constants`."""
    match node:
        case Var(name=name):
            return f"env[{name!r}]"
        case Lookup(entries=entries):
            table = f"table{len(constants)}"
            constants[table] = _Table(entries)
            return f"{table}({args[0]})"
        case Apply(op=op):
            return _operation(op, args)
        case Const():
            return f"({node.value})"
        case RelationValue() | With() | Before():
            raise ValueError(f"not a pure expression: {node}")
    assert_never(node)


def _operation(op: Op, args: list[str]) -> str:
    match op:
        case Op.ADD | Op.SUB | Op.MUL | Op.EQ | Op.NE | Op.LT | Op.LE | Op.GT | Op.GE:
            return f" {op.value} ".join(args)
        case Op.AND:
            return " & ".join(args)
        case Op.OR:
            return " | ".join(args)
        case Op.NOT:
            return _opposite(args[0])
        case Op.NEG:
            return f"-{args[0]}"
        case Op.ABS:
            return f"abs({args[0]})"
        case Op.FLOORDIV:
            return f"{args[0]} // {args[1]}"
        case Op.CEILDIV:
            return f"-(-{args[0]} // {args[1]})"
        case Op.MOD:
            return f"{args[0]} % {args[1]}"
        case Op.MIN | Op.MAX:
            name = "least" if op is Op.MIN else "greatest"
            joined = args[0]
            for arg in args[1:]:
                joined = f"{name}({joined}, {arg})"
            return joined
        case Op.ITE:
            condition, then, other = args
            return f"{then} if {condition} is True else {other} if {condition} is False else where({', '.join(args)})"
        case Op.IMPLIES:
            return f"({_opposite(args[0])}) | {args[1]}"
    assert_never(op)


def _least(left: Any, right: Any) -> Any:
    return min(left, right) if isinstance(left, int) and isinstance(right, int) else np.minimum(left, right)


def _greatest(left: Any, right: Any) -> Any:
    return max(left, right) if isinstance(left, int) and isinstance(right, int) else np.maximum(left, right)


def _opposite(name: str) -> str:
    return f"~{name} if {name} is not True and {name} is not False else not {name}"


class _Table:
    """A lookup table for integers and arrays of them."""

    def __init__(self, entries: tuple[tuple[int, int], ...]) -> None:
        self.entries = dict(entries)
        keys = np.array(sorted(self.entries), np.int64)
        values = np.array([self.entries[key] for key in keys.tolist()], np.int64)
        self.first, span = int(keys[0]), int(keys[-1] - keys[0]) + 1
        self.keys: IntArray | None = None
        self.values = values
        if span > DENSE_SPAN:
            self.keys = keys
        elif span > len(keys):
            self.values = np.zeros(span, np.int64)
            self.values[keys - self.first] = values

    def __call__(self, key: Any) -> Any:
        if isinstance(key, int):
            return self.entries.get(key, 0)
        place = key - self.first if self.keys is None else np.searchsorted(self.keys, key)
        return self.values.take(place, mode="clip")
