"""Archives: what is read, and what is refused, where and with which help."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.bakery import task_row, write_rows

from gpu_train_debug.input_errors import InputError
from gpu_train_debug.study.inputs.generations import Archive, read_archive
from gpu_train_debug.study.inputs.tasks import StudyTask, TaskSet, read_tasks

Write = Callable[..., Path]


def texts(paths: list[Path], tasks: tuple[StudyTask, ...], **options: object) -> Archive[str]:
    return read_archive(paths, tasks, lambda completion, task: str(completion), **options)  # type: ignore[arg-type]


def all_of(tasks: tuple[StudyTask, ...], arm: str, samples: int) -> list[tuple[str, str, int, str]]:
    return [(task.id, arm, number, f"{task.id}/{number}") for task in tasks for number in range(samples)]


@pytest.fixture
def two(task_set: TaskSet) -> tuple[StudyTask, ...]:
    return task_set.tasks[:2]


def test_samples_come_in_order_of_tasks_and_numbers_when_rows_are_shuffled(
    two: tuple[StudyTask, ...], archive: Write
) -> None:
    rows = all_of(two, "base", 3)
    read = texts([archive(*reversed(rows))], two)
    assert read.arms == {"base": tuple(tuple(f"{task.id}/{number}" for number in range(3)) for task in two)}


def test_arms_may_lie_in_files_of_their_own(two: tuple[StudyTask, ...], archive: Write) -> None:
    files = [archive(*all_of(two, arm, 1), name=f"{arm}.jsonl") for arm in ("tuned", "base")]
    read = texts(files, two)
    assert list(read.arms) == ["base", "tuned"]
    assert list(read.digests) == [str(file) for file in files]


def test_first_samples_are_used_when_cut(two: tuple[StudyTask, ...], archive: Write) -> None:
    rows = [*all_of(two, "base", 2), (two[0].id, "base", 7, "late")]
    read = texts([archive(*rows)], two, samples=2)
    assert [len(row) for row in read.arms["base"]] == [2, 2]
    assert read.cut == ("base",)


def test_tasks_outside_the_study_and_other_arms_are_passed_over(two: tuple[StudyTask, ...], archive: Write) -> None:
    first, second = two
    rows = [(first.id, "base", 0, "a"), (second.id, "base", 0, "b"), (first.id, "other", 0, "c")]
    read = texts([archive(*rows)], (first,), skip=frozenset({second.id}), arms=["base"])
    assert read.arms == {"base": (("a",),)}
    assert read.dropped == ("other",)


def test_lone_surrogates_and_further_keys_are_accepted_in_a_row(two: tuple[StudyTask, ...], tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(f'{{"id": "{two[0].id}", "arm": "a", "sample": 0, "completion": "\\ud800", "tokens": 3}}\n')
    assert texts([path], two[:1]).arms["a"] == (("\ud800",),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "the line is empty"),
        ("{", "not JSON: "),
        ("[]", "not a JSON object"),
        ('{"arm": "a", "sample": 0, "completion": ""}', "the key `id` is missing"),
        ('{"id": "ID", "arm": "a", "sample": true, "completion": ""}', "`sample` isn't an integer"),
        ('{"id": "ID", "arm": "a", "sample": 0.0, "completion": ""}', "`sample` isn't an integer"),
        ('{"id": "ID", "arm": "a", "sample": -1, "completion": ""}', "`sample` is negative"),
        ('{"id": "ID", "arm": "a", "sample": 0, "completion": null}', "`completion` isn't a string"),
        ('{"id": "ID", "arm": "a", "sample": 0, "completion": "", "failed": true}', "`failed` isn't a string"),
        ('{"id": "ID", "arm": "a", "sample": 0, "completion": "", "failed": null}', "`failed` isn't a string"),
        ('{"id": "ID", "arm": "a b", "sample": 0, "completion": ""}', "`arm` isn't a name of letters"),
        ('{"id": "ID", "id": "ID", "arm": "a", "sample": 0, "completion": ""}', "the key `id` occurs twice"),
        ('{"id": "ID", "arm": "a", "sample": NaN, "completion": ""}', "NaN isn't a JSON number"),
        ('{"id": "IDx", "arm": "a", "sample": 0, "completion": ""}', "there is no task `IDx` in the split files"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_row_is_refused_with_its_place(line: str, message: str, two: tuple[StudyTask, ...], tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    good = f'{{"id": "{two[0].id}", "arm": "a", "sample": 9, "completion": ""}}'
    path.write_text(f"{good}\n{line.replace('ID', two[0].id)}\n")
    with pytest.raises(InputError) as caught:
        texts([path], two)
    assert message.replace("ID", two[0].id) in str(caught.value)
    assert f"  --> {path}:2" in str(caught.value)


def test_bytes_that_are_no_text_are_refused(two: tuple[StudyTask, ...], tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b"\xff\n")
    with pytest.raises(InputError, match="not UTF-8 at byte 0"):
        texts([path], two)


def test_a_failed_request_has_no_completion(two: tuple[StudyTask, ...], tmp_path: Path) -> None:
    row = {"id": two[0].id, "arm": "a", "sample": 0, "completion": "half a rep", "failed": ""}
    assert texts([write_rows(tmp_path / "failed.jsonl", [row])], two[:1]).arms["a"] == (("None",),)


def test_a_failed_request_is_told_to_be_archived_empty(two: tuple[StudyTask, ...], tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"id": "{two[0].id}", "arm": "a", "sample": 0, "completion": null}}\n')
    with pytest.raises(InputError) as caught:
        texts([path], two)
    assert '= help: archive a request that failed with an empty completion and why: "comp' in str(caught.value)


def test_the_same_sample_twice_is_refused_with_both_places(two: tuple[StudyTask, ...], archive: Write) -> None:
    path = archive((two[0].id, "base", 0, "x"), (two[1].id, "base", 0, "x"), (two[0].id, "base", 0, "x"))
    with pytest.raises(InputError) as caught:
        texts([path], two)
    assert f"sample 0 of task `{two[0].id}` occurs twice in arm `base`" in str(caught.value)
    assert f"--> {path}:3" in str(caught.value)
    assert f"= note: first at {path}:1" in str(caught.value)


def test_the_same_archive_twice_is_told_once(two: tuple[StudyTask, ...], archive: Write, tmp_path: Path) -> None:
    one, other = (archive(*all_of(two, arm, 1), name=f"{arm}.jsonl") for arm in ("base", "tuned"))
    link = tmp_path / "link.jsonl"
    link.symlink_to(one)
    with pytest.raises(InputError) as caught:
        texts([one, other, link, one], two)
    assert str(caught.value) == (
        f"error: this archive is given more than once\n  --> {one}\n   = note: as `{one}`, `{link}` and `{one}`"
    )


def test_a_task_without_samples_is_refused(two: tuple[StudyTask, ...], archive: Write) -> None:
    with pytest.raises(InputError, match=f"arm `base` lacks 1 of 2 tasks: `{two[1].id}`"):
        texts([archive(*all_of(two[:1], "base", 2))], two)


def test_a_split_without_samples_is_told_to_be_left_out(task_set: TaskSet, archive: Write) -> None:
    tasks = task_set.tasks
    path = archive(*all_of(tuple(task for task in tasks if task.split == "test"), "base", 1))
    with pytest.raises(InputError, match="lacks 14 of 28 tasks") as caught:
        texts([path], tasks)
    assert "leave out a split that wasn't evaluated (`ood`)" in str(caught.value)


def test_different_numbers_of_samples_are_refused_with_a_way_out(two: tuple[StudyTask, ...], archive: Write) -> None:
    path = archive(*all_of(two, "base", 2), (two[0].id, "base", 2, "x"))
    with pytest.raises(InputError, match="has 2 samples of some tasks and 3 of others") as caught:
        texts([path], two)
    assert f"fewer than 3: `{two[1].id}`" in str(caught.value)
    assert "--samples 2" in str(caught.value)


def test_too_few_samples_are_refused_when_a_number_is_asked_for(two: tuple[StudyTask, ...], archive: Write) -> None:
    with pytest.raises(InputError, match="fewer than 4 samples of 2 tasks") as caught:
        texts([archive(*all_of(two, "base", 3))], two, samples=4)
    assert "every task has at least 3" in str(caught.value)


def test_an_arm_that_is_not_there_is_refused_with_a_suggestion(two: tuple[StudyTask, ...], archive: Write) -> None:
    with pytest.raises(InputError, match="no generation of arm `bsae`") as caught:
        texts([archive(*all_of(two, "base", 1))], two, arms=["bsae"])
    assert "did you mean `base`?" in str(caught.value)


def test_an_archive_of_nothing_is_refused(two: tuple[StudyTask, ...], archive: Write) -> None:
    with pytest.raises(InputError, match="hold no generation of these tasks"):
        texts([archive()], two)


def test_many_faults_are_counted_rather_than_told(two: tuple[StudyTask, ...], archive: Write) -> None:
    with pytest.raises(InputError) as caught:
        texts([archive(*((f"no-{number}", "a", 0, "") for number in range(50)))], two)
    assert len(caught.value.flaws) == 50
    assert str(caught.value).count("error:") == 20
    assert str(caught.value).endswith("and 30 more")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold": "{}"}, "the gold isn't a JSON object"),
        ({"gold": 3}, "`gold` isn't a string"),
        ({"meta": "[]"}, "not a JSON object"),
        ({"meta": '{"tier": "x"}'}, "in `meta`: the key `system` is missing"),
        ({"id": "test-cold_oven-001"}, "occurs twice"),
    ],
)
def test_a_split_file_is_refused(change: dict[str, object], message: str, tmp_path: Path) -> None:
    rows = [task_row("cold_oven", "test", 1), {**task_row("cold_oven", "test", 2), **change}]
    path = write_rows(tmp_path / "test.jsonl", rows)
    with pytest.raises(InputError, match=message) as caught:
        read_tasks([path])
    assert f"{path}:2" in str(caught.value)


def test_split_files_need_different_names(bakery: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "test.jsonl").write_text("")
    with pytest.raises(InputError, match=r"two split files are named `test\.jsonl`"):
        read_tasks([bakery, other])


def test_a_folder_without_split_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no compiled tasks"):
        read_tasks([tmp_path])


def test_of_a_folder_with_a_manifest_the_splits_are_taken_and_nothing_beside_them(bakery: Path) -> None:
    rows = {f"{split}.jsonl": {"rows": 14} for split in ("test", "ood")}
    (bakery / "manifest.json").write_text(json.dumps({"content": {"files": rows}}))
    (bakery / "sft.jsonl").write_text("{}\n")
    assert set(read_tasks([bakery]).digests) == {"test.jsonl", "ood.jsonl"}
