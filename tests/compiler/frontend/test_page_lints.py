"""What a page needn't say is told, and nothing that it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.frontend import page_lints
from compiler.frontend.run import run_frontend

SYSTEM = """
system pump "A pump" {
  config {
    speed: int in { 1, 2, 4 } "turns a second" prefer smaller default 1
    valve: { open, shut } "the valve" prefer { open, shut } default open
    size: int in { 1, 2 } locked default 1
  }
  hidden {
    wear: int in { 0, 1, 2 } "of the bearing" default 0
    noise_level: int in { 0, 1 } "of the motor" default 0
  }
  let need = speed + wear "force"
  let looks = noise_level * 3 "nobody asks"
  profiler {
    force = need * size "force"
    hum = looks + speed "what one hears"
  }
  log {
    event ready { attr hum = looks attr turns = speed says "ready" }
    event worn when wear > 1 { says "worn" }
    event loud when noise_level == 1 { says "loud" }
  }
  require stated wear < 2 or speed < 4 "a worn bearing runs slowly"
  require stated speed < 4 or size == 2 "small ones run slowly"
  require noise_level == 0 or speed > 1
  sound need <= 4 and valve == open
  rule shut SHUT "the valve is shut" { when valve == shut set valve = open }
  rule fast FAST "too much force" { when need > 4 set speed = largest where need <= 4 }
  rule slow SLOW "too slow" { when need < 2 and size == 2 set speed = 2 }
  runbook shut, fast, slow
}
archetype too_fast of pump "Too fast" { fault fast  tier computed }
archetype quiet of pump "All is well" { fault none  tier healthy }
"""


def told(tmp_path: Path, *, unneeded: bool = True) -> list[tuple[str, str]]:
    path = tmp_path / "pump.arch"
    path.write_text(SYSTEM)
    found = run_frontend([path], unneeded=unneeded).diagnostics
    return [(each.code, each.message) for each in found if each.code in ("W453", "W454")]


IDLE = ("W454", "no answer depends on the stated condition `small ones run slowly`")


def test_everything_that_no_answer_depends_on_is_told_if_asked_for(tmp_path: Path) -> None:
    assert told(tmp_path) == [
        IDLE,
        ("W454", "no answer depends on relation `looks`"),
        ("W454", "no answer depends on profiler value `hum`"),
        ("W454", "no answer depends on event `ready`"),
        ("W454", "no answer depends on event `loud`"),
    ]


def test_a_check_tells_of_stated_conditions_alone(tmp_path: Path) -> None:
    assert told(tmp_path, unneeded=False) == [IDLE]


@pytest.mark.parametrize(
    ("condition", "label"),
    [
        ("echo == 0", "nothing else depends on `echo`"),
        ("echo == 0 or hiss == 0", "nothing else depends on `echo` and `hiss`"),
        ("echo == 0 or size == 1", "nothing else depends on `echo`"),
        ("hush == 0", "nothing else depends on `echo` and `hiss`"),
        ("wear < 2 or size == 1", None),
        ("echo == 0 or wear == 0", None),
        ("echo < speed", None),
        ("tremor < 2", None),
    ],
)
def test_a_stated_condition_counts_where_something_else_depends_on_what_it_is_about(
    condition: str, label: str | None, tmp_path: Path
) -> None:
    """The values that `wear` shows depend on `tremor`, so it decides what they say."""
    path = tmp_path / "pump.arch"
    hidden = 'echo: int in {0, 1} "an echo"  hiss: int in {0, 1} "a hiss"  tremor: int in {0, 1, 2} "it trembles"'
    text = SYSTEM.replace("  hidden {", f"  hidden {{ {hidden}")
    text = text.replace("force = need * size", "force = need * size + tremor")
    path.write_text(text.replace("  sound", f'  let hush = echo + hiss\n  require stated {condition} "said"\n  sound'))
    found = [each for each in run_frontend([path]).diagnostics if each.code == "W454" and "`said`" in each.message]
    assert [each.label for each in found] == ([] if label is None else [label])


def test_a_long_handbook_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_lints, "HANDBOOK_MOST", 100)
    assert told(tmp_path, unneeded=False)[0][1].startswith("the handbook of system `pump` has about ")
