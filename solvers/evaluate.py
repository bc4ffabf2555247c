"""The reference meaning: what expressions, walks and repairs come to, in plain Python, one world at a time.

In: a `Problem` and a world, which is a value for every variable. Out: values, evidence, walks, costs, and the
reasons why a repair fails. `counting` and `proving` must agree with this module, so it shares no code with them.

How: an expression becomes a Python function once, built from the functions of its parts; it is then called for
many worlds. Relations are computed when they are asked for, and once in each world. Read it in this order:
`_meaning` says what each kind of expression is, `_applied` what each operator is, `run_walk` what a walk is,
`failing` what a repair is, and `cost` which repair is the better one.

Misuse raises `KeyError` for a variable, relation or table entry that doesn't exist, and `ValueError` for `Before`
outside prescriptions and guards.
"""

from __future__ import annotations

import functools
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
    as_told,
    children,
    once_a_problem,
)

Value = int | bool


class WorldState:
    """One assignment, with what has been computed in it so far: relations, and worlds that differ in some variables."""

    def __init__(self, definitions: Definitions, assignment: Assignment) -> None:
        self.definitions = definitions
        self.assignment = assignment
        self.known: dict[str, Value] = {}
        self.changed: dict[tuple[tuple[str, int], ...], WorldState] = {}

    def relation(self, name: str) -> Value:
        """Compute a relation after those that it uses, without recursion: the chain of them may be long."""
        waiting = [name]
        while name not in self.known:
            uses, meaning = self.definitions[waiting[-1]]
            unknown = uses - self.known.keys()
            if unknown:
                waiting.extend(unknown)
            else:
                self.known[waiting.pop()] = meaning(self, None)
        return self.known[name]

    def value(self, expr: Expr, before: WorldState | None = None) -> Value:
        """Evaluate `expr` here; `before` is the state that `Before` refers to."""
        return _meaning(expr)(self, before)

    def with_changes(self, *changes: tuple[str, int]) -> WorldState:
        """Return the world in which these variables have new values; the same changes give the same world."""
        if changes not in self.changed:
            for name, _ in changes:
                if name not in self.assignment:
                    raise KeyError(name)
            self.changed[changes] = WorldState(self.definitions, {**self.assignment, **dict(changes)})
        return self.changed[changes]


Meaning = Callable[[WorldState, WorldState | None], Value]
"""Gives the value of an expression in a world; the second world is the state that `Before` refers to."""

Definitions = Mapping[str, tuple[frozenset[str], Meaning]]
"""For each relation: the relations that it uses in the world in which it is evaluated, and its meaning."""


@once_a_problem
def _definitions(problem: Problem) -> Definitions:
    return {name: (_relations_in(definition), _meaning(definition)) for name, definition in problem.relations}


def world_state(problem: Problem, assignment: Assignment) -> WorldState:
    """Return a world in which expressions are evaluated; what is computed in it is kept."""
    return WorldState(_definitions(problem), assignment)


@functools.lru_cache(maxsize=1 << 15)
def _relations_in(definition: Expr) -> frozenset[str]:
    match definition:
        case RelationValue(name=name):
            return frozenset({name})
        case With(changes=changes):  # its body is evaluated in another world
            parts = tuple(new for _, new in changes)
        case Const() | Var() | Apply() | Lookup() | Before():
            parts = children(definition)
        case _:
            assert_never(definition)
    return frozenset[str]().union(*map(_relations_in, parts))


# ---- expressions -------------------------------------------------------------------------------------


def _evaluate(expr: Expr, world: WorldState, before: WorldState | None = None) -> Value:
    return _meaning(expr)(world, before)


@functools.lru_cache(maxsize=1 << 15)
def _meaning(expr: Expr) -> Meaning:
    """Return the function of an expression."""
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


def _applied(op: Op, args: Sequence[Meaning]) -> Meaning:
    """Return the function that applies an operator to what its arguments come to."""
    match op:
        case Op.ADD:
            return _of_many(operator.add, args)
        case Op.SUB:
            return _of_two(operator.sub, *args)
        case Op.MUL:
            return _of_many(operator.mul, args)
        case Op.NEG:
            return _of_one(operator.neg, *args)
        case Op.FLOORDIV:
            return _of_two(operator.floordiv, *args)
        case Op.CEILDIV:
            return _of_two(lambda dividend, divisor: -(-dividend // divisor), *args)
        case Op.MOD:
            return _of_two(operator.mod, *args)
        case Op.MIN:
            return _of_many(min, args)
        case Op.MAX:
            return _of_many(max, args)
        case Op.ABS:
            return _of_one(abs, *args)
        case Op.EQ:
            return _of_two(operator.eq, *args)
        case Op.NE:
            return _of_two(operator.ne, *args)
        case Op.LT:
            return _of_two(operator.lt, *args)
        case Op.LE:
            return _of_two(operator.le, *args)
        case Op.GT:
            return _of_two(operator.gt, *args)
        case Op.GE:
            return _of_two(operator.ge, *args)
        case Op.NOT:
            return _of_one(operator.not_, *args)
        case Op.AND:
            return _until(False, args)
        case Op.OR:
            return _until(True, args)
        case Op.IMPLIES:
            premise, conclusion = args
            return lambda world, before: not premise(world, before) or conclusion(world, before)
        case Op.ITE:
            test, then, other = args
            return lambda world, before: then(world, before) if test(world, before) else other(world, before)
    assert_never(op)


def _of_one(function: Callable[[Value], Value], arg: Meaning) -> Meaning:
    return lambda world, before: function(arg(world, before))


def _of_two(function: Callable[[Value, Value], Value], left: Meaning, right: Meaning) -> Meaning:
    return lambda world, before: function(left(world, before), right(world, before))


def _of_many(function: Callable[[Value, Value], Value], args: Sequence[Meaning]) -> Meaning:
    """Combine one or more arguments from left to right."""
    if len(args) == 2:
        return _of_two(function, *args)
    return lambda world, before: functools.reduce(function, [arg(world, before) for arg in args])


def _until(end: bool, args: Sequence[Meaning]) -> Meaning:
    """Come to `end` at the first argument that does, and to its opposite if none does."""

    def evaluate(world: WorldState, before: WorldState | None) -> Value:
        for arg in args:
            if bool(arg(world, before)) is end:
                return end
        return not end

    return evaluate


def _relation(name: str) -> Meaning:
    def evaluate(world: WorldState, before: WorldState | None) -> Value:
        known = world.known.get(name)
        return world.relation(name) if known is None else known

    return evaluate


def _with(body: Meaning, changes: Sequence[tuple[str, Meaning]]) -> Meaning:
    def evaluate(world: WorldState, before: WorldState | None) -> Value:
        changed = world.with_changes(*[(name, int(new(world, before))) for name, new in changes])
        return body(changed, before)

    return evaluate


def _before(body: Meaning) -> Meaning:
    def evaluate(world: WorldState, before: WorldState | None) -> Value:
        if before is None:
            raise ValueError("`Before` has a meaning only inside a prescription or a guard")
        return body(before, before)

    return evaluate


def value(problem: Problem, expr: Expr, world: Assignment, *, before: Assignment | None = None) -> Value:
    """Evaluate `expr` in `world`; `before` is the state that `Before` refers to."""
    earlier = None if before is None else world_state(problem, before)
    return _evaluate(expr, world_state(problem, world), earlier)


def relations(problem: Problem, world: Assignment) -> dict[str, Value]:
    """Compute every relation of `world`, in the order of the problem."""
    here = world_state(problem, world)
    return {name: here.relation(name) for name, _ in problem.relations}


def observe(problem: Problem, world: Assignment) -> tuple[int, ...]:
    """Compute the evidence: one integer for each observation, truth values as 0 and 1."""
    here = world_state(problem, world)
    return tuple(int(_evaluate(shown.value, here)) for shown in problem.observations)


# ---- walks -------------------------------------------------------------------------------------------


def run_walk(problem: Problem, world: Assignment) -> Walk:
    """Follow the runbook from `world` until no rule fires or the walk gives no task."""
    start = state = world_state(problem, dict(world))
    steps: list[Step] = []
    while True:
        if not _evaluate(problem.valid, state):
            return _walk(problem, Ending.INVALID, start, steps, state)
        fired = next((number for number, rule in enumerate(problem.rules) if _evaluate(rule.guard, state, start)), None)
        if fired is None:
            return _walk(problem, _quiet_ending(problem, state, steps), start, steps, state)
        if any(step.rule == fired for step in steps):
            return _walk(problem, Ending.REPEATED, start, steps, state)
        if len(steps) == problem.max_codes:
            return _walk(problem, Ending.TOO_MANY, start, steps, state)
        used = _used_alternative(problem, problem.rules[fired], state)
        if used is None:
            return _walk(problem, Ending.NO_VALUE, start, steps, state)
        number, sets = used
        steps.append(Step(rule=fired, alternative=number, before=state.assignment, sets=sets))
        state = state.with_changes(*sets.items())


def told_walk(problem: Problem, world: Assignment) -> Walk:
    """Follow the runbook as one who knows of `valid` only what the page states."""
    return run_walk(as_told(problem), world)


def _quiet_ending(problem: Problem, state: WorldState, steps: Sequence[Step]) -> Ending:
    """Name the ending of a walk that has come to a state in which no rule fires.

    After steps, that state isn't the one the walk started from, where a rule fires: the fix isn't empty.
    """
    sound = _evaluate(problem.sound, state)
    if steps:
        return Ending.ANSWER if sound else Ending.UNSOUND
    return Ending.HEALTHY if sound else Ending.UNCOVERED


def _used_alternative(problem: Problem, rule: Rule, fired_in: WorldState) -> tuple[int, dict[str, int]] | None:
    """Find the first alternative all of whose sets have a value: its number, and what it sets."""
    for number, alternative in enumerate(rule.alternatives):
        sets = _prescribe(problem, alternative, fired_in)
        if sets is not None:
            return number, sets
    return None


def _prescribe(problem: Problem, alternative: Alternative, fired_in: WorldState) -> dict[str, int] | None:
    """Compute what `alternative` sets in the state `fired_in`; None if a set has no value."""
    sets: dict[str, int] = {}
    state = fired_in
    for item in alternative.sets:
        new = _new_value(problem.variable(item.field), item, state, fired_in)
        if new is None:
            return None
        sets[item.field] = new
        state = state.with_changes((item.field, new))
    return sets


def _new_value(variable: Variable, item: Assign | Pick, state: WorldState, fired_in: WorldState) -> int | None:
    """Compute the value that one set gives its field, after the earlier sets have led to `state`."""
    match item:
        case Assign(value=expr):
            new = int(_evaluate(expr, state, fired_in))
            return new if new in variable.domain else None
        case Pick(where=where):
            for tried in tried_values(variable, item.direction):
                if _evaluate(where, state.with_changes((variable.name, tried)), fired_in):
                    return tried
            return None
    assert_never(item)


def tried_values(variable: Variable, direction: Direction) -> Sequence[int]:
    """List the values of a variable in the order in which a prescription tries them."""
    match direction:
        case Direction.LARGEST:
            return sorted(variable.domain, reverse=True)
        case Direction.SMALLEST:
            return sorted(variable.domain)
        case Direction.FIRST:
            return _preference(variable)
    assert_never(direction)


def _walk(problem: Problem, ending: Ending, start: WorldState, steps: Sequence[Step], final: WorldState) -> Walk:
    codes = tuple(problem.rules[step.rule].code for step in steps)
    held = [rule.code for rule in problem.rules if _evaluate(rule.guard, start, start)]
    old, new = start.assignment, final.assignment
    return Walk(
        ending=ending,
        start=old,
        steps=tuple(steps),
        final=new,
        codes=codes,
        fix=tuple((v.name, new[v.name]) for v in problem.of_kind(Kind.CONFIG) if new[v.name] != old[v.name]),
        masked=tuple(code for code in held if code not in codes),
        unmasked=tuple(code for code in codes if code not in held),
    )


# ---- repairs -----------------------------------------------------------------------------------------


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
            reasons.append(f"{field} isn't editable")
        elif new not in editable[field].domain:
            reasons.append(f"{field} can't be {new}")
    if reasons:
        return tuple(reasons)

    start = world_state(problem, walk.start)
    mended = start.with_changes(*repair.items())
    if not _evaluate(problem.valid, mended):
        reasons.append("invalid")
    if not _evaluate(problem.sound, mended):
        reasons.append("unsound")
    reasons += [f"rule {rule.code} fires" for rule in problem.rules if _evaluate(rule.guard, mended, start)]
    broken = [keep.name for keep in problem.keeps if not _kept(keep, start, mended)]
    named = named_fields(problem, walk)
    for step in walk.steps:
        fired_in = world_state(problem, step.before)
        binding = [keep for keep in problem.rules[step.rule].keeps if keep.field not in named]
        broken += [keep.name for keep in binding if not _kept(keep, fired_in, mended)]
    return (*reasons, *(f"keep {name}" for name in dict.fromkeys(broken)))


def _kept(keep: Keep, earlier: WorldState, later: WorldState) -> bool:
    old, new = _evaluate(keep.value, earlier), _evaluate(keep.value, later)
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
    come to one answer through different alternatives, and what rivals a fix must not depend on which of them is
    looked at.
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
