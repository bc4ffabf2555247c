"""`gtd study`: options, output, exit status."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.bakery import write_rows

from compiler.cli.app import main

Run = Callable[..., tuple[int, str, str]]

ROOT = Path(__file__).parents[4]

PLAN = """
title = "Tuned against base"
arms = ["base", "tuned"]
samples = 2
[bootstrap]
resamples = 200
"""


@pytest.fixture
def run(bakery: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in the folder that holds `out`; gives status, output and messages."""
    monkeypatch.chdir(bakery.parent)
    (bakery.parent / "plan.toml").write_text(PLAN)

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(["study", *arguments])
        captured = capsys.readouterr()
        assert isinstance(caught.value.code, int)
        return caught.value.code, captured.out, captured.err

    return command


@pytest.fixture
def arms(run: Run) -> str:
    run("simulate", "--arm", "base=-1", "--arm", "tuned=1", "--samples", "2", "-o", "arms.jsonl")
    return "arms.jsonl"


def test_simulate_writes_an_archive_and_its_truth(run: Run) -> None:
    status, out, err = run("simulate", "--arm", "a=0", "--samples", "3", "--split", "ood", "-o", "a.jsonl")
    assert (status, err) == (0, "")
    assert out == "wrote 42 generations to a.jsonl, the truth to a.truth.json\n"
    true = json.loads(Path("a.truth.json").read_text())
    assert true["exact"] == {"a": 0.5}
    assert {name: split["tasks"] for name, split in true["splits"].items()} == {"*": 14, "ood": 14}


@pytest.mark.parametrize("arm", ["a", "a=x", "a=nan", "=1", "a b=1"])
def test_simulate_refuses_an_arm_without_a_number(arm: str, run: Run) -> None:
    status, _, err = run("simulate", "--arm", arm)
    assert status == 2
    assert "isn't a name and a number" in err


def test_simulate_refuses_two_arms_of_one_name(run: Run) -> None:
    status, _, err = run("simulate", "--arm", "a=0", "--arm", "a=1", "-o", "a.jsonl")
    assert status == 2
    assert "two arms have the same name" in err
    assert not Path("a.jsonl").exists()


def test_score_prints_the_means(run: Run, arms: str) -> None:
    status, out, _ = run("score", arms, "--by", "tier", "--arm", "tuned", "--split", "test")
    assert status == 0
    assert [line.split()[:5] for line in out.splitlines()[1:]] == [
        ["test", tier, count, "tuned", "2"]
        for tier, count in (("lookup", "4"), ("computed", "4"), ("healthy", "4"), ("pair", "2"))
    ]


def test_score_writes_a_row_for_each_sample(run: Run, arms: str) -> None:
    status, out, _ = run("score", arms, "-o", "scored.jsonl", "--format", "json")
    rows = [json.loads(line) for line in Path("scored.jsonl").read_text().splitlines()]
    assert status == 0
    assert len(rows) == 2 * 28 * 2
    assert set(rows[0]) == {"id", "arm", "sample", "score", "exact", "codes", "failed"}
    (mean,) = [
        row for row in json.loads(out) if row["arm"] == "base" and row["split"] == "*" and row["metric"] == "exact"
    ]
    own = [row["exact"] for row in rows if row["arm"] == "base"]
    assert mean["value"] == pytest.approx(sum(own) / len(own), abs=1e-6)


def fail(path: str, arm: str, *, split: str) -> None:
    """Let all requests of an arm fail in a split."""
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    failed = {"completion": "", "failed": "timeout"}
    hit = [row | failed if row["arm"] == arm and row["id"].startswith(split) else row for row in rows]
    write_rows(Path(path), hit)


@pytest.mark.slow
def test_score_shows_failed_requests(run: Run, arms: str) -> None:
    assert "failed" not in run("score", arms)[1]
    fail(arms, "tuned", split="ood")
    status, out, err = run("score", arms)
    assert (status, err) == (0, "warning: 28 of 56 requests of arm tuned failed (50.0%) and score 0\n")
    head, *lines = (re.split(r"  +", line) for line in out.splitlines())
    assert head[-1] == "failed"
    assert [line[-1] for line in lines if line[2] == "base"] == ["0 (0.0%)"] * 3
    assert {line[0]: line[-1] for line in lines if line[2] == "tuned"} == {
        "all": "28 (50.0%)",
        "test": "0 (0.0%)",
        "ood": "28 (100.0%)",
    }
    rows = json.loads(run("score", arms, "--format", "json")[1])
    assert {row["failed"] for row in rows if row["arm"] == "tuned" and row["split"] == "ood"} == {28}


def test_report_shows_failed_requests(run: Run, arms: str) -> None:
    fail(arms, "tuned", split="")
    status, _, err = run("report", arms, "--pictures", "none")
    loud = "ALL 56 REQUESTS OF ARM tuned FAILED: its zeros say nothing about it"
    assert (status, err) == (0, f"warning: {loud}\n")
    text = Path("study/report.md").read_text()
    assert "| tuned | 2                    | 56 (100.0%)     |" in text
    assert f"- {loud}" in text
    assert json.loads(Path("study/report.json").read_text())["inputs"]["arms"] == [
        {"arm": "base", "samples": 2, "failed": 0, "failed_share": 0.0},
        {"arm": "tuned", "samples": 2, "failed": 56, "failed_share": 1.0},
    ]


@pytest.mark.parametrize(
    "command",
    [
        "score arms.jsonl -o arms.jsonl",
        "score arms.jsonl -o link.jsonl",
        "score arms.jsonl -o out/test.jsonl",
        "simulate --arm a=0 -o out/test.jsonl",
        "report arms.jsonl -o old",
        "report old/report.json -o old",
        "report arms.jsonl --plan old/report.json -o old",
        "report arms.jsonl --twins old/report.json -o old",
        "report arms.jsonl --tasks old/report.json -o old",
    ],
)
def test_an_input_isnt_written_over(command: str, run: Run, arms: str) -> None:
    Path("link.jsonl").symlink_to("arms.jsonl")
    Path("old").mkdir()
    Path("old/report.json").write_text("{}\n")
    Path("old/report.md").symlink_to("../arms.jsonl")
    before = {path: path.read_bytes() for path in Path().rglob("*.json*")}
    status, _, err = run(*command.split())
    assert status == 2
    assert "would destroy an input" in err
    assert {path: path.read_bytes() for path in Path().rglob("*.json*")} == before


@pytest.mark.slow
def test_scores_can_go_through_a_pipe(run: Run, arms: str) -> None:
    run("score", arms, "-o", "scored.jsonl")
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run("score", arms, "-o", "pipe")[0] == 0
        assert os.read(reader, 2**16) == Path("scored.jsonl").read_bytes()
    finally:
        os.close(reader)
    assert Path("pipe").is_fifo()


def test_a_plan_can_go_through_a_device(run: Run) -> None:
    status, out, _ = run("freeze", "plan.toml", "-o", "/dev/null")
    assert status == 0
    assert out.startswith("frozen ")
    assert Path("/dev/null").is_char_device()


def test_refused_archive_gives_its_place_and_status_2(run: Run, arms: str) -> None:
    Path("more.jsonl").write_text('{"id": "test-cold_oven-00", "arm": "a", "sample": 0, "completion": ""}\n')
    status, out, err = run("score", arms, "more.jsonl")
    assert (status, out) == (2, "")
    assert err == (
        "error: there is no task `test-cold_oven-00` in the split files\n"
        "  --> more.jsonl:1\n"
        "   = help: did you mean `test-cold_oven-001`, `test-cold_oven-000` or `test-hot_oven-001`?\n"
    )


def test_missing_file_and_unknown_split_have_status_2(run: Run, arms: str) -> None:
    assert run("score", "none.jsonl")[0] == 2
    status, _, err = run("score", arms, "--split", "tset")
    assert status == 2
    assert "did you mean `test`?" in err


def test_frozen_plan_gives_a_report_that_says_so(run: Run, arms: str) -> None:
    status, out, _ = run("freeze", "plan.toml")
    assert status == 0
    word, sealed = out.split()
    assert word == "frozen"
    status, out, err = run("report", arms, "--plan", "plan.json", "--expect", sealed, "--pictures", "none")
    assert (status, err) == (0, "")
    assert out == f"plan frozen {sealed[:16]}; wrote 2 files to study\n"
    told = f"frozen as `{sealed[:16]}`. It has the hash that was expected, `{sealed}`: not changed since."
    assert told in Path("study/report.md").read_text()


@pytest.mark.slow
def test_report_claims_no_more_than_the_seal_without_the_published_hash(run: Run, arms: str) -> None:
    _, sealed = run("freeze", "plan.toml")[1].split()
    open_claim = "agrees with its seal; only `--expect HASH` tells whether it is the published one."
    run("report", arms, "--plan", "plan.json", "--pictures", "none")
    text = Path("study/report.md").read_text()
    assert f"frozen as `{sealed[:16]}`. The file {open_claim}" in text
    run("report", arms, "--plan", "plan.json", "--expect", "0" * 8, "--pictures", "none")
    wrong = Path("study/report.md").read_text()
    assert "doesn't have the expected hash `00000000`" in wrong
    assert not any("not changed since" in told or "was expected, `" in told for told in (text, wrong))


@pytest.mark.slow
def test_amended_plan_gives_a_report_that_says_so(run: Run, arms: str) -> None:
    run("freeze", "plan.toml")
    Path("plan.toml").write_text(PLAN + '[band]\nmetric = "exact"\n')
    status, out, _ = run("freeze", "plan.toml", "--amends", "plan.json", "--reason", "as agreed", "-o", "plan.json")
    assert status == 0
    assert out.startswith('band.metric: "score" -> "exact"\namended ')
    sealed = out.split()[-1]
    assert run("report", arms, "--plan", "plan.json", "--expect", sealed[:8], "--pictures", "none")[0] == 0
    text = Path("study/report.md").read_text()
    assert "**The plan of this study was AMENDED** once since it was frozen as" in text
    assert f"It has the hash that was expected, `{sealed[:8]}`: no amendment is missing." in text
    assert "as agreed" in text


def test_altered_plan_gives_status_1_and_a_report_that_says_so(run: Run, arms: str) -> None:
    run("freeze", "plan.toml")
    path = Path("plan.json")
    path.write_text(path.read_text().replace('"low": 0.6', '"low": 0.5'))
    status, out, err = run("report", arms, "--plan", "plan.json", "--pictures", "none")
    assert status == 1
    assert err.startswith("warning: the plan was changed after it was sealed")
    assert "plan altered" in out
    assert "ALTERED" in Path("study/report.md").read_text()


def test_altered_plan_that_is_refused_is_told_to_be_altered_first(run: Run, arms: str) -> None:
    run("freeze", "plan.toml")
    path = Path("plan.json")
    path.write_text(path.read_text().replace('"samples": 2', '"samples": 1'))
    status, _, err = run("report", arms, "--plan", "plan.json", "--pictures", "none")
    first, *others = err.splitlines()
    assert status == 2
    assert first.startswith("warning: the plan was changed after it was sealed")
    assert others == [
        "error: pass@2 needs at least 2 samples, there are 1",
        "error: groups of 2 need at least 2 samples, there are 1",
    ]


def test_other_tasks_than_planned_give_status_1(run: Run, arms: str) -> None:
    run("freeze", "plan.toml")
    path = Path("out/test.jsonl")
    path.write_text(path.read_text().replace("went wrong", "went well"))
    status, _, err = run("report", arms, "--plan", "plan.json", "--pictures", "none")
    assert status == 1
    assert err == "warning: the split file `test.jsonl` isn't the one that the plan pins\n"


def test_freeze_replaces_no_frozen_plan(run: Run) -> None:
    run("freeze", "plan.toml")
    before = Path("plan.json").read_bytes()
    status, _, err = run("freeze", "plan.toml")
    assert status == 2
    assert "there is a file already, which may be a frozen plan" in err
    assert Path("plan.json").read_bytes() == before


def test_options_that_a_plan_answers_are_refused(run: Run, arms: str) -> None:
    status, _, err = run("report", arms, "--plan", "plan.toml", "--samples", "1", "--split", "test")
    assert status == 2
    assert "the plan already sets the splits and samples" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--split", "test", "--split", "test"), "`splits` isn't a list of different texts"),
        (("--arm", "base", "--arm", "base"), "`arms` isn't a list of different texts"),
        (("--arm", "a b"), "`arms` isn't a list of names of arms"),
        (("--samples", "100001"), "`samples` isn't a whole number between 1 and 100000"),
        (("--reference", "a b"), "`reference` isn't the name of an arm"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_options_are_held_to_what_a_plan_may_say(options: tuple[str, ...], message: str, run: Run, arms: str) -> None:
    status, _, err = run("report", arms, *options)
    assert status == 2
    assert err == f"error: {message}\n  --> the options\n"


@pytest.mark.slow
def test_twins_come_from_a_file_once(run: Run, arms: str) -> None:
    Path("twins.toml").write_text('sticky_rye = ["wet_dough"]\n')
    assert run("report", arms, "--twins", "twins.toml", "--pictures", "none")[0] == 0
    assert "`sticky_rye`" in Path("study/report.md").read_text()
    Path("plan.toml").write_text(PLAN + "[twins]\noven_humming = []\n")
    status, _, err = run("freeze", "plan.toml", "--twins", "twins.toml")
    assert status == 2
    assert "the plan has twins of its own" in err
    status, _, err = run("report", arms, "--plan", "plan.toml", "--twins", "twins.toml", "--pictures", "none")
    assert status == 2
    assert "the plan has twins of its own" in err


@pytest.mark.slow
def test_a_draft_takes_twins_and_a_frozen_plan_keeps_its_own(run: Run, arms: str) -> None:
    Path("twins.toml").write_text('sticky_rye = ["cold_oven"]\n')
    given = ("--twins", "twins.toml", "--pictures", "none")
    assert run("report", arms, "--plan", "plan.toml", *given)[0] == 0
    assert twins_of(Path("study")) == {("cold_oven", ("sticky_rye",), True)}
    run("freeze", "plan.toml")
    status, _, err = run("report", arms, "--plan", "plan.json", *given)
    assert status == 2
    assert "the plan is frozen: change its twins there, and amend it" in err


def test_short_hash_is_refused(run: Run, arms: str) -> None:
    assert run("report", arms, "--expect", "abc")[0] == 2


def test_report_that_cant_be_written_has_status_2(run: Run, arms: str) -> None:
    Path("taken").write_text("")
    status, _, err = run("report", arms, "--pictures", "none", "-o", "taken")
    assert status == 2
    assert "taken" in err


def test_missing_extra_is_told(run: Run, arms: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in sys.modules if name.partition(".")[0] == "scipy" or name.startswith("gpu_train_debug.study.")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)
    status, _, err = run("score", arms)
    assert status == 2
    assert "pip install 'gpu-train-debug[study]'" in err


def loaded_by(code: str, *names: str) -> str:
    """Which of the modules a new process has after `code`."""
    command = [sys.executable, "-c", f"import sys\n{code}\nprint(*sorted({set(names)} & set(sys.modules)))"]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


@pytest.mark.slow
def test_command_loads_no_numerical_library_before_it_runs() -> None:
    assert loaded_by("import compiler.cli.app", "numpy", "scipy", "matplotlib", "z3", "lark") == ""


@pytest.mark.slow
def test_report_is_the_same_in_another_process(run: Run, arms: str) -> None:
    outputs = []
    for seed in ("0", "1"):
        command = [sys.executable, "-m", "compiler", "study", "report", arms, "-o", f"study{seed}"]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "PATH": ""}
        subprocess.run(command, env=environment, check=True, capture_output=True)
        outputs.append({path.name: path.read_bytes() for path in sorted(Path(f"study{seed}").iterdir())})
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) == 5


@pytest.fixture
def frozen(bakery: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The splits of the bakery as the frozen ones of the package, with twins; there is no folder `out`."""
    moved = bakery.rename(bakery.parent / "frozen")
    sources = bakery.parent / "sources"
    sources.mkdir()
    (sources / "twins.toml").write_text('oven_humming = ["cold_oven", "no_such"]\nno_twin = ["wet_dough"]\n')
    for module in ("gpu_train_debug.tasks", "compiler.cli.study.plans"):
        monkeypatch.setattr(f"{module}.data_folder", lambda: moved)
    monkeypatch.setattr("compiler.cli.study.plans.sources_folder", lambda: sources)
    return moved


def twins_of(report: Path) -> set[tuple[str, tuple[str, ...], bool]]:
    rows = json.loads((report / "report.json").read_text())["twins"]
    return {(row["archetype"], tuple(row["twins"]), row["stated"]) for row in rows if row["archetype"] == "cold_oven"}


@pytest.mark.slow
@pytest.mark.usefixtures("frozen")
def test_without_a_folder_out_the_frozen_splits_are_taken_with_their_twins(run: Run) -> None:
    assert run("simulate", "--arm", "a=0", "--samples", "2", "-o", "a.jsonl")[0] == 0
    status, _, err = run("report", "a.jsonl", "--pictures", "none", "-o", "report")
    assert (status, err) == (0, "")
    assert twins_of(Path("report")) == {("cold_oven", ("oven_humming",), True)}
    assert "no_such" not in Path("report/report.md").read_text()


@pytest.mark.usefixtures("frozen")
def test_plans_of_the_frozen_splits_get_their_twins(run: Run) -> None:
    run("simulate", "--arm", "base=0", "--arm", "tuned=1", "--samples", "2", "-o", "a.jsonl")
    assert run("report", "a.jsonl", "--plan", "plan.toml", "--pictures", "none", "-o", "report")[0] == 0
    assert twins_of(Path("report")) == {("cold_oven", ("oven_humming",), True)}
    assert run("freeze", "plan.toml", "-o", "plan.json")[0] == 0
    assert '"oven_humming"' in Path("plan.json").read_text()


def test_frozen_twins_are_those_with_tasks_in_the_chosen_splits(frozen: Path, run: Run) -> None:
    """Where the twin isn't, the fault falls back to the controls of its system, and no note tells of it."""
    (frozen.parent / "sources" / "twins.toml").write_text('sticky_rye = ["cold_oven"]\n')
    ood = frozen / "ood.jsonl"
    ood.write_text("".join(line for line in ood.read_text().splitlines(keepends=True) if '"sticky_rye"' not in line))
    run("simulate", "--arm", "a=0", "--samples", "2", "-o", "a.jsonl")
    for split, twin in (
        ("test", ("cold_oven", ("sticky_rye",), True)),
        ("ood", ("cold_oven", ("oven_humming",), False)),
    ):
        assert run("report", "a.jsonl", "--split", split, "--pictures", "none", "-o", "report")[0] == 0
        assert twins_of(Path("report")) == {twin}
        assert "names archetypes" not in Path("report/report.md").read_text()


@pytest.mark.slow
def test_other_splits_have_no_twins_of_their_own(frozen: Path, run: Run) -> None:
    frozen.rename("out")
    assert run("simulate", "--arm", "a=0", "--samples", "2", "-o", "a.jsonl")[0] == 0
    run("report", "a.jsonl", "--pictures", "none", "-o", "report")
    assert {stated for _, _, stated in twins_of(Path("report"))} == {False}
