"""Bounds: what is shown to be right, what is refused, and where trying out decides."""

from __future__ import annotations

import pytest
from strategies.programs import check_text, checked_system, codes_of

from dsl.analysis.bounds import Bounds
from dsl.analysis.intervals import Interval
from dsl.diagnostics.collector import Collector


def bounds_of(body: str, fields: str = "") -> tuple[Bounds, Collector]:
    collector = Collector()
    return Bounds(checked_system(body, fields), collector), collector


def interval_of(expr: str) -> Interval | None:
    system = checked_system(f"let r = {expr}")
    return Bounds(system, Collector()).interval(system.relation("r").value)


@pytest.mark.parametrize(
    ("expr", "low", "high"),
    [
        ("a - b", -4, 2),
        ("a * b - a", -3, 12),
        ("if on then a else 10 * b", 0, 40),
        ("(a * b) with (a = 2)", 2, 8),
        ("a * b with (b = 2)", 0, 6),
        ("(a with (a = b)) + a", 1, 7),
        ("(a with (a = b, b = a)) * b", 1, 16),
        ("((a + b) with (a = b)) with (b = 4)", 8, 8),
        ("sum(k in 1..3: k * a)", 0, 18),
        ("count(k in b: a == k)", 0, 2),
        ("floor(a / b) + (a mod 4)", 0, 6),
    ],
)
def test_interval_of_an_expression(expr: str, low: int, high: int) -> None:
    assert interval_of(expr) == Interval(low, high)


def test_divisor_is_tried_out_where_intervals_leave_zero() -> None:
    assert "E307" not in codes_of(divided("b * 3 - 4"))
    assert "E307" in codes_of(divided("b * 3 - 6"))


@pytest.mark.parametrize("word", ["require", "require stated"])
def test_no_condition_on_worlds_excuses_a_division(word: str) -> None:
    """Values in worlds that break it are looked at, too: those of a reader, who may not know of it."""
    condition = f'{word} b != 2 "not two"'
    assert "E307" in codes_of(divided("b * 3 - 6", body=f"{condition} sound r > 0"))


def test_missing_entry_is_not_excused_by_a_condition() -> None:
    text = 'system s "S" { table t: int -> int { 1: 2 } config { a: int in {1, 2} "a" } require a == 1 sound t[a] > 0 }'
    assert codes_of(text) == ["E312"]


def test_guard_does_not_depend_on_what_it_looks_back_at() -> None:
    text = """system s "S" { config { a: int in {1, 2} "a"  b: int in {1, 2} "b" }
      rule one ONE "one" { when printed(a) == 2 and b == 2  set a = 1 } runbook one }"""
    assert codes_of(text) == ["E410"]


def test_divisor_over_too_many_combinations_is_refused() -> None:
    wide = 'x: int in 0..999 "x"  y: int in 0..999 "y"'
    program, found = check_text(divided("2 * x - 2 * y + 1", wide))
    assert program is None
    assert found[0].code == "E307"
    assert found[0].notes == ("as far as is known, it is -1997 to 1999",)


def test_divisor_is_checked_in_the_world_of_its_with() -> None:
    assert "E307" in codes_of(divided("b", body="let q = (r with (b = a)) + 1"))
    assert "E307" not in codes_of(divided("b", body="let q = (r with (b = a + 1)) + 1"))


def divided(divisor: str, fields: str = "", body: str = "") -> str:
    return f"""system s "S" {{
      config {{ a: int in 0..3 "a"  b: int in {{1, 2, 4}} "b"  {fields} }}
      let r = floor(12 / ({divisor}))
      {body}
    }}"""


def test_overflow_that_only_correlation_excludes_is_tried_out() -> None:
    big = 'system s "S" {{ config {{ a: int in {{1, 1024}} "a" }} let r = {} }}'
    assert "E308" not in codes_of(big.format("(1025 - a) * a * 2^41"))
    assert "E308" in codes_of(big.format("(1025 - a) * a * 2^51"))


def test_table_key_is_tried_out() -> None:
    text = """system s "S" {{
      table t: int -> int {{ 1: 1, 2: 2, 4: 4 }} "t"
      config {{ b: int in {{1, 2, 4}} "b" }}
      let r = t[{}]
    }}"""
    assert "E312" not in codes_of(text.format("b"))
    assert "E312" not in codes_of(text.format("max(1, floor(b * b / 4))"))
    assert "E312" in codes_of(text.format("b + 0 * b + 1"))


def test_never_and_always_try_out_what_intervals_leave_open() -> None:
    system = checked_system("let odd = (a * (a + 1)) mod 2 == 1  let even = not odd  let open = a > b")
    bounds = Bounds(system, Collector())
    odd, even, undecided = (system.relation(name).value for name in ("odd", "even", "open"))
    assert bounds.never(odd)
    assert bounds.always(even)
    assert not bounds.never(undecided)
    assert not bounds.always(undecided)
    assert bounds.never(undecided, system.relation("odd").value)


def test_conditions_that_exclude_each_other_never_hold_together() -> None:
    system = checked_system("let low = a < 2  let high = a > 1")
    bounds = Bounds(system, Collector())
    low, high = (system.relation(name).value for name in ("low", "high"))
    assert not bounds.never(low)
    assert bounds.never(low, high)


def test_support_ends_where_with_replaces_a_variable() -> None:
    system = checked_system("let base = a + b  let r = base with (a = 1)  let q = base with (a = if on then 1 else 2)")
    bounds = Bounds(system, Collector())
    assert bounds.support(system.relation("r").value) == {"b"}
    assert bounds.support(system.relation("q").value) == {"b", "on"}


def test_printing_may_not_pass_the_range() -> None:
    shown = 'system s "S" {{ config {{ a: int in {{1, 2}} "a" }} profiler {{ r = a * {} show to 6 decimals }} }}'
    assert "E308" not in codes_of(shown.format("2^37"))
    assert "E308" in codes_of(shown.format("2^39"))


def test_one_cause_gives_one_error() -> None:
    text = divided("a", body="let q = r + r  let p = floor(q / r)  sound p > 0  sound (q with (b = 1)) > 0")
    assert codes_of(text) == ["E307"]


@pytest.mark.parametrize(
    ("body", "note"),
    [
        ("let r = sum(k in 0..2: floor(8 / k))", "it is 0 where k = 0"),
        ("let r = sum(k in {1, 2}: 8 mod (k - 1))", "it is 0 where k = 1"),
        ("let r = sum(k in 0..1: floor(8 / (k * b)))", "it is 0 where k = 0"),
        ("let r = sum(k in 0..1: floor(8 / (k + a)))", "it is 0 where a = 0, k = 0"),
        ("let r = (floor(8 / b)) with (b = a)", "it is 0 where a = 0"),
        ("let r = any(c in {on_, off_}: floor(8 / (if c == on_ then 0 else 1)) > 1)", "it is 0 where c = on_"),
        ("let r = first { floor(8 / a): a > 0 } else 0", "it is 0 where a = 0"),
        ("let r = 8 mod (0 - a)", "it is 0 where a = 0"),
        ('log { event lap for n in {5, 0} { attr x = floor(8 / n)  says "{n} {x}" } }', "it is 0 where n = 0"),
        ("let r = (floor(8 / a)) with (a = 0)", "it is 0 where a = 0"),
        ("let r = floor(8 / (a - a))", "it is always 0"),
        ("let r = floor(8 / (2 - 2))", "it is always 0"),
    ],
)
def test_where_a_divisor_is_zero_is_told_as_it_is(body: str, note: str) -> None:
    text = f"""enum Key {{ on_, off_ }}
      system s "S" {{ config {{ a: int in 0..3 "a"  b: int in {{1, 2, 4}} "b" }} {body} }}"""
    (found,) = [each for each in check_text(text)[1] if each.code == "E307"]
    assert found.notes == (note,)


def test_a_tell_is_checked_like_other_conditions() -> None:
    text = """system s "S" { config { a: int in 0..3 "a"  b: bool "b" }
      rule one ONE "one" { when a == 1  set a = 2 } runbook one }
    archetype ones of s "Ones" { fault one  tier computed  tell floor(4 / a) > 1 }"""
    assert codes_of(text) == ["E307"]
