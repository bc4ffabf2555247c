"""The small second domain, byte for byte: a change of what is emitted shows as a diff of these files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

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
