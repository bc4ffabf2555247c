"""The world of a task that was made earlier, drawn again from the task's id.

In: a record and the sources that it was compiled from. Out: its spec, its draw and its world.
"""

from __future__ import annotations

import attrs

from compiler.emit.record import Malformed, TaskRecord, evidence_hash, read_meta
from compiler.splits import TaskSpec
from compiler.tasks.maker import TaskMaker
from solvers.evaluate import observe
from solvers.outcome import Assignment


class OtherSourcesError(Exception):
    """A task that these sources and this seed don't give."""

    def __init__(self, id_: str) -> None:
        super().__init__(f"task `{id_}` was compiled from other sources or another seed")


@attrs.frozen
class RedrawnTask:
    """The world from which a task was made; it is candidate `draw` of `spec`."""

    spec: TaskSpec
    draw: int
    world: Assignment


def redraw(maker: TaskMaker, record: TaskRecord) -> RedrawnTask:
    """Draw the world of `record` again.

    Raises:
        OtherSourcesError: The sources of `maker` give another world, or none.
    """
    meta, spec = read_meta(record.meta), TaskSpec.of(record)
    if isinstance(meta, Malformed) or spec.archetype not in maker.program.archetypes:
        raise OtherSourcesError(record.id)
    world = maker.candidate(spec, meta.draw)
    system = maker.system(maker.archetype(spec).system).plan
    if world is None or evidence_hash(system.name, observe(system.problem, world)) != meta.evidence:
        raise OtherSourcesError(record.id)
    return RedrawnTask(spec, meta.draw, world)
