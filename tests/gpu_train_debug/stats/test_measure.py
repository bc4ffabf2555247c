"""Numbers of small made folders, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from gpu_train_debug.jsontext import encode
from gpu_train_debug.stats.measure import measure_tasks
from gpu_train_debug.stats.tokens import TokenCounter
from gpu_train_debug.tasks import TaskRecord, TasksError

WORDS = TokenCounter("words", lambda text: len(text.split()))


def record(
    split: str, archetype: str, gold: dict[str, Any], *, run: str = "a b", handbook: str = "# T", **meta: object
) -> TaskRecord:
    prompt = f"{handbook}\n\n## Config\n{run}\n"
    meta = {"system": "pump", "interaction": 2, "uniqueness": "any", **meta}
    return TaskRecord(f"{split}-{archetype}-000", archetype, split, prompt, encode(gold), encode(meta))


def fault(code: str, **fix: object) -> dict[str, Any]:
    return {"diagnosis": code, "fix": fix}


HEALTHY = fault("HEALTHY")


def test_lengths_are_counted_for_handbook_and_run() -> None:
    rows = [record("test", "x", HEALTHY, run=run) for run in ("a", "a b c", "a b c d e")]
    (page,) = measure_tasks({"test": rows}, WORDS).pages
    assert (page.system, page.tasks, page.handbooks) == ("pump", 3, 1)
    assert (page.handbook, page.run_median, page.run_most) == (2, 5, 7)  # with the two words of the heading


def test_lines_of_logs_are_counted() -> None:
    logs = ["one\ntwo", "one\ntwo\nthree"]
    rows = [record("test", "x", HEALTHY, run=f"a\n\n## Log\n```text\n{log}\n```") for log in logs]
    (page,) = measure_tasks({"test": rows}, WORDS).pages
    assert (page.log_fewest, page.log_most) == (2, 3)


@pytest.mark.parametrize(
    "config",
    [
        "```yaml\npump:\n  mode: fast\n  rate: 0.5\ntank:\n  size: 3\n```",
        '```toml\n[pump]\nmode = "fast"\nrate = 0.5\n[tank]\nsize = 3\n```',
        '```json\n{\n  "pump": {\n    "mode": "fast",\n    "rate": 0.5\n  },\n  "tank": {\n    "size": 3\n  }\n}\n```',
        "```sh\n--pump.mode fast\n--pump.rate 0.5\n--tank.size 3\n```",
        "```text\npump.mode = fast\npump.rate = 0.5\ntank.size = 3\n```",
    ],
)
def test_fields_are_counted_in_every_form_of_a_config(config: str) -> None:
    rest = "\n## Profiler\nflow 3 | head: 4\n\n## Log\n```text\na = 1\n```"
    (page,) = measure_tasks({"test": [record("test", "x", HEALTHY, run=config + "\n" + rest)]}, WORDS).pages
    assert (page.fields_fewest, page.fields_most) == (3, 3)


def test_different_handbooks_of_a_system_are_counted() -> None:
    rows = [record("test", "x", HEALTHY), record("test", "x", HEALTHY, handbook="# T\n\nMore words.")]
    (page,) = measure_tasks({"test": rows}, WORDS).pages
    assert (page.handbooks, page.handbook) == (2, 4)


def test_answers_are_counted() -> None:
    pair = {"diagnosis": ["A", "B"], "fix": {"f": 1, "g": 2}}
    rows = [record("test", "x", gold) for gold in (fault("A", f=1), fault("A", f=1), pair, HEALTHY)]
    (split,) = measure_tasks({"test": rows, "train": []}, WORDS).splits
    assert (split.tasks, split.healthy, split.pairs) == (4, 1, 1)
    assert list(split.codes.items()) == [("A", 3), ("B", 1)]
    assert list(split.golds.values()) == [2, 1, 1]
    assert split.interaction == {2: 4}


def test_margins_are_those_that_tasks_tell() -> None:
    rows = [record("test", "x", HEALTHY, margin=margin) for margin in (300, 12)] + [record("test", "x", HEALTHY)]
    (split,) = measure_tasks({"test": rows}, WORDS).splits
    assert split.margins == [12, 300]


def test_an_archetype_with_one_answer_is_named() -> None:
    rows = [
        *(record("test", "single", fault("A", f=1)) for _ in range(4)),
        *(record("test", "few", fault("A", f=1)) for _ in range(3)),
        *(record("test", "two", fault("A", f=number % 2)) for number in range(4)),
        *(record("test", "healthy", HEALTHY) for _ in range(4)),
    ]
    assert measure_tasks({"test": rows}, WORDS).single_gold == ("single",)


@pytest.mark.parametrize("rows", [[], [TaskRecord("test-x-000", "x", "test", "p\n", "gold", "{}")]])
def test_what_cannot_be_measured_is_an_error(rows: list[TaskRecord]) -> None:
    with pytest.raises(TasksError):
        measure_tasks({"test": rows}, WORDS)
