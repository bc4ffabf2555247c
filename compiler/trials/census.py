"""How the walks of random worlds of a system end: what share gives tasks, and why the others don't.

In: a program plan and the name of a system. Out: counts by ending, and a line for people. The worlds are the
same on each run.
"""

from __future__ import annotations

from collections import Counter

from compiler.plan import ProgramPlan
from solvers.counting.blocks import drawn_worlds, valid_blocks
from solvers.counting.tables import Tables
from solvers.counting.walks import walk_batch
from solvers.outcome import Ending
from solvers.streams import Stream, key_of

CENSUS = 1 << 14


def census(program: ProgramPlan, system: str) -> Counter[str]:
    """How the walks of `CENSUS` random worlds of a system end, by ending; the same worlds on each run."""
    problem = program.systems[system].problem
    tables = Tables(problem)
    state = drawn_worlds(valid_blocks(tables), Stream(key_of("census", system)), CENSUS)
    counts = Counter({ending.value: 0 for ending in Ending})
    for group in walk_batch(tables, state, CENSUS):
        counts[group.ending.value] += len(group.rows)
    return counts


def render_census(system: str, counts: Counter[str]) -> str:
    """One line: of the valid worlds, what share gives tasks and why the others don't."""
    valid = counts.total() - counts[Ending.INVALID.value]
    parts = [
        f"{ending} {100 * count / valid:.1f}%"
        for ending, count in counts.most_common()
        if count and ending != Ending.INVALID.value
    ]
    return f"system {system}: of {valid} valid worlds out of {counts.total()} drawn: {', '.join(parts)}"
