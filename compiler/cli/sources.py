"""What commands read first: the plan of the sources, and which dataset and archetypes of it are meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from compiler.cli.console import note, note_findings
from compiler.cli.group import HaltError
from compiler.findings import FOUND, USAGE, Finding, finding_of
from gpu_train_debug.input_errors import InputError, refuse
from gpu_train_debug.wording import counted, listed, suggestion

if TYPE_CHECKING:
    from compiler.plan import DatasetPlan, ProgramPlan

DEFAULT_SOURCES = "archetypes"
DEFAULT_SEED = 2027


def sources_of(paths: Sequence[Path]) -> list[Path]:
    """The paths, or the default where none is given."""
    return list(paths) or [Path(DEFAULT_SOURCES)]


def load_plan(paths: Sequence[Path]) -> ProgramPlan:
    """The plan of the sources; prints the diagnostics and stops if there are errors.

    Raises:
        HaltError: There are errors.
    """
    from compiler.frontend.run import run_frontend

    found = run_frontend(sources_of(paths), lints=False)
    if found.plan is None or found.failed:
        findings = [finding_of(diagnostic) for diagnostic in found.diagnostics]
        note_findings(findings)
        raise HaltError(input_status(findings))
    return found.plan


def input_status(findings: Sequence[Finding]) -> int:
    """2 if something could not be read at all, else 1."""
    from dsl.syntax.loader import UNREADABLE

    return USAGE if any(finding.code in UNREADABLE for finding in findings) else FOUND


def chosen(names: Sequence[str], only: Sequence[str]) -> list[str]:
    """`only` in the order of `names`, or all of `names` if it is empty.

    Raises:
        InputError: A name of `only` doesn't exist; the message suggests one.
    """
    for name in only:
        if name not in names:
            raise _unknown("archetype", name, names)
    return [name for name in names if not only or name in only]


def _unknown(kind: str, name: str, known: Iterable[str]) -> InputError:
    return refuse(f"there is no {kind} `{name}`{suggestion(name, known)}")


def seed_of_draws(plan: ProgramPlan, dataset_name: str | None, seed: int | None) -> int:
    """`seed`; without one that of the named or the only dataset, and without such a dataset `DEFAULT_SEED`.

    Raises:
        InputError: No dataset has that name.
    """
    if dataset_name is None and len(plan.datasets) != 1:
        return DEFAULT_SEED if seed is None else seed
    return choose_dataset(plan, dataset_name, seed).seed


def task_choice(
    plan: ProgramPlan, archetype: str, dataset_name: str | None, split_name: str | None, seed: int | None
) -> tuple[DatasetPlan, str]:
    """The dataset and the split of a wanted task: those named, or without a split a sample of the archetype alone.

    Raises:
        InputError: A name doesn't exist, or there are several datasets to choose from.
    """
    from compiler.tasks.samples import SAMPLE, sample_dataset

    if split_name is None:
        return sample_dataset(archetype, seed_of_draws(plan, dataset_name, seed)), SAMPLE
    dataset = choose_dataset(plan, dataset_name, seed)
    splits = [split.name for split in dataset.splits]
    if split_name not in splits:
        raise _unknown("split", split_name, splits)
    return dataset, split_name


def note_beyond_split(dataset: DatasetPlan, split_name: str | None, archetype: str, wanted: int) -> None:
    """Say on standard error that a split has fewer tasks of an archetype than are wanted."""
    from compiler.splits import apportion

    if split_name is None:
        return
    split = next(each for each in dataset.splits if each.name == split_name)
    there = apportion(split.count, list(split.uses)).get(archetype, 0)
    if wanted > there:
        held = f"split `{split_name}` has {counted(there, 'task')} of `{archetype}`"
        note(f"note: {held}; others are drawn as it would draw them")


def choose_dataset(plan: ProgramPlan, name: str | None, seed: int | None) -> DatasetPlan:
    """The dataset of that name, or the only one; with `seed` instead of its own if one is given.

    Raises:
        InputError: There is none of that name, none at all, or several to choose from.
    """
    if name is not None and name not in plan.datasets:
        raise _unknown("dataset", name, plan.datasets)
    if not plan.datasets:
        raise refuse("the sources declare no dataset", helps=("give the file that declares it, too",))
    if name is None and len(plan.datasets) > 1:
        known = listed(sorted(plan.datasets), last="or")
        raise refuse("the sources declare several datasets", helps=(f"choose one with --dataset: {known}",))
    dataset = plan.datasets[name] if name is not None else next(iter(plan.datasets.values()))
    return dataset if seed is None else attrs.evolve(dataset, seed=seed)
