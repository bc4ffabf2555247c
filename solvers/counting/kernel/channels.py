"""Sets of channels, in their order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

Channels = tuple[str, ...]


def channel_sets(channels: Channels) -> Iterator[Channels]:
    """Yield every set of channels but the empty one, the smaller ones first."""
    for size in range(1, len(channels) + 1):
        yield from itertools.combinations(channels, size)
