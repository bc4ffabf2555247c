"""Healthy controls: false alarms apart from misses, faults beside their twins, and which codes are confused.

In: the scored samples of an arm. Out: numbers per task, to be summed over a scope. Only the diagnosis counts
here, not the fix. A control is a task with nothing to fix, and the codes of controls say that all is well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gpu_train_debug.study.inputs.tasks import StudyTask
from gpu_train_debug.study.statistics.resample import Floats
from gpu_train_debug.study.statistics.score import ArmScores, Reply

CONTROL_OUTCOMES = ("right", "part", "false_alarm", "none")
"""Of a sample on a control: its diagnosis is right; names no fault, but isn't right; names a fault; is missing."""

FAULT_OUTCOMES = ("right", "part", "wrong", "miss", "none")
"""Of a sample on a faulty run: its diagnosis is right; names some of the codes, or more; only others; says that all
is well; is missing. A diagnosis is right if the grader says so: a code named twice is one too many."""

NOTHING, OTHER, BEYOND = "(none)", "(other)", "(beyond)"
"""In a confusion: no code was named; a code that no task has; named beyond the codes of the gold."""


def healthy_codes(tasks: Sequence[StudyTask]) -> frozenset[str]:
    return frozenset(code for task in tasks if task.control for code in task.codes)


def outcome(reply: Reply, task: StudyTask, healthy: frozenset[str]) -> str:
    """Judge the diagnosis of one sample."""
    if reply.diagnosed:
        return "right"
    if not reply.codes:
        return "none"
    calm = healthy.issuperset(reply.codes)
    if task.control:
        return "part" if calm else "false_alarm"
    if calm:
        return "miss"
    return "wrong" if frozenset(task.codes).isdisjoint(reply.codes) else "part"


def outcome_rates(arm: ArmScores, tasks: Sequence[StudyTask], healthy: frozenset[str], *, control: bool) -> Floats:
    """Share of each outcome among the samples of each task, shape (tasks, outcomes); 0 for the other tasks."""
    names = CONTROL_OUTCOMES if control else FAULT_OUTCOMES
    rates = np.zeros((len(tasks), len(names)))
    for row, (task, replies) in enumerate(zip(tasks, arm.replies, strict=True)):
        if task.control == control:
            outcomes = [outcome(reply, task, healthy) for reply in replies]
            rates[row] = [outcomes.count(name) / len(outcomes) for name in names]
    return rates


@dataclass(frozen=True, slots=True)
class Pairing:
    """An archetype of faults and its twins in one split: rows of their tasks.

    Attributes:
        stated: The plan names the twins; else they are all controls of the same system in the split.
        twins: Names of the archetypes of controls.
        codes: Of the fault's golds.
    """

    split: str
    archetype: str
    stated: bool
    twins: tuple[str, ...]
    codes: tuple[str, ...]
    rows: tuple[int, ...]
    twin_rows: tuple[int, ...]


def pair_twins(tasks: Sequence[StudyTask], twins: Mapping[str, Sequence[str]]) -> list[Pairing]:
    """Put beside the faults of each archetype their controls of the same split, by split and archetype name.

    Splits are kept apart because an arm may know one of them: a fault that it never saw, beside controls that it
    was trained on, would look well told apart.
    """
    faults: dict[tuple[str, str], list[int]] = {}
    for row, task in enumerate(tasks):
        if not task.control:
            faults.setdefault((task.split, task.archetype), []).append(row)
    order = list(dict.fromkeys(task.split for task in tasks))
    pairings = []
    for (split, archetype), rows in sorted(faults.items(), key=lambda item: (order.index(item[0][0]), item[0][1])):
        controls = [row for row, task in enumerate(tasks) if task.control and task.split == split]
        stated = [row for row in controls if archetype in twins.get(tasks[row].archetype, ())]
        systems = {tasks[row].system for row in rows}
        beside = stated or [row for row in controls if tasks[row].system in systems]
        pairings.append(
            Pairing(
                split=split,
                archetype=archetype,
                stated=bool(stated),
                twins=tuple(sorted({tasks[row].archetype for row in beside})),
                codes=tuple(sorted({code for row in rows for code in tasks[row].codes})),
                rows=tuple(rows),
                twin_rows=tuple(beside),
            )
        )
    return pairings


def naming_rates(arm: ArmScores, codes: Sequence[str]) -> Floats:
    """Share of the samples of each task that name one of `codes`, shape (tasks,)."""
    wanted = frozenset(codes)
    return np.array([sum(not wanted.isdisjoint(reply.codes or ()) for reply in row) / len(row) for row in arm.replies])


@dataclass(frozen=True, slots=True)
class Confusion:
    """Which code is named where which one is right.

    Attributes:
        rows: Codes of golds, and last `BEYOND`.
        columns: The same codes, `OTHER`, `NOTHING`.
        counts: Samples, shape (rows, columns). A row of a code adds up to the samples whose gold has it. A
            code that is missed counts, in equal parts, as what was named wrongly in its place. What is named
            beyond the gold while none of its codes is missed is in the last row.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Floats


def confuse(arm: ArmScores, tasks: Sequence[StudyTask], codes: Sequence[str]) -> Confusion:
    """Count confusions on `tasks`, whose replies are those of `arm`, among `codes`."""
    rows, columns = (*codes, BEYOND), (*codes, OTHER, NOTHING)
    row_of = {code: place for place, code in enumerate(rows)}
    column_of = {code: place for place, code in enumerate(columns)}
    counts = np.zeros((len(rows), len(columns)))
    for task, replies in zip(tasks, arm.replies, strict=True):
        for reply in replies:
            named = set(reply.codes or ())
            wrong = [column_of.get(code, column_of[OTHER]) for code in sorted(named - set(task.codes))]
            missed = [code for code in task.codes if code not in named]
            for code in task.codes:
                if code in named:
                    counts[row_of[code], column_of[code]] += 1
            for code in missed:
                for place in wrong or [column_of[NOTHING]]:
                    counts[row_of[code], place] += 1 / max(1, len(wrong))
            if not missed:
                for place in wrong:
                    counts[row_of[BEYOND], place] += 1
    return Confusion(rows, columns, counts)


def code_order(tasks: Sequence[StudyTask]) -> tuple[str, ...]:
    """All codes of golds, those of one system together, the codes of controls last."""
    healthy = healthy_codes(tasks)
    first: dict[str, str] = {}
    for task in tasks:
        for code in task.codes:
            first.setdefault(code, task.system)
    return tuple(sorted(first, key=lambda code: (code in healthy, first[code], code)))
