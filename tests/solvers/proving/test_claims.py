"""The terms of claims must say what the reference says of walks, repairs and costs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.asking import ask
from strategies.effort import costly
from strategies.problems import all_worlds, problems, worlds
from strategies.tank import FITS, LARGEST, LID, LIMIT, SHRINK, SIZE, assign, field, op, tank

from solvers import evaluate
from solvers.outcome import Uniqueness, Walk
from solvers.problem import (
    Alternative,
    Apply,
    Assign,
    Before,
    Const,
    Direction,
    Keep,
    Kind,
    Observation,
    Op,
    Pick,
    Problem,
    Rule,
    Sense,
    Var,
    Variable,
)
from solvers.proving.claims import Claims, Path, path_of, repaired_name, set_name
from solvers.proving.queries import start_values, walk_values


def _task_walks(problem: Problem) -> list[Walk]:
    return [walk for world in all_worlds(problem) if (walk := evaluate.run_walk(problem, world)).gives_task]


def _route(walk: Walk) -> tuple[object, ...]:
    return path_of(walk), [dict(step.sets) for step in walk.steps]


@costly
@given(st.data())
def test_a_world_takes_a_route_exactly_if_its_walk_does(data: st.DataObject) -> None:
    """Every route of the problem against some worlds, with the numbers open and written out."""
    problem = data.draw(problems())
    known = {str(_route(walk)): walk for walk in _task_walks(problem)}
    claims = Claims(problem)
    for world in data.draw(st.lists(worlds(problem), min_size=1, max_size=4)):
        if not evaluate.value(problem, problem.valid, world):
            continue
        own = evaluate.run_walk(problem, world)
        wanted = [int(own.gives_task and _route(own) == _route(walk)) for walk in known.values()]
        written = []
        for walk, expected in zip(known.values(), wanted, strict=True):
            fixed = start_values(world, world) | walk_values(walk)
            assert ask(
                claims.pool, [claims.takes_route_in_domains(claims.route(claims.start(), path_of(walk)))], fixed
            ) == [expected]
            written.append(claims.takes_route_in_domains(claims.route(claims.start(fixed), path_of(walk), fixed)))
        assert ask(claims.pool, written) == wanted


@costly
@given(st.data())
def test_a_repair_is_one_exactly_if_the_reference_says_so(data: st.DataObject) -> None:
    problem = data.draw(problems())
    walks = _task_walks(problem)
    if not walks:
        return
    claims = Claims(problem)
    walk = data.draw(st.sampled_from(walks))
    fields = [variable.name for variable in problem.editable]
    start = start_values(walk.start, walk.start) | walk_values(walk)
    for _ in range(4):
        repair = {variable.name: data.draw(st.sampled_from(variable.domain)) for variable in problem.editable}
        fixed = start | {repaired_name(field): value for field, value in repair.items()}
        wanted = int(evaluate.is_repair(problem, walk, repair))
        for known, filled in (({}, fixed), (fixed, {})):
            route = claims.route(claims.start(known), path_of(walk), known)
            term = claims.is_repair(route, claims.repaired(route.start, fields, known))
            assert ask(claims.pool, [term], filled) == [wanted]


@costly
@given(st.data())
def test_costs_compare_as_the_reference_compares_them(data: st.DataObject) -> None:
    problem = data.draw(problems())
    walks = [walk for walk in _task_walks(problem) if walk.fix]
    if not walks:
        return
    claims = Claims(problem)
    walk = data.draw(st.sampled_from(walks))
    named = evaluate.named_fields(problem, walk)
    fix = dict(walk.fix)
    highest = evaluate.cost(problem, walk.start, fix)
    start = start_values(walk.start, walk.start) | walk_values(walk)
    for _ in range(6):
        new = {field: data.draw(st.sampled_from(problem.variable(field).domain)) for field in named}
        differs = any(new[field] != walk.final[field] for field in named)
        few = sum(new[field] != walk.start[field] for field in named) <= len(fix)
        wanted = {
            Uniqueness.PREFERRED: differs and evaluate.cost(problem, walk.start, new) <= highest,
            Uniqueness.NAMED: differs and few,
        }
        fixed = start | {repaired_name(field): value for field, value in new.items()}
        for known, filled in (({}, fixed), (fixed, {})):
            route = claims.route(claims.start(known), path_of(walk), known)
            mended = claims.repaired(route.start, named, known)
            terms = [claims.rival_cost(route, mended, named, level, len(fix)) for level in wanted]
            assert ask(claims.pool, terms, filled) == [int(expected) for expected in wanted.values()]


@costly
@given(problems())
def test_named_fields_are_those_of_the_reference(problem: Problem) -> None:
    claims = Claims(problem)
    for walk in _task_walks(problem)[:5]:
        assert claims.named_fields(path_of(walk)) == evaluate.named_fields(problem, walk)


def test_free_variables_are_the_hidden_ones_and_the_facts_that_are_rounded() -> None:
    def variable(name: str, kind: Kind) -> Variable:
        return Variable(name, kind, (0, 1))

    exact, rounded, hidden = variable("exact", Kind.GIVEN), variable("rounded", Kind.GIVEN), variable("h", Kind.HIDDEN)
    halved = Apply(Op.FLOORDIV, (Var("rounded"), Const(2)))
    problem = Problem(
        name="facts",
        variables=(variable("c", Kind.CONFIG), exact, rounded, hidden),
        relations=(),
        observations=(
            Observation("c", "config", Var("c")),
            Observation("exact", "config", Var("exact")),
            Observation("rounded", "config", halved),
        ),
        rules=(),
    )
    claims = Claims(problem)
    assert claims.free == ("rounded", "h")
    assert claims.fixed == ("c", "exact")
    assert claims.same_evidence(claims.start()).symbols == {"rounded@0", "2@e"}


# ---- what random systems seldom show ---------------------------------------------------------------


def _takes(problem: Problem, world: dict[str, int], path: Path, steps: Sequence[dict[str, int]]) -> bool:
    claims = Claims(problem)
    values = {set_name(name, step): value for step, made in enumerate(steps) for name, value in made.items()}
    fixed = start_values(world, world) | values
    return bool(ask(claims.pool, [claims.takes_route_in_domains(claims.route(claims.start(), path))], fixed)[0])


FULL = {"size": 8, "lid": 0, "limit": 12}
FIRST: Path = ((0, 0),)
SECOND: Path = ((0, 1),)


@pytest.mark.parametrize(
    ("first", "used"),
    [
        ((LARGEST,), FIRST),
        ((Pick("size", Direction.LARGEST, op(Op.AND, FITS, op(Op.GT, Var("size"), 4))),), SECOND),
        ((LARGEST, Assign("lid", Const(2))), SECOND),
        ((LARGEST, Assign("lid", op(Op.FLOORDIV, Var("size"), 4))), FIRST),
        ((LARGEST, Assign("lid", op(Op.FLOORDIV, Var("size"), 2))), SECOND),
        ((LARGEST, Pick("lid", Direction.FIRST, op(Op.EQ, op(Op.MUL, Var("lid"), 4), Var("size")))), FIRST),
        ((Assign("lid", Const(2)), LARGEST), SECOND),
        (
            (Assign("size", op(Op.SUB, Before(Var("size")), 4)), Assign("lid", op(Op.SUB, Before(Var("size")), 7))),
            FIRST,
        ),
        ((Assign("size", Const(4)), Assign("lid", op(Op.SUB, Var("size"), 3))), FIRST),
    ],
)
def test_a_later_alternative_is_used_only_if_an_earlier_one_has_no_value(
    first: tuple[Assign | Pick, ...], used: Path
) -> None:
    last = Alternative((Assign("size", Const(2)),))
    rule = Rule("shrink", "TOO_LARGE", op(Op.EQ, Var("size"), 8), (Alternative(first), last))
    made = {"size": 4} | ({"lid": 1} if len(first) > 1 else {})
    problem = tank(rules=[rule])
    assert path_of(evaluate.run_walk(problem, FULL)) == used
    taken = {FIRST: _takes(problem, FULL, FIRST, [made]), SECOND: _takes(problem, FULL, SECOND, [{"size": 2}])}
    assert [path for path, holds in taken.items() if holds] == [used]


@pytest.mark.parametrize(
    ("direction", "chosen"), [(Direction.LARGEST, 4), (Direction.SMALLEST, 1), (Direction.FIRST, 2)]
)
def test_a_choice_takes_the_first_value_in_its_direction(direction: Direction, chosen: int) -> None:
    sizes = attrs.evolve(SIZE, preference=(8, 2, 4, 1))
    rule = attrs.evolve(SHRINK, alternatives=(Alternative((Pick("size", direction, FITS),)),))
    problem = tank(variables=[sizes, LID, LIMIT], rules=[rule])
    taken = [size for size in (1, 2, 4, 8) if _takes(problem, FULL, FIRST, [{"size": size}])]
    assert taken == [chosen]


def test_a_state_on_the_way_must_be_valid() -> None:
    """The first rule leaves an invalid state, which the second would mend."""
    grow = assign("grow", "LID_ON", op(Op.EQ, Var("lid"), 1), ("lid", 0))
    valid = op(Op.OR, op(Op.LT, Var("size"), 8), op(Op.EQ, Var("lid"), 1))
    both: Path = ((0, 0), (1, 0))
    problem = tank(rules=[grow, SHRINK])
    world = {**FULL, "lid": 1}
    steps = [{"lid": 0}, {"size": 4}]
    assert _takes(problem, world, both, steps)
    assert not _takes(attrs.evolve(problem, valid=valid), world, both, steps)


@pytest.mark.parametrize("sense", list(Sense))
def test_keeps_bind_as_the_reference_says_unless_a_fired_rule_sets_their_field(sense: Sense) -> None:
    keeps = (Keep("lid", Var("lid"), sense, "lid"), Keep("size", Var("size"), sense, "size"))
    rule = attrs.evolve(SHRINK, keeps=keeps)
    problem = attrs.evolve(tank(rules=[rule]), keeps=(Keep("wide", op(Op.LE, Var("size"), 4), sense),))
    claims = Claims(problem)
    walk = evaluate.run_walk(problem, FULL)
    fixed = start_values(FULL, FULL) | {set_name("size", 0): 4}
    for size, lid in itertools.product((1, 2, 4, 8), (0, 1)):
        repair = {"size": size, "lid": lid}
        route = claims.route(claims.start(), FIRST)
        term = claims.is_repair(route, claims.repaired(route.start, tuple(repair)))
        values = fixed | {repaired_name(name): value for name, value in repair.items()}
        assert ask(claims.pool, [term], values) == [int(evaluate.is_repair(problem, walk, repair))]


@pytest.mark.parametrize("final", [(2, 0, 0), (0, 1, 0), (0, 0, 2), (1, 1, 0), (0, 2, 1), (2, 0, 2), (1, 2, 1)])
@pytest.mark.parametrize("level", list(Uniqueness))
def test_costs_of_three_fields_compare_as_the_reference_compares_them(
    level: Uniqueness, final: tuple[int, ...]
) -> None:
    """Every repair against fixes of one to three fields: counts first, then ranks, then preferences in rank order."""
    variables = (field("a", 0, 1, 2), field("b", 2, 1, 0), field("c", 1, 2, 0))
    names = [variable.name for variable in variables]
    sets = Alternative(tuple(Assign(name, Const(0)) for name in names))
    problem = Problem("costs", variables, (), (), (Rule("r", "R", FITS, (sets,)),))
    start, fix = dict.fromkeys(names, 0), dict(zip(names, final, strict=True))
    changes = sum(value != 0 for value in final)
    highest = evaluate.cost(problem, start, fix)
    claims = Claims(problem)
    terms, wanted = [], []
    for values in itertools.product((0, 1, 2), repeat=3):
        new = dict(zip(names, values, strict=True))
        known = start_values(start, names) | {set_name(name, 0): value for name, value in fix.items()}
        known |= {repaired_name(name): value for name, value in new.items()}
        cost = evaluate.cost(problem, start, new)
        cheap = cost <= highest if level is Uniqueness.PREFERRED else cost[0] <= changes
        wanted.append(int(cheap and new != fix))
        route = claims.route(claims.start(known), FIRST, known)
        mended = claims.repaired(route.start, names, known)
        terms.append(claims.rival_cost(route, mended, names, level, changes))
        open_route = claims.route(claims.start(), FIRST)
        open_mended = claims.repaired(open_route.start, names)
        term = claims.rival_cost(open_route, open_mended, names, level, changes)
        if len(terms) % 5 == 0:
            assert ask(claims.pool, [term], known) == wanted[-1:]
    assert ask(claims.pool, terms) == wanted
