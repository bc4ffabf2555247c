"""Cases: what is said where facts don't lead to the confirmed answer; that the lowering keeps what they mean."""

from __future__ import annotations

import random

import attrs
import pytest
from strategies.programs import lowered_text

from compiler.frontend.cases import CaseResult, CaseVerdict, judge_cases, run_cases
from compiler.plan import CasePlan, SystemPlan
from dsl.checked import CheckedSystem
from dsl.meaning.cases import fits_case
from dsl.meaning.expressions import RunState, plain_world
from solvers.counting.exhaustive import WitnessError
from solvers.evaluate import value
from solvers.problem import Const

SYSTEM = """
unit MiB
unit GiB = 1024 MiB
system shop "Shop" {
  config {
    size: int in {1, 2, 4, 8} "size" prefer larger
    stock: int in 1..6 "stock" prefer larger
    rate: int in {1, 3, 5} locked show divided by 10^4 scientific
    mode: {calm, "rush-hour"} locked
  }
  given { height: MiB in 100..900 step 25 "height" show GiB to 1 decimal }
  hidden { mass: MiB in 100..4000 step 100 "mass" }
  profiler { load: MiB = mass * size show GiB to 2 decimals  rest = size when size > 2 }
  log {
    event full when size * stock > 16 { attr need: MiB = mass * stock show GiB to 1 decimal  says "full {need}" }
    event laps for t in {1, 5} when t < size { attr x = t * size  attr fast = mode != calm  says "{t} {x} {fast}" }
  }
  require mass * size < 20000 MiB
  sound mass * size <= 8000 MiB and size * stock <= 16
  rule heavy TOO_HEAVY "heavy" { when mass * size > 8000 MiB  set size = largest where mass * size <= 8000 MiB }
  rule packed TOO_FULL "full" { when size * stock > 16  set stock = largest where size * stock <= 16 }
  runbook heavy, packed
}
"""


def case(body: str, answer: str) -> tuple[CasePlan, SystemPlan, CheckedSystem]:
    program, plan = lowered_text(f'{SYSTEM}case c of shop "https://example.org/1" "text" {{ {body} }} => {answer}\n')
    return plan.cases["c"], plan.systems["shop"], program.systems["shop"]


def judged(body: str, answer: str) -> CaseResult:
    program, plan = lowered_text(f'{SYSTEM}case c of shop "https://example.org/1" "text" {{ {body} }} => {answer}\n')
    (result,) = judge_cases(plan)
    assert run_cases(plan, program) == (() if result.diagnostic is None else (result.diagnostic,))
    return result


def code(result: CaseResult) -> str:
    return "" if result.diagnostic is None else result.diagnostic.code


# ------------------------------------------------------------------ verdicts


def test_facts_that_determine_the_confirmed_answer_are_silent() -> None:
    result = judged('known { size = 8, stock = 1, load = "9.4 GiB" }', "TOO_HEAVY { size = 4 }")
    assert (result.verdict, result.worlds, result.why) == (CaseVerdict.CONFIRMED, 1, "TOO_HEAVY { size = 4 }")


def test_one_of_several_equivalent_answers_is_confirmed() -> None:
    result = judged("known { size = 4, stock = 2, mass = 100 }", "TOO_FULL or HEALTHY")
    assert (result.verdict, result.why) == (CaseVerdict.CONFIRMED, "HEALTHY")


def test_open_facts_that_matter_are_named_with_two_worlds() -> None:
    result = judged("known { size = 8, stock = 1 }", "TOO_HEAVY { size = 4 }")
    assert (result.verdict, code(result), result.worlds) == (CaseVerdict.UNDETERMINED, "E439", 24)
    assert result.diagnostic is not None
    assert result.diagnostic.label == "24 worlds fit, with 3 answers"
    assert result.diagnostic.notes == (
        "41.7% of the worlds: TOO_HEAVY { size = 4 } (confirmed)",
        "41.7% of the worlds: HEALTHY",
        "16.7% of the worlds: TOO_HEAVY { size = 2 }",
        "two worlds that fit: with `mass = 1100 MiB`, the answer is TOO_HEAVY { size = 4 }",
        "with `mass = 100 MiB`, it is HEALTHY",
        "`mass` or `load` would decide",
    )


def test_a_condition_narrows_what_is_open() -> None:
    result = judged(
        "known { size = 8, stock = 1 }  where mass > 1000 MiB  where mass <= 2000 MiB", "TOO_HEAVY { size = 4 }"
    )
    assert (result.verdict, result.worlds) == (CaseVerdict.CONFIRMED, 10)


def test_another_answer_comes_with_the_walk() -> None:
    result = judged("known { size = 8, stock = 6, mass = 1500 MiB }", "TOO_HEAVY { size = 4 }")
    assert (result.verdict, code(result)) == (CaseVerdict.OTHER_ANSWER, "E440")
    assert result.diagnostic is not None
    assert result.why == "TOO_HEAVY + TOO_FULL { size = 4, stock = 4 }"
    assert result.diagnostic.notes[0] == "step 1: TOO_HEAVY sets { size = 4 }"
    assert result.diagnostic.label == "confirmed: TOO_HEAVY { size = 4 }"


def test_a_walk_without_an_answer_says_why() -> None:
    _, plan = lowered_text(
        SYSTEM.replace("set stock = largest where size * stock <= 16", "set stock = largest where size * stock < 3")
        + 'case c of shop "x" { known { size = 8, stock = 6, mass = 100 } } => TOO_FULL { stock = 2 }\n'
    )
    (result,) = judge_cases(plan)
    assert result.why == "none, since no alternative of rule `packed` has a value"


def test_facts_that_exclude_each_other_are_named() -> None:
    result = judged('known { size = 8, stock = 6, load = "4.00 GiB" }', "HEALTHY")
    assert (result.verdict, code(result), result.worlds) == (CaseVerdict.NO_WORLD, "E438", 0)
    assert result.why == 'only without `load = "4.00 GiB"`'


def test_pairs_of_facts_that_exclude_each_other_are_not_blamed_singly() -> None:
    result = judged("known { size = 1, stock = 1, full, laps[5] }", "HEALTHY")
    assert result.why == "several facts together exclude all worlds"


RARE = """
system rare "Rare" {
  config { size: int in {1, 2} "size" }
  hidden { a: int in 1..1400 "a"  b: int in 1..1401 "b" }
  rule big TOO_BIG "too big" { when size == 2 and a + b > 2800  set size = 1 }
  runbook big
}
"""


def test_too_much_that_is_open_is_refused_though_all_that_was_drawn_confirms() -> None:
    _, plan = lowered_text(RARE + 'case c of rare "x" { known { size = 2 } } => HEALTHY\n')
    (result,) = judge_cases(plan)
    assert (result.verdict, code(result), result.complete) == (CaseVerdict.TOO_OPEN, "E428", False)
    assert result.why == "65536 worlds were drawn, and all confirm it; open: `b` and `a`"


def test_two_worlds_that_were_drawn_show_that_the_answer_is_open() -> None:
    text = RARE.replace("> 2800", "> 1400") + 'case c of rare "x" { known { size = 2 } } => HEALTHY\n'
    _, plan = lowered_text(text)
    (result,) = judge_cases(plan)
    assert (result.verdict, code(result), result.complete) == (CaseVerdict.UNDETERMINED, "E439", False)
    assert result.diagnostic is not None
    assert result.diagnostic.label == "65536 worlds were drawn of those that fit, with 2 answers"


def test_counting_that_the_sources_deny_is_an_error() -> None:
    _, plan = lowered_text(f'{SYSTEM}case c of shop "x" {{ known {{ size = 4, stock = 1, mass = 100 }} }} => HEALTHY\n')
    wrong = attrs.evolve(plan.cases["c"], facts=(("size = 8", Const(True)), *plan.cases["c"].facts[1:]))
    checked = attrs.evolve(wrong.checked, facts=tuple(attrs.evolve(fact, amount=8) for fact in wrong.checked.facts[:1]))
    with pytest.raises(WitnessError):
        judge_cases(attrs.evolve(plan, cases={"c": attrs.evolve(wrong, checked=checked)}))


# ------------------------------------------------------------------ facts


@pytest.mark.parametrize(
    "fact",
    [
        "size = 4",
        "mass = 1000 MiB",
        'mass = "1 GiB"',
        'mass = "1.9 GiB"',
        'rate = "3e-4"',
        "rate = 3",
        'mode = "rush-hour"',
        'load = "4 GiB"',
        'load = "3.91 GiB"',
        'load = "3.906 GiB"',
        'load = "4000.4 MiB"',
        "load = 4000 MiB",
        'height = "0.4 GiB"',
        "height = 400",
        "rest",
        "not rest",
        "rest = 8",
        "full",
        "not full",
        'full { need = "9.8 GiB" }',
        'full { need = "10 GiB" }',
        "full { need = 10000 }",
        "laps[1]",
        "not laps[5]",
        "laps[5] { x = 40, fast = true }",
    ],
)
def test_a_fact_means_the_same_to_plain_interpretation_and_after_the_lowering(fact: str) -> None:
    plan, system, checked = case(f"known {{ {fact} }}", "HEALTHY")
    fit = [(fits_case(plan.checked, RunState(checked, plain_world(checked, world))), world) for world in drawn(system)]
    for plain, world in fit:
        conditions = [system.problem.valid, *(condition for _, condition in plan.facts)]
        assert plain == all(value(system.problem, condition, world) for condition in conditions)
    assert len({plain for plain, _ in fit}) == 2


def drawn(system: SystemPlan) -> list[dict[str, int]]:
    choose = random.Random("cases").choice
    return [{each.name: choose(each.domain) for each in system.problem.variables} for _ in range(400)]


@pytest.mark.parametrize(
    ("reported", "masses"),
    [
        ('"1 GiB"', range(600, 1536, 100)),
        ('"1.0 GiB"', range(1000, 1001)),
        ('"1100 MiB"', range(1100, 1101)),
        ('"1100.2"', range(1100, 1101)),
        ('"1e3 MiB"', range(1000, 1001)),
    ],
)
def test_a_number_as_reported_fits_what_rounds_to_it(reported: str, masses: range) -> None:
    plan, system, _ = case(f"known {{ mass = {reported} }}", "HEALTHY")
    ((_, condition),) = plan.facts
    world = {variable.name: variable.domain[0] for variable in system.problem.variables}
    domain = system.problem.variable("mass").domain
    assert [mass for mass in domain if value(system.problem, condition, world | {"mass": mass})] == list(masses)
