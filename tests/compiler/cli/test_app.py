"""The command: what it prints, where, and its exit status."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import pytest
from strategies.incidents import INCIDENTS, Ran

import compiler.cli.version
import compiler.frontend.run
from compiler.codes import CODES
from compiler.tasks.maker import TaskMaker
from compiler.tasks.tools import UndecidedError

Gtd = Callable[..., Ran]

BROKEN = 'unit MiB\nunit MiB\nsystem s "t" { let x = y "z" }\n'


def lines(folder: Path, split: str = "train") -> list[str]:
    return (folder / f"{split}.jsonl").read_text(encoding="utf-8").split("\n")[:-1]


def first_record(folder: Path, split: str = "train") -> dict[str, str]:
    return dict(json.loads(lines(folder, split)[0]))


def test_check_is_clean_on_a_good_domain(gtd: Gtd) -> None:
    ran = gtd("check", INCIDENTS)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "3 files, 1 system, 8 archetypes, 1 dataset: 0 errors, 0 warnings\n"


@pytest.mark.parametrize("format_", ["human", "json", "github", "sarif"])
def test_check_gives_one_status_in_every_format(gtd: Gtd, tmp_path: Path, format_: str) -> None:
    (tmp_path / "broken.arch").write_text(BROKEN)
    ran = gtd("check", "broken.arch", "--format", format_, "--junit-out", "report.xml")
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
        pytest.param(["prove", str(INCIDENTS), "--archetype", "stale"], id="no such archetype to prove"),
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
    table, _, _ = ran.out.partition("\ndrawn: ")
    assert table.count("unique") == 8 + 1  # one a row, and the heading


def test_prove_says_what_its_columns_mean_and_what_cvc5_proved(gtd: Gtd) -> None:
    pytest.importorskip("cvc5")
    ran = gtd("prove", INCIDENTS, "-n", "2", "-j", "1", "--archetype", "starved_pool", "--recheck", "cvc5")
    assert ran.status == 0
    assert "\ndrawn: worlds; unique: those with a proved answer; any/named/preferred: " in ran.out
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


def test_compile_then_verify_is_clean(gtd: Gtd) -> None:
    compiled = gtd("compile", INCIDENTS, "-j", "1")
    assert compiled.status == 0
    assert "24 proved tasks in out" in compiled.out
    verified = gtd("verify", "out", "--sources", INCIDENTS, "-j", "1", "--rebuild")
    assert (verified.status, verified.out) == (0, "24 tasks in 4 splits: clean\n")


@pytest.mark.slow
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


def test_sample_prints_a_prompt_alone_that_solve_takes(gtd: Gtd, tmp_path: Path) -> None:
    record = json.loads(gtd("sample", "starved_pool", "--sources", INCIDENTS, "--format", "json").out)
    prompt = gtd("sample", "starved_pool", "--sources", INCIDENTS, "--prompt").out
    assert prompt == record["prompt"]
    (tmp_path / "prompt.txt").write_text(prompt, encoding="utf-8")
    assert gtd("solve", "prompt.txt").out == record["gold"] + "\n"
    assert gtd("sample", "starved_pool", "--sources", INCIDENTS, "--prompt", "-n", "2").status == 2


@pytest.mark.slow
def test_sample_of_a_split_is_a_task_of_the_dataset(gtd: Gtd, compiled: Path) -> None:
    ran = gtd("sample", "stale_reads", "--sources", INCIDENTS, "--split", "train", "-n", "3", "--format", "json")
    theirs = {json.loads(line)["id"]: line for line in lines(compiled)}
    assert ran.status == 0
    assert ran.out.splitlines() == [theirs[f"train-stale_reads-{number:03d}"] for number in range(3)]


def test_solve_answers_a_prompt_from_its_text(gtd: Gtd, compiled: Path, tmp_path: Path) -> None:
    record = first_record(compiled)
    (tmp_path / "prompt.txt").write_text(record["prompt"], encoding="utf-8")
    ran = gtd("solve", "prompt.txt")
    assert (ran.status, ran.out) == (0, record["gold"] + "\n")


def test_solve_takes_a_prompt_with_blank_lines_around_it_and_other_line_ends(
    gtd: Gtd, compiled: Path, tmp_path: Path
) -> None:
    record = first_record(compiled)
    copied = "\n \n" + record["prompt"] + "\n\n  \n"
    (tmp_path / "prompt.txt").write_bytes(copied.replace("\n", "\r\n").encode())
    ran = gtd("solve", "prompt.txt")
    assert (ran.status, ran.out) == (0, record["gold"] + "\n")


def test_solve_shows_the_walk_in_words(gtd: Gtd, compiled: Path, tmp_path: Path) -> None:
    record = first_record(compiled)
    (tmp_path / "prompt.txt").write_text(record["prompt"], encoding="utf-8")
    ran = gtd("solve", "prompt.txt", "--steps")
    gold = json.loads(record["gold"])
    assert ran.out == record["gold"] + "\n"
    assert " what isn't printed fit" in ran.err
    assert f"  1. {gold['diagnosis']} fires: " in ran.err
    assert f"  fix: {', '.join(f'{field} = {new}' for field, new in gold['fix'].items())}\n" in ran.err
    assert "Walk(" not in ran.err


@pytest.mark.parametrize("data", [b"", b"hello\n", b"\xff\xfe", b"## Config\n" * 1000, b"\0" * 100])
def test_solve_refuses_what_is_no_prompt(gtd: Gtd, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "prompt.txt").write_bytes(data)
    assert gtd("solve", "prompt.txt").status == 2


def test_explain_walks_through_a_task(gtd: Gtd, compiled: Path) -> None:
    record = first_record(compiled, "hard")
    ran = gtd("explain", record["id"], "--sources", INCIDENTS, "--tasks", compiled)
    assert ran.status == 0
    gold = json.loads(record["gold"])
    assert all(f"`{field} = " in ran.out for field in gold["fix"])
    assert "## What each channel alone leaves open" in ran.out


@pytest.mark.parametrize("code", sorted(CODES))
def test_explain_knows_every_code(gtd: Gtd, code: str) -> None:
    ran = gtd("explain", code)
    assert ran.status == 0
    assert ran.out.startswith(f"{code}: ")


@pytest.mark.parametrize("code", ["e305", "E305"])
def test_explain_takes_a_code_in_either_case(gtd: Gtd, code: str) -> None:
    assert gtd("explain", code).out.startswith("E305: ")


def test_explain_says_that_a_code_is_unknown_and_names_close_ones(gtd: Gtd) -> None:
    ran = gtd("explain", "E999")
    assert ran.status == 2
    assert "E999 is no known code; did you mean `E" in ran.err


def test_version_is_shown_with_and_without_an_install(
    gtd: Gtd, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert re.fullmatch(r"gtd, version \d+\.\d+\.\d+\n", gtd("--version").out)

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert re.fullmatch(r"gtd, version \d+\.\d+\.\d+\n", gtd("--version").out)
    monkeypatch.setattr(compiler.cli.version, "PROJECT", tmp_path / "nowhere.toml")
    ran = gtd("--version")
    assert (ran.status, ran.out) == (0, "gtd, version unknown\n")


def test_a_bug_is_one_message_and_a_traceback_only_on_request(
    gtd: Gtd, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(compiler.frontend.run, "load", broken)
    ran = gtd("check", INCIDENTS)
    assert ran.status == 1
    assert "error[E699]: internal error: RuntimeError: boom" in ran.err


def test_an_undecided_proof_is_said_and_has_status_3(gtd: Gtd, monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(*_: object, **__: object) -> None:
        raise UndecidedError("sample-starved_pool-000")

    monkeypatch.setattr(TaskMaker, "make", undecided)
    ran = gtd("sample", "starved_pool", "--sources", INCIDENTS)
    assert (ran.status, ran.out) == (3, "")
    assert "error[E503]: a proof of task `sample-starved_pool-000` ran out of budget" in ran.err


def test_prompts_that_the_reader_cannot_read_are_refused_by_check(gtd: Gtd, tmp_path: Path) -> None:
    text = (INCIDENTS / "service.arch").read_text()
    hidden = 'hidden {\n    a: int in 0..2000 "a" default 0\n    b: int in 0..2000 "b" default 0\n'
    text = text.replace("hidden {\n", hidden, 1).replace(
        "  require hits", '  require a + b >= 0 "any"\n  require hits', 1
    )
    (tmp_path / "service.arch").write_text(text)
    ran = gtd("check", "service.arch", "--format", "json")
    assert ran.status == 1
    assert "E452" in {finding["code"] for finding in json.loads(ran.out)["findings"]}
