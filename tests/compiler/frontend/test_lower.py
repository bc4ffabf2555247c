"""Lowering: what good programs become, and that every stage means the same by an expression."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.emit.prompt.formula import formula
from compiler.frontend.lower import lower_program
from compiler.frontend.lower_expressions import shown_amount
from compiler.plan import ArchetypePlan, CasePlan, Display, ProgramPlan, SystemPlan
from dsl.analysis.bounds import Bounds
from dsl.checked import CheckedProgram, CheckedSystem
from dsl.diagnostics.collector import Collector
from dsl.diagnostics.diagnostic import Severity
from dsl.evaluation import Evaluator
from dsl.program import check_program
from dsl.syntax.loader import load
from solvers.evaluate import observe, relations, value
from solvers.problem import Assign, Const, Keep, Kind, Problem, Var

GOOD = Path(__file__).parents[2] / "dsl" / "good_check"
PROGRAMS = sorted(path for path in GOOD.iterdir() if path.suffix == ".arch" or path.is_dir())


def lowered(path: Path) -> tuple[CheckedProgram, ProgramPlan]:
    loaded = load([path])
    assert not loaded.diagnostics
    checked, found = check_program(loaded)
    assert checked is not None
    assert not [each for each in found if each.severity is Severity.ERROR]
    return checked, lower_program(checked, loaded)


def random_worlds(problem: Problem, count: int) -> Iterator[dict[str, int]]:
    draw = random.Random(problem.name)
    for _ in range(count):
        yield {variable.name: draw.choice(variable.domain) for variable in problem.variables}


# ------------------------------------------------------------------ goldens


def described(plan: ProgramPlan) -> str:
    lines = [line for system in plan.systems.values() for line in describe_system(system)]
    lines += [line for archetype in plan.archetypes.values() for line in describe_archetype(archetype)]
    lines += [line for case in plan.cases.values() for line in describe_case(case)]
    for dataset in plan.datasets.values():
        lines.append(f"dataset {dataset.name} {dataset.version} seed {dataset.seed} {dataset.title!r}")
        lines += [f"  region {each.name} of {each.system} = {formula(each.condition)}" for each in dataset.regions]
        lines += [f"  {split}" for split in dataset.splits]
    lines.append(f"sources {', '.join(plan.sources)}")
    return "\n".join(lines) + "\n"


def describe_system(system: SystemPlan) -> Iterator[str]:
    problem = system.problem
    yield f"system {system.name} {system.title!r}"
    for variable, plan in zip(problem.variables, system.variables, strict=True):
        assert variable.name == plan.name
        more = f" editable, {plan.prefer}: {variable.preference}" if variable.editable else ""
        more += f" in {plan.group}" if plan.group else ""
        more += f" alias {plan.aliases}" if plan.aliases else ""
        yield f"  {variable.kind.value} {variable.name} {variable.domain}{more} {plan.display} {plan.unit!r}"
    for (name, expr), relation in zip(problem.relations, system.relations, strict=True):
        assert name == relation.name
        when = "" if relation.when is None else f" when {formula(relation.when)}"
        yield f"  {name} [{relation.unit}] = {formula(expr)}{when} {relation.display} {relation.labels}"
    yield from (f"  observe {each.name} in {each.channel}: {formula(each.value)}" for each in problem.observations)
    for event in system.events:
        when = None if event.condition is None else formula(event.condition)
        more = f" for {event.index} in {event.at}" if event.index else ""
        more += "" if event.placed is None else f" before {event.before} when {formula(event.placed)}"
        yield f"  event {event.name} when {when}{more} {event.level} by {event.logger} {event.wordings}"
        yield from (
            f"    {each.name} = {formula(each.value)} {each.display} {each.unit!r}" for each in event.attributes
        )
    yield from (f"  {each}" for each in (*system.noise_values, *system.noise_lines))
    yield from (f"  table {each}" for each in system.tables)
    yield f"  valid {formula(problem.valid)}"
    yield f"  stated {formula(problem.stated)}"
    yield f"  sound {formula(problem.sound)}"
    yield from (f"  stated {text!r} {formula(expr)}" for text, expr in system.stated)
    yield from (f"  require {text!r} {formula(expr)}" for text, expr in system.requires)
    yield from (f"  sound {text!r} {formula(expr)}" for text, expr in system.sounds)
    yield from (f"  {describe_keep(keep)}" for keep in problem.keeps)
    for rule, shown_rule in zip(problem.rules, system.rules, strict=True):
        yield f"  rule {rule.name} {rule.code} when {formula(rule.guard)}: {shown_rule.title!r} {shown_rule.says!r}"
        for alternative in rule.alternatives:
            yield "    set " + ", ".join(
                f"{item.field} = {formula(item.value)}"
                if isinstance(item, Assign)
                else f"{item.field} = {item.direction.value} where {formula(item.where)}"
                for item in alternative.sets
            )
        yield from (f"    {describe_keep(keep)}" for keep in rule.keeps)


def describe_keep(keep: Keep) -> str:
    return f"keep {keep.name} {keep.sense.value} {formula(keep.value)} field={keep.field}"


def describe_archetype(archetype: ArchetypePlan) -> Iterator[str]:
    yield f"archetype {archetype.name} of {archetype.system} {archetype.title!r} {archetype.tier}"
    yield f"  {archetype.faults} {sorted(archetype.codes)} parts={archetype.parts}"
    yield f"  where {formula(archetype.where)}"
    yield f"  hard {formula(archetype.hard)}"


def describe_case(case: CasePlan) -> Iterator[str]:
    yield f"case {case.name} of {case.system} {case.source!r} {case.text!r} says {sorted(case.said)}"
    yield from (f"  fact {text}: {formula(condition)}" for text, condition in case.facts)
    yield from (f"  where {formula(where)}" for where in case.wheres)
    yield from (f"  answer {sorted(answer.codes)} {answer.fix}" for answer in case.answers)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_good_program_lowers_to_its_problem(path: Path, golden: Callable[[str, Path], None]) -> None:
    golden(described(lowered(path)[1]), path.with_suffix(".problem"))


# ------------------------------------------------------------------ one meaning


def systems() -> list[tuple[CheckedSystem, SystemPlan]]:
    pairs = []
    for path in PROGRAMS:
        checked, plan = lowered(path)
        pairs += [(system, plan.systems[name]) for name, system in checked.systems.items()]
    return pairs


SYSTEMS = systems()


@pytest.mark.parametrize("pair", SYSTEMS, ids=lambda pair: pair[0].name)
def test_relations_keep_their_values_when_lowered(pair: tuple[CheckedSystem, SystemPlan]) -> None:
    system, plan = pair
    definitions = {relation.name: relation.value for relation in system.relations}
    for world in random_worlds(plan.problem, 200):
        point = {name: np.array(each, dtype=object) for name, each in world.items()}
        evaluator = Evaluator(point, definitions)
        expected = {name: int(evaluator.value(expr)) for name, expr in definitions.items()}
        assert {name: int(found) for name, found in relations(plan.problem, world).items()} == expected


@pytest.mark.parametrize("pair", SYSTEMS, ids=lambda pair: pair[0].name)
def test_relations_stay_within_their_bounds(pair: tuple[CheckedSystem, SystemPlan]) -> None:
    system, plan = pair
    bounds = Bounds(system, Collector())
    intervals = {relation.name: bounds.interval(relation.value) for relation in system.relations}
    for world in random_worlds(plan.problem, 200):
        for name, found in relations(plan.problem, world).items():
            interval = intervals[name]
            assert interval is not None
            assert int(found) in interval


@pytest.mark.parametrize("pair", SYSTEMS, ids=lambda pair: pair[0].name)
def test_evidence_is_what_the_displays_show(pair: tuple[CheckedSystem, SystemPlan]) -> None:
    _, plan = pair
    problem = plan.problem
    for world in random_worlds(problem, 100):
        evidence = dict(zip((each.name for each in problem.observations), observe(problem, world), strict=True))
        expected = {}
        for variable, shown_variable in zip(problem.variables, plan.variables, strict=True):
            if variable.kind is not Kind.HIDDEN:
                expected[variable.name] = shown_by(shown_variable.display, world[variable.name])
        values = relations(problem, world)
        for relation in plan.relations:
            if relation.display is not None:
                present = relation.when is None or bool(value(problem, relation.when, world))
                expected |= {} if relation.when is None else {f"{relation.name}?": int(present)}
                number = shown_by(relation.display, int(values[relation.name]))
                expected[relation.name] = number if present else 0
        for event in plan.events:
            for line in event.occurrences if event.index else (event,):
                present = line.condition is None or bool(value(problem, line.condition, world))
                expected[line.name] = int(present)
                for attribute in line.attributes:
                    number = shown_by(attribute.display, int(value(problem, attribute.value, world)))
                    expected[f"{line.name}.{attribute.name}"] = number if present else 0
            if event.placed is not None:
                there = expected[event.name] and expected[event.before]
                placed = int(bool(there) and bool(value(problem, event.placed, world)))
                expected[f"{event.name}<{event.before}"] = placed
        assert evidence == expected


def shown_by(display: Display, number: int) -> int:
    return number if display.labels is not None else display.shown(number)


@given(
    number=st.integers(-(2**40), 2**40),
    numerator=st.integers(1, 3000),
    denominator=st.integers(1, 3000),
    decimals=st.integers(0, 6),
)
def test_shown_expression_rounds_as_the_display_does(
    number: int, numerator: int, denominator: int, decimals: int
) -> None:
    display = Display(numerator=numerator, denominator=denominator, decimals=decimals)
    problem = Problem("p", (), (), (), ())
    assert value(problem, shown_amount(Const(number), display), {}) == display.shown(number)


def test_exact_display_leaves_the_value_alone() -> None:
    assert shown_amount(Var("x"), Display(unit="MiB")) == Var("x")


def test_lowering_does_not_depend_on_the_order_of_files() -> None:
    files = sorted((GOOD / "parts").glob("*.arch"))
    plans = []
    for order in (files, files[::-1]):
        loaded = load(order, root=GOOD / "parts")
        checked, _ = check_program(loaded)
        assert checked is not None
        plans.append(lower_program(checked, loaded))
    assert plans[0] == plans[1]
    assert list(plans[0].sources) == ["families.arch", "system.arch", "units.arch"]
