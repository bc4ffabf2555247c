"""The small second domain, and what a command did."""

from __future__ import annotations

from pathlib import Path

import attrs

INCIDENTS = Path(__file__).parents[1] / "domains" / "incidents"


@attrs.frozen
class Ran:
    """What a command did."""

    status: int
    out: str
    err: str
