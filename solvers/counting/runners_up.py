"""Repairs that change as few fields as a fix and lose to it by rank or preference alone.

In: a task with a unique answer. Out: those repairs over the named fields, the cheapest first, by counting over the
valid worlds of the evidence class. Write-ups use them; no claim depends on them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from solvers.counting.evidence import evidence_class
from solvers.counting.repairs import Conditions
from solvers.counting.tables import Tables
from solvers.counting.walks import valid_worlds, walk_batch
from solvers.outcome import Assignment, TaskProof

REPAIR_CHUNK = 1 << 12
"""How many candidates are checked at once."""
MOST_TRIED = 1 << 20
"""How many candidates the search looks at before it ends."""


def runners_up(tables: Tables, proof: TaskProof) -> Iterator[Assignment]:
    """Yield the other repairs of every valid world of the class that change as many of the named fields as the fix.

    They come in the order of their costs; each costs more than the fix.
    """
    conditions = tables.shared(Conditions)
    fix = dict(proof.walk.fix)
    state, size = evidence_class(tables, proof.walk.start)
    groups = walk_batch(tables.told, state, size)
    to_mend = [conditions.worlds_to_mend(group) for group in valid_worlds(tables, groups)]
    sets = {field for group in groups for step in group.steps for field in step.sets}
    start = np.array([proof.walk.start[field] for field in conditions.fields], np.int64)
    places = [place for place, field in enumerate(conditions.fields) if field in sets]
    candidates = (
        (columns, values)
        for columns in itertools.combinations(places, len(fix))
        for values in itertools.product(
            *([v for v in conditions.domains[c].tolist() if v != start[c]] for c in columns)
        )
    )
    limited = itertools.islice(candidates, MOST_TRIED)
    while chunk := list(itertools.islice(limited, REPAIR_CHUNK)):
        rows = np.tile(start, (len(chunk), 1))
        for row, (columns, values) in zip(rows, chunk, strict=True):
            row[list(columns)] = values
        left = np.arange(len(chunk))
        for part in to_mend:
            if len(left):
                left = left[conditions.mended(part, rows[left]).all(axis=1)]
        for place in left.tolist():
            columns, values = chunk[place]
            changes = {conditions.fields[column]: value for column, value in zip(columns, values, strict=True)}
            if changes != fix:
                yield changes
