"""Rows for trainers and studies, and walks in words."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path

import attrs
import numpy as np
import pytest

from compiler.cli.app import main
from compiler.emit.record import read_meta
from compiler.explain.rationale import Rationales, write_rationale
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.splits import TaskSpec
from compiler.tasks.maker import TaskMaker
from compiler.tasks.redraw import OtherSourcesError
from gpu_train_debug.exports import config_files, generation_rows, grpo_row, sft_row
from gpu_train_debug.grading.answer import read_gold
from gpu_train_debug.grading.rubric import grade
from gpu_train_debug.reward import completion_text
from gpu_train_debug.tasks import TaskRecord, TasksError, read_split, split_names
from solvers.counting.evidence import evidence_class
from solvers.counting.walks import walk_batch

from .conftest import INCIDENTS

Rows = dict[str, list[TaskRecord]]
Gtd = Callable[..., str]


@pytest.fixture
def gtd(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Gtd:
    """Run the command in an empty folder; gives what it prints, and checks its status."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path, status: int = 0) -> str:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert stopped.value.code == status, captured.err
        return captured.out if status == 0 else captured.err

    return run


def all_rows(rows: Rows) -> list[TaskRecord]:
    return [row for split in rows.values() for row in split]


@pytest.mark.slow
def test_sft_rows_end_with_the_gold(rows: Rows) -> None:
    for row in all_rows(rows):
        exported = sft_row(row)
        assert exported["prompt"] == [{"role": "user", "content": row.prompt}]
        assert exported["completion"] == [{"role": "assistant", "content": row.gold}]
        reasoned = completion_text(sft_row(row, "Because {of this}.\n")["completion"])
        assert reasoned == f"Because {{of this}}.\n\n{row.gold}"
        assert grade(reasoned, row.gold).exact


def test_grpo_rows_hold_what_the_reward_needs(rows: Rows) -> None:
    row = rows["test"][0]
    exported = grpo_row(row)
    assert exported["gold"] == row.gold
    assert exported["prompt"][0]["content"] == row.prompt
    assert "environment" not in exported


def test_rationales_name_codes_and_changes_in_order_and_give_the_gold_away_last(
    rows: Rows, program: ProgramPlan, dataset: DatasetPlan
) -> None:
    writer = Rationales(program, dataset)
    for row in all_rows(rows):
        text = writer.of(row)
        gold, meta = read_gold(row.gold), read_meta(row.meta)
        fired = [line for line in text.splitlines() if ", fires: " in line]
        rules = {rule.name: rule.code for rule in program.systems[meta.system].problem.rules}
        assert [rules[name] for name in meta.rules] == [line.split(", ")[1] for line in fired]
        last = text.rstrip().splitlines()[-1]
        if gold.fix:
            assert all(f"`{field}` from " in last for field in gold.fix)
        else:
            assert last == "So the run is healthy, and nothing is to be changed."
        assert grade(completion_text(sft_row(row, text)["completion"]), row.gold).exact


@pytest.mark.slow
def test_rationales_tell_nothing_that_the_prompt_leaves_open(
    rows: Rows, program: ProgramPlan, dataset: DatasetPlan
) -> None:
    """Every world that prints the same and takes the same path gets the same words."""
    maker = TaskMaker(program, dataset, prove=False)
    compared = 0
    for row in all_rows(rows):
        meta = read_meta(row.meta)
        spec = TaskSpec(row.split, row.archetype, int(row.id.rpartition("-")[2]))
        drawn = maker.candidate(spec, meta.draw)
        assert drawn is not None
        world = drawn.world
        system = maker.system(meta.system)
        text = write_rationale(system.plan, system.tables, world)
        state, size = evidence_class(system.tables, world)
        for group in walk_batch(system.tables, state, size):
            cells = {name: np.broadcast_to(cell, len(group.rows)) for name, cell in group.start.items()}
            worlds = [{name: int(cell[i]) for name, cell in cells.items()} for i in range(len(group.rows))]
            if world in worlds:
                texts = {write_rationale(system.plan, system.tables, other) for other in worlds}
                assert texts == {text}
                compared += len(worlds) - 1
    assert compared > 10


def test_a_rationale_of_other_sources_is_refused(rows: Rows, program: ProgramPlan, dataset: DatasetPlan) -> None:
    row = rows["train"][0]
    with pytest.raises(OtherSourcesError, match=row.id):
        Rationales(program, attrs.evolve(dataset, seed=dataset.seed + 1)).of(row)
    for foreign in (
        {"archetype": "unknown"},
        {"prompt": row.prompt.replace("\n## Log", "\n## Logs")},
        {"gold": '{"diagnosis": "OTHER", "fix": {}}'},
    ):
        with pytest.raises(OtherSourcesError):
            Rationales(program, dataset).of(replace(row, **foreign))


def test_the_command_writes_each_form(gtd: Gtd, out: Path, tmp_path: Path) -> None:
    gtd("export", "sft", "--tasks", out, "-o", "a/sft.jsonl", "--rationale", "--sources", INCIDENTS)
    lines = [json.loads(line) for line in (tmp_path / "a" / "sft.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 12
    assert all("Pass 1 through the runbook." in completion_text(line["completion"]) for line in lines)
    printed = gtd("export", "grpo", "--tasks", out, "--split", "test", "--limit", "2", "--tier", "computed")
    assert [json.loads(line)["tier"] for line in printed.splitlines()] == ["computed", "computed"]


def test_the_command_refuses_what_is_not_there(gtd: Gtd, out: Path, tmp_path: Path) -> None:
    assert "there is no split `tests`" in gtd("export", "grpo", "--tasks", out, "--split", "tests", status=2)
    assert "traces.jsonl" in gtd("export", "generations", tmp_path, "--arm", "base", status=2)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.jsonl").write_text((out / "train.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    arguments = ("export", "sft", "--tasks", tmp_path / "data", "--rationale", "--sources", INCIDENTS)
    assert "needs the manifest" in gtd(*arguments, status=2)


def test_the_command_takes_out_or_else_the_frozen_splits_and_says_so(
    gtd: Gtd, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gpu_train_debug.tasks.data_folder", lambda: out)
    assert len(gtd("export", "grpo").splitlines()) == 12
    shutil.copytree(out, tmp_path / "out")
    lines = (out / "train.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "out" / "train.jsonl").write_text("".join(lines[:3]), encoding="utf-8")
    assert len(gtd("export", "grpo").splitlines()) == 3
    for options, place in ((("--tasks", out), out), ((), "out")):
        with pytest.raises(SystemExit):
            main(["export", "grpo", "-o", "grpo.jsonl", *map(str, options)])
        assert capsys.readouterr().err.splitlines()[0] == f"tasks: {place}"


def test_an_export_beside_the_splits_is_no_split(gtd: Gtd, out: Path, tmp_path: Path) -> None:
    shutil.copytree(out, tmp_path / "out")
    gtd("export", "sft", "-o", "out/sft.jsonl")
    assert "there is no split `sft`" in gtd("export", "grpo", "--split", "sft", status=2)


def test_a_choice_that_leaves_nothing_is_refused(gtd: Gtd, out: Path, tmp_path: Path) -> None:
    chosen = ("--archetype", "all_quiet", "--tier", "computed", "-o", "grpo.jsonl")
    assert "no task of archetype `all_quiet`" in gtd("export", "grpo", "--tasks", out, *chosen, status=2)
    assert not (tmp_path / "grpo.jsonl").exists()


def test_a_failing_export_leaves_the_file_as_it_was(gtd: Gtd, out: Path, tmp_path: Path) -> None:
    (tmp_path / "sft.jsonl").write_text("earlier")
    (tmp_path / "data").mkdir()
    shutil.copyfile(out / "manifest.json", tmp_path / "data" / "manifest.json")
    lines = (out / "train.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    row = json.loads(lines[1])
    foreign = json.dumps({**row, "prompt": row["prompt"].replace("## Config", "## Config ")})
    (tmp_path / "data" / "train.jsonl").write_text(f"{lines[0]}{foreign}\n", encoding="utf-8")
    arguments = ("export", "sft", "--tasks", "data", "-o", "sft.jsonl", "--rationale", "--sources", INCIDENTS)
    assert row["id"] in gtd(*arguments, status=1)
    assert (tmp_path / "sft.jsonl").read_text() == "earlier"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "sft.jsonl"]


def episode(id: str, reply: str | None, *, error: str | None = None, timeout: bool = False, **data: str) -> str:
    nodes = [{"message": {"role": "user", "content": "prompt"}}]
    if reply is not None:
        nodes.append({"message": {"role": "assistant", "content": reply}})
    errors = [] if error is None else [{"type": "ProviderError", "message": error}]
    told = {"ok": error is None and not timeout, "is_timeout": timeout, "errors": []}
    return (
        json.dumps(told | {"task": {"data": {"id": id, **data}}, "traces": [{"nodes": nodes, "errors": errors}]}) + "\n"
    )


def test_runs_become_archives_with_numbered_samples(tmp_path: Path) -> None:
    lines = [episode("t-0", "a"), episode("t-1", "b"), episode("t-0", "c"), episode("t-1", "half", error="500")]
    (tmp_path / "traces.jsonl").write_text("".join(lines))
    rows = [(row["id"], row["sample"], row["completion"]) for row in generation_rows(tmp_path, "base")]
    assert rows == [("t-0", 0, "a"), ("t-1", 0, "b"), ("t-0", 1, "c"), ("t-1", 1, "")]


def test_failed_requests_are_told_apart_from_empty_replies(gtd: Gtd, tmp_path: Path) -> None:
    failures = [episode("t-0", "half", error="up\nstream 500"), episode("t-1", None, timeout=True)]
    (tmp_path / "traces.jsonl").write_text("".join([episode("t-2", None), *failures]))
    assert [row.get("failed") for row in generation_rows(tmp_path, "base")] == [
        None,
        "ProviderError: up stream 500",
        "timeout",
    ]
    gtd("export", "generations", ".", "--arm", "base", "-o", "base.jsonl")
    (tmp_path / "traces.jsonl").write_text("".join(failures * 2))
    said = gtd("export", "generations", ".", "--arm", "base", "-o", "base.jsonl", status=1)
    assert "4 of 4 requests failed" in said
    assert "2 x ProviderError: up stream 500" in said


def test_an_arm_has_a_name_that_a_study_takes(gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_text(episode("t-0", "a"))
    assert "`my arm`" in gtd("export", "generations", ".", "--arm", "my arm", status=2)


def test_a_link_is_followed_and_a_pipe_is_written_to(gtd: Gtd, out: Path, tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to("target.jsonl")
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit((tmp_path / "pipe").read_text)
        for name in ("link.jsonl", "pipe"):
            gtd("export", "grpo", "--tasks", out, "--limit", "2", "-o", name)
        assert reading.result(timeout=60) == (tmp_path / "target.jsonl").read_text()
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("line", ["{", "[]", '{"task": {}}', '{"task": {"data": {"id": "a"}}, "ok": true}'])
def test_a_line_that_is_no_episode_is_named_with_its_place(tmp_path: Path, line: str) -> None:
    (tmp_path / "traces.jsonl").write_text(line + "\n")
    with pytest.raises(TasksError, match=r"traces\.jsonl:1"):
        list(generation_rows(tmp_path, "base"))


def test_a_reply_with_lone_surrogates_is_exported_as_valid_json(gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_text(episode("t-0", "so \ud800\ud83d\ude00"))
    gtd("export", "generations", ".", "--arm", "base", "-o", "base.jsonl")
    row = json.loads((tmp_path / "base.jsonl").read_text(encoding="utf-8"))
    assert row["completion"] == "so \N{REPLACEMENT CHARACTER}\N{GRINNING FACE}"


def test_what_other_programs_write_may_hold_numbers_that_json_does_not_have(tmp_path: Path) -> None:
    line = episode("t-0", "a")
    assert line.startswith("{")
    (tmp_path / "traces.jsonl").write_text('{"metric": NaN, "metric": ' + "9" * 400 + ", " + line[1:])
    assert [row["completion"] for row in generation_rows(tmp_path, "base")] == ["a"]


def test_an_id_with_a_lone_surrogate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_text(episode("t-\ud800", "a"))
    with pytest.raises(TasksError, match=r"traces\.jsonl:1: not an episode"):
        list(generation_rows(tmp_path, "base"))


def test_a_run_without_rollouts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_text("")
    with pytest.raises(TasksError, match="nothing was run"):
        list(generation_rows(tmp_path, "base"))


@pytest.fixture
def run(rows: Rows, tmp_path: Path) -> Path:
    """The folder of a run over two tasks of two splits, in no order, one of them twice."""
    asked = [rows["test"][1], rows["ood"][0], rows["test"][1], rows["test"][0]]
    (tmp_path / "run").mkdir()
    lines = [episode(reply=row.gold, **asdict(row)) for row in asked]
    (tmp_path / "run" / "traces.jsonl").write_text("".join(lines), encoding="utf-8")
    return tmp_path / "run"


def test_the_tasks_of_a_run_become_splits_that_can_be_studied_and_graded(
    gtd: Gtd, run: Path, rows: Rows, tmp_path: Path
) -> None:
    arguments = ("export", "generations", run, "--arm", "base", "-o", "base.jsonl", "--tasks-out", "tasks")
    for _ in range(2):
        gtd(*arguments)
        assert split_names(tmp_path / "tasks") == ["ood", "test"]
        assert list(read_split("ood", tmp_path / "tasks")) == rows["ood"][:1]
        assert list(read_split("test", tmp_path / "tasks")) == sorted(rows["test"][:2], key=lambda row: row.id)
    assert "1.000" in gtd("grade", "base.jsonl", "--tasks", "tasks")


@pytest.mark.parametrize(
    ("folder", "archive", "said"),
    [
        ("out", "base.jsonl", "hard.jsonl, manifest.json and train.jsonl"),
        ("tasks", "tasks/base.jsonl", "the archive base.jsonl"),
        ("tasks", "tasks/test.jsonl", "the archive test.jsonl"),
    ],
)
def test_the_tasks_of_a_run_are_not_mixed_with_anything_else(
    folder: str, archive: str, said: str, gtd: Gtd, run: Path, out: Path, tmp_path: Path
) -> None:
    shutil.copytree(out, tmp_path / "out")
    arguments = ("export", "generations", run, "--arm", "base", "-o", archive, "--tasks-out", folder)
    assert f"= help: move {said}, or choose" in gtd(*arguments, status=2)
    assert all((tmp_path / "out" / path.name).read_bytes() == path.read_bytes() for path in out.iterdir())
    assert not (tmp_path / archive).exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "not an episode of a task: the key `archetype` is missing\n  --> traces.jsonl:1"),
        ({"archetype": "a", "split": "../a", "prompt": "p\n", "gold": "", "meta": ""}, "`split` isn't a name"),
    ],
    ids=["others", "path"],
)
def test_a_run_of_other_tasks_gives_no_splits(data: dict[str, str], said: str, gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_text(episode("t-0", "a", **data))
    assert said in gtd("export", "generations", ".", "--arm", "base", "--tasks-out", "tasks", status=2)
    assert not (tmp_path / "tasks").exists()


def test_edited_configs_are_overwritten_only_by_force(gtd: Gtd, tmp_path: Path) -> None:
    gtd("export", "configs", "-o", "train")
    gtd("export", "configs", "-o", "train")
    edited = tmp_path / "train" / "trl-sft.yaml"
    original = edited.read_text(encoding="utf-8")
    (tmp_path / "train" / "prime-rl.toml").unlink()
    edited.write_text("mine: true\n", encoding="utf-8")
    assert "trl-sft.yaml would be overwritten" in gtd("export", "configs", "-o", "train", status=2)
    assert edited.read_text(encoding="utf-8") == "mine: true\n"
    assert not (tmp_path / "train" / "prime-rl.toml").exists()
    gtd("export", "configs", "-o", "train", "--force")
    assert edited.read_text(encoding="utf-8") == original
    assert (tmp_path / "train" / "prime-rl.toml").exists()


def test_configs_hold_the_frozen_settings_and_name_real_things(gtd: Gtd, tmp_path: Path) -> None:
    gtd("export", "configs", "-o", "train")
    names = [path.name for path in config_files()]
    assert sorted(path.name for path in (tmp_path / "train").iterdir()) == names
    text = {name: (tmp_path / "train" / name).read_text(encoding="utf-8") for name in names}
    assert all("Qwen/Qwen2.5-3B-Instruct" in each for each in text.values())
    assert "num_train_epochs: 2\n" in text["trl-sft.yaml"]
    assert "max_steps: 60\nlearning_rate: 1.0e-6\n" in text["trl-grpo.yaml"]
    assert "gpu_train_debug.reward.task_reward" in text["trl-grpo.yaml"]
    prime = tomllib.loads(text["prime-rl.toml"])
    assert (prime["max_steps"], prime["trainer"]["optim"]["lr"]) == (60, 1e-6)
    source = prime["orchestrator"]["train"]["source"][0]["env"]
    assert source["taskset"] == {"id": "gpu-train-debug", "split": "train"}


@pytest.mark.slow
@pytest.mark.skipif(find_spec("datasets") is None, reason="needs `datasets`, of the extra `train`")
def test_exports_and_the_dataset_folder_load_with_datasets(gtd: Gtd, out: Path, tmp_path: Path, rows: Rows) -> None:
    gtd("export", "sft", "--tasks", out, "-o", "sft.jsonl")
    gtd("export", "grpo", "--tasks", out, "-o", "grpo.jsonl")
    code = """
import json, sys
from datasets import load_dataset
out, cache = sys.argv[1:]
load = lambda **kw: load_dataset("json", split="train", cache_dir=cache, **kw)
sft, grpo = load(data_files="sft.jsonl"), load(data_files="grpo.jsonl")
whole = load_dataset(out, cache_dir=cache)
print(json.dumps({
    "sft": [row["completion"][0]["content"] for row in sft],
    "grpo": [[row["prompt"][0]["content"], row["gold"]] for row in grpo],
    "whole": {name: list(split["id"]) for name, split in whole.items()},
}))
"""
    command = [sys.executable, "-c", code, str(out), str(tmp_path / "cache")]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    loaded = json.loads(run.stdout.splitlines()[-1])
    assert loaded["sft"] == [row.gold for row in rows["train"]]
    assert loaded["grpo"] == [[row.prompt, row.gold] for row in rows["train"]]
    assert loaded["whole"] == {split: [row.id for row in rows[split]] for split in loaded["whole"]}
    assert set(loaded["whole"]) == set(rows)
