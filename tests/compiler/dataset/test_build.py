"""The folder: the same bytes however it is made, and whole or untouched whatever happens."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest
from strategies.incidents import INCIDENTS

import compiler.dataset.staging
from compiler.dataset.build import BuildFailedError, BuildInterruptedError, build_dataset
from compiler.frontend.run import run_frontend
from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan
from solvers.outcome import TaskProof, Verdict
from solvers.problem import Apply, Const, Expr, Op, Var
from solvers.proving.prove import Prover

ROOT = Path(__file__).parents[3]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def hashed(folder: Path) -> dict[str, bytes]:
    """What the sources and the seed alone decide."""
    files = contents(folder)
    manifest = json.loads(files["manifest.json"])
    return {**files, "manifest.json": json.dumps(manifest["content"]).encode()}


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "compiler", *map(str, arguments)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("paths", "jobs", "hash_seed"),
    [
        pytest.param(sorted(INCIDENTS.glob("*.arch"), reverse=True), 1, "1", id="files"),
        pytest.param([INCIDENTS], 3, "random", id="folder"),
    ],
)
def test_bytes_do_not_depend_on_paths_jobs_or_hash_seed(
    compiled: Path, tmp_path: Path, paths: list[Path], jobs: int, hash_seed: str
) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    arguments = command("compile", *paths, "-o", tmp_path / "out", "-j", str(jobs))
    subprocess.run(arguments, check=True, env=environment, capture_output=True)
    assert hashed(tmp_path / "out") == hashed(compiled)


def test_tasks_of_others_stay_when_an_archetype_is_left_out(
    program: ProgramPlan, dataset: DatasetPlan, compiled: Path, tmp_path: Path
) -> None:
    build_dataset(program, dataset, tmp_path / "out", jobs=1, only=frozenset({"stale_reads", "all_quiet"}))
    lines = (compiled / "train.jsonl").read_text().splitlines()
    kept = [line for line in lines if json.loads(line)["archetype"] in ("stale_reads", "all_quiet")]
    assert (tmp_path / "out" / "train.jsonl").read_text().splitlines() == kept


@pytest.mark.slow
def test_a_disk_that_fills_up_leaves_earlier_files_whole(
    program: ProgramPlan, dataset: DatasetPlan, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(copied)
    written = 0
    really = compiler.dataset.staging.StagedFile.write

    def fills_up(self: compiler.dataset.staging.StagedFile, text: str) -> None:
        nonlocal written
        written += len(text)
        if written > 100_000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        really(self, text)

    monkeypatch.setattr(compiler.dataset.staging.StagedFile, "write", fills_up)
    with pytest.raises(BuildFailedError) as failed:
        build_dataset(program, attrs.evolve(dataset, seed=99), copied, jobs=1)
    (finding,) = failed.value.findings
    assert (finding.code, finding.notes) == ("E620", ("earlier files in the folder are as they were",))
    assert contents(copied) == before


def test_a_compile_that_is_interrupted_once_it_is_whole_does_not_say_that_nothing_was_changed(
    program: ProgramPlan, dataset: DatasetPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(_folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compiler.dataset.staging, "_sync_folder", late)
    with pytest.raises(KeyboardInterrupt) as stopped:
        build_dataset(program, dataset, tmp_path / "out", jobs=1, only=frozenset({"all_quiet"}))
    assert not isinstance(stopped.value, BuildInterruptedError)
    assert (tmp_path / "out" / "manifest.json").exists()


def test_a_proof_that_fails_leaves_earlier_files_whole_and_saves_the_case(
    program: ProgramPlan,
    dataset: DatasetPlan,
    copied: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = contents(copied)
    monkeypatch.chdir(tmp_path)

    def denies(_self: Prover, proof: TaskProof) -> TaskProof:
        return attrs.evolve(proof, verdict=Verdict.AMBIGUOUS)

    monkeypatch.setattr(Prover, "prove", denies)
    with pytest.raises(BuildFailedError) as failed:
        build_dataset(program, dataset, copied, jobs=1)
    (finding,) = failed.value.findings
    assert finding.code == "E510"
    (case,) = (tmp_path / "failures").iterdir()
    assert json.loads(case.read_text())["subject"] == finding.subject
    assert contents(copied) == before


def test_a_proof_out_of_budget_stops_the_compile_as_undecided(
    program: ProgramPlan, dataset: DatasetPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gives_up(_self: Prover, proof: TaskProof) -> TaskProof:
        return attrs.evolve(proof, verdict=Verdict.INCONCLUSIVE)

    monkeypatch.setattr(Prover, "prove", gives_up)
    with pytest.raises(BuildFailedError) as failed:
        build_dataset(program, dataset, tmp_path / "out", jobs=1)
    assert [(finding.code, finding.inconclusive) for finding in failed.value.findings] == [("E503", True)]
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stop", "jobs"),
    [
        pytest.param(signal.SIGINT, "1", id="ctrl-c"),
        pytest.param(signal.SIGINT, "2", id="ctrl-c with workers"),
        pytest.param(signal.SIGTERM, "2", id="terminate with workers"),
    ],
)
def test_an_interrupted_compile_leaves_earlier_files_whole(copied: Path, stop: signal.Signals, jobs: str) -> None:
    before = contents(copied)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    arguments = command("compile", INCIDENTS, "-o", copied, "-j", jobs, "--seed", "99")
    process = subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: any(path.name.startswith(".train.jsonl.") for path in copied.iterdir()))
    process.send_signal(stop)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == "interrupted; nothing was changed"
    assert contents(copied) == before


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it didn't happen within a minute")


@pytest.mark.slow
def test_a_pair_that_cannot_exist_is_refused_with_the_counts(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(INCIDENTS, tmp_path / "sources"))
    path = folder / "incidents.arch"
    path.write_text(
        path.read_text() + 'compose impossible = stale_reads + small_cache "never" { fresh where lag <= 400 ms }\n'
    )
    dataset = folder / "dataset.arch"
    dataset.write_text(
        dataset.read_text().replace("use all_quiet weight 1\n", "use all_quiet, impossible weight 1\n", 1)
    )
    plan = run_frontend([folder]).plan
    assert plan is not None
    with pytest.raises(BuildFailedError) as failed:
        build_dataset(plan, plan.datasets["incidents"], tmp_path / "out", jobs=1)
    (finding,) = failed.value.findings
    assert finding.code == "E501"
    assert finding.path.endswith("incidents.arch")
    assert "worlds drawn" in finding.text


def test_a_use_that_cannot_be_unseen_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(INCIDENTS, tmp_path / "sources"))
    dataset = folder / "dataset.arch"
    text = dataset.read_text()
    assert "    within busy\n" in text
    dataset.write_text(text.replace("    within busy\n", ""))
    found = run_frontend([folder])
    assert found.failed
    messages = {diagnostic.message for diagnostic in found.diagnostics if diagnostic.code == "E451"}
    splits = ("train", "hard", "test")
    assert messages == {f"`lag_allowed` in split `ood` isn't unseen in split `{name}`" for name in splits}


def test_the_card_imports_the_grader_of_the_product_whatever_the_dataset(compiled: Path) -> None:
    card = (compiled / "README.md").read_text(encoding="utf-8")
    assert "from gpu_train_debug import grade\n" in card


@pytest.mark.slow
def test_a_split_that_asks_for_more_than_there_is_ends_with_a_finding(
    program: ProgramPlan, dataset: DatasetPlan, tmp_path: Path
) -> None:
    many = SplitPlan("many", 40, False, (), (), 1, (("narrow", 1),))
    narrow = attrs.evolve(program.archetypes["stale_reads"], name="narrow", where=few_worlds())
    wide = attrs.evolve(program, archetypes={**program.archetypes, "narrow": narrow})
    with pytest.raises(BuildFailedError) as failed:
        build_dataset(wide, attrs.evolve(dataset, splits=(many,)), tmp_path / "out", jobs=1)
    assert [finding.code for finding in failed.value.findings] == ["E501"]
    assert "too few different tasks of `narrow`" in failed.value.findings[0].message


def few_worlds() -> Expr:
    """A condition that few worlds satisfy: reads are stale, and nothing else is wrong."""
    values = {"lag": 5000, "cache": 2048, "pool": 20, "retries": 0, "instances": 2, "requests": 500}
    values |= {"allowed_lag": 2000, "working_set": 400, "server_limit": 240}
    return Apply(Op.AND, tuple(Apply(Op.EQ, (Var(name), Const(value))) for name, value in values.items()))


def test_a_foreign_readme_is_not_overwritten(program: ProgramPlan, dataset: DatasetPlan, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine\n")
    with pytest.raises(BuildFailedError) as failed:
        build_dataset(program, dataset, tmp_path, jobs=1)
    assert [finding.code for finding in failed.value.findings] == ["E620"]
    assert contents(tmp_path) == {"README.md": b"mine\n"}
