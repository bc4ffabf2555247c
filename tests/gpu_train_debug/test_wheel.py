"""The built package: what is in it, and that it works outside the checkout."""

from __future__ import annotations

import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from gpu_train_debug.tasks import TaskRecord

from .installed import Installed, build, copy_checkout, needs_hatchling
from .server import serving
from .verifiers_runs import needs_verifiers, read_rollouts, scores

pytestmark = [pytest.mark.slow, needs_hatchling]

DATA = ["README.md", "hard.jsonl", "manifest.json", "ood.jsonl", "test.jsonl", "train.jsonl"]
SOURCES = ["dataset.arch", "incidents.arch", "service.arch"]


def test_a_wheel_holds_packages_splits_sources_and_configs_and_nothing_else(installed: Installed, out: Path) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = wheel.namelist()
        inside = {name: wheel.read(name) for name in names if name.startswith("gpu_train_debug/data/")}
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {
        "compiler",
        "dsl",
        "gpu_train_debug",
        "solvers",
    }
    assert sorted(inside) == [f"gpu_train_debug/data/{name}" for name in DATA]
    assert all(inside[f"gpu_train_debug/data/{name}"] == (out / name).read_bytes() for name in DATA)
    held = set(names)
    assert {f"gpu_train_debug/archetypes/{name}" for name in SOURCES} <= held
    assert {"dsl/syntax/grammar.lark", "gpu_train_debug/py.typed", "gpu_train_debug/configs/trl-grpo.yaml"} <= held
    assert not [name for name in names if "__pycache__" in name or name.endswith((".pyc", "~"))]


def test_frozen_splits_are_read_outside_the_checkout(installed: Installed, rows: dict[str, list[TaskRecord]]) -> None:
    code = (
        "import json, sys, gpu_train_debug; from gpu_train_debug import tasks;"
        "found = {split: [row.id for row in tasks.read_split(split)] for split in tasks.split_names()};"
        "heavy = {'z3', 'lark', 'numpy', 'compiler'} & set(sys.modules);"
        "print(json.dumps([gpu_train_debug.__file__, found, sorted(heavy)]))"
    )
    ran = installed.run([str(installed.python), "-c", code])
    assert ran.returncode == 0, ran.stderr
    file, found, heavy = json.loads(ran.stdout)
    assert Path(file).is_relative_to(installed.python.parent.parent)
    assert found == {split: [row.id for row in split_rows] for split, split_rows in rows.items()}
    assert heavy == []


def test_the_command_works_outside_the_checkout(installed: Installed) -> None:
    for command in (
        ["gtd", "--version"],
        ["gtd", "export", "sft", "--rationale", "--limit", "2", "-o", "sft.jsonl"],
        ["gtd", "export", "configs", "-o", "configs"],
    ):
        ran = installed.run(command)
        assert ran.returncode == 0, ran.stderr
    assert len((installed.outside / "sft.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_fresh_tasks_are_made_from_the_installed_sources(installed: Installed) -> None:
    code = (
        "from gpu_train_debug.fresh import fresh_tasks;print(*(row.id for row in fresh_tasks('test', seed=4, count=2)))"
    )
    ran = installed.run([str(installed.python), "-c", code])
    assert ran.returncode == 0, ran.stderr
    assert all(task.startswith("test_seed4-") for task in ran.stdout.split())


@needs_verifiers
@pytest.mark.parametrize("split", ["train", "hard", "test", "ood"])
def test_vf_eval_runs_outside_the_checkout(split: str, installed: Installed, rows: dict[str, list[TaskRecord]]) -> None:
    with serving({row.prompt: row.gold for row in rows[split]}) as server:
        endpoint = ["--client.base-url", server.url, "--client.api-key-var", "OPENAI_API_KEY"]
        options = ["--env.taskset.split", split, "--no-push", "--no-rich", "-o", "runs", "--run.name", split]
        command = ["vf-eval", "gpu-train-debug", "-m", "partly", *endpoint, *options]
        ran = installed.run(command, variables={"OPENAI_API_KEY": "unused"})
    assert ran.returncode == 0, ran.stderr
    assert scores(read_rollouts(installed.outside / "runs" / split)) == [(True, 0.5, 0.0)] * len(rows[split])


def test_a_package_without_splits_is_not_built(tmp_path: Path) -> None:
    built = build(copy_checkout(tmp_path / "checkout", None), "wheel")
    assert built.returncode != 0
    assert "holds no compiled splits to package; run `make compile` first" in built.stderr
    assert not list((tmp_path / "checkout").glob("dist/*.whl"))


def test_a_source_package_builds_the_same_wheel_whatever_lies_beside_the_splits(
    installed: Installed, out: Path, tmp_path: Path
) -> None:
    checkout = copy_checkout(tmp_path / "checkout", out)
    (checkout / "out" / "sft.jsonl").write_text("{}\n", encoding="utf-8")
    assert build(checkout, "sdist").returncode == 0
    with tarfile.open(next((checkout / "dist").glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    unpacked = next((tmp_path / "unpacked").iterdir())
    built = build(unpacked, "wheel")
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next((unpacked / "dist").glob("*.whl"))) as second, zipfile.ZipFile(installed.wheel) as first:
        assert sorted(second.namelist()) == sorted(first.namelist())
