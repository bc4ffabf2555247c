"""The version of this product, for `gtd --version`.

Out: what the installed package says; in a checkout that isn't installed, what its `pyproject.toml` says.
"""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

DISTRIBUTION = "gpu-train-debug"
PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def product_version() -> str:
    """The version, or `unknown` where nothing states it."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        pass
    try:
        return str(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"])
    except (OSError, ValueError, KeyError):
        return "unknown"
