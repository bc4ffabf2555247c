"""Tasks of a folder by their ids."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from compiler.dataset.lookup import UnknownTaskError, find_task
from compiler.dataset.manifest import MANIFEST_NAME
from compiler.plan import ProgramPlan


def test_a_task_is_found_with_the_dataset_that_made_it(program: ProgramPlan, compiled: Path) -> None:
    found = find_task(program, compiled, "train-small_cache-001")
    assert (found.record.split, found.record.archetype) == ("train", "small_cache")
    assert found.dataset == program.datasets["incidents"]


def test_an_unknown_id_is_told_with_near_ones(program: ProgramPlan, compiled: Path) -> None:
    with pytest.raises(UnknownTaskError, match=r"no task `train-small_cash-001` among .*`train-small_cache-001`"):
        find_task(program, compiled, "train-small_cash-001")


def test_a_broken_manifest_is_told(program: ProgramPlan, copied: Path) -> None:
    (copied / MANIFEST_NAME).write_text("{}", encoding="utf-8")
    with pytest.raises(UnknownTaskError, match=r"the manifest in .* isn't valid; run `gtd verify"):
        find_task(program, copied, "train-small_cache-001")


def test_a_dataset_of_other_sources_is_told(program: ProgramPlan, compiled: Path) -> None:
    other = attrs.evolve(program, datasets={})
    with pytest.raises(UnknownTaskError, match="was compiled from other sources"):
        find_task(other, compiled, "train-small_cache-001")
