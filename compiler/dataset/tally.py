"""Counts over the tasks of a split, gathered as the records go by.

In: records with their meta. Out: counts for the manifest and the dataset card. Keeps no record.
"""

from __future__ import annotations

from collections import Counter

import attrs

from compiler.emit.record import UNSETTLED, Meta
from gpu_train_debug.tasks import TaskRecord


@attrs.define
class Tally:
    """Counts of one split; `add` takes each record once."""

    rows: int = 0
    healthy: int = 0
    pairs: int = 0
    masked: int = 0
    unmasked: int = 0
    undecided: int = 0
    archetypes: Counter[str] = attrs.field(factory=Counter)
    tiers: Counter[str] = attrs.field(factory=Counter)
    uniqueness: Counter[str] = attrs.field(factory=Counter)
    interaction: Counter[int] = attrs.field(factory=Counter)
    depth: Counter[int] = attrs.field(factory=Counter)

    def add(self, record: TaskRecord, meta: Meta) -> None:
        self.rows += 1
        self.healthy += not meta.rules
        self.pairs += len(meta.rules) > 1
        self.masked += bool(meta.masked)
        self.unmasked += bool(meta.unmasked)
        self.undecided += UNSETTLED in meta.channels.values()
        self.archetypes[record.archetype] += 1
        self.tiers[meta.tier] += 1
        self.uniqueness[meta.uniqueness] += 1
        self.interaction[meta.interaction] += 1
        self.depth[meta.depth] += 1
