"""Lines of a compiled dataset."""

from __future__ import annotations

import json
from pathlib import Path


def lines(folder: Path, split: str = "train") -> list[str]:
    return (folder / f"{split}.jsonl").read_text(encoding="utf-8").split("\n")[:-1]


def first_record(folder: Path, split: str = "train") -> dict[str, str]:
    return dict(json.loads(lines(folder, split)[0]))
