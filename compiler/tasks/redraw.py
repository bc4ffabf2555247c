"""The world of a task that was made earlier, drawn again from the task's id.

In: a record and the sources that it was compiled from. Out: the candidate that became it.
"""

from __future__ import annotations

from compiler.emit.record import Malformed, evidence_hash, read_meta
from compiler.splits import TaskSpec
from compiler.tasks.maker import DrawnWorld, TaskMaker
from gpu_train_debug.tasks import TaskRecord
from solvers.evaluate import observe


class OtherSourcesError(Exception):
    """A task that these sources and this seed don't give."""

    def __init__(self, id_: str) -> None:
        super().__init__(f"task `{id_}` was compiled from other sources or another seed")


def redraw(maker: TaskMaker, record: TaskRecord) -> DrawnWorld:
    """Draw the world of `record` again.

    Raises:
        OtherSourcesError: The sources of `maker` give another world, or none.
    """
    meta, spec = read_meta(record.meta), TaskSpec.of(record)
    if isinstance(meta, Malformed) or spec.archetype not in maker.program.archetypes:
        raise OtherSourcesError(record.id)
    drawn = maker.candidate(spec, meta.draw)
    system = maker.system_of(spec).plan
    if drawn is None or evidence_hash(system.name, observe(system.problem, drawn.world)) != meta.evidence:
        raise OtherSourcesError(record.id)
    return drawn
