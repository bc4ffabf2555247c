"""The reference meaning: what expressions, walks and repairs come to, in plain Python.

In: a `Problem` and a world, a value for every variable. Out: values, evidence, walks, and reasons
why a repair fails. Everything else on the solver side (`tables`, `exhaustive`, the Z3 encoding) must
agree with this module, so it shares no code with them and prefers being clear to being fast.

Misuse raises: `KeyError` for a variable, relation or table entry that doesn't exist, `ValueError` for
`Before` outside a prescription.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from solvers.outcome import Assignment, Ending, Step, Walk
from solvers.problem import (
    Alternative,
    Apply,
    Assign,
    Before,
    Const,
    Direction,
    Expr,
    Keep,
    Kind,
    Lookup,
    Op,
    Pick,
    Problem,
    RelationValue,
    Rule,
    Sense,
    Var,
    Variable,
    With,
    children,
)

Value = int | bool


class _World:
    """One assignment, with the relation values that have been asked for so far."""

    def __init__(self, definitions: Definitions, assignment: Assignment) -> None:
        self.definitions = definitions
        self.assignment = assignment
        self.known: dict[str, Value] = {}
        self.changed: dict[tuple[tuple[str, int], ...], _World] = {}

    def relation(self, name: str) -> Value:
        """Compute a relation, those that it uses first: a long chain of them is no deep recursion."""
        waiting = [name]
        while name not in self.known:
            uses, meaning = self.definitions[waiting[-1]]
            unknown = uses - self.known.keys()
            if unknown:
                waiting.extend(unknown)
            else:
                self.known[waiting.pop()] = meaning(self, None)
        return self.known[name]

    def with_changes(self, changes: tuple[tuple[str, int], ...]) -> _World:
        if changes not in self.changed:
            for name, _ in changes:
                if name not in self.assignment:
                    raise KeyError(name)
            self.changed[changes] = _World(self.definitions, {**self.assignment, **dict(changes)})
        return self.changed[changes]


Meaning = Callable[[_World, _World | None], Value]
"""What an expression comes to in a world; the second one is the state that `Before` refers to."""

Definitions = Mapping[str, tuple[frozenset[str], Meaning]]
"""For each relation those that it uses in the world in which it is evaluated, and what it comes to."""


@functools.lru_cache(maxsize=64)
def _definitions(problem: Problem) -> Definitions:
    return {name: (_relations_in(definition), _meaning(definition)) for name, definition in problem.relations}


@functools.lru_cache(maxsize=1 << 15)
def _relations_in(definition: Expr) -> frozenset[str]:
    match definition:
        case RelationValue(name=name):
            return frozenset({name})
        case With(changes=changes):
            parts = tuple(new for _, new in changes)
        case _:
            parts = children(definition)
    return frozenset[str]().union(*map(_relations_in, parts))


def _evaluate(expr: Expr, world: _World, before: _World | None) -> Value:
    return _meaning(expr)(world, before)


@functools.lru_cache(maxsize=1 << 15)
def _meaning(expr: Expr) -> Meaning:
    """Make a function of an expression, from those of its parts. It is kept: worlds are many, expressions few."""
    match expr:
        case Apply(op=op, args=args):
            return _applied(op, [_meaning(arg) for arg in args])
        case RelationValue(name=name):
            return _relation(name)
        case Const(value=constant):
            return lambda world, before: constant
        case Var(name=name):
            return lambda world, before: world.assignment[name]
        case Lookup(entries=entries, key=key):
            table, place = dict(entries), _meaning(key)
            return lambda world, before: table[place(world, before)]
        case With(body=body, changes=changes):
            return _with(_meaning(body), [(name, _meaning(new)) for name, new in changes])
        case Before(body=body):
            return _before(_meaning(body))
    assert_never(expr)


def _relation(name: str) -> Meaning:
    def evaluate(world: _World, before: _World | None) -> Value:
        known = world.known.get(name)
        return world.relation(name) if known is None else known

    return evaluate


def _with(body: Meaning, changes: Sequence[tuple[str, Meaning]]) -> Meaning:
    def evaluate(world: _World, before: _World | None) -> Value:
        values = tuple((name, int(new(world, before))) for name, new in changes)
        return body(world.with_changes(values), before)

    return evaluate


def _before(body: Meaning) -> Meaning:
    def evaluate(world: _World, before: _World | None) -> Value:
        if before is None:
            raise ValueError("`Before` has a meaning only inside a prescription")
        return body(before, before)

    return evaluate


def _applied(op: Op, args: Sequence[Meaning]) -> Meaning:
    if op in _OF_ONE:
        (of_one, (arg,)) = _OF_ONE[op], args
        return lambda world, before: of_one(arg(world, before))
    if op in _OF_TWO and len(args) == 2:
        of_two, (left, right) = _OF_TWO[op], args
        return lambda world, before: of_two(left(world, before), right(world, before))
    if op in _OF_MANY:
        of_many = _OF_MANY[op]
        return lambda world, before: of_many([arg(world, before) for arg in args])
    match op:  # these look at no more arguments than they need
        case Op.AND:
            return _first(args, stop=False)
        case Op.OR:
            return _first(args, stop=True)
        case Op.IMPLIES:
            premise, conclusion = args
            return lambda world, before: not premise(world, before) or conclusion(world, before)
        case Op.ITE:
            test, then, other = args
            return lambda world, before: then(world, before) if test(world, before) else other(world, before)
    raise AssertionError(op)


def _first(args: Sequence[Meaning], *, stop: bool) -> Meaning:
    """`stop` as soon as an argument is so, else the opposite."""

    def evaluate(world: _World, before: _World | None) -> Value:
        for arg in args:
            if bool(arg(world, before)) is stop:
                return stop
        return not stop

    return evaluate


_OF_ONE: Mapping[Op, Callable[[Value], Value]] = {
    Op.NEG: operator.neg,
    Op.ABS: abs,
    Op.NOT: operator.not_,
}
_OF_TWO: Mapping[Op, Callable[[Value, Value], Value]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.FLOORDIV: operator.floordiv,
    Op.CEILDIV: lambda dividend, divisor: -(-dividend // divisor),
    Op.MOD: operator.mod,
    Op.MIN: min,
    Op.MAX: max,
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
}
_OF_MANY: Mapping[Op, Callable[[Sequence[Value]], Value]] = {
    Op.ADD: sum,
    Op.MUL: math.prod,
    Op.MIN: min,
    Op.MAX: max,
}


class _Evaluator:
    """The worlds of one problem that one computation visits."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.definitions = _definitions(problem)

    def world(self, assignment: Assignment) -> _World:
        return _World(self.definitions, assignment)


def value(problem: Problem, expr: Expr, world: Assignment, *, before: Assignment | None = None) -> Value:
    """Evaluate `expr` in `world`; `before` is the state that `Before` refers to."""
    evaluator = _Evaluator(problem)
    earlier = None if before is None else evaluator.world(before)
    return _evaluate(expr, evaluator.world(world), earlier)


def relations(problem: Problem, world: Assignment) -> dict[str, Value]:
    """Compute every relation of `world`, in the order of the problem."""
    here = _Evaluator(problem).world(world)
    return {name: here.relation(name) for name, _ in problem.relations}


def observe(problem: Problem, world: Assignment) -> tuple[int, ...]:
    """Compute the evidence: one integer for each observation, truth values as 0 and 1."""
    here = _Evaluator(problem).world(world)
    return tuple(int(_evaluate(shown.value, here, None)) for shown in problem.observations)


def run_walk(problem: Problem, world: Assignment) -> Walk:
    """Follow the runbook from `world` until nothing fires or the walk gives no task."""
    evaluator = _Evaluator(problem)
    start = dict(world)
    here = evaluator.world(start)
    if not _evaluate(problem.valid, here, None):
        return _walk(evaluator, Ending.INVALID, start, [], start)
    state, steps = start, list[Step]()
    while True:
        here = evaluator.world(state)
        fired = next(
            (number for number, rule in enumerate(problem.rules) if _evaluate(rule.guard, here, None)),
            None,
        )
        if fired is None:
            return _walk(evaluator, _quiet_ending(problem, here, steps), start, steps, state)
        if any(step.rule == fired for step in steps):
            return _walk(evaluator, Ending.REPEATED, start, steps, state)
        if len(steps) == problem.max_codes:
            return _walk(evaluator, Ending.TOO_MANY, start, steps, state)
        used = _used_alternative(evaluator, problem.rules[fired], here)
        if used is None:
            return _walk(evaluator, Ending.NO_VALUE, start, steps, state)
        number, sets = used
        steps.append(Step(rule=fired, alternative=number, before=state, sets=sets))
        state = {**state, **sets}
        if not _evaluate(problem.valid, evaluator.world(state), None):
            return _walk(evaluator, Ending.INVALID, start, steps, state)


def _quiet_ending(problem: Problem, here: _World, steps: list[Step]) -> Ending:
    """Name the ending of a walk that has come to a state in which no rule fires.

    After steps, that state isn't the one the walk started from, where a rule fires: the fix isn't empty.
    """
    sound = _evaluate(problem.sound, here, None)
    if steps:
        return Ending.ANSWER if sound else Ending.UNSOUND
    return Ending.HEALTHY if sound else Ending.UNCOVERED


def _used_alternative(evaluator: _Evaluator, rule: Rule, fired_in: _World) -> tuple[int, dict[str, int]] | None:
    """Find the first alternative all of whose sets have a value: its number, and what it sets."""
    for number, alternative in enumerate(rule.alternatives):
        sets = _prescribe(evaluator, alternative, fired_in)
        if sets is not None:
            return number, sets
    return None


def _prescribe(evaluator: _Evaluator, alternative: Alternative, fired_in: _World) -> dict[str, int] | None:
    """Compute what `alternative` sets in the state `fired_in`; None if a set has no value."""
    sets: dict[str, int] = {}
    for item in alternative.sets:
        variable = evaluator.problem.variable(item.field)
        state = {**fired_in.assignment, **sets}
        match item:
            case Assign(value=expr):
                new = int(_evaluate(expr, evaluator.world(state), fired_in))
                if new not in variable.domain:
                    return None
                sets[item.field] = new
            case Pick(where=where):
                for new in _tries(variable, item.direction):
                    tried = evaluator.world({**state, item.field: new})
                    if _evaluate(where, tried, fired_in):
                        sets[item.field] = new
                        break
                else:
                    return None
    return sets


def _tries(variable: Variable, direction: Direction) -> list[int]:
    match direction:
        case Direction.LARGEST:
            return sorted(variable.domain, reverse=True)
        case Direction.SMALLEST:
            return sorted(variable.domain)
        case Direction.FIRST:
            return list(_preference(variable))
    assert_never(direction)


def _walk(evaluator: _Evaluator, ending: Ending, start: Assignment, steps: list[Step], final: Assignment) -> Walk:
    rules = evaluator.problem.rules
    codes = tuple(rules[step.rule].code for step in steps)
    here = evaluator.world(start)
    held = [rule.code for rule in rules if _evaluate(rule.guard, here, None)]
    return Walk(
        ending=ending,
        start=start,
        steps=tuple(steps),
        final=final,
        codes=codes,
        fix=tuple(
            (variable.name, final[variable.name])
            for variable in evaluator.problem.of_kind(Kind.CONFIG)
            if final[variable.name] != start[variable.name]
        ),
        masked=tuple(code for code in held if code not in codes),
        unmasked=tuple(code for code in codes if code not in held),
    )


def repair_world(world: Assignment, repair: Assignment) -> dict[str, int]:
    """Return `world` with the fields of `repair` changed."""
    return {**world, **repair}


def is_repair(problem: Problem, walk: Walk, repair: Assignment) -> bool:
    """Decide whether `repair` mends the world in which `walk` starts."""
    return not failing(problem, walk, repair)


def failing(problem: Problem, walk: Walk, repair: Assignment) -> tuple[str, ...]:
    """Say why `repair` doesn't mend the world in which `walk` starts; empty if it does.

    The reasons are `FIELD is not editable`, `FIELD cannot be VALUE`, `invalid`, `unsound`,
    `rule CODE fires` and `keep NAME`, in that order.
    """
    reasons = []
    editable = {variable.name: variable for variable in problem.editable}
    for field, new in repair.items():
        if field not in editable:
            reasons.append(f"{field} is not editable")
        elif new not in editable[field].domain:
            reasons.append(f"{field} cannot be {new}")
    if reasons:
        return tuple(reasons)

    evaluator = _Evaluator(problem)
    mended = evaluator.world(repair_world(walk.start, repair))
    if not _evaluate(problem.valid, mended, None):
        reasons.append("invalid")
    if not _evaluate(problem.sound, mended, None):
        reasons.append("unsound")
    reasons += [f"rule {rule.code} fires" for rule in problem.rules if _evaluate(rule.guard, mended, None)]
    start = evaluator.world(walk.start)
    broken = [keep.name for keep in problem.keeps if not _kept(keep, start, mended)]
    named = named_fields(problem, walk)
    for step in walk.steps:
        earlier = evaluator.world(step.before)
        broken += [
            keep.name
            for keep in problem.rules[step.rule].keeps
            if keep.field not in named and not _kept(keep, earlier, mended)
        ]
    return (*reasons, *(f"keep {name}" for name in dict.fromkeys(broken)))


def _kept(keep: Keep, earlier: _World, later: _World) -> bool:
    old, new = _evaluate(keep.value, earlier, None), _evaluate(keep.value, later, None)
    match keep.sense:
        case Sense.EQUAL:
            return new == old
        case Sense.NOT_ABOVE:
            return new <= old
        case Sense.NOT_BELOW:
            return new >= old
    assert_never(keep.sense)


def named_fields(problem: Problem, *walks: Walk) -> tuple[str, ...]:
    """List the fields that the used alternatives of the fired rules set in any of `walks`, in field order.

    The named fields of a task are those of the walks of its whole evidence class: worlds that print the same may
    come to one answer through different alternatives, and what rivals a fix must not hang on which is looked at.
    """
    named = {field for walk in walks for step in walk.steps for field in step.sets}
    return tuple(variable.name for variable in problem.variables if variable.name in named)


def cost(problem: Problem, start: Assignment, repair: Assignment) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Measure a repair: how many fields it really changes, their ranks, the ranks of their new values.

    Costs compare as Python tuples do; no change at all costs least.
    """
    changed = [
        (rank, _preference(variable).index(repair[variable.name]))
        for rank, variable in enumerate(problem.of_kind(Kind.CONFIG))
        if repair.get(variable.name, start[variable.name]) != start[variable.name]
    ]
    return len(changed), tuple(rank for rank, _ in changed), tuple(value for _, value in changed)


def _preference(variable: Variable) -> tuple[int, ...]:
    return variable.preference or variable.domain
