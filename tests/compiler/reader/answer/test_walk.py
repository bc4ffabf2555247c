"""The walk: order of rules, prescriptions, and each way to end."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import tiny

from compiler.reader import ReadEnding, Solution, read_prompt, solve

# at the start a = 2 of 1, 2, 3, 4; b = 1 of 0, 1, 2; on = true of false, true; mood = calm of calm, wild


def solved(runbook: str, **parts: str) -> Solution:
    return solve(read_prompt(tiny(runbook=runbook.rstrip("\n"), **parts)))


def rule(when: str, *lines: str, code: str = "LOW", number: int = 1) -> str:
    settings = "".join(f"   {'else' if at else '->'} {line}\n" for at, line in enumerate(lines))
    return f"{number}. {code}: {when}  # title\n{settings}"


ENDINGS = [
    (ReadEnding.HEALTHY, rule("a > 2", "a = 1"), ""),
    (ReadEnding.ANSWER, rule("a < 3", "a = 3"), ""),
    (ReadEnding.REPEATED, rule("a < 3", "a = 3") + rule("a == 3", "a = 2", code="B", number=2), ""),
    (ReadEnding.REPEATED, rule("a < 3", "a = 1"), ""),
    (ReadEnding.NO_VALUE, rule("a < 3", "a = first with a > 4"), ""),
    (ReadEnding.NO_VALUE, rule("a < 3", "a = a + 9"), ""),
    (ReadEnding.INVALID, rule("a < 3", "a = 3"), "Always: a != 3"),
    (
        ReadEnding.TOO_MANY,
        rule("a == 2", "a = 3", code="A")
        + rule("a == 3", "a = 4", code="B", number=2)
        + rule("a == 4", "a = 1", code="C", number=3),
        "",
    ),
    (
        ReadEnding.REPEATED,
        rule("a == 2 or a == 4", "a = 3", code="A") + rule("a == 3", "a = 4", code="B", number=2),
        "",
    ),
]


@pytest.mark.parametrize(("ending", "runbook", "relations"), ENDINGS)
def test_walk_ends_as_the_runbook_says(ending: ReadEnding, runbook: str, relations: str) -> None:
    solution = solved(runbook, relations=relations)
    (walk,) = solution.walks
    assert walk.ending is ending
    assert (solution.answer is None) == (ending not in (ReadEnding.ANSWER, ReadEnding.HEALTHY))


def test_every_ending_is_tested() -> None:
    assert {ending for ending, _, _ in ENDINGS} == set(ReadEnding)


FIXES = [
    ("a = largest with a < 4", {"a": 3}),
    ("a = smallest with a > 2", {"a": 3}),
    ("a = first with a != 1", None),
    ("a = first with a >= 3", {"a": 3}),
    ("a = a * 2", {"a": 4}),
    ("a = before(a) + 2", {"a": 4}),
    ("a = 4, b = a - 2", {"a": 4, "b": 2}),
    ("a = 4, b = before(a)", {"a": 4, "b": 2}),
    ("a = 4, a = 3", {"a": 3}),
    ("a = 4, b = first with a * b >= before(a * b) * 2", {"a": 4}),
    ("a = 4, b = first with s[a=1] == before(s[a=2] - 1) + 1", {"a": 4, "b": 2}),
    ("a = 3, b = first with s == before(s)", {"a": 3, "b": 0}),
    ("a = 3, b = first keeping s", {"a": 3, "b": 0}),
    ("a = 3, b = largest keeping a + b", {"a": 3, "b": 0}),
    ("a = 3, b = first keeping mood", {"a": 3, "b": 0}),
    ("b = largest keeping mood, a = 3", {"a": 3, "b": 2}),
    ("a = 4, b = first keeping s", None),
    ("a = 3, b = first with s[a=before(a), b=0] == 9", None),
    ("a = 9|a = 3", {"a": 3}),
    ("a = 4, b = 9|a = 3", {"a": 3}),
    ("a = 4, b = 9|a = 8|a = 3, on = false", {"a": 3, "on": False}),
    ("a = 3, mood = wild if on else calm", {"a": 3, "mood": "wild"}),
    ("a = 3, on = first with on", {"a": 3}),
    ("a = 3, mood = first with mood is not calm", {"a": 3, "mood": "wild"}),
    ("a = 9", None),
]


@pytest.mark.parametrize(("settings", "fix"), FIXES)
def test_prescription_gives_the_fix(settings: str, fix: dict[str, object] | None) -> None:
    solution = solved(rule("a == 2", *settings.split("|")), relations="s = a + b")
    if fix is None:
        assert solution.answer is None
    else:
        assert solution.answer == {"diagnosis": "LOW", "fix": fix}


def test_guard_may_look_back_at_the_run_as_printed() -> None:
    """The second rule asks for what the first one makes, so only printed keeps it from firing."""
    first = rule("a == 2", "a = 4", code="ONE")
    assert solved(first + rule("a == 4", "b = 2, a = 3", code="TWO", number=2)).answer == {
        "diagnosis": ["ONE", "TWO"],
        "fix": {"a": 3, "b": 2},
    }
    second = rule("a == 4 and printed(s[b=0]) == 4", "b = 2, a = 3", code="TWO", number=2)
    assert solved(first + second, relations="s = a + b").answer == {"diagnosis": "ONE", "fix": {"a": 4}}


def test_printed_tells_worlds_apart_though_the_present_state_does_not() -> None:
    runbook = rule("a == 2", "a = 3") + rule("a == 3 and printed(h)[h=1] == 2", "a = 4", code="B", number=2)
    solution = solved(runbook, hidden="h: 1, 2")
    assert {(walk.codes, walk.worlds) for walk in solution.walks} == {(("LOW",), 1), (("LOW", "B"), 1)}


def test_first_rule_in_the_order_of_the_runbook_fires() -> None:
    runbook = rule("a == 2", "a = 3", code="ONE") + rule("a >= 2", "a = 1", code="TWO", number=2)
    solution = solved(runbook)
    assert solution.answer == {"diagnosis": ["ONE", "TWO"], "fix": {"a": 1}}


def test_codes_come_in_the_order_of_the_runbook_when_a_later_rule_fires_first() -> None:
    runbook = rule("a == 3", "a = 4", code="ONE") + rule("a == 2", "a = 3", code="TWO", number=2)
    solution = solved(runbook)
    assert solution.walks[0].codes == ("TWO", "ONE")
    assert solution.answer == {"diagnosis": ["ONE", "TWO"], "fix": {"a": 4}}


def test_field_set_and_set_back_is_not_in_the_fix() -> None:
    runbook = rule("a == 2 and b == 1", "a = 3, b = 2", code="ONE")
    runbook += rule("a == 3", "a = 2", code="TWO", number=2)
    assert solved(runbook).answer == {"diagnosis": ["ONE", "TWO"], "fix": {"b": 2}}


def test_masked_rule_is_not_reported() -> None:
    runbook = rule("a == 2", "a = 4", code="ONE") + rule("a < 4", "b = 2", code="TWO", number=2)
    assert solved(runbook).answer == {"diagnosis": "ONE", "fix": {"a": 4}}


def test_rule_number_ten_is_read_like_the_others() -> None:
    runbook = "".join(rule(f"a == {at + 10}", "a = 1", code=f"C{at}", number=at) for at in range(1, 10))
    runbook += rule("a == 2", "a = 1", code="C10", number=10)
    assert solved(runbook).answer == {"diagnosis": "C10", "fix": {"a": 1}}


def test_run_without_rules_is_healthy() -> None:
    assert solved("").answer == {"diagnosis": "HEALTHY", "fix": {}}


def test_worlds_part_only_where_hidden_values_matter() -> None:
    runbook = rule("a + h == 4", "a = first with a + h == 5", "b = 0")
    solution = solved(runbook, hidden="h: 1, 2, 3\ni: 1, 2, 3, 4, 5")
    assert solution.reason == "ambiguous"
    assert {(walk.ending, tuple(walk.fix.items()), walk.worlds) for walk in solution.walks} == {
        (ReadEnding.HEALTHY, (), 10),
        (ReadEnding.ANSWER, (("a", 3),), 5),
    }


def test_solve_stops_when_the_walks_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compiler.reader.answer.walk.MAX_READ_WORK", 10)
    solution = solved(rule("a == 2", "a = largest with a * a + a * a < 9"))
    assert (solution.answer, solution.reason) == (None, "too much work")
