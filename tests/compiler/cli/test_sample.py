"""`gtd sample`: prompts, records, tasks of a split."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.compiled import lines
from strategies.incidents import INCIDENTS, Ran

Gtd = Callable[..., Ran]


def test_sample_prints_a_prompt_and_its_gold(gtd: Gtd) -> None:
    ran = gtd("sample", "starved_pool", "--sources", INCIDENTS, "-n", "2")
    assert ran.status == 0
    assert ran.out.count("## Runbook") == 2
    assert ran.out.count('{"diagnosis": "POOL_STARVED"') == 2


def test_sample_prints_a_prompt_alone_that_solve_takes(gtd: Gtd, tmp_path: Path) -> None:
    record = json.loads(gtd("sample", "starved_pool", "--sources", INCIDENTS, "--format", "json").out)
    prompt = gtd("sample", "starved_pool", "--sources", INCIDENTS, "--prompt").out
    assert prompt == record["prompt"]
    (tmp_path / "prompt.txt").write_text(prompt, encoding="utf-8")
    assert gtd("solve", "prompt.txt").out == record["gold"] + "\n"
    assert gtd("sample", "starved_pool", "--sources", INCIDENTS, "--prompt", "-n", "2").status == 2


@pytest.mark.slow
def test_sample_of_a_split_is_a_task_of_the_dataset(gtd: Gtd, compiled: Path) -> None:
    ran = gtd("sample", "stale_reads", "--sources", INCIDENTS, "--split", "train", "-n", "3", "--format", "json")
    theirs = {json.loads(line)["id"]: line for line in lines(compiled)}
    assert ran.status == 0
    assert ran.out.splitlines() == [theirs[f"train-stale_reads-{number:03d}"] for number in range(3)]


@pytest.mark.slow
def test_more_tasks_than_a_split_has_are_said_not_to_be_its_own(gtd: Gtd) -> None:
    ran = gtd("sample", "stale_reads", "--sources", INCIDENTS, "--split", "train", "-n", "9", "--format", "json")
    assert len(ran.out.splitlines()) == 9
    assert re.search(r"note: split `train` has \d tasks? of `stale_reads`; others are drawn", ran.err)
