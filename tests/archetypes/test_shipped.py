"""The shipped archetypes: no finding, most drawn worlds give a task, and the dataset is in proportion."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from compiler.frontend.run import Frontend, run_frontend
from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan
from compiler.splits import apportion
from compiler.tasks.tools import SystemTools
from compiler.trials.archetypes import ProveOptions, prove_archetype
from solvers.outcome import Verdict
from solvers.problem import Kind

SOURCES = Path(__file__).parents[2] / "archetypes"
DATASET = "gpu_train_debug"
NAMES = sorted(
    word[1]
    for path in SOURCES.rglob("*.arch")
    for line in path.read_text(encoding="utf-8").splitlines()
    if (word := line.split())[:1] in (["archetype"], ["compose"])
)


@cache
def shipped() -> Frontend:
    return run_frontend([SOURCES], lints=False)


def plan() -> ProgramPlan:
    program = shipped().plan
    assert program is not None
    return program


def dataset() -> DatasetPlan:
    return plan().datasets[DATASET]


@cache
def tools(system: str) -> SystemTools:
    return SystemTools(plan(), system)


def split(name: str) -> SplitPlan:
    return next(each for each in dataset().splits if each.name == name)


def shares(part: SplitPlan) -> Counter[int]:
    """How many tasks of a split have no, one and two codes."""
    counts = apportion(part.count, list(part.uses))
    return Counter({codes: sum(count for name, count in counts.items() if len(plan().archetypes[name].codes) == codes)
                    for codes in (0, 1, 2)})  # fmt: skip


@pytest.mark.slow
def test_sources_are_clean() -> None:
    assert [(each.code, each.message) for each in run_frontend([SOURCES]).diagnostics] == []


def test_names_are_those_of_the_plan() -> None:
    assert sorted(plan().archetypes) == NAMES


@pytest.mark.parametrize("name", ["train", "hard", "test", "ood"])
def test_weights_are_numbers_of_tasks(name: str) -> None:
    assert apportion(split(name).count, list(split(name).uses)) == dict(split(name).uses)


@pytest.mark.parametrize("name", ["train", "hard", "test", "ood"])
def test_healthy_runs_are_about_a_tenth(name: str) -> None:
    assert 0.08 <= shares(split(name))[0] / split(name).count <= 0.12


def test_hard_tasks_are_mostly_pairs_near_a_boundary() -> None:
    hard = split("hard")
    assert hard.boundary
    assert hard.interaction >= 2
    assert 0.62 <= shares(hard)[2] / hard.count <= 0.68
    assert 0.22 <= shares(hard)[1] / hard.count <= 0.28


def test_every_split_but_ood_avoids_the_regions() -> None:
    regions = {region.name for region in dataset().regions}
    assert set(split("ood").within) == regions
    assert all(set(split(name).avoid) == regions for name in ("train", "hard", "test"))


def test_pairs_of_ood_are_in_no_other_split() -> None:
    def pairs(part: SplitPlan) -> set[frozenset[str]]:
        return {codes for name, _ in part.uses if len(codes := plan().archetypes[name].codes) == 2}

    assert all(not pairs(split("ood")) & pairs(split(name)) for name in ("train", "hard", "test"))


def test_a_config_has_15_to_30_fields() -> None:
    for system in plan().systems.values():
        fields = [each for each in system.problem.variables if each.kind is Kind.CONFIG]
        noise = [each for each in system.noise_values if each.channel == "config"]
        assert 15 <= len(fields) + len(noise) <= 30, system.name


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_most_worlds_of_an_archetype_give_a_task(name: str) -> None:
    result = prove_archetype(plan(), name, ProveOptions(draws=4, seed=1), tools)
    assert (result.verdict, result.drawn) == (Verdict.UNIQUE, 4)
