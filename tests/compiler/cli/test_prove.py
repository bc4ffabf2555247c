"""`gtd prove`: the table, the JSON, the claims."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.incidents import INCIDENTS, Ran

import compiler.trials.archetypes

Gtd = Callable[..., Ran]


@pytest.mark.slow
def test_prove_prints_a_verdict_for_each_archetype(gtd: Gtd) -> None:
    ran = gtd("prove", INCIDENTS, "-n", "3", "-j", "1")
    assert ran.status == 0
    table, _, _ = ran.out.partition("\n\ndrawn ")
    assert table.count("unique") == 8 + 1  # one a row, and the heading


def test_prove_says_what_its_columns_mean_and_what_cvc5_proved(gtd: Gtd) -> None:
    pytest.importorskip("cvc5")
    ran = gtd("prove", INCIDENTS, "-n", "2", "-j", "1", "--archetype", "starved_pool", "--recheck", "cvc5")
    assert ran.status == 0
    assert "\nunique               how many of them are proved to have one right answer\n" in ran.out
    assert ran.out.endswith("1 archetype, 2 worlds drawn; cvc5 proved 4 of 4 claims again\n")


def test_prove_gives_the_table_in_json_too(gtd: Gtd) -> None:
    ran = gtd("prove", INCIDENTS, "-n", "2", "-j", "1", "--archetype", "starved_pool", "--format", "json")
    found = json.loads(ran.out)["results"]["starved_pool"]
    assert (found["verdict"], found["drawn"], found["verdicts"]["unique"]) == ("unique", 2, 2)
    assert sum(found["uniqueness"].values()) == sum(found["interaction"].values()) == 2
    assert 0 < found["accepted"] <= 1


def test_prove_under_a_tiny_budget_is_undecided_not_clean(gtd: Gtd) -> None:
    ran = gtd("prove", INCIDENTS, "-n", "2", "-j", "1", "--rlimit", "1", "--format", "json")
    assert ran.status == 3
    assert {finding["code"] for finding in json.loads(ran.out)["findings"]} == {"E503"}


def test_prove_writes_claims_that_can_be_read_elsewhere(gtd: Gtd, tmp_path: Path) -> None:
    ran = gtd("prove", INCIDENTS, "-n", "1", "-j", "1", "--archetype", "starved_pool", "--smt-lib-out", "claims")
    assert ran.status == 0
    scripts = sorted((tmp_path / "claims").iterdir())
    assert [script.name for script in scripts] == ["starved_pool-000-determined.smt2", "starved_pool-000-unique.smt2"]
    assert all("(check-sat)" in script.read_text() for script in scripts)


def test_prove_refuses_a_folder_that_cannot_be_written_before_it_proves(
    gtd: Gtd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler.trials.archetypes, "prove_archetypes", lambda *_, **__: pytest.fail("it proves"))
    (tmp_path / "file").touch()
    ran = gtd("prove", INCIDENTS, "--smt-lib-out", "file/claims")
    assert (ran.status, ran.out, ran.err) == (2, "", "error: can't write file/claims: Not a directory\n")


def test_prove_says_which_claim_cannot_be_written(gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "claims" / "starved_pool-000-unique.smt2").mkdir(parents=True)
    ran = gtd("prove", INCIDENTS, "-n", "1", "-j", "1", "--archetype", "starved_pool", "--smt-lib-out", "claims")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "error: can't write claims/starved_pool-000-unique.smt2: Is a directory\n"


DOOR = """
system door "A door that doesn't open" {
  config { lock: {open, closed} "the lock"  oil: int in 0..3 "drops of oil" prefer smaller  bell: bool "the bell" }
  hidden { rust: int in 0..1 "inside" }
  profiler { force = 10 - 3 * oil + (if lock == closed then 50 else 0) "force that it takes" }
  rule bolted LOCKED "it is locked" { when lock == closed  set lock = open }
  rule dry DRY "the hinges are dry" { when oil < 2  set oil = 2 }
  rule silent SILENT "the bell is off" { when not bell and rust == 0  set bell = true }
  runbook bolted, dry, silent
}
archetype locked_door of door "Locked" { fault bolted  tier diagnosis  where %s  like dry_door 40 }
archetype dry_door of door "Dry" { fault dry  tier computed  tell %s }
archetype good_door of door "Good" { fault none  tier healthy }
"""


@pytest.mark.parametrize(
    ("where", "tell", "codes"),
    [
        ("bell", "force > 4", []),
        ("bell", "oil < 2", ["E501"]),
        ("oil > 1", "not bell", ["E504"]),
    ],
    ids=["drawn", "never drawn", "never unique"],
)
def test_prove_draws_the_look_alikes_too(where: str, tell: str, codes: list[str], gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "door.arch").write_text(DOOR % (where, tell))
    ran = gtd("prove", "door.arch", "-n", "4", "-j", "1", "--archetype", "locked_door", "--format", "json")
    assert ran.status == len(codes)
    found = [each for each in json.loads(ran.out)["findings"] if "looks like `dry_door`" in each["message"]]
    assert [(each["code"], each["line"], each["severity"]) for each in found] == [(code, 11, "error") for code in codes]
