"""Split files of the bakery, for the commands that study them."""

from __future__ import annotations

from pathlib import Path

import pytest
from strategies.bakery import write_splits


@pytest.fixture
def bakery(tmp_path: Path) -> Path:
    """A folder of two splits, 14 tasks each."""
    return write_splits(tmp_path / "out", {"test": 2, "ood": 2})
