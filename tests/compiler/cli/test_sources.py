"""Which dataset and which seed is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs
import pytest
from strategies.incidents import INCIDENTS, Ran

from compiler.cli.sources import DEFAULT_SEED, choose_dataset, seed_of_draws
from compiler.plan import DatasetPlan, ProgramPlan
from gpu_train_debug.input_errors import InputError

Gtd = Callable[..., Ran]


def with_datasets(program: ProgramPlan, *names: str) -> ProgramPlan:
    """The program with datasets of these names, whose seeds are 100, 101 and so on."""
    (dataset,) = program.datasets.values()
    datasets: dict[str, DatasetPlan] = {
        name: attrs.evolve(dataset, name=name, seed=seed) for seed, name in enumerate(names, start=100)
    }
    return attrs.evolve(program, datasets=datasets)


@pytest.mark.parametrize(
    ("names", "dataset", "seed", "expected"),
    [
        pytest.param([], None, None, DEFAULT_SEED, id="no dataset"),
        pytest.param(["a"], None, None, 100, id="the only dataset"),
        pytest.param(["a", "b"], None, None, DEFAULT_SEED, id="several datasets"),
        pytest.param(["a", "b"], "b", None, 101, id="the chosen one"),
        pytest.param(["a"], None, 7, 7, id="given, one dataset"),
        pytest.param([], None, 7, 7, id="given, no dataset"),
        pytest.param(["a", "b"], "b", 0, 0, id="given and chosen"),
    ],
)
def test_draws_have_the_seed_of_the_dataset(
    program: ProgramPlan, names: list[str], dataset: str | None, seed: int | None, expected: int
) -> None:
    assert seed_of_draws(with_datasets(program, *names), dataset, seed) == expected


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b"]])
def test_a_dataset_that_does_not_exist_is_refused(program: ProgramPlan, names: list[str]) -> None:
    with pytest.raises(InputError, match="there is no dataset `c`"):
        seed_of_draws(with_datasets(program, *names), "c", 1)


def test_several_datasets_have_to_be_chosen_from(program: ProgramPlan) -> None:
    with pytest.raises(InputError, match="choose one with --dataset: `a` or `b`"):
        choose_dataset(with_datasets(program, "a", "b"), None, None)


@pytest.mark.slow
def test_sample_and_prove_draw_with_the_seed_of_the_dataset(gtd: Gtd, dataset: DatasetPlan, tmp_path: Path) -> None:
    sample = ("sample", "starved_pool", "--sources", INCIDENTS)
    assert gtd(*sample).out == gtd(*sample, "--seed", dataset.seed).out != gtd(*sample, "--seed", "12").out
    claims = []
    for name, seed in (("own", ()), ("same", ("--seed", str(dataset.seed))), ("other", ("--seed", "12"))):
        options = ("-n", "1", "-j", "1", "--archetype", "starved_pool", "--smt-lib-out", name)
        assert gtd("prove", INCIDENTS, *options, *seed).status == 0
        claims.append((tmp_path / name / "starved_pool-000-unique.smt2").read_text())
    assert claims[0] == claims[1] != claims[2]
