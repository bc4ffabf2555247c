"""The cheapest repair, enumerated apart from the walk."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import prompt, tiny

from compiler.reader import Rivals, read_prompt, rivals, solve


def compared(**parts: str) -> Rivals:
    document = read_prompt(tiny(**parts))
    return rivals(document, solve(document))


def rule(when: str, *lines: str) -> str:
    return f"1. LOW: title\n   when `{when}`\n" + "".join(f"   {line}\n" for line in lines)


def test_rivals_finds_a_repair_with_fewer_fields() -> None:
    found = compared(runbook=rule("a + b < 5", "set a = `4`; b = `2`"))
    assert found.fields == ("a", "b")
    assert found.rivals == ({"a": 4}, {"a": 3, "b": 2})


def test_rivals_prefers_fields_of_lower_rank_then_values_listed_first() -> None:
    found = compared(runbook=rule("a + b < 4", "set b = `2`"))
    assert (found.fields, found.rivals) == (("b",), ())
    found = compared(runbook=rule("a + b < 4", "set a = `2`; b = `2`"))
    assert found.rivals == ({"a": 3}, {"a": 4})
    found = compared(runbook=rule("a + b < 4", "set a = `4`"))
    assert (found.tried, found.rivals) == (3, ({"a": 3},))


def test_rivals_respects_the_keeps_of_fired_rules() -> None:
    runbook = rule("a + b < 5", "set a = `4`; b = `2`", "keep `p`")
    found = compared(runbook=runbook, relations="- p = `(if a == 3 then 1 else 0)` | x")
    assert (found.rivals, found.failure) == (({"a": 4},), "")
    found = compared(runbook=runbook, relations="- p = `b` | x")
    assert (found.rivals, found.failure) == (({"a": 4},), "does not keep p")


@pytest.mark.parametrize(("verb", "failure"), [("changes", "changes p"), ("raises", "changes p"), ("lowers", "")])
def test_system_keep_binds_every_repair(verb: str, failure: str) -> None:
    found = compared(runbook="- no repair " + verb + " `p`\n" + rule("a < 3", "set a = `3`"), relations="- p = `a` | x")
    assert found.failure == failure


@pytest.mark.parametrize(
    ("keep", "failure"),
    [("`a`", ""), ("`p`", "does not keep p"), ("`p` not above", "does not keep p"), ("`p` not below", ""), ("`b`", "")],
)
def test_keep_of_a_rule_spares_the_fields_it_sets(keep: str, failure: str) -> None:
    found = compared(runbook=rule("a < 3", "set a = `3`", f"keep {keep}"), relations="- p = `a` | x")
    assert found.failure == failure


def test_keep_of_a_later_rule_counts_from_where_it_fired() -> None:
    runbook = "1. ONE: t\n   when `a == 2`\n   set a = `3`\n2. TWO: t\n   when `b == 1`\n   set b = `0`\n   keep `p`"
    found = compared(runbook=runbook, relations="- p = `a` | x")
    assert (found.fields, found.failure, found.rivals) == (("a", "b"), "", ())


def test_rival_must_hold_in_every_world_that_fits() -> None:
    runbook = rule("a < 3 + h", "set a = `4`")
    assert compared(runbook=runbook, hidden="- h: 0 | x").rivals == ({"a": 3},)
    assert compared(runbook=runbook, hidden="- h: 0, 1 | x").rivals == ()


def test_fix_that_fails_in_the_sense_of_a_condition_is_reported() -> None:
    conditions = "- a run is sound when `a > 1`"
    assert compared(runbook=rule("a < 3", "set a = `3`"), conditions=conditions).failure == ""
    runbook = rule("a == 2", "set a = `3`", "keep `mood`, `on`")
    found = compared(runbook=runbook, conditions=conditions)
    assert (found.rivals, found.failure) == ((), "")


def test_repair_that_leaves_a_formula_without_a_value_is_no_rival() -> None:
    conditions = "- a run is sound when `floor(8 / (a - 3)) > 0`"
    found = compared(runbook=rule("a < 3", "set a = `4`"), conditions=conditions)
    assert (found.tried, found.rivals, found.failure) == (3, (), "")


def test_rivals_takes_the_fields_named_in_any_fitting_world() -> None:
    document = read_prompt(
        tiny(
            runbook=rule("a < 3", "set a = `h`", "else set b = `b`; a = `4`"),
            hidden="- h: 4, 5 | x",
        )
    )
    solution = solve(document)
    assert solution.answer == {"diagnosis": "LOW", "fix": {"a": 4}}
    assert rivals(document, solution, {"h": 4}).fields == ("a", "b")
    assert rivals(document, solution, {"h": 5}).fields == ("a", "b")
    with pytest.raises(ValueError, match="does not print"):
        rivals(document, solution, {"h": 6})


def test_rivals_refuses_a_solution_without_answer() -> None:
    document = read_prompt(prompt("memory-uncovered"))
    with pytest.raises(ValueError, match="without an answer"):
        rivals(document, solve(document))


def test_healthy_run_has_no_rivals() -> None:
    assert compared() == Rivals((), 0, (), "")
