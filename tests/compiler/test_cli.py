"""The command: what it prints, where, and its exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

import compiler.frontend
from compiler.codes import CODES

from .conftest import INCIDENTS, Ran

Gtd = Callable[..., Ran]

BROKEN = 'unit MiB\nunit MiB\nsystem s "t" { let x = y "z" }\n'


def lines(folder: Path, split: str = "train") -> list[str]:
    return (folder / f"{split}.jsonl").read_text(encoding="utf-8").split("\n")[:-1]


def first_record(folder: Path, split: str = "train") -> dict[str, str]:
    return dict(json.loads(lines(folder, split)[0]))


def test_check_is_clean_on_a_good_domain(gtd: Gtd) -> None:
    ran = gtd("check", INCIDENTS)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "3 files, 1 systems, 8 archetypes, 1 datasets: 0 errors, 0 warnings\n"


@pytest.mark.parametrize("format_", ["human", "json", "github", "sarif"])
def test_check_gives_one_status_in_every_format(gtd: Gtd, tmp_path: Path, format_: str) -> None:
    (tmp_path / "broken.arch").write_text(BROKEN)
    ran = gtd("check", "broken.arch", "--format", format_, "--junit-xml", "report.xml")
    assert ran.status == 1
    assert "broken.arch" in ran.out
    assert int(ElementTree.parse(tmp_path / "report.xml").getroot()[0].attrib["failures"]) >= 1


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["check", "nowhere.arch"], id="no such file"),
        pytest.param(["compile", "nowhere"], id="no such folder"),
        pytest.param(["check", "--format", "xml", str(INCIDENTS)], id="no such format"),
        pytest.param(["sample", "stale", "--sources", str(INCIDENTS)], id="no such archetype"),
        pytest.param(["prove", str(INCIDENTS), "--only", "stale"], id="no such archetype to prove"),
        pytest.param(["verify", "nowhere", "--sources", str(INCIDENTS)], id="no such dataset folder"),
        pytest.param(["explain", "train-stale_reads-999", "--sources", str(INCIDENTS)], id="no such task"),
        pytest.param(["solve", "nowhere.txt"], id="no such prompt"),
        pytest.param(["frobnicate"], id="no such command"),
    ],
)
def test_wrong_usage_has_status_2_and_says_so_on_standard_error(gtd: Gtd, arguments: list[str]) -> None:
    ran = gtd(*arguments)
    assert ran.status == 2
    assert (ran.out + ran.err).strip()


def test_a_mistyped_archetype_gets_a_suggestion(gtd: Gtd) -> None:
    assert "did you mean `stale_reads`" in gtd("sample", "stale_read", "--sources", INCIDENTS).err


def test_prove_prints_a_verdict_for_each_archetype(gtd: Gtd) -> None:
    ran = gtd("prove", INCIDENTS, "-n", "3", "-j", "1")
    assert ran.status == 0
    assert ran.out.count("unique") == 8 + 1  # one a row, and the heading


def test_prove_under_a_tiny_budget_is_undecided_not_clean(gtd: Gtd) -> None:
    ran = gtd("prove", INCIDENTS, "-n", "2", "-j", "1", "--rlimit", "1", "--format", "json")
    assert ran.status == 3
    assert {finding["code"] for finding in json.loads(ran.out)["findings"]} == {"E503"}


def test_prove_writes_claims_that_can_be_read_elsewhere(gtd: Gtd, tmp_path: Path) -> None:
    ran = gtd("prove", INCIDENTS, "-n", "1", "-j", "1", "--only", "starved_pool", "--smt-lib", "claims")
    assert ran.status == 0
    scripts = sorted((tmp_path / "claims").iterdir())
    assert [script.name for script in scripts] == ["starved_pool-000-determined.smt2", "starved_pool-000-unique.smt2"]
    assert all("(check-sat)" in script.read_text() for script in scripts)


def test_compile_then_verify_is_clean(gtd: Gtd) -> None:
    compiled = gtd("compile", INCIDENTS, "-j", "1")
    assert compiled.status == 0
    assert "24 proved tasks in out" in compiled.out
    verified = gtd("verify", "out", "--sources", INCIDENTS, "-j", "1", "--rebuild")
    assert (verified.status, verified.out) == (0, "24 tasks in 4 splits: clean\n")


def test_compile_with_another_seed_gives_other_tasks(gtd: Gtd, compiled: Path, tmp_path: Path) -> None:
    assert gtd("compile", INCIDENTS, "-j", "1", "--seed", "12").status == 0
    mine = {json.loads(line)["prompt"] for line in lines(tmp_path / "out")}
    theirs = {json.loads(line)["prompt"] for line in lines(compiled)}
    assert mine != theirs


def test_sample_prints_a_prompt_and_its_gold(gtd: Gtd) -> None:
    ran = gtd("sample", "starved_pool", "--sources", INCIDENTS, "-n", "2")
    assert ran.status == 0
    assert ran.out.count("## Runbook") == 2
    assert ran.out.count('{"diagnosis": "POOL_STARVED"') == 2


def test_sample_of_a_split_is_a_task_of_the_dataset(gtd: Gtd, compiled: Path) -> None:
    ran = gtd("sample", "stale_reads", "--sources", INCIDENTS, "--split", "train", "-n", "3", "--json")
    mine = {json.loads(line)["id"]: line for line in ran.out.splitlines()}
    theirs = {json.loads(line)["id"]: line for line in lines(compiled)}
    assert mine == {id_: theirs[id_] for id_ in mine}


def test_solve_answers_a_prompt_from_its_text(gtd: Gtd, compiled: Path, tmp_path: Path) -> None:
    record = first_record(compiled)
    (tmp_path / "prompt.txt").write_text(record["prompt"], encoding="utf-8")
    ran = gtd("solve", "prompt.txt")
    assert (ran.status, ran.out) == (0, record["gold"] + "\n")


@pytest.mark.parametrize("data", [b"", b"hello\n", b"\xff\xfe", b"## Config\n" * 1000, b"\0" * 100])
def test_solve_refuses_what_is_no_prompt(gtd: Gtd, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "prompt.txt").write_bytes(data)
    assert gtd("solve", "prompt.txt").status == 2


def test_explain_walks_through_a_task(gtd: Gtd, compiled: Path) -> None:
    record = first_record(compiled, "hard")
    ran = gtd("explain", record["id"], "--sources", INCIDENTS, "--out", compiled)
    assert ran.status == 0
    gold = json.loads(record["gold"])
    assert all(f"`{field} = " in ran.out for field in gold["fix"])
    assert "## What each channel alone leaves open" in ran.out


@pytest.mark.parametrize("code", sorted(CODES))
def test_explain_knows_every_code(gtd: Gtd, code: str) -> None:
    ran = gtd("explain", code)
    assert ran.status == 0
    assert ran.out.startswith(f"{code}: ")


def test_a_bug_is_one_message_and_a_traceback_only_on_request(
    gtd: Gtd, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(compiler.frontend, "load", broken)
    ran = gtd("check", INCIDENTS)
    assert ran.status == 1
    assert "error[E699]: internal error: RuntimeError: boom" in ran.err
