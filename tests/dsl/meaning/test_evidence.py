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


def test_halves_below_zero_are_rounded_up_too() -> None:
    """Towards zero then; a zero has no sign."""
    assert shown(free=512)["half"] == (0, "0 GiB")
    assert shown(free=1536)["half"] == (-1, "-1 GiB")
