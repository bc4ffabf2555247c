"""Random small problems for property tests, and every world of one.

Two kinds: `wild_problems` use every construct with no sense behind it, and mostly give no task;
`planted_problems` look like real systems (demands against limits, rules that cure them) and mostly
do. Values stay far below 2**60, divisors are never zero and table keys are always covered, as the
language guarantees.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import TypeVar

import attrs
from hypothesis import strategies as st

from solvers.problem import (
    TRUE,
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
    Observation,
    Op,
    Pick,
    Problem,
    RelationValue,
    Rule,
    Sense,
    Sort,
    Var,
    Variable,
    With,
    conjunction,
    walk_expr,
)

Draw = st.DrawFn
T = TypeVar("T")
ARITHMETIC = (Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.FLOORDIV, Op.CEILDIV, Op.MOD, Op.MIN, Op.MAX, Op.ABS)
COMPARISONS = (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE)
LOGIC = (Op.AND, Op.OR, Op.NOT, Op.IMPLIES, Op.EQ, Op.NE)


def all_worlds(problem: Problem) -> Iterator[dict[str, int]]:
    """Yield every assignment in the domains, valid or not; the last variable changes fastest."""
    names = [variable.name for variable in problem.variables]
    for values in itertools.product(*(variable.domain for variable in problem.variables)):
        yield dict(zip(names, values, strict=True))


def world_count(problem: Problem) -> int:
    count = 1
    for variable in problem.variables:
        count *= len(variable.domain)
    return count


@st.composite
def worlds(draw: Draw, problem: Problem) -> dict[str, int]:
    return {variable.name: draw(st.sampled_from(variable.domain)) for variable in problem.variables}


# ---- expressions ---------------------------------------------------------------------------------


# Below the two strategies stand plain functions of `draw`: a strategy for every part costs more than the tests do.


def int_exprs(names: Sequence[str], relations: Sequence[RelationValue] = (), depth: int = 3) -> st.SearchStrategy[Expr]:
    """Integer expressions over the variables `names` and some relations."""
    return _parts(_int_expr, _Seen(tuple(names), tuple(relations)), depth)


def bool_exprs(
    names: Sequence[str], relations: Sequence[RelationValue] = (), depth: int = 3
) -> st.SearchStrategy[Expr]:
    """Conditions over the variables `names` and some relations."""
    return _parts(_bool_expr, _Seen(tuple(names), tuple(relations)), depth)


@attrs.frozen
class _Seen:
    """What an expression may mention."""

    names: tuple[str, ...]
    relations: tuple[RelationValue, ...]

    def of(self, sort: Sort) -> tuple[RelationValue, ...]:
        return tuple(relation for relation in self.relations if relation.sort is sort)


Make = Callable[[Draw, _Seen, int], Expr]


@cache
@st.composite
def _parts(draw: Draw, make: Make, seen: _Seen, depth: int) -> Expr:
    return make(draw, seen, depth)


@lru_cache(maxsize=None, typed=True)  # typed, since `True` equals 1
def _among(*values: T) -> st.SearchStrategy[T]:
    return st.sampled_from(values)


@cache
def _between(least: int, most: int) -> st.SearchStrategy[int]:
    return st.integers(least, most)


YES_OR_NO = st.booleans()


def _int_expr(draw: Draw, seen: _Seen, depth: int) -> Expr:
    shape = "atom" if depth == 0 else draw(_among("atom", "apply", "apply", "if", "table", "with"))
    match shape:
        case "apply":
            op = draw(_among(*ARITHMETIC))
            return Apply(op, _arguments(draw, op, seen, depth - 1))
        case "if":
            condition = _bool_expr(draw, seen, depth - 1)
            return Apply(Op.ITE, (condition, _int_expr(draw, seen, depth - 1), _int_expr(draw, seen, depth - 1)))
        case "table":
            size = draw(_between(1, 4))
            entries = tuple((key, draw(_between(-20, 20))) for key in range(size))
            return Lookup("table", entries, Apply(Op.MOD, (_int_expr(draw, seen, depth - 1), Const(size))))
        case "with":
            return With(_int_expr(draw, seen, depth - 1), _changes(draw, seen, depth - 1))
        case _:
            return _atom(draw, seen)


def _atom(draw: Draw, seen: _Seen) -> Expr:
    numbers = seen.of(Sort.INT)
    match draw(_among("constant", "variable", "relation") if numbers else _among("constant", "variable")):
        case "constant":
            return Const(draw(_between(-9, 9)))
        case "variable":
            return _variable(draw, seen)
        case _:
            return draw(_among(*numbers))


def _variable(draw: Draw, seen: _Seen) -> Var:
    return Var(draw(_among(*seen.names)))


def _bool_expr(draw: Draw, seen: _Seen, depth: int) -> Expr:
    flags = seen.of(Sort.BOOL)
    shapes = ["compare", "compare", "compare"]
    shapes += ["relation"] if flags else []
    shapes += ["logic", "logic", "if", "with", "constant"] if depth > 0 else []
    below = max(depth - 1, 0)
    match draw(_among(*shapes)):
        case "compare":
            compare = draw(_among(*COMPARISONS))
            return Apply(compare, (_int_expr(draw, seen, below), _int_expr(draw, seen, below)))
        case "relation":
            return draw(_among(*flags))
        case "logic":
            op = draw(_among(*LOGIC))
            count = draw(_between(0, 3)) if op in (Op.AND, Op.OR) else 1 if op is Op.NOT else 2
            return Apply(op, tuple(_bool_expr(draw, seen, below) for _ in range(count)))
        case "if":
            return Apply(Op.ITE, tuple(_bool_expr(draw, seen, below) for _ in range(3)))
        case "with":
            return With(_bool_expr(draw, seen, below), _changes(draw, seen, below))
        case _:
            return Const(draw(YES_OR_NO))


def _arguments(draw: Draw, op: Op, seen: _Seen, depth: int) -> tuple[Expr, ...]:
    """Arguments for an arithmetic operator, such that products stay small and divisors aren't zero."""
    match op:
        case Op.MUL if draw(YES_OR_NO):
            return Const(draw(_between(-4, 4))), _int_expr(draw, seen, depth)
        case Op.MUL:
            return _variable(draw, seen), _variable(draw, seen)
        case Op.FLOORDIV | Op.CEILDIV | Op.MOD:
            dividend = _int_expr(draw, seen, depth)
            if draw(YES_OR_NO):
                return dividend, Const(draw(_among(1, 2, 3, 7, -1, -2, -5)))
            return dividend, Apply(Op.MAX, (_int_expr(draw, seen, depth), Const(1)))
        case Op.NEG | Op.ABS:
            return (_int_expr(draw, seen, depth),)
        case Op.SUB:
            return _int_expr(draw, seen, depth), _int_expr(draw, seen, depth)
        case _:
            count = draw(_between(1, 3)) + (op is Op.ADD)
            return tuple(_int_expr(draw, seen, depth) for _ in range(count))


def _changes(draw: Draw, seen: _Seen, depth: int) -> tuple[tuple[str, Expr], ...]:
    """Changes for `With`; one may use the old value of a variable that another changes."""
    return tuple((name, _change(draw, seen, depth)) for name in draw(_some_names(seen.names)))


@cache
def _some_names(names: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(_among(*names), min_size=1, max_size=2, unique=True)


def _change(draw: Draw, seen: _Seen, depth: int) -> Expr:
    match draw(_among("constant", "variable", "expression")):
        case "constant":
            return Const(draw(_between(-2, 9)))
        case "variable":
            return _variable(draw, seen)
        case _:
            return Apply(Op.MOD, (_int_expr(draw, seen, depth), Const(7)))


# ---- problems ------------------------------------------------------------------------------------


def problems() -> st.SearchStrategy[Problem]:
    """Any small problem, more often a sensible one."""
    return st.one_of(planted_problems(), planted_problems(), secretive_problems(), wild_problems())


@st.composite
def _variables(draw: Draw, config: int, given: int, hidden: int, size: int) -> tuple[Variable, ...]:
    made = []
    for kind, count in ((Kind.CONFIG, config), (Kind.GIVEN, given), (Kind.HIDDEN, hidden)):
        for number in range(count):
            domain = draw(st.lists(st.integers(0, 8), min_size=2, max_size=size, unique=True))
            editable = kind is Kind.CONFIG and (number == 0 or draw(st.integers(0, 4)) > 0)
            made.append(
                Variable(
                    name=f"{kind.value[0]}{number}",
                    kind=kind,
                    domain=tuple(domain),
                    editable=editable,
                    preference=tuple(draw(st.permutations(domain))) if editable else (),
                )
            )
    return tuple(made)


@st.composite
def wild_problems(draw: Draw) -> Problem:
    """Problems of random expressions: all operators, `With`, `Before`, bare guards, odd prescriptions."""
    variables = draw(_variables(draw(st.integers(1, 3)), draw(st.integers(0, 1)), draw(st.integers(0, 2)), 3))
    names = [variable.name for variable in variables]
    relations: list[tuple[str, Expr]] = []
    known: list[RelationValue] = []
    for number in range(draw(st.integers(1, 4))):
        make = draw(st.sampled_from((int_exprs, int_exprs, bool_exprs)))
        definition = draw(make(names, tuple(known), 2))
        relations.append((f"r{number}", definition))
        known.append(RelationValue(f"r{number}", definition.sort))
    seen = tuple(known)
    conditions = bool_exprs(names, seen, 2)
    fields = [variable.name for variable in variables if variable.editable]
    rules = tuple(
        Rule(
            name=f"rule{number}",
            code=f"CODE{number}",
            guard=draw(_wild_guards(names, seen)),
            alternatives=tuple(draw(st.lists(_wild_alternatives(fields, names, seen), min_size=1, max_size=2))),
            keeps=tuple(draw(st.lists(_wild_keeps(fields, names, seen), max_size=2))),
        )
        for number in range(draw(st.integers(1, 3)))
    )
    shown = draw(st.lists(st.one_of(int_exprs(names, seen, 1), bool_exprs(names, seen, 1)), max_size=3))
    return Problem(
        name="wild",
        variables=variables,
        relations=tuple(relations),
        observations=(
            *_plain_observations(variables),
            *(
                Observation(f"o{number}", draw(st.sampled_from(("profiler", "log"))), expr)
                for number, expr in enumerate(shown)
            ),
        ),
        rules=rules,
        **draw(_worlds(conditions)),
        sound=draw(st.one_of(st.just(TRUE), conditions)),
        keeps=tuple(draw(st.lists(_wild_keeps([], names, seen), max_size=1))),
        max_codes=draw(st.sampled_from((1, 2, 2, 3))),
    )


def _plain_observations(variables: Sequence[Variable]) -> tuple[Observation, ...]:
    return tuple(
        Observation(variable.name, "config", Var(variable.name))
        for variable in variables
        if variable.kind is not Kind.HIDDEN
    )


@st.composite
def _worlds(draw: Draw, conditions: st.SearchStrategy[Expr]) -> dict[str, Expr]:
    """What is valid, and what is stated of it: nothing, a part, or all."""
    match draw(st.sampled_from(("nothing", "nothing", "unstated", "part", "all"))):
        case "unstated":
            return {"valid": draw(conditions)}
        case "part":
            stated = draw(conditions)
            return {"valid": Apply(Op.AND, (stated, draw(conditions))), "stated": stated}
        case "all":
            stated = draw(conditions)
            return {"valid": stated, "stated": stated}
        case _:
            return {}


@st.composite
def _wild_guards(draw: Draw, names: Sequence[str], relations: Sequence[RelationValue]) -> Expr:
    """A condition, which may look back at the run as printed."""
    guard = draw(bool_exprs(names, relations, 2))
    match draw(st.sampled_from(("plain", "condition", "number", "with"))):
        case "condition":
            return Apply(draw(st.sampled_from((Op.AND, Op.OR))), (guard, Before(draw(bool_exprs(names, relations, 1)))))
        case "number":
            printed = Before(draw(int_exprs(names, relations, 1)))
            return Apply(draw(st.sampled_from(COMPARISONS)), (draw(int_exprs(names, relations, 1)), printed))
        case "with":
            changes = ((draw(st.sampled_from(names)), Before(draw(int_exprs(names, relations, 0)))),)
            return With(Apply(Op.AND, (guard, Before(guard))), changes)
        case _:
            return guard


@st.composite
def _wild_alternatives(
    draw: Draw, fields: Sequence[str], names: Sequence[str], relations: Sequence[RelationValue]
) -> Alternative:
    sets: list[Assign | Pick] = []
    for field in draw(st.lists(st.sampled_from(fields), min_size=1, max_size=2, unique=True)):
        before = Before(draw(int_exprs(names, relations, 1)))
        if draw(st.booleans()):
            values: list[Expr] = [before, Apply(Op.ADD, (before, Const(1))), Const(3), Const(0)]
            sets.append(Assign(field, draw(st.sampled_from(values))))
        else:
            condition = draw(bool_exprs(names, relations, 2))
            compared = Apply(draw(st.sampled_from(COMPARISONS)), (draw(int_exprs(names, relations, 1)), before))
            where = draw(st.sampled_from([condition, compared, Apply(Op.AND, (condition, compared))]))
            sets.append(Pick(field, draw(st.sampled_from(list(Direction))), where))
    return Alternative(tuple(sets))


@st.composite
def _wild_keeps(draw: Draw, fields: Sequence[str], names: Sequence[str], relations: Sequence[RelationValue]) -> Keep:
    sense = draw(st.sampled_from(list(Sense)))
    of_field = bool(fields) and draw(st.booleans())
    if of_field:
        field = draw(st.sampled_from(fields))
        return Keep(field, Var(field), sense, field)
    return Keep("quantity", draw(int_exprs(names, relations, 1)), sense)


@st.composite
def planted_problems(draw: Draw) -> Problem:
    """Problems like real ones: each rule cures one demand that exceeds its limit, or one wrong switch.

    Guards may forget to ask whether their own cure suffices, observations round, hidden variables
    move demands, and keeps may be missing: all the faults that a proof has to notice.
    """
    config = draw(st.integers(2, 4))
    variables = draw(_variables(config, draw(st.integers(0, 1)), draw(st.integers(0, 2)), 4 if config < 4 else 3))
    fields = [variable for variable in variables if variable.editable]
    relations: list[tuple[str, Expr]] = []
    observations: list[Observation] = list(_plain_observations(variables))
    rules: list[Rule] = []
    sound: list[Expr] = []
    first_field = draw(st.integers(0, 3))
    for number in range(draw(st.sampled_from((2, 3, 1)))):
        demand, limit = f"demand{number}", f"limit{number}"
        field = fields[(first_field + number) % len(fields)]
        terms = [
            Apply(Op.MUL, (Const(draw(st.integers(1, 4))), Var(variable.name)))
            for variable in variables
            if variable == field or draw(st.booleans())
        ]
        relations.append((demand, Apply(Op.ADD, (Const(draw(st.integers(0, 3))), *terms))))
        relations.append((limit, Const(draw(st.integers(6, 30)))))
        over = Apply(Op.GT, (RelationValue(demand), RelationValue(limit)))
        fits = Apply(Op.LE, (RelationValue(demand), RelationValue(limit)))
        guard: Expr = over
        if draw(st.sampled_from((True, True, False))):
            guard = Apply(Op.AND, (over, With(fits, ((field.name, Const(min(field.domain))),))))
        if draw(st.integers(0, 3)) == 0:
            guard = Apply(Op.AND, (guard, Before(draw(st.sampled_from((over, fits))))))
        direction = draw(st.sampled_from(Direction))
        alternatives = [Alternative((Pick(field.name, direction, fits),))]
        other = draw(st.sampled_from(fields))
        product = Apply(Op.MUL, (Var(field.name), Var(other.name)))
        match draw(st.sampled_from(("one", "product", "else", "switch"))):
            case "product" if other != field:
                kept = Apply(Op.EQ, (product, Before(product)))
                again = Pick(other.name, Direction.FIRST, kept)
                alternatives = [Alternative((Pick(field.name, direction, fits), again)), *alternatives]
            case "else":
                alternatives.append(Alternative((Assign(other.name, Const(other.preference[0])),)))
            case "switch":
                wanted = Const(field.preference[0])
                guard = Apply(Op.AND, (Apply(Op.NE, (Var(field.name), wanted)), over))
                alternatives = [Alternative((Assign(field.name, wanted),))]
        if draw(st.sampled_from((True, True, False))):
            sound.append(fits)
        keeps = [Keep(other.name, Var(other.name), draw(st.sampled_from(Sense)), other.name)]
        rules.append(
            Rule(f"rule{number}", f"CODE{number}", guard, tuple(alternatives), tuple(keeps[: draw(st.integers(0, 1))]))
        )
        rounding = Const(draw(st.sampled_from((1, 1, 2, 5, 10))))
        if draw(st.booleans()):
            observations.append(Observation(demand, "profiler", Apply(Op.FLOORDIV, (RelationValue(demand), rounding))))
        else:
            attribute = Apply(Op.ITE, (over, Apply(Op.FLOORDIV, (RelationValue(demand), rounding)), Const(0)))
            observations += [Observation(f"e{number}", "log", over), Observation(f"e{number}.a", "log", attribute)]
    first, last = fields[0].name, fields[-1].name
    total = Apply(Op.ADD, (Var(first), Var(last)))
    keeps_everywhere = [Keep("total", total, draw(st.sampled_from(Sense)))] if draw(st.integers(0, 4)) == 0 else []
    return Problem(
        name="planted",
        variables=variables,
        relations=tuple(relations),
        observations=tuple(observations),
        rules=tuple(rules),
        **draw(_planted_worlds(total, variables)),
        sound=Apply(Op.AND, tuple(sound)),
        keeps=tuple(keeps_everywhere),
    )


@st.composite
def _planted_worlds(draw: Draw, total: Expr, variables: Sequence[Variable]) -> dict[str, Expr]:
    """What is valid, and what is stated of it: a limit on the config, hidden values that don't occur."""
    limits = [Apply(Op.LE, (total, Const(12)))]
    for variable in variables:
        if variable.kind is Kind.HIDDEN:
            limits.append(Apply(Op.NE, (Var(variable.name), Const(draw(st.sampled_from(variable.domain))))))
    valid = draw(st.lists(st.sampled_from(limits), max_size=2, unique=True))
    stated = valid[: draw(st.integers(0, len(valid)))]
    return {"valid": conjunction(valid), "stated": conjunction(stated)}


@st.composite
def secretive_problems(draw: Draw) -> Problem:
    """Problems that print little, and of whose hidden values one exists; they exclude only some of the others."""
    problem = draw(planted_problems())
    limits: list[Expr] = []
    for variable in problem.of_kind(Kind.HIDDEN):
        exists = draw(st.sampled_from(variable.domain))
        limits += [Apply(Op.NE, (Var(variable.name), Const(other))) for other in variable.domain if other != exists]
    stated = limits[: draw(st.integers(0, 2))]
    shown = _plain_observations(problem.variables)
    others = [item for item in problem.observations if item not in shown and draw(st.integers(0, 2)) == 0]
    return attrs.evolve(problem, observations=(*shown, *others), valid=conjunction(limits), stated=conjunction(stated))


def expressions(problem: Problem) -> tuple[Expr, ...]:
    """List every expression of `problem` that has a meaning without an earlier state."""
    return (
        problem.valid,
        problem.stated,
        problem.sound,
        *(RelationValue(name, definition.sort) for name, definition in problem.relations),
        *(observation.value for observation in problem.observations),
        *(rule.guard for rule in problem.rules if not uses(rule.guard, Before)),
        *(keep.value for keep in problem.keeps),
        *(keep.value for rule in problem.rules for keep in rule.keeps),
    )


def uses(expr: Expr, kind: type) -> bool:
    """Whether some part of `expr` is of the given class."""
    return any(isinstance(part, kind) for part in walk_expr(expr))
