"""Frozen tasks from a folder, fresh ones from the sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from compiler.reader import answer_json, read_prompt, solve
from gpu_train_debug.fresh import fresh_tasks
from gpu_train_debug.tasks import TaskRow, TasksError, frozen_tasks, read_split, split_names

from .conftest import INCIDENTS, ROOT

Rows = dict[str, list[TaskRow]]


def test_a_folder_says_itself_which_splits_it_has(out: Path) -> None:
    assert split_names(out) == ["hard", "ood", "test", "train"]


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
        pytest.param({"split": "tests"}, "there is no split `tests` in .*; there is `test`", id="split"),
        pytest.param({"archetypes": ["small_cash"]}, "no archetype `small_cash`; there is `small", id="archetype"),
        pytest.param({"tiers": ["hardest"]}, "no tier `hardest`; there is `computed`, `diagnosis`", id="tier"),
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


def test_fresh_tasks_keep_to_what_is_asked(out: Path) -> None:
    fresh = list(fresh_tasks("train", seed=1, count=3, sources=INCIDENTS, folder=out, tiers=["healthy"]))
    assert {row.archetype for row in fresh} == {"all_quiet"}
    with pytest.raises(TasksError, match="split `test` has no archetype `lag_allowed`"):
        list(fresh_tasks("test", seed=1, count=3, sources=INCIDENTS, folder=out, archetypes=["lag_allowed"]))
    with pytest.raises(TasksError, match="declare no split `exam`"):
        list(fresh_tasks("exam", seed=1, count=3, sources=INCIDENTS, folder=out))


def test_faulty_sources_of_fresh_tasks_are_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.arch").write_text("system")
    with pytest.raises(TasksError, match="gtd check"):
        list(fresh_tasks("train", seed=1, count=1, sources=tmp_path))
