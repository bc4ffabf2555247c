"""Worlds of tasks, drawn again from their ids."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from compiler.dataset.lookup import find_task
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.tasks.maker import ProvedWorld, TaskMaker
from compiler.tasks.redraw import OtherSourcesError, redraw


def test_a_redrawn_world_gives_the_same_record(program: ProgramPlan, dataset: DatasetPlan, compiled: Path) -> None:
    record = find_task(program, compiled, "hard-small_cache-000").record
    maker = TaskMaker(program, dataset)
    proved = maker.count(redraw(maker, record))
    assert isinstance(proved, ProvedWorld)
    assert maker.render(proved).record == record


def test_a_task_of_another_seed_is_refused(program: ProgramPlan, dataset: DatasetPlan, compiled: Path) -> None:
    record = find_task(program, compiled, "hard-small_cache-000").record
    with pytest.raises(OtherSourcesError, match="`hard-small_cache-000` was compiled from other sources or another"):
        redraw(TaskMaker(program, attrs.evolve(dataset, seed=dataset.seed + 1)), record)


def test_a_task_of_an_unknown_archetype_is_refused(program: ProgramPlan, dataset: DatasetPlan, compiled: Path) -> None:
    record = find_task(program, compiled, "hard-small_cache-000").record
    with pytest.raises(OtherSourcesError):
        redraw(TaskMaker(attrs.evolve(program, archetypes={}), dataset), record)
