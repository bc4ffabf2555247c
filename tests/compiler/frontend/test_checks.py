"""What can't be printed is told where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.frontend.run import run_frontend

SYSTEM = """
unit MB2
enum Plan { small, large }
table cost_of: Plan -> int { small: 1, large: 2 } "a cost"
system tank "A tank" {
  config {
    fill: int in 0..3 "litres" prefer larger
    lid: {shut, open} "the lid"
    noise plan: {red, green}
  }
  given { plan_of: Plan }
  hidden { wear: int in {0, 1} "of the lid" }
  let worn = wear + cost_of[plan_of] "how worn it is"
  log {
    event hot when worn > 1 { attr drops = wear  says "hot {drops}" | "warm" }
    event lap for n in {1, 2} { says "a lap" }
    noise by health { says "{3..9} probes" | "all quiet" }
  }
  require stated worn < 3 or fill > 0 "a worn one isn't empty"
  rule empty EMPTY "it is empty" { when fill == 0 and worn < 5  set fill = 1 }
  runbook empty
}
"""


@pytest.mark.parametrize(
    ("good", "bad", "place"),
    [
        ('"litres"', '"li`tres"', "fill"),
        ("{shut, open}", "{keeping, open}", "lid"),
        ("{red, green}", '{red, "gr|n"}', "plan"),
        ('"how worn it is"', '"how # worn"', "worn"),
        ('"a cost"', '"a\\ncost"', "cost_of"),
        ('"warm"', '"wa`rm"', '"wa`rm"'),
        ('"hot {drops}"', '"hot{drops}"', '"hot{drops}"'),
        ('"all quiet"', '" quiet"', '" quiet"'),
        ("drops", "keeping", "keeping"),
        ("lap for n in", "lap for keeping in", "lap"),
        ('"it is empty"', '"it is #1"', "empty"),
        ('"a worn one isn\'t empty"', '"a `worn` one"', "worn < 3 or fill > 0"),
    ],
)
def test_what_cannot_be_printed_is_told_where_it_stands(good: str, bad: str, place: str, tmp_path: Path) -> None:
    assert good in SYSTEM
    path = tmp_path / "tank.arch"
    path.write_text(SYSTEM.replace(good, bad), encoding="utf-8")
    (found,) = [each for each in run_frontend([path], lints=False).diagnostics if each.code == "E450"]
    assert found.span is not None
    assert (found.span.text, found.label) == (place, "here")
