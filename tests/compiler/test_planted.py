"""Faults planted in a small program: each is refused by the right stage, with what shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.explain.missing import missing_task
from compiler.findings import exit_status, finding_of
from compiler.frontend.run import run_frontend
from compiler.plan import ProgramPlan
from compiler.reader import ReadError, read_prompt
from compiler.splits import like_of
from compiler.tasks.maker import MadeTask, MissingTask
from compiler.tasks.samples import sample_dataset, sample_tasks
from compiler.trials.archetypes import ProveOptions, prove_archetype
from compiler.trials.census import census
from dsl.diagnostics.diagnostic import Severity
from solvers.outcome import Verdict

PROGRAM = """
system tank "A tank that is filled in portions" {
  config {
    portion: int in { 1, 2, 4, 8 } "litres of a portion" prefer larger default 8
    times: int in { 1, 2, 4, 8, 16, 32, 64 } "portions" prefer smaller default 2
    lid: { open, shut } "lid of the tank" prefer { shut, open } default shut
  }
  given { rim: int in { 1, 2 } "litres that the rim holds" default 1 }
  hidden {
    limit: int in { 1, 2, 4 } "litres that the tank takes at a time" default 4
    leak: int in { 0, 3 } "litres that are lost" default 0
  }
  let total = portion * times "litres in all"
  let load = portion + (if lid == open then 4 else 0) "litres at a time"
  let fits = load <= limit "the tank takes them"
  profiler {
    level: int = load * 10 + leak "level of the tank" show to 0 decimals
  }
  log {
    event filled "printed after each portion" { attr limit = limit show to 0 decimals says "filled" | "portion done" }
    event spilled when not fits "printed when the tank is too small" { says "spilled" | "over the rim" }
    event lost "printed at the end" { attr leak = leak show to 0 decimals says "done" }
  }
  sound fits "nothing is spilled"
  sound lid == shut "the lid is shut"
  keep total
  rule lid_open LID_OPEN "the lid is open" {
    when lid == open
    set lid = shut
    keep portion, times
    says "Shut it first."
  }
  rule too_much TOO_MUCH "the portions are too large" {
    when not fits and (fits with (portion = 1))
    set portion = largest where fits, times keeps total
    keep lid
    says "Smaller portions, more of them."
  }
  runbook lid_open, too_much
}
archetype lid_left_open of tank "The lid is open" { fault lid_open tier diagnosis }
archetype portions_too_large of tank "The portions are too large" { fault too_much tier computed }
archetype nothing_wrong of tank "All is well" { fault none tier healthy }
compose both = lid_left_open + portions_too_large "Both" { }
"""


def planted(tmp_path: Path, *edits: tuple[str, str]) -> ProgramPlan:
    text = PROGRAM
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    path = tmp_path / "tank.arch"
    path.write_text(text)
    found = run_frontend([path], lints=False)
    assert found.plan is not None, "\n".join(finding_of(each).text for each in found.diagnostics)
    return found.plan


def proved(program: ProgramPlan, archetype: str) -> tuple[str, set[str], str]:
    """Verdict, codes of the findings and their text."""
    result = prove_archetype(program, archetype, ProveOptions(draws=12, seed=1))
    return result.verdict.value, {f.code for f in result.findings}, "\n".join(f.text for f in result.findings)


@pytest.mark.parametrize("archetype", ["lid_left_open", "portions_too_large", "nothing_wrong", "both"])
def test_the_program_without_a_fault_is_proved(tmp_path: Path, archetype: str) -> None:
    assert proved(planted(tmp_path), archetype) == ("unique", set(), "")


def test_a_threshold_off_by_one_leaves_a_better_value(tmp_path: Path) -> None:
    program = planted(tmp_path, ("portion = largest where fits", "portion = largest where load < limit"))
    verdict, codes, text = proved(program, "portions_too_large")
    assert (verdict, codes) == ("ambiguous", {"E502"})
    assert "repairs it too and costs no more" in text


def test_a_loss_in_a_few_worlds_is_a_warning_with_the_world_and_its_rival(tmp_path: Path) -> None:
    program = planted(tmp_path, ("portion = largest where fits", "portion = largest where fits and portion != 4"))
    result = prove_archetype(program, "portions_too_large", ProveOptions(draws=24, seed=1))
    (finding,) = result.findings
    assert (result.verdict, finding.code, finding.severity) == (Verdict.UNIQUE, "E502", Severity.WARNING)
    assert exit_status(result.findings) == 0
    lost = result.verdicts["ambiguous"]
    assert finding.message.startswith(f"{lost} of 24 worlds of `portions_too_large` ha")
    assert "repairs it too and costs no more" in finding.text


DATASET = """
dataset tanks version "1" seed 1 "Tanks" {
  region thin of tank = rim == 2
  split sharp 2 { boundary within thin use portions_too_large }
  split rest 2 { avoid thin use portions_too_large }
}
"""


@pytest.mark.parametrize(
    ("split", "hard", "said"),
    [
        pytest.param(
            "sharp",
            "portion == 1",
            [
                "split `sharp` is a boundary split: where `portion == 1` (`hard where`)",
                "split `sharp` stays within region `thin`: `rim == 2`",
            ],
            id="boundary within a region",
        ),
        pytest.param(
            "rest",
            "portion > 1",
            [
                "split `rest` isn't a boundary split: only where not `portion > 1` (`hard where`)",
                "split `rest` avoids region `thin`: `rim == 2`",
            ],
            id="outside both",
        ),
    ],
)
def test_no_world_for_a_split_names_its_conditions(tmp_path: Path, split: str, hard: str, said: list[str]) -> None:
    program = planted(
        tmp_path,
        ("fault too_much tier computed }", f"fault too_much tier computed where leak == 0 hard where {hard} }}"),
        ('"Both" { }\n', f'"Both" {{ }}\n{DATASET}'),
    )
    dataset = program.datasets["tanks"]
    (missing,) = sample_tasks(program, "portions_too_large", count=1, dataset=dataset, split_name=split)
    assert isinstance(missing, MissingTask)
    found = missing_task(program, missing)
    assert (found.code, found.message) == (
        "E501",
        f"no world of the archetype `portions_too_large` was found for split `{split}`",
    )
    assert found.notes[1:] == ("the archetype is where `leak == 0`", *said)
    assert "fits all of its conditions, requirements and guards" in found.notes[0]
    assert ": 0" not in found.notes[0]


def test_a_missing_keep_leaves_a_cheaper_repair(tmp_path: Path) -> None:
    verdict, codes, text = proved(planted(tmp_path, ("  keep total\n", "")), "portions_too_large")
    assert (verdict, codes) == ("ambiguous", {"E502"})
    assert "repairs it too and costs no more" in text


def test_a_tie_is_decided_by_a_preference_that_the_prompt_states(tmp_path: Path) -> None:
    """Every field has an order of preference, by default that of its list; another order is another gold."""
    wide = ("portion = largest where fits", "portion = first where fits")
    golds = []
    for order in ("prefer larger", "prefer smaller"):
        (tmp_path / order).mkdir()
        program = planted(
            tmp_path / order, wide, ('"litres of a portion" prefer larger', f'"litres of a portion" {order}')
        )
        assert proved(program, "portions_too_large")[0] == "unique"
        (made,) = sample_tasks(program, "portions_too_large", count=1, dataset=sample_dataset("portions_too_large", 3))
        assert isinstance(made, MadeTask)
        golds.append(made.record.gold)
    assert golds[0] != golds[1]


def test_a_direction_against_the_preference_is_ambiguous(tmp_path: Path) -> None:
    program = planted(tmp_path, ('"litres of a portion" prefer larger', '"litres of a portion" prefer smaller'))
    assert proved(program, "portions_too_large")[:2] == ("ambiguous", {"E502"})


def test_a_cheaper_repair_through_another_field_is_found(tmp_path: Path) -> None:
    program = planted(
        tmp_path,
        ("set lid = shut\n    keep portion, times", "set lid = shut, portion = smallest where fits, times keeps total"),
        ("tier diagnosis }", "tier diagnosis where portion == 2 where fits with (lid = shut) }"),
    )
    verdict, codes, text = proved(program, "lid_left_open")
    assert (verdict, codes) == ("ambiguous", {"E502"})
    assert "`lid = shut` repairs it too" in text


def test_a_hidden_variable_that_decides_is_found_with_both_worlds(tmp_path: Path) -> None:
    program = planted(tmp_path, ("attr limit = limit show to 0 decimals ", ""))
    verdict, codes, text = proved(program, "portions_too_large")
    assert (verdict, codes) == ("ambiguous", {"E504"})
    assert "prints the same with `limit = " in text


def test_rounding_that_hides_the_deciding_digit_is_found(tmp_path: Path) -> None:
    program = planted(
        tmp_path,
        ("\nsystem tank", "\nunit dl\nunit l = 10 dl\nsystem tank"),
        ("limit: int in { 1, 2, 4 }", "limit: dl in { 10, 36, 40 }"),
        ('at a time" default 4', 'at a time" default 40'),
        ("load <= limit", "load * 10 dl <= limit"),
        ("attr limit = limit show to 0 decimals", "attr limit = limit show l to 0 decimals"),
        ("tier computed }", "tier computed where portion == 8 where limit >= 36 dl }"),
    )
    verdict, codes, text = proved(program, "portions_too_large")
    assert (verdict, codes) == ("ambiguous", {"E504"})
    assert "prints the same" in text


def test_an_unsound_world_that_no_rule_covers_is_no_task_and_is_counted(tmp_path: Path) -> None:
    program = planted(tmp_path, ("when not fits and (fits with (portion = 1))", "when not fits and portion == 8"))
    assert census(program, "tank")["uncovered"] > 0
    assert census(planted(tmp_path), "tank")["uncovered"] == 0
    for made in sample_tasks(program, "portions_too_large", count=6, dataset=sample_dataset("portions_too_large", 1)):
        assert isinstance(made, MadeTask)
        assert made.world["portion"] == 8


def test_a_guard_whose_own_fix_does_not_suffice_is_found(tmp_path: Path) -> None:
    """The first rule makes the portions smaller in vain; shutting the lid, the second rule's fix, is enough alone."""
    program = planted(
        tmp_path,
        ("when not fits and (fits with (portion = 1))", "when not fits and portion > 1"),
        ("where fits, times keeps total", "where fits, times keeps total else set portion = 1, times keeps total"),
        ("runbook lid_open, too_much", "runbook too_much, lid_open"),
        ('"Both" { }', '"Both" { fresh where portion > 1 where fits with (lid = shut) }'),
    )
    verdict, codes, text = proved(program, "both")
    assert (verdict, codes) == ("ambiguous", {"E502"})
    assert "`lid = shut` repairs it too" in text


def test_aliased_values_are_found_by_a_lint(tmp_path: Path) -> None:
    text = PROGRAM
    for old, new in (
        ("{ open, shut }", "{ open, shut, closed }"),
        ("lid == shut", "lid != open"),
        ("prefer { shut, open }", "prefer { shut, closed, open }"),
    ):
        text = text.replace(old, new)
    (tmp_path / "tank.arch").write_text(text)
    found = run_frontend([tmp_path / "tank.arch"])
    assert any("`shut`" in each.message and "`closed`" in each.message for each in found.diagnostics)


@pytest.mark.parametrize("needed", ["fits = ", "load = ", "portion: ", "limit: ", "2. TOO_MUCH"])
def test_a_prompt_that_does_not_state_what_the_walk_needs_is_refused(tmp_path: Path, needed: str) -> None:
    (made,) = sample_tasks(
        planted(tmp_path), "portions_too_large", count=1, dataset=sample_dataset("portions_too_large", 3)
    )
    assert isinstance(made, MadeTask)
    lines = made.record.prompt.split("\n")
    assert any(line.startswith(needed) for line in lines)
    with pytest.raises(ReadError):
        read_prompt("\n".join(line for line in lines if not line.startswith(needed)))


ALIKE = """
archetype lid_shut of tank "The lid is shut, and portions are small" {
  fault none
  tier healthy
  where portion == 1
  like leaky 40
}
archetype leaky of tank "Portions too large, with a leak" { fault too_much  tier computed  tell leak == 3 }
dataset tanks version "1" seed 1 "Tanks" { split train 10 { use lid_shut } }
"""


def shut_lids(program: ProgramPlan) -> list[MadeTask | MissingTask]:
    return list(sample_tasks(program, "lid_shut", count=10, dataset=program.datasets["tanks"], split_name="train"))


def test_look_alikes_show_the_tells_of_others(tmp_path: Path) -> None:
    program = planted(tmp_path, ("compose both = lid_left_open", ALIKE + "compose both = lid_left_open"))
    made = shut_lids(program)
    alike = [like_of(program.archetypes["lid_shut"], index) == "leaky" for index in range(10)]
    assert sum(alike) == 4
    for task, like in zip(made, alike, strict=True):
        assert isinstance(task, MadeTask)
        assert task.world["leak"] == 3 or not like


def test_an_impossible_look_alike_is_told(tmp_path: Path) -> None:
    alike = ALIKE.replace("tell leak == 3", "tell portion == 8")
    program = planted(tmp_path, ("compose both = lid_left_open", alike + "compose both = lid_left_open"))
    missing = next(task for task in shut_lids(program) if isinstance(task, MissingTask))
    found = missing_task(program, missing)
    assert found.code == "E501"
    assert found.notes[-1] == "this task looks like `leaky`: where `portion == 8`"
