"""The compiled splits keep what docs/page.md promises of pages, answers and margins."""

from __future__ import annotations

import pytest

from gpu_train_debug.stats.measure import TaskStats, measure_tasks
from gpu_train_debug.stats.promises import broken_promises
from gpu_train_debug.stats.tokens import token_counter
from gpu_train_debug.tasks import read_split, split_names


@pytest.fixture(scope="module")
def stats() -> TaskStats:
    pytest.importorskip("mistral_common", reason="tokens are counted with the extra `tokens`")
    return measure_tasks({split: list(read_split(split)) for split in split_names()}, token_counter())


@pytest.mark.slow
def test_no_promise_is_broken(stats: TaskStats) -> None:
    assert broken_promises(stats) == ()


@pytest.mark.slow
def test_all_tasks_of_a_system_share_their_handbook(stats: TaskStats) -> None:
    assert {page.handbooks for page in stats.pages} == {1}
