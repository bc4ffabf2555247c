"""Inline examples: what is said when the walk doesn't give what the author wrote."""

from __future__ import annotations

import pytest
from strategies.programs import lowered_text

from compiler.frontend.examples import run_examples
from dsl.diagnostics.diagnostic import Diagnostic

SYSTEM = """
system s "S" {
  config {
    size: int in {1, 2, 4, 8} "size" prefer larger
    mode: {fast, slow} "mode" default slow
    twin: int in {1, 2} "twin"
  }
  hidden { load: int in {1, 2, 3} "load" }
  profiler { need = size * load "need"  busy = mode == fast }
  require size != 8 or mode == slow "eight is too fast"
  sound need <= 8
  rule big BIG "too big" { when need > 8 and load < 3  set size = largest where need <= 8 }
  rule fast FAST "too fast" { when mode == fast and load < 3  set mode = slow }
  rule stuck STUCK "no way out" { when load == 3 and twin == 2  set twin = first where need < 3 and twin == 1 }
  rule wrong WRONG "unsound after" { when load == 3 and size == 4 and twin == 1  set size = 1 }
  runbook big, fast, stuck, wrong
}
"""


def run(body: str, *, fault: str = "big") -> tuple[Diagnostic, ...]:
    tier = "healthy" if fault == "none" else "computed"
    text = f'{SYSTEM}archetype one of s "One" {{ fault {fault}  tier {tier}  {body} }}\n'
    program, plan = lowered_text(text)
    return run_examples(plan, program)


def test_right_example_is_silent() -> None:
    assert run("example { size = 8, load = 2 } => BIG { size = 4 } shows { need = 16, busy = false }") == ()


def test_healthy_example_is_silent() -> None:
    assert run("example { } => HEALTHY", fault="none") == ()


def test_wrong_code_shows_the_walk() -> None:
    (found,) = run("example { size = 8, load = 1 } => BIG { size = 4 }")
    assert (found.code, found.message) == ("E431", "the runbook diagnoses this example as HEALTHY")
    assert found.span is not None
    assert (found.span.text, found.label) == ("BIG", "the example says BIG")
    assert found.notes == ("`big` doesn't fire: `need` is 8, `load` is 1",)


def test_code_that_is_not_expected_says_why_it_fires() -> None:
    (found,) = run("example { size = 4, mode = fast, load = 2 } => BIG { size = 2 }")
    assert found.notes == (
        "step 1: FAST sets { mode = slow }",
        "`fast` fires: `mode` is fast, `load` is 2",
        "`big` doesn't fire: `need` is 8, `load` is 2",
    )


def test_rule_that_fires_twice_is_named() -> None:
    text = """
    unit MiB
    system s "S" {
      config { size: MiB in {1, 2, 4} "size"  mode: {fast, slow} "mode" }
      let need = if mode == fast then size else 2 * size
      rule one ONE "one" { when need >= 4 MiB and (need with (mode = fast)) < 4 MiB and any(v in size: need > v)
        set size = 1 MiB else set mode = fast }
      rule two TWO "two" { when size == 1 MiB and mode == slow  set size = 2 MiB }
      runbook one, two
    }
    archetype x of s "X" { fault one  tier computed  example { size = 2, mode = slow } => ONE { size = 1 } }
    """
    program, plan = lowered_text(text)
    (found,) = run_examples(plan, program)
    assert found.message == "this example can't be a task: rule `one` fires twice"
    assert found.notes[-1] == "`one` fires again: `need` is 4 MiB, `need with (mode = fast)` is 2 MiB"


def test_note_on_a_guard_that_looks_back_shows_the_printed_value() -> None:
    text = """
    system s "S" {
      config { size: int in {1, 2, 4} "size"  mode: {fast, slow} "mode" }
      rule one ONE "one" { when size == 4  set size = 1 }
      rule two TWO "two" { when size < 4 and printed(size) == 4 and mode == slow  set mode = fast }
      runbook one, two
    }
    archetype x of s "X" { fault one  tier computed  example { size = 4, mode = slow } => ONE { size = 1 } }
    """
    program, plan = lowered_text(text)
    (found,) = run_examples(plan, program)
    assert found.message == "the runbook diagnoses this example as ONE + TWO"
    assert found.notes[-1] == "`two` fires: `size` is 1, `printed(size)` is 4, `mode` is slow"


def test_state_on_the_way_that_breaks_a_condition_names_it() -> None:
    text = SYSTEM.replace("sound need", 'require mode == fast or size != 2 "no slow pair" sound need')
    example = "example { size = 2, mode = fast } => FAST { mode = slow }"
    program, plan = lowered_text(f'{text} archetype x of s "X" {{ fault fast  tier computed  {example} }}')
    (found,) = run_examples(plan, program)
    assert found.notes == ("step 1: FAST sets { mode = slow }", "broken after that: no slow pair")


def test_wrong_fix_shows_both() -> None:
    (found,) = run("example { size = 8, load = 2 } => BIG { size = 2 }")
    assert (found.code, found.message, found.label) == (
        "E432",
        "the runbook fixes this example with { size = 4 }",
        "the example says { size = 2 }",
    )
    assert found.notes == ("step 1: BIG sets { size = 4 }",)


def test_every_wrong_value_is_reported_with_the_fix() -> None:
    found = run("example { size = 8, load = 2 } => BIG { size = 4 } shows { need = 8, busy = true }")
    assert [(each.code, each.message) for each in found] == [
        ("E433", "`need` is 16 here, not 8"),
        ("E433", "`busy` is false here, not true"),
    ]


def test_invalid_world_names_the_broken_condition() -> None:
    (found,) = run("example { size = 8, load = 2, mode = fast } => BIG { size = 4 }")
    assert (found.code, found.notes) == ("E430", ("broken: eight is too fast",))


@pytest.mark.parametrize(
    ("fault", "world", "code", "reason"),
    [
        ("stuck", "size = 4, twin = 2, load = 3", "STUCK", "no alternative of rule `stuck` has a value"),
        (
            "big",
            "size = 4, load = 3, twin = 2, mode = fast",
            "BIG",
            "no alternative of rule `stuck` has a value",
        ),
    ],
)
def test_walk_without_a_task_says_why(fault: str, world: str, code: str, reason: str) -> None:
    (found,) = run(f"example {{ {world} }} => {code} {{ size = 1 }}", fault=fault)
    assert found.code == "E431"
    assert reason in found.message


def test_uncovered_world_says_so() -> None:
    (found,) = run("example { size = 8, load = 3 } => BIG { size = 2 }")
    assert found.message == "this example can't be a task: the run isn't sound, and no rule fires"


def test_example_outside_its_archetype_is_a_warning() -> None:
    (found,) = run("where twin == 2  example { size = 8, load = 2 } => BIG { size = 4 }")
    assert found.code == "W452"


def test_composition_example_gives_both_codes() -> None:
    text = (
        SYSTEM
        + 'archetype big of s "Big" { fault big  tier computed }\n'
        + 'archetype fast of s "Fast" { fault fast  tier computed }\n'
        + 'compose both = fast + big "Both" { example { size = 4, mode = fast, load = 2 } => BIG + FAST '
        + "{ size = 4, mode = slow } }\n"
    )
    program, plan = lowered_text(text)
    (found,) = run_examples(plan, program)
    assert found.message == "the runbook diagnoses this example as FAST"
