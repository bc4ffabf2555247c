"""Frozen tasks from a folder, fresh ones from the sources."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NoReturn

import pytest

from compiler.reader import answer_json, read_prompt, solve
from compiler.splits import TaskSpec
from compiler.tasks.maker import MissingTask
from compiler.tasks.pipeline import MissingTaskError
from compiler.tasks.tools import DisagreementError, UndecidedError
from gpu_train_debug.fresh import FRESH_GROUP, fresh_tasks
from gpu_train_debug.tasks import TaskRecord, TasksError, default_folder, frozen_tasks, read_split, split_names

from .conftest import INCIDENTS, ROOT

Rows = dict[str, list[TaskRecord]]


def test_a_folder_says_itself_which_splits_it_has(out: Path) -> None:
    assert split_names(out) == ["hard", "ood", "test", "train"]


def test_what_the_manifest_does_not_name_is_no_split(out: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(out, folder)
    (folder / "sft.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    (folder / "hard.jsonl").unlink()
    assert split_names(folder) == ["ood", "test", "train"]
    with pytest.raises(TasksError, match="no split `sft`"):
        list(read_split("sft", folder))
    assert len(list(fresh_tasks("test", seed=1, count=1, sources=INCIDENTS, folder=folder))) == 1


def test_without_a_manifest_each_file_is_a_split(out: Path, tmp_path: Path) -> None:
    for name in ("mine", "yours"):
        shutil.copyfile(out / "test.jsonl", tmp_path / f"{name}.jsonl")
    assert split_names(tmp_path) == ["mine", "yours"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"content": {"files": 1}}'])
def test_a_broken_manifest_is_refused(text: str, out: Path, tmp_path: Path) -> None:
    shutil.copyfile(out / "test.jsonl", tmp_path / "test.jsonl")
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(TasksError, match=r"manifest\.json isn't the manifest"):
        split_names(tmp_path)


def test_a_folder_out_comes_before_the_frozen_splits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gpu_train_debug.tasks.data_folder", lambda: tmp_path / "frozen")
    assert default_folder() == tmp_path / "frozen"
    (tmp_path / "out").mkdir()
    assert default_folder() == Path("out")


def test_rows_come_in_the_order_of_the_file(out: Path, rows: Rows) -> None:
    lines = (out / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(rows["train"]) == len(lines)
    assert all(f'"id": "{row.id}"' in line for row, line in zip(rows["train"], lines, strict=True))


def test_archetypes_tiers_and_a_limit_choose(out: Path) -> None:
    chosen = frozen_tasks("train", folder=out, archetypes=["small_cache", "stale_reads"], tiers=["computed"], limit=2)
    assert [row.archetype for row in chosen] == ["small_cache", "small_cache"]
    assert {row.tier for row in chosen} == {"computed"}


def test_a_seed_shuffles_before_the_limit_and_repeats(out: Path, rows: Rows) -> None:
    first = frozen_tasks("train", folder=out, seed=1)
    assert first == frozen_tasks("train", folder=out, seed=1)
    assert first != rows["train"]
    assert sorted(row.id for row in first) == sorted(row.id for row in rows["train"])
    assert frozen_tasks("train", folder=out, seed=1, limit=3) == first[:3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"split": "tests"}, "there is no split `tests` in .*; did you mean `test`", id="split"),
        pytest.param({"archetypes": ["small_cash"]}, "no archetype `small_cash`; did you mean `small", id="archetype"),
        pytest.param({"tiers": ["hardest"]}, "no tier `hardest`; known: `computed`", id="tier"),
        pytest.param({"archetypes": ["xyz"]}, "no archetype `xyz`; known: `all_quiet`, `crowded", id="far off"),
        pytest.param(
            {"archetypes": ["all_quiet"], "tiers": ["computed", "diagnosis"]},
            "no task of archetype `all_quiet` and of tier `computed` or `diagnosis`",
            id="none that is both",
        ),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(out: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(TasksError, match=message):
        frozen_tasks(**{"split": "train", "folder": out, **options})


def test_a_folder_without_splits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TasksError, match="no compiled tasks"):
        split_names(tmp_path)


def test_a_line_that_is_no_task_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"id": "a"}\n')
    with pytest.raises(TasksError, match=r"train\.jsonl:1: not a task"):
        list(read_split("train", tmp_path))


@pytest.mark.parametrize("line", [b"{", b'{"id": "\xff"}'])
def test_a_line_that_cannot_be_read_is_named_with_its_place(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "train.jsonl").write_bytes(line)
    with pytest.raises(TasksError, match=r"train\.jsonl:1: not a task"):
        list(read_split("train", tmp_path))


def test_a_last_line_without_a_line_end_is_a_task(out: Path, rows: Rows, tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_bytes((out / "test.jsonl").read_bytes().rstrip(b"\n"))
    assert list(read_split("test", tmp_path)) == rows["test"]


def test_frozen_tasks_load_neither_the_language_nor_a_solver(out: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from gpu_train_debug.tasks import frozen_tasks;"
        f"frozen_tasks('train', folder=Path({str(out)!r}));"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "gpu_train_debug" in loaded
    assert loaded.isdisjoint({"dsl", "compiler", "solvers", "z3", "lark", "numpy", "attrs", "datasets", "verifiers"})


@pytest.mark.slow
def test_fresh_tasks_repeat_by_seed_and_differ_by_it(out: Path) -> None:
    first = list(fresh_tasks("train", seed=5, count=6, sources=INCIDENTS, folder=out))
    assert first == list(fresh_tasks("train", seed=5, count=6, sources=INCIDENTS, folder=out))
    other = list(fresh_tasks("train", seed=6, count=6, sources=INCIDENTS, folder=out))
    assert {row.split for row in first} == {"train_seed5"}
    assert not {row.evidence for row in first} & {row.evidence for row in other}


def test_fresh_tasks_repeat_no_frozen_one(out: Path, rows: Rows) -> None:
    frozen = {row.evidence for split in rows.values() for row in split}
    fresh = list(fresh_tasks("test", seed=11, count=8, sources=INCIDENTS, folder=out))
    assert len({row.evidence for row in fresh}) == len(fresh) == 8
    assert frozen.isdisjoint(row.evidence for row in fresh)


def test_the_gold_of_a_fresh_task_is_what_its_prompt_says(out: Path) -> None:
    for row in fresh_tasks("ood", seed=3, count=3, sources=INCIDENTS, folder=out):
        assert answer_json(solve(read_prompt(row.prompt))) == row.gold


@pytest.mark.slow
def test_fresh_tasks_keep_to_what_is_asked(out: Path) -> None:
    fresh = list(fresh_tasks("train", seed=1, count=3, sources=INCIDENTS, folder=out, tiers=["healthy"]))
    assert {row.archetype for row in fresh} == {"all_quiet"}
    with pytest.raises(TasksError, match="split `test` has no archetype `lag_allowed`"):
        list(fresh_tasks("test", seed=1, count=3, sources=INCIDENTS, folder=out, archetypes=["lag_allowed"]))
    with pytest.raises(TasksError, match="declare no split `exam`"):
        list(fresh_tasks("exam", seed=1, count=3, sources=INCIDENTS, folder=out))
    with pytest.raises(TasksError, match="no task of archetype `all_quiet` and of tier `computed`"):
        list(
            fresh_tasks(
                "train", seed=1, count=3, sources=INCIDENTS, folder=out, archetypes=["all_quiet"], tiers=["computed"]
            )
        )


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            MissingTaskError(MissingTask(TaskSpec("s", "small_cache", 0), "no world", Counter(), None)),
            "`small_cache`.*no w",
        ),
        (UndecidedError("s-small_cache-000"), "a proof of task `s-small_cache-000` ran out of budget"),
        (DisagreementError("counting says unique", {}), "counting says unique: this is a bug"),
    ],
    ids=["missing", "undecided", "disagreement"],
)
def test_a_task_that_cannot_be_made_is_told_in_words(
    error: Exception, message: str, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    monkeypatch.setattr("compiler.tasks.fresh.make_split", fail)
    with pytest.raises(TasksError, match=message):
        list(fresh_tasks("train", seed=1, count=1, sources=INCIDENTS, folder=out))


def test_fresh_tasks_without_the_compiler_are_refused_with_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu_train_debug.fresh.entry_points", lambda **_: [])
    with pytest.raises(TasksError, match=r"need the compiler.*pip install -e"):
        list(fresh_tasks("train", seed=1, count=1, sources=INCIDENTS))


def test_fresh_tasks_name_the_module_that_the_compiler_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("compiler", "no_such_module:plan", FRESH_GROUP)
    monkeypatch.setattr("gpu_train_debug.fresh.entry_points", lambda **_: [broken])
    with pytest.raises(TasksError, match="need the module no_such_module"):
        list(fresh_tasks("train", seed=1, count=1, sources=INCIDENTS))


def test_faulty_sources_of_fresh_tasks_are_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.arch").write_text("system")
    with pytest.raises(TasksError, match="gtd check"):
        list(fresh_tasks("train", seed=1, count=1, sources=tmp_path))


@pytest.mark.parametrize("meta", ["", "[]", "{}", "null"])
def test_a_meta_that_says_nothing_is_named_with_its_task(meta: str) -> None:
    row = TaskRecord("t-0", "a", "test", "p", "{}", meta)
    for ask in (lambda: row.tier, lambda: row.evidence):
        with pytest.raises(TasksError, match="`t-0`"):
            ask()
