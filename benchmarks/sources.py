"""The programs that are measured: the shipped archetypes, the small test domain, and copies with other sizes."""

from __future__ import annotations

import functools
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from benchmarks.measure import ROOT
from compiler.frontend.run import run_frontend
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.splits import TaskSpec, split_specs

SHIPPED = ROOT / "archetypes"
SMALL = ROOT / "tests" / "domains" / "incidents"


@functools.cache
def load_program(folder: Path) -> ProgramPlan:
    plan = run_frontend([folder], lints=False).plan
    assert plan is not None, f"{folder} has errors; `gtd check` shows them"
    return plan


def only_dataset(program: ProgramPlan) -> DatasetPlan:
    (dataset,) = program.datasets.values()
    return dataset


def specs_by_system(program: ProgramPlan, dataset: DatasetPlan) -> dict[str, list[TaskSpec]]:
    """All tasks of a dataset, the splits in turn, each in the order of its lines (a mix of archetypes)."""
    found: defaultdict[str, list[TaskSpec]] = defaultdict(list)
    lines = [split_specs(dataset, split) for split in dataset.splits]
    for number in range(max(map(len, lines))):
        for specs in lines:
            if number < len(specs):
                found[program.archetypes[specs[number].archetype].system].append(specs[number])
    return dict(found)


def copy_with_sizes(folder: Path, target: Path, sizes: Mapping[str, int]) -> Path:
    """Copy sources to `target` with other numbers of tasks for the splits in `sizes`."""
    shutil.copytree(folder, target)
    path = target / "dataset.arch"
    text = path.read_text(encoding="utf-8")
    for split, size in sizes.items():
        text, count = re.subn(rf"(?m)^(\s*split {split}) [\d_]+ ", rf"\1 {size} ", text)
        assert count == 1, f"{path} has {count} splits `{split}`"
    path.write_text(text, encoding="utf-8")
    return target
