"""The installed `vf-eval` and `vf-validate`, for real, against a scripted server.

`vf-eval` exits with 0 even if every rollout fails, so what counts here are rewards.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from gpu_train_debug.exports import generation_rows
from gpu_train_debug.grading.rubric import grade
from gpu_train_debug.tasks import MANIFEST, TaskRecord, read_split, split_names

from .conftest import INCIDENTS, ROOT
from .server import Script, serving
from .verifiers_runs import evaluate, needs_verifiers, run_tool, scores

pytestmark = [pytest.mark.slow, needs_verifiers]

Rows = dict[str, list[TaskRecord]]


COMPILED = split_names(ROOT / "out") if (ROOT / "out" / MANIFEST).is_file() else []


def assert_valid(split: str, data: Path, folder: Path) -> None:
    """Each gold of the split earns everything and silence nothing, as `vf-validate` finds."""
    options = ("--taskset.data", data, "--taskset.split", split, "--runtime.type", "subprocess", "--no-rich")
    run_tool("vf-validate", "gpu-train-debug", *options, "-o", "runs", "--run.name", "validation", cwd=folder)
    summary = json.loads((folder / "runs" / "validation" / "summary.json").read_text(encoding="utf-8"))
    tasks = len(list(read_split(split, data)))
    assert (summary["total"], summary["outcomes"]["valid"]) == (tasks, tasks)


def assert_studied(run: Path, splits: Mapping[str, int], *, cwd: Path) -> None:
    """The run can be studied over its own tasks."""
    command = [sys.executable, "-m", "compiler"]
    export = [*command, "export", "generations", str(run), "--arm", "base", "-o", "base.jsonl", "--tasks-out", "tasks"]
    study = [*command, "study", "score", "base.jsonl", "--tasks", "tasks"]
    for arguments in (export, study):
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(arguments, cwd=cwd, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
    assert {split: len(list(read_split(split, cwd / "tasks"))) for split in split_names(cwd / "tasks")} == splits


@pytest.fixture
def server(golds: Mapping[str, str]) -> Iterator[Script]:
    with serving(golds) as script:
        yield script


@pytest.mark.parametrize("split", ["train", "hard", "test", "ood"])
def test_right_answers_earn_everything_on_each_split(
    split: str, server: Script, out: Path, rows: Rows, tmp_path: Path
) -> None:
    options = ("--env.taskset.data", out, "--env.taskset.split", split, "--no-push", "--no-rich")
    rollouts = evaluate("right", server.url, *options, cwd=tmp_path)
    assert [rollout.task for rollout in rollouts] == sorted(row.id for row in rows[split])
    assert scores(rollouts) == [(True, 1.0, 1.0)] * len(rows[split])
    assert sorted(body["messages"][0]["content"] for body in server.requests) == sorted(r.prompt for r in rows[split])


def test_a_plain_run_needs_no_login_and_no_options_but_the_endpoint(server: Script, out: Path, tmp_path: Path) -> None:
    rollouts = evaluate("right", server.url, "--env.taskset.data", out, cwd=tmp_path)
    assert scores(rollouts) == [(True, 1.0, 1.0)] * 4
    config = json.loads(next(tmp_path.glob("runs/*/configs/**/eval.json")).read_text(encoding="utf-8"))
    agent = config["env"]["agent"]
    assert (agent["harness"]["id"], agent["runtime"]["type"]) == ("gpu-train-debug", "subprocess")


@pytest.mark.parametrize(("model", "reward"), [("partly", 0.5), ("wrong", 0.0), ("malformed", 0.0)])
def test_other_answers_earn_what_the_grader_says(
    model: str, reward: float, server: Script, out: Path, golds: Mapping[str, str], rows: Rows, tmp_path: Path
) -> None:
    rollouts = evaluate(model, server.url, "--env.taskset.data", out, "--no-push", "--no-rich", cwd=tmp_path)
    gold = {row.id: row.gold for row in rows["test"]}
    assert len(rollouts) == 4
    for rollout in rollouts:
        expected = grade(rollout.reply or "", gold[rollout.task])
        assert (rollout.ok, rollout.reward, rollout.reasons) == (True, reward, expected.reasons)
        assert rollout.metrics == {"exact": 0.0, "diagnosis": reward, "fix": 0.0}


def test_a_streamed_answer_is_put_together(server: Script, out: Path, tmp_path: Path) -> None:
    options = ("--env.taskset.data", out, "--env.agent.harness.stream", "true", "--no-push", "--no-rich", "-n", "2")
    assert scores(evaluate("right", server.url, *options, cwd=tmp_path)) == [(True, 1.0, 1.0)] * 2
    assert all(body["stream"] for body in server.requests)


def test_a_server_error_is_recorded_and_earns_nothing(server: Script, out: Path, tmp_path: Path) -> None:
    options = ("--env.taskset.data", out, "--no-push", "--no-rich", "-n", "2")
    rollouts = evaluate("error", server.url, *options, cwd=tmp_path)
    assert [(rollout.ok, rollout.errors) for rollout in rollouts] == [(False, ("ProviderError",))] * 2
    assert not any(rollout.reward for rollout in rollouts)
    assert len(server.requests) == 2 * 3


def test_an_error_that_passes_is_made_good(server: Script, out: Path, tmp_path: Path) -> None:
    options = ("--env.taskset.data", out, "--no-push", "--no-rich", "-n", "2")
    rollouts = evaluate("flaky", server.url, *options, cwd=tmp_path)
    assert scores(rollouts) == [(True, 1.0, 1.0)] * 2
    assert [rollout.errors for rollout in rollouts] == [(), ()]


def test_an_error_is_not_repeated_if_told_so(server: Script, out: Path, tmp_path: Path) -> None:
    options = ("--env.taskset.data", out, "--env.agent.harness.retries", "0", "--no-push", "--no-rich", "-n", "2")
    rollouts = evaluate("flaky", server.url, *options, cwd=tmp_path)
    assert [rollout.ok for rollout in rollouts] == [False, False]
    assert len(server.requests) == 2


def test_a_slow_server_runs_into_the_timeout_that_is_set(server: Script, out: Path, tmp_path: Path) -> None:
    options = ("--env.taskset.data", out, "--env.agent.timeout.rollout", "1", "--no-push", "--no-rich", "-n", "2")
    rollouts = evaluate("slow", server.url, *options, cwd=tmp_path)
    assert [(rollout.timeout, rollout.reward) for rollout in rollouts] == [(True, 0.0)] * 2


def test_options_choose_tasks_and_samples_and_the_run_becomes_an_archive(
    server: Script, out: Path, tmp_path: Path
) -> None:
    chosen = (
        "--env.taskset.archetypes",
        "small_cache",
        "stale_reads",
        "--env.taskset.limit",
        "3",
        "--env.taskset.seed",
        "2",
    )
    options = ("--env.taskset.data", out, "--env.taskset.split", "train", *chosen, "--no-push", "--no-rich", "-r", "2")
    rollouts = evaluate("right", server.url, *options, cwd=tmp_path)
    tasks = {rollout.task for rollout in rollouts}
    assert (len(tasks), len(rollouts)) == (3, 6)
    assert all(task.startswith(("train-small_cache", "train-stale_reads")) for task in tasks)
    archive = list(generation_rows(tmp_path / "runs" / "run-0", "base"))
    assert sorted((row["id"], row["sample"]) for row in archive) == sorted((task, n) for task in tasks for n in (0, 1))
    assert all("```json" in row["completion"] for row in archive)
    assert_studied(tmp_path / "runs" / "run-0", {"train": 3}, cwd=tmp_path)


def test_fresh_tasks_are_compiled_for_the_run(out: Path, tmp_path: Path) -> None:
    from gpu_train_debug.fresh import fresh_tasks

    expected = {row.id: row for row in fresh_tasks("train", seed=7, count=3, sources=INCIDENTS, folder=out)}
    options = ("--env.taskset.data", out, "--env.taskset.split", "train", "--env.taskset.sources", INCIDENTS)
    fresh = ("--env.taskset.fresh", "true", "--env.taskset.seed", "7", "--env.taskset.count", "3")
    with serving({row.prompt: row.gold for row in expected.values()}) as server:
        rollouts = evaluate("right", server.url, *options, *fresh, "--no-push", "--no-rich", cwd=tmp_path)
    assert [rollout.task for rollout in rollouts] == sorted(expected)
    assert scores(rollouts) == [(True, 1.0, 1.0)] * 3
    assert_studied(tmp_path / "runs" / "run-0", {"train_seed7": 3}, cwd=tmp_path)
    assert {row.id: row for row in read_split("train_seed7", tmp_path / "tasks")} == expected


FRESH = ("--env.taskset.fresh", "true", "--env.taskset.sources", INCIDENTS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param(("--env.taskset.split", "tests"), "no split `tests`", id="split"),
        pytest.param(("--env.taskset.archetypes", "all_quit"), "no archetype `all_quit`", id="archetype"),
        pytest.param(("--env.taskset.tiers", "hardest"), "no tier `hardest`", id="tier"),
        pytest.param(
            ("--env.taskset.archetypes", "all_quiet", "--env.taskset.tiers", "computed"), "has no task of", id="nothing"
        ),
        pytest.param(("--env.taskset.split", "tests", *FRESH), "no split `tests`", id="fresh split"),
        pytest.param(("--env.taskset.archetypes", "all_quit", *FRESH), "no archetype `all_quit`", id="fresh archetype"),
        pytest.param(("--env.taskset.limit", "3", *FRESH), "`count` says how many", id="fresh limit"),
        pytest.param(("--env.taskset.data", "nowhere"), "no compiled tasks in nowhere", id="folder"),
    ],
)
def test_an_impossible_choice_is_refused_without_a_traceback(
    options: tuple[str | Path, ...], said: str, out: Path, tmp_path: Path
) -> None:
    plain = ("-m", "right", "--env.taskset.data", out, "--no-push", "--no-rich")
    ran = run_tool("vf-eval", "gpu-train-debug", *plain, *options, cwd=tmp_path, status=1)
    told = " ".join((ran.stdout + ran.stderr).replace("│", " ").split())
    assert said in told
    assert "Traceback" not in told


@pytest.mark.parametrize("split", ["train", "hard", "test", "ood"])
def test_validation_is_clean_on_every_task(split: str, out: Path, tmp_path: Path) -> None:
    assert_valid(split, out, tmp_path)


@pytest.mark.skipif(not COMPILED, reason="no compiled splits in out/")
@pytest.mark.parametrize("split", COMPILED)
def test_validation_is_clean_on_every_compiled_task(split: str, tmp_path: Path) -> None:
    assert_valid(split, ROOT / "out", tmp_path)


def test_validation_finds_a_faulty_gold(out: Path, tmp_path: Path) -> None:
    lines = (out / "test.jsonl").read_text(encoding="utf-8").splitlines()
    broken = {**json.loads(lines[0]), "gold": '{"diagnosis": [], "fix": {}}'}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "test.jsonl").write_text(f"{json.dumps(broken)}\n{lines[1]}\n", encoding="utf-8")
    options = ("--taskset.data", "data", "--runtime.type", "subprocess", "--no-rich", "-o", "runs", "--run.name", "v")
    run_tool("vf-validate", "gpu-train-debug", *options, cwd=tmp_path)
    summary = json.loads((tmp_path / "runs" / "v" / "summary.json").read_text(encoding="utf-8"))
    assert (summary["outcomes"]["valid"], summary["outcomes"]["error"]) == (1, 1)
