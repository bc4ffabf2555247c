from __future__ import annotations

import attrs
import pytest

from compiler.emit.depth import Depths
from compiler.plan import Display, RelationPlan, RulePlan, SystemPlan, VariablePlan
from solvers.outcome import Ending, Step, Walk
from solvers.problem import (
    Alternative,
    Apply,
    Assign,
    Before,
    Const,
    Direction,
    Expr,
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


def over(relation: str) -> Expr:
    return Apply(Op.GT, (RelationValue(relation), Const(3)))


def system_of(
    guard: Expr, sets: tuple[Assign | Pick, ...], shown: tuple[str, ...] = (), sound: str = "d"
) -> SystemPlan:
    """Variables x and y, relations a = x + 1, b = a + 1, c = b + 1, d = y + 1, and one rule."""
    relations: tuple[tuple[str, Expr], ...] = tuple(
        (name, Apply(Op.ADD, (of, Const(1))))
        for name, of in (("a", Var("x")), ("b", RelationValue("a")), ("c", RelationValue("b")), ("d", Var("y")))
    )
    return SystemPlan(
        name="chain",
        title="A chain",
        problem=Problem(
            name="chain",
            variables=tuple(Variable(name, Kind.CONFIG, (1, 2), True, (1, 2)) for name in "xy"),
            relations=relations,
            observations=tuple(Observation(name, "profiler", RelationValue(name)) for name in shown),
            rules=(
                Rule("one", "ONE", guard, (Alternative(sets),)),
                Rule("two", "TWO", over("c"), (Alternative((Assign("x", Const(1)),)),)),
            ),
            sound=over(sound),
        ),
        variables=tuple(VariablePlan(name, "", Display()) for name in "xy"),
        relations=tuple(RelationPlan(name, "", "", Display() if name in shown else None) for name in "abcd"),
        events=(),
        rules=(RulePlan("one", "ONE", "", ""), RulePlan("two", "TWO", "", "")),
        tables=(),
    )


def walk(*rules: int) -> Walk:
    steps = tuple(Step(rule, 0, {}, {}) for rule in rules)
    return Walk(Ending.ANSWER if rules else Ending.HEALTHY, {}, steps, {}, (), ())


X1 = (Assign("x", Const(1)),)
PICK = (Pick("x", Direction.LARGEST, over("c")),)


@pytest.mark.parametrize(
    ("system", "rules", "depth"),
    [
        (system_of(over("a"), X1), (0,), 4),  # x, a, rule, x', gold
        (system_of(over("c"), X1), (0,), 6),  # x, a, b, c, rule, x', gold
        (system_of(over("c"), X1, ("c",)), (0,), 3),  # c, rule, x', gold
        (system_of(over("c"), X1, ("b",)), (0,), 4),  # b, c, rule, x', gold
        (system_of(over("d"), PICK, ("c", "d")), (0,), 5),  # x tried, a, b, c, x', gold: a trial was not printed
        (system_of(over("d"), (Pick("y", Direction.LARGEST, over("c")),), ("c", "d")), (0,), 3),  # c, rule, y', gold
        (system_of(With(over("c"), (("x", Const(1)),)), X1, ("c",)), (0,), 6),  # x tried, a, b, c, rule, x', gold
        (system_of(With(over("c"), (("y", Const(1)),)), X1, ("c",)), (0,), 3),  # c doesn't feel y
        (system_of(over("d"), (Assign("x", Before(RelationValue("c"))),)), (0,), 5),  # x, a, b, c, x', gold
        (system_of(over("a"), X1, ("c",)), (0, 1), 9),  # x, a, rule, x', a', b', c', rule, x'', gold
        (system_of(over("d"), (Assign("y", Const(1)),), ("c",)), (0, 1), 4),  # c isn't touched by y'
        (system_of(over("d"), X1, ("c", "d")), (), 2),  # c, no rule, gold
        (system_of(over("d"), X1, ("c", "d"), sound="b"), (), 3),  # x, a, b, gold
    ],
)
def test_depth_is_the_longest_derivation(system: SystemPlan, rules: tuple[int, ...], depth: int) -> None:
    depths = Depths(system)
    assert depths.of(walk(*rules)) == depth
    assert depths.of(walk(*rules)) == depth


def test_relation_counts_as_printed_when_an_event_always_shows_it(system: SystemPlan) -> None:
    depths = Depths(system)
    assert depths.shown == {"load", "over", "total", "share", "base"}
    silent = attrs.evolve(system, events=system.events[1:])
    assert "base" not in Depths(silent).shown
    assert RelationValue("base", Sort.INT) == system.events[0].attributes[1].value
