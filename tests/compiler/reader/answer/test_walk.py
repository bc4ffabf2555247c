"""The walk: order of rules, prescriptions, and each way to end."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import tiny

from compiler.reader import ReadEnding, Solution, read_prompt, solve

# at the start a = 2 of 1, 2, 3, 4; b = 1 of 0, 1, 2; on = true of false, true; mood = calm of calm, wild


def solved(runbook: str, **parts: str) -> Solution:
    return solve(read_prompt(tiny(runbook=runbook, **parts)))


def rule(when: str, *lines: str, code: str = "LOW", number: int = 1) -> str:
    return f"{number}. {code}: title\n   when `{when}`\n" + "".join(f"   {line}\n" for line in lines)


ENDINGS = [
    (ReadEnding.HEALTHY, rule("a > 2", "set a = `1`"), ""),
    (ReadEnding.ANSWER, rule("a < 3", "set a = `3`"), ""),
    (ReadEnding.UNCOVERED, rule("a > 2", "set a = `1`"), "- a run is sound when `a > 2`"),
    (ReadEnding.UNSOUND, rule("a < 3", "set a = `3`"), "- a run is sound when `a > 3`"),
    (ReadEnding.REPEATED, rule("a < 3", "set a = `3`") + rule("a == 3", "set a = `2`", code="B", number=2), ""),
    (ReadEnding.REPEATED, rule("a < 3", "set a = `1`"), ""),
    (ReadEnding.NO_VALUE, rule("a < 3", "set a = first where `a > 4`"), ""),
    (ReadEnding.NO_VALUE, rule("a < 3", "set a = `a + 9`"), ""),
    (ReadEnding.INVALID, rule("a < 3", "set a = `3`"), "- every run satisfies `a != 3`"),
    (
        ReadEnding.TOO_MANY,
        rule("a == 2", "set a = `3`", code="A")
        + rule("a == 3", "set a = `4`", code="B", number=2)
        + rule("a == 4", "set a = `1`", code="C", number=3),
        "",
    ),
    (
        ReadEnding.REPEATED,
        rule("a == 2 or a == 4", "set a = `3`", code="A") + rule("a == 3", "set a = `4`", code="B", number=2),
        "",
    ),
]


@pytest.mark.parametrize(("ending", "runbook", "conditions"), ENDINGS)
def test_walk_ends_as_the_runbook_says(ending: ReadEnding, runbook: str, conditions: str) -> None:
    solution = solved(runbook, conditions=conditions)
    (walk,) = solution.walks
    assert walk.ending is ending
    assert (solution.answer is None) == (ending not in (ReadEnding.ANSWER, ReadEnding.HEALTHY))


FIXES = [
    ("set a = largest where `a < 4`", {"a": 3}),
    ("set a = smallest where `a > 2`", {"a": 3}),
    ("set a = first where `a != 1`", None),
    ("set a = first where `a >= 3`", {"a": 3}),
    ("set a = `a * 2`", {"a": 4}),
    ("set a = `before(a) + 2`", {"a": 4}),
    ("set a = `4`; b = `a - 2`", {"a": 4, "b": 2}),
    ("set a = `4`; b = `before(a)`", {"a": 4, "b": 2}),
    ("set a = `4`; a = `3`", {"a": 3}),
    ("set a = `4`; b = first where `a * b >= before(a * b) * 2`", {"a": 4}),
    ("set a = `4`; b = first where `(s with a = 1) == before((s with a = 2) - 1) + 1`", {"a": 4, "b": 2}),
    ("set a = `3`; b = first where `s == before(s)`", {"a": 3, "b": 0}),
    ("set a = `3`; b = first where `(s with a = before(a), b = 0) == 9`", None),
    ("set a = `9`\nelse set a = `3`", {"a": 3}),
    ("set a = `4`; b = `9`\nelse set a = `3`", {"a": 3}),
    ("set a = `4`; b = `9`\nelse set a = `8`\nelse set a = `3`; on = `false`", {"a": 3, "on": False}),
    ('set a = `3`; mood = `(if on then "wild" else "calm")`', {"a": 3, "mood": "wild"}),
    ("set a = `3`; on = first where `on`", {"a": 3}),
    ('set a = `3`; mood = first where `mood != "calm"`', {"a": 3, "mood": "wild"}),
    ("set a = `9`", None),
]


@pytest.mark.parametrize(("settings", "fix"), FIXES)
def test_prescription_gives_the_fix(settings: str, fix: dict[str, object] | None) -> None:
    runbook = rule("a == 2", *settings.split("\n"))
    solution = solved(runbook, relations="- s = `a + b` | x")
    if fix is None:
        assert solution.answer is None
    else:
        assert solution.answer == {"diagnosis": "LOW", "fix": fix}


def test_first_rule_in_the_order_of_the_runbook_fires() -> None:
    runbook = rule("a == 2", "set a = `3`", code="ONE") + rule("a >= 2", "set a = `1`", code="TWO", number=2)
    solution = solved(runbook)
    assert solution.answer == {"diagnosis": ["ONE", "TWO"], "fix": {"a": 1}}


def test_codes_come_in_the_order_of_the_runbook_when_a_later_rule_fires_first() -> None:
    runbook = rule("a == 3", "set a = `4`", code="ONE") + rule("a == 2", "set a = `3`", code="TWO", number=2)
    solution = solved(runbook)
    assert solution.walks[0].codes == ("TWO", "ONE")
    assert solution.answer == {"diagnosis": ["ONE", "TWO"], "fix": {"a": 4}}


def test_field_set_and_set_back_is_not_in_the_fix() -> None:
    runbook = rule("a == 2 and b == 1", "set a = `3`; b = `2`", code="ONE")
    runbook += rule("a == 3", "set a = `2`", code="TWO", number=2)
    assert solved(runbook).answer == {"diagnosis": ["ONE", "TWO"], "fix": {"b": 2}}


def test_masked_rule_is_not_reported() -> None:
    runbook = rule("a == 2", "set a = `4`", code="ONE") + rule("a < 4", "set b = `2`", code="TWO", number=2)
    assert solved(runbook).answer == {"diagnosis": "ONE", "fix": {"a": 4}}


def test_rule_number_ten_may_be_indented_deeper() -> None:
    runbook = "".join(rule(f"a == {at + 10}", "set a = `1`", code=f"C{at}", number=at) for at in range(1, 10))
    runbook += rule("a == 2", " set a = `1`", code="C10", number=10).replace("   when", "    when")
    assert solved(runbook).answer == {"diagnosis": "C10", "fix": {"a": 1}}


def test_sound_run_without_rules_is_healthy() -> None:
    assert solved("").answer == {"diagnosis": "HEALTHY", "fix": {}}


def test_worlds_part_only_where_hidden_values_matter() -> None:
    runbook = rule("a + h == 4", "set a = first where `a + h == 5`", "else set b = `0`")
    solution = solved(runbook, hidden="- h: 1, 2, 3 | x\n- i: 1, 2, 3, 4, 5 | x")
    assert solution.reason == "ambiguous"
    assert {(walk.ending, tuple(walk.fix.items()), walk.worlds) for walk in solution.walks} == {
        (ReadEnding.HEALTHY, (), 10),
        (ReadEnding.ANSWER, (("a", 3),), 5),
    }


def test_solve_stops_when_the_walks_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compiler.reader.answer.walk.MAX_READ_WORK", 10)
    solution = solved(rule("a == 2", "set a = largest where `a * a + a * a < 9`"))
    assert (solution.answer, solution.reason) == (None, "too much work")
