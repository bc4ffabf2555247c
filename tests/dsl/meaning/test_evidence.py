"""What a run shows, as numbers and as printed."""

from __future__ import annotations

import pytest
from strategies.programs import checked_text

from dsl.checked import CheckedSystem
from dsl.meaning.evidence import printed_facts
from dsl.meaning.expressions import PlainValue, RunState

PROGRAM = """
unit MiB
unit GiB = 1024 MiB
system s "S" {
  config { size: MiB in 0..4095 "size"  on: bool "on"  word: {plain, "two words"} "word" prefer listed }
  given { free: MiB in -4096..4096 step 64 "free" show GiB to 1 decimal }
  hidden { lost: int in 0..3 "lost" }
  let not_shown = lost + 1
  profiler { half = size - free "half" show GiB to 0 decimals  times = lost * 5 }
  log {
    event always "a" { attr word = word  attr left = free show GiB to 3 decimals says "a" }
    event lossy when lost > 1 "b" { attr lost = lost says "b" }
  }
}
"""


def shown(lost: int = 0, **world: PlainValue) -> dict[str, tuple[PlainValue | None, str]]:
    usual: dict[str, PlainValue] = {"size": 0, "on": True, "word": "plain", "free": 0, "lost": lost}
    system: CheckedSystem = checked_text(PROGRAM).systems["s"]
    return {fact.name: (fact.value, fact.text) for fact in printed_facts(RunState(system, {**usual, **world}))}


def test_everything_is_shown_but_what_is_hidden() -> None:
    assert shown(size=1536, free=64, word="two words") == {
        "size": (1536, "1536 MiB"),
        "on": (True, "true"),
        "word": ("two words", '"two words"'),
        "free": (1, "0.1 GiB"),
        "half": (1, "1 GiB"),
        "times": (0, "0"),
        "always": (True, "present"),
        "always.word": ("two words", '"two words"'),
        "always.left": (63, "0.063 GiB"),
        "lossy": (False, "absent"),
        "lossy.lost": (None, ""),
    }


def test_event_is_shown_where_its_condition_holds() -> None:
    found = shown(lost=2, on=False)
    assert (found["lossy"], found["lossy.lost"], found["on"]) == ((True, "present"), (2, "2"), (False, "false"))


@pytest.mark.parametrize(
    ("free", "decimals_1"),
    [(512, "0.5 GiB"), (-512, "-0.5 GiB"), (-64, "-0.1 GiB"), (0, "0.0 GiB"), (1024, "1.0 GiB"), (-1024, "-1.0 GiB")],
)
def test_rounded_number_has_all_its_decimals(free: int, decimals_1: str) -> None:
    assert shown(free=free)["free"][1] == decimals_1


@pytest.mark.parametrize(("size", "whole"), [(511, "0 GiB"), (512, "1 GiB"), (1535, "1 GiB"), (1536, "2 GiB")])
def test_halves_are_rounded_up(size: int, whole: str) -> None:
    assert shown(size=size)["half"][1] == whole


def evidence(body: str, **world: PlainValue) -> dict[str, tuple[PlainValue | None, str]]:
    """What a system with a number `n` shows."""
    program = f'unit step_ singular one\nsystem s "S" {{ hidden {{ n: int in -9..4000 "n" }} {body} }}'
    system = checked_text(program).systems["s"]
    return {fact.name: (fact.value, fact.text) for fact in printed_facts(RunState(system, world))}


@pytest.mark.parametrize(
    ("show", "value", "text"),
    [
        ("1000", 100, "0.1"),
        ("1000", 0, "0"),
        ("1000", 1, "0.001"),
        ("1000", 1500, "1.5"),
        ("1000", 3000, "3"),
        ("8", -9, "-1.125"),
        ("1", 12, "12"),
        ("10^7 scientific", 3000, "3e-4"),
        ("10^7 scientific", 1500, "1.5e-4"),
        ("10^7 scientific", -5, "-5e-7"),
        ("10^7 scientific", 0, "0"),
        ("16 scientific", 1, "6.25e-2"),
        ("10 scientific", 3000, "3e2"),
        ("10 scientific", 12, "1.2e0"),
    ],
)
def test_divided_number_has_all_its_digits(show: str, value: int, text: str) -> None:
    """The whole number counts as evidence, so nothing is lost."""
    assert evidence(f"profiler {{ p = n show divided by {show} }}", n=value)["p"] == (value, text)


def test_value_with_a_condition_is_shown_where_it_holds() -> None:
    body = 'profiler { p = n * 5 when n > 1 "p" }'
    assert evidence(body, n=2) == {"p?": (True, ""), "p": (10, "10")}
    assert evidence(body, n=1) == {"p?": (False, ""), "p": (None, "n/a")}


def test_repeated_event_is_shown_for_each_value_of_its_index() -> None:
    body = 'log { event e for step in {1, 10} when n > step { attr a = n * step says "e" } }'
    assert evidence(body, n=5) == {
        "e@1": (True, "present"),
        "e@1.a": (5, "5"),
        "e@10": (False, "absent"),
        "e@10.a": (None, ""),
    }
    assert evidence(body, n=11)["e@10.a"] == (110, "110")


@pytest.mark.parametrize(("n", "first"), [(0, False), (1, False), (2, False), (3, True), (4, True), (5, False)])
def test_event_stands_before_another_where_both_are_there(n: int, first: bool) -> None:
    body = """log {
      event other when n > 2 { says "other" }
      event placed before other when n < 5 { says "placed" }
      event rare when n > 1 before other when false { says "rare" }
    }"""
    found = evidence(body, n=n)
    assert found["placed<other"] == (first, "true" if first else "false")
    assert found["rare<other"] == (False, "false")


def test_absent_event_stands_before_nothing() -> None:
    body = 'log { event other { says "other" } event placed when n > 2 before other when true { says "placed" } }'
    assert evidence(body, n=2)["placed<other"] == (False, "false")
    assert evidence(body, n=3)["placed<other"] == (True, "true")


def test_noise_is_no_evidence() -> None:
    body = 'config { noise a: int in {1, 2} } profiler { noise b: int in {1, 2} } log { noise by c { says "d" } }'
    assert evidence(body, n=2) == {}


@pytest.mark.parametrize(("value", "text"), [(1, "1 one"), (2, "2 step_"), (0, "0 step_"), (-1, "-1 step_")])
def test_one_has_the_singular(value: int, text: str) -> None:
    assert evidence("profiler { p = n as step_ }", n=value)["p"] == (value, text)


def test_one_with_decimals_is_no_singular() -> None:
    assert evidence("profiler { p = n as step_ show to 1 decimal }", n=1)["p"] == (10, "1.0 step_")


def test_halves_below_zero_are_rounded_up_too() -> None:
    """Towards zero then; a zero has no sign."""
    assert shown(free=512)["half"] == (0, "0 GiB")
    assert shown(free=1536)["half"] == (-1, "-1 GiB")
