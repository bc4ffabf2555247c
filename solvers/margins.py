"""By how little a walk is decided: the smallest relative change of a compared number that could turn it.

In: a problem and a walk. Out: permille. A comparison `a < b` has the margin `|a - b| / max(|a|, |b|)`. What decides a
condition follows its form: a conjunction that holds falls with its weakest part, one that fails needs all its
failing parts to turn. A walk is decided by the guards of its rules and by the values that its prescriptions try.

Flags, words and tests of equality have no margin, and neither have equal numbers: nobody mistakes those by rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from solvers.evaluate import WorldState, tried_values, world_state
from solvers.outcome import Step, Walk
from solvers.problem import (
    Alternative,
    Apply,
    Assign,
    Before,
    Const,
    Expr,
    Lookup,
    Op,
    Pick,
    Problem,
    RelationValue,
    Sort,
    Var,
    With,
)

WIDEST = 1000
"""The margin of what no comparison decides, and the largest there is: both in permille."""


def walk_margin(problem: Problem, walk: Walk) -> int:
    """The smallest margin of all that decides `walk`, in permille, rounded down."""
    return min(_Margins(problem).of_walk(walk), default=WIDEST)


class _Margins:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.conditions: Mapping[str, Expr] = {
            name: definition for name, definition in problem.relations if definition.sort is Sort.BOOL
        }
        self.known: dict[int, tuple[WorldState, dict[str, int]]] = {}

    # ---- walks -----------------------------------------------------------------------------------------

    def of_walk(self, walk: Walk) -> Iterator[int]:
        start = world_state(self.problem, walk.start)
        for step in walk.steps:
            state = world_state(self.problem, step.before)
            yield from (self.of_guard(number, state, start) for number in range(step.rule + 1))
            yield from self.of_step(step, state)
        final = world_state(self.problem, walk.final)
        yield from (self.of_guard(number, final, start) for number in range(len(self.problem.rules)))

    def of_guard(self, rule: int, state: WorldState, start: WorldState) -> int:
        return self.of(self.problem.rules[rule].guard, state, start)

    def of_step(self, step: Step, state: WorldState) -> Iterator[int]:
        """The margins of what a fired rule tries, up to the values that it sets."""
        for alternative in self.problem.rules[step.rule].alternatives[: step.alternative + 1]:
            yield from self.of_alternative(alternative, state)

    def of_alternative(self, alternative: Alternative, fired_in: WorldState) -> Iterator[int]:
        state = fired_in
        for item in alternative.sets:
            variable = self.problem.variable(item.field)
            match item:
                case Assign(value=expr):
                    new = int(state.value(expr, fired_in))
                    if new not in variable.domain:
                        return
                case Pick(where=where):
                    for new in tried_values(variable, item.direction):
                        tried = state.with_changes((item.field, new))
                        yield self.of(where, tried, fired_in)
                        if tried.value(where, fired_in):
                            break
                    else:
                        return
                case _:
                    assert_never(item)
            state = state.with_changes((item.field, new))

    # ---- conditions ------------------------------------------------------------------------------------

    def of(self, condition: Expr, world: WorldState, before: WorldState | None) -> int:
        """The margin by which `condition` holds or fails in `world`."""
        match condition:
            case Const() | Var():
                return WIDEST
            case RelationValue(name=name):
                return self.of_relation(name, world)
            case With(body=body, changes=changes):
                changed = world.with_changes(*((name, int(world.value(new, before))) for name, new in changes))
                return self.of(body, changed, before)
            case Before(body=body):
                assert before is not None
                return self.of(body, before, before)
            case Apply(op=op, args=args):
                return self.of_operator(op, args, world, before)
            case Lookup():
                raise TypeError("a table gives numbers, not truth values")
        assert_never(condition)

    def of_relation(self, name: str, world: WorldState) -> int:
        """The margin of a named condition, after those declared before it: the chain of them may be long."""
        _, known = self.known.setdefault(id(world), (world, {}))
        if name not in known:
            for earlier, definition in self.conditions.items():
                if earlier not in known:
                    known[earlier] = self.of(definition, world, None)
                if earlier == name:
                    break
        return known[name]

    def of_operator(self, op: Op, args: tuple[Expr, ...], world: WorldState, before: WorldState | None) -> int:
        match op:
            case Op.LT | Op.LE | Op.GT | Op.GE:
                left, right = (int(world.value(arg, before)) for arg in args)
                return (
                    WIDEST if left == right else min(WIDEST, WIDEST * abs(left - right) // max(abs(left), abs(right)))
                )
            case Op.EQ | Op.NE:
                return min(self.of(arg, world, before) if arg.sort is Sort.BOOL else WIDEST for arg in args)
            case Op.NOT:
                return self.of(args[0], world, before)
            case Op.AND:
                return self.of_parts(args, world, before, needed=False)
            case Op.OR:
                return self.of_parts(args, world, before, needed=True)
            case Op.IMPLIES:
                return self.of_parts((Apply(Op.NOT, (args[0],)), args[1]), world, before, needed=True)
            case Op.ITE:
                return self.of_choice(*args, world=world, before=before)
            case Op.ADD | Op.SUB | Op.MUL | Op.NEG | Op.FLOORDIV | Op.CEILDIV | Op.MOD | Op.MIN | Op.MAX | Op.ABS:
                raise TypeError(f"`{op.value}` gives a number, not a truth value")
        assert_never(op)

    def of_parts(self, parts: tuple[Expr, ...], world: WorldState, before: WorldState | None, *, needed: bool) -> int:
        """The margin of parts one of which decides if it comes to `needed`, and all of which do if none does."""
        deciding = [self.of(part, world, before) for part in parts if bool(world.value(part, before)) is needed]
        if deciding:
            return max(deciding)
        return min((self.of(part, world, before) for part in parts), default=WIDEST)

    def of_choice(self, test: Expr, then: Expr, other: Expr, *, world: WorldState, before: WorldState | None) -> int:
        taken, left = (then, other) if world.value(test, before) else (other, then)
        turned = self.of(test, world, before)
        if bool(world.value(left, before)) is bool(world.value(taken, before)):
            turned = max(turned, self.of(left, world, before))
        return min(self.of(taken, world, before), turned)
