"""Each benchmark at its smallest size: that it runs and what shape its results have, never how long it took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.measure import Clock, CommandError, Result, run_command, shown
from benchmarks.sources import SMALL, copy_with_sizes, load_program, only_dataset


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmark_at_its_smallest_size(name: str) -> None:
    result = BENCHMARKS[name](quick=True)
    assert result.name == name
    assert result.rows
    assert all(len(row) == len(result.columns) for row in result.rows)
    assert json.loads(json.dumps(result.as_json()))["question"] == result.question
    assert result.as_text().startswith(f"## {name}: ")


@pytest.mark.slow
def test_command_writes_json(tmp_path: Path) -> None:
    target = tmp_path / "results.json"
    done = CliRunner().invoke(main, ["--quick", "--json-out", str(target), "reading"])
    assert done.exit_code == 0, done.output
    written = json.loads(target.read_text())
    assert written["machine"]["cores"] >= 1
    assert [result["name"] for result in written["results"]] == ["reading"]
    assert "| memory " in done.output


def test_command_when_a_name_is_unknown() -> None:
    assert CliRunner().invoke(main, ["nothing"]).exit_code == 2


def test_result_as_text() -> None:
    result = Result("some", "a question", ("what", "much"), (("a", 1234.5), ("bc", None)), {"ratio": 0.12345})
    assert result.as_text().splitlines() == [
        "## some: a question",
        "",
        "| what | much  |",
        "|------|-------|",
        "| a    | 1,234 |",
        "| bc   |       |",
        "",
        "- ratio: 0.123",
    ]


def test_shown_keeps_text_and_counts() -> None:
    assert [shown(cell) for cell in ("x", 12345, 3.0, None)] == ["x", "12345", "3", ""]


def test_clock_adds_up_the_times_of_a_stage() -> None:
    clock = Clock()
    for name in ("a", "b", "a"):
        with clock.stage(name):
            pass
    assert set(clock.spent) == {"a", "b"}


def test_copy_with_sizes_changes_the_named_splits(tmp_path: Path) -> None:
    copied = copy_with_sizes(SMALL, tmp_path / "copy", {"train": 24})
    sizes = {split.name: split.count for split in only_dataset(load_program(copied)).splits}
    assert sizes == {"train": 24, "hard": 4, "test": 4, "ood": 4}


def test_run_command_when_it_fails() -> None:
    with pytest.raises(CommandError, match="No module named"):
        run_command("no_such_module")
