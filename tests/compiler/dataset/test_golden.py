"""The small second domain, byte for byte: a change of what is emitted shows as a diff of these files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.dataset.build import build_dataset
from compiler.plan import DatasetPlan, ProgramPlan
from solvers.counting.kernel.build import KERNEL_VARIABLE

GOLDEN = Path(__file__).parent / "golden" / "incidents"


@pytest.mark.parametrize("name", ["train.jsonl", "hard.jsonl", "test.jsonl", "ood.jsonl", "README.md"])
def test_file_is_the_golden_one(name: str, compiled: Path, golden: Callable[[str, Path], None]) -> None:
    golden((compiled / name).read_text(encoding="utf-8"), GOLDEN / name)


def test_hashed_part_of_the_manifest_is_the_golden_one(compiled: Path, golden: Callable[[str, Path], None]) -> None:
    manifest = json.loads((compiled / "manifest.json").read_text(encoding="utf-8"))
    del manifest["environment"]
    golden(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", GOLDEN / "manifest-content.json")


def test_the_golden_folder_holds_what_is_compiled(compiled: Path) -> None:
    held = {path.name.replace("manifest-content", "manifest") for path in GOLDEN.iterdir()}
    assert held == {path.name for path in compiled.iterdir()}


def test_the_files_are_the_same_without_machine_code(
    compiled: Path, program: ProgramPlan, dataset: DatasetPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KERNEL_VARIABLE, "python")
    build_dataset(program, dataset, tmp_path / "out", jobs=1)
    for path in compiled.glob("*.jsonl"):
        assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()
