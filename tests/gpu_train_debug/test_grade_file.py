from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from compiler.cli.app import main
from compiler.emit.record import Meta, make_record, record_line
from gpu_train_debug.grade_file import grade_answers, render_scores
from gpu_train_debug.tasks import TasksError

META = Meta("computed", 1, "any", 2, 100, "s", (), (), (), (), {}, 0, "0" * 32)
A = '{"diagnosis": "A", "fix": {"f": 8}}'
B = '{"diagnosis": "B", "fix": {"g": true}}'
HEALTHY = '{"diagnosis": "HEALTHY", "fix": {}}'

EITHER = "a:2: each line has either `completion` or `completions`: give one of them"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    golds = {"train": [("one", A), ("one", A), ("well", HEALTHY)], "test": [("two", B)], "hard": [("two", B)]}
    (tmp_path / "out").mkdir()
    for split, tasks in golds.items():
        records = [
            make_record(archetype=archetype, split=split, number=number, prompt="p\n", gold=gold, meta=META)
            for number, (archetype, gold) in enumerate(tasks)
        ]
        (tmp_path / "out" / f"{split}.jsonl").write_text("".join(map(record_line, records)), encoding="utf-8")
    return tmp_path / "out"


def answers(*lines: Any) -> io.BytesIO:
    return io.BytesIO("".join(json.dumps(line) + "\n" for line in lines).encode())


LINES = [
    {"id": "train-one-000", "completion": f"So: {A}"},
    {"id": "train-one-001", "completions": ['{"diagnosis": "A", "fix": {}}', A, None, "?"], "model": "m"},
    {"id": "test-two-000", "completion": B.replace("true", "1")},
    {"id": "train-well-002", "completion": HEALTHY},
    {"id": "train-well-002", "completion": None},
]


def test_a_task_is_the_mean_of_its_samples_and_a_split_that_of_its_answered_tasks(folder: Path) -> None:
    splits = grade_answers(folder, answers(*LINES), "answers")
    assert list(splits) == ["test", "train"]
    train = splits["train"]
    assert (train.total.tasks, train.total.answered, train.total.samples) == (3, 3, 7)
    assert train.total.score == pytest.approx((1 + 1.5 / 4 + 1 / 2) / 3)
    assert train.total.exact == pytest.approx((1 + 1 / 4 + 1 / 2) / 3)
    assert train.total.diagnosis == pytest.approx((0.5 + 1 / 4 + 0.5 / 2) / 3)
    assert train.total.fix == pytest.approx((0.5 + 0.5 / 4 + 0.5 / 2) / 3)
    assert list(train.archetypes) == ["one", "well"]
    assert train.archetypes["one"].score == pytest.approx((1 + 1.5 / 4) / 2)
    assert train.archetypes["one"].tasks == 2
    assert splits["test"].total.score == 0.5


def test_tasks_without_an_answer_are_counted_and_left_out_of_the_means(folder: Path) -> None:
    total = grade_answers(folder, answers(LINES[0]), "answers")["train"].total
    assert (total.tasks, total.answered, total.score) == (3, 1, 1.0)


def test_the_last_task_counts_without_a_line_end(folder: Path) -> None:
    complete = grade_answers(folder, answers(*LINES), "answers")
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert grade_answers(folder, answers(*LINES), "answers") == complete


def test_what_the_manifest_does_not_name_holds_no_tasks(folder: Path) -> None:
    files = {f"{split}.jsonl": {} for split in ("train", "test", "hard")}
    (folder / "manifest.json").write_text(json.dumps({"content": {"files": files}}), encoding="utf-8")
    (folder / "sft.jsonl").write_text("{}\n", encoding="utf-8")
    assert list(grade_answers(folder, answers(*LINES), "answers")) == ["test", "train"]


def test_the_order_of_lines_does_not_matter(folder: Path) -> None:
    forwards = grade_answers(folder, answers(*LINES), "answers")
    assert grade_answers(folder, answers(*reversed(LINES)), "answers") == forwards


def test_the_table_has_a_line_for_each_split_and_archetype(folder: Path) -> None:
    assert render_scores(grade_answers(folder, answers(*LINES), "answers")).split("\n") == [
        "split  archetype  answered  samples  score  exact  diagnosis  fix",
        "test              1/1       1        0.500  0.000  0.500      0.000",
        "       two        1/1       1        0.500  0.000  0.500      0.000",
        "train             3/3       7        0.625  0.583  0.333      0.292",
        "       one        2/2       5        0.688  0.625  0.375      0.312",
        "       well       1/1       2        0.500  0.500  0.250      0.250",
        "",
        "score is the mean out of 1; diagnosis and fix are the points out of 0.5 that it is the sum of",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "a:2: not JSON"),
        (b'{"id": "\xff"}', "a:2: not UTF-8"),
        (b"[" * 100_000, "a:2: nested too deeply"),
        (b"[]", "a:2: not a JSON object"),
        (b'{"id": "x", "id": "y", "completion": ""}', "a:2: the key `id` occurs twice"),
        (b'{"completion": ""}', "a:2: not an object with an `id`"),
        (b'{"id": 1, "completion": ""}', "a:2: not an object with an `id`"),
        (b'{"id": "x"}', EITHER),
        (
            b'{"id": "x", "completion": "", "completions": [""]}',
            EITHER,
        ),
        (b'{"id": "x", "completions": "y"}', "a:2: `completions` isn't a list of texts"),
        (b'{"id": "x", "completions": []}', "a:2: `completions` isn't a list of texts"),
        (b'{"id": "x", "completion": 1}', "a:2: a completion is neither a text nor null"),
        (b'{"id": "x", "completions": [["y"]]}', "a:2: a completion is neither a text nor null"),
        (b'{"id": "train-one-002", "completion": ""}', "a:2: there is no task `train-one-002` in "),
    ],
    ids=lambda text: str(text)[:40],
)
def test_a_line_of_another_form_is_refused_with_its_number(folder: Path, line: bytes, message: str) -> None:
    with pytest.raises(TasksError) as raised:
        grade_answers(folder, io.BytesIO(b"\n" + line + b"\n"), "a")
    assert str(raised.value).startswith(message)


def test_a_reply_with_lone_surrogates_is_graded_like_any_other(folder: Path) -> None:
    line = {"id": "train-one-000", "completion": f"\ud800 {A}"}
    assert grade_answers(folder, answers(line), "a")["train"].total.exact == 1


def test_a_task_with_a_malformed_gold_is_refused(folder: Path) -> None:
    text = (folder / "test.jsonl").read_text(encoding="utf-8")
    (folder / "test.jsonl").write_text(text.replace("diagnosis", "diagnoses"), encoding="utf-8")
    with pytest.raises(TasksError, match=r"task `test-two-000` in .*: the diagnosis of the gold"):
        grade_answers(folder, answers(*LINES), "a")


def test_a_file_without_answers_is_refused(folder: Path) -> None:
    with pytest.raises(TasksError, match="there are no answers in a"):
        grade_answers(folder, io.BytesIO(b"\n"), "a")


def test_a_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TasksError, match="there are no compiled tasks in"):
        grade_answers(tmp_path / "nowhere", answers(*LINES), "a")


@pytest.mark.parametrize(
    ("content", "message"), [(b"{}\n", r"hard.jsonl:1: not a task: the key `id` is missing"), (b"\xff\n", "not UTF-8")]
)
def test_a_broken_split_is_refused(folder: Path, content: bytes, message: str) -> None:
    (folder / "hard.jsonl").write_bytes(content)
    with pytest.raises(TasksError, match=message):
        grade_answers(folder, answers(*LINES), "a")


def test_the_command_prints_the_table_or_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder.parent / "answers.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + answers(*LINES).getvalue())
    with pytest.raises(SystemExit) as stopped:
        main(["grade", str(path), "--tasks", str(folder)])
    assert (stopped.value.code, capsys.readouterr().out.startswith("split  archetype")) == (0, True)
    with pytest.raises(SystemExit) as stopped:
        main(["grade", str(path), "--tasks", str(folder), "--format", "json"])
    printed = json.loads(capsys.readouterr().out)
    assert stopped.value.code == 0
    assert printed["test"]["archetypes"]["two"] == {
        "tasks": 1, "answered": 1, "samples": 1, "score": 0.5, "exact": 0.0, "diagnosis": 0.5, "fix": 0.0
    }  # fmt: skip


def test_the_command_has_status_2_for_answers_to_other_tasks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder.parent / "answers.jsonl"
    path.write_bytes(answers({"id": "x", "completion": ""}).getvalue())
    with pytest.raises(SystemExit) as stopped:
        main(["grade", str(path), "--tasks", str(folder)])
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert "error: there is no task `x`" in said
    assert f"  --> {path}:1" in said


def test_the_command_takes_out_or_else_the_frozen_splits_and_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.parent / "answers.jsonl"
    path.write_bytes(answers(*LINES).getvalue())
    monkeypatch.chdir(folder.parent)
    frozen = folder.parent / "frozen"
    monkeypatch.setattr("gpu_train_debug.tasks.data_folder", lambda: frozen)
    for place in ("out", str(frozen)):
        with pytest.raises(SystemExit) as stopped:
            main(["grade", "answers.jsonl"])
        assert (stopped.value.code, capsys.readouterr().err) == (0, f"tasks: {place}\n")
        if place == "out":
            folder.rename(frozen)
