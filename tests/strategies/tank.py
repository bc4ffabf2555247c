"""A small system to plant faults in: a tank of portions under a limit that is not printed by itself."""

from __future__ import annotations

from collections.abc import Sequence

from solvers.problem import (
    TRUE,
    Alternative,
    Apply,
    Assign,
    Const,
    Direction,
    Expr,
    Keep,
    Kind,
    Observation,
    Op,
    Pick,
    Problem,
    RelationValue,
    Rule,
    Sort,
    Var,
    Variable,
    With,
)

FITS = RelationValue("fits", Sort.BOOL)


def op(operator: Op, *args: Expr | int) -> Expr:
    return Apply(operator, tuple(Const(arg) if isinstance(arg, int) else arg for arg in args))


def field(name: str, *preference: int) -> Variable:
    return Variable(name, Kind.CONFIG, tuple(sorted(preference)), editable=True, preference=preference)


SIZE = field("size", 8, 4, 2, 1)
LID = field("lid", 0, 1)
LIMIT = Variable("limit", Kind.HIDDEN, (11, 12, 25))

OVER = op(Op.AND, op(Op.NOT, FITS), With(FITS, (("size", Const(1)),)))
LARGEST = Pick("size", Direction.LARGEST, FITS)
SHRINK = Rule("shrink", "TOO_LARGE", OVER, (Alternative((LARGEST,)),), (Keep("lid", Var("lid"), field="lid"),))


def shown(name: str, value: Expr | None = None, channel: str = "config") -> Observation:
    return Observation(name, channel, Var(name) if value is None else value)


def tank(
    *,
    variables: Sequence[Variable] = (SIZE, LID, LIMIT),
    rules: Sequence[Rule] = (SHRINK,),
    need: Expr | None = None,
    limit_shown: Expr | None = Var("limit"),  # noqa: B008  # a frozen value
    valid: Expr = TRUE,
    sound: Expr = FITS,
) -> Problem:
    """Build the system; without arguments, every faulty world has a unique answer.

    `size` portions of 3 need room, and two less under a lid; the rule takes the largest size that fits.
    """
    room = op(Op.SUB, op(Op.MUL, Var("size"), 3), op(Op.MUL, Var("lid"), 2)) if need is None else need
    observations = [shown(variable.name) for variable in variables if variable.kind is not Kind.HIDDEN]
    if limit_shown is not None:
        observations.append(shown("limit", limit_shown, "log"))
    observations.append(shown("need", RelationValue("need"), "profiler"))
    return Problem(
        name="tank",
        variables=tuple(variables),
        relations=(("need", room), ("fits", op(Op.LE, RelationValue("need"), Var("limit")))),
        observations=tuple(observations),
        rules=tuple(rules),
        valid=valid,
        sound=sound,
    )


def assign(name: str, code: str, guard: Expr, *alternatives: tuple[str, Expr | int]) -> Rule:
    """A rule each of whose alternatives sets one field."""
    made = tuple(
        Alternative((Assign(target, Const(value) if isinstance(value, int) else value),))
        for target, value in alternatives
    )
    return Rule(name, code, guard, made)
