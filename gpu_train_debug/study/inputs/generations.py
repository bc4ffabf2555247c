"""The archive of generations: its format, and its strict reading.

An archive is JSONL, in one or more files. Each row is one sample:

    {"id": "...", "arm": "...", "sample": 0, "completion": "..."}

`id` is a task of the split files, `arm` what was evaluated (letters, digits and `._:/@+-`, at most 80),
`sample` a number from 0, `completion` the whole reply. A row with the key `failed`, a string that says why, is a
request that failed: it scores 0, whatever its completion. Further keys are left alone. Rows may come in any order.

What is refused, with its place: a task that the split files don't have, the same sample twice, a task that
an arm lacks, and different numbers of samples within an arm. A mean over the rows that
happen to exist isn't the mean that was planned: failed requests are seldom the easy tasks. So a request that failed in
the end has its row too, and a run that was stopped is cut to the samples that all tasks have (`samples`), deliberately,
and the report says so. Arms may differ in their numbers of samples.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from gpu_train_debug.input_errors import Flaw, InputError, similar
from gpu_train_debug.jsonlines import read_objects, wrong_keys
from gpu_train_debug.study.inputs.tasks import StudyTask, digest_file
from gpu_train_debug.wording import listed

ARM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,79}")

_KEYS: dict[str, type] = {"id": str, "arm": str, "sample": int, "completion": str}

_FAILED_ROW = 'archive a request that failed with an empty completion and why: "completion": "", "failed": "timeout"'

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Archive(Generic[Kept]):
    """What was kept of each sample.

    Attributes:
        arms: Arm, then for each task in order the samples by their numbers; equally many within an arm.
        dropped: Arms that are in the files and weren't asked for.
        cut: Arms with more samples of some task than asked for.
        digests: SHA-256 of each file, by its path as given.
    """

    arms: Mapping[str, tuple[tuple[Kept, ...], ...]]
    dropped: tuple[str, ...]
    cut: tuple[str, ...]
    digests: Mapping[str, str]


@dataclass(slots=True)
class _Sample(Generic[Kept]):
    place: str
    kept: Kept


def read_archive(
    paths: Sequence[Path],
    tasks: Sequence[StudyTask],
    keep: Callable[[str | None, StudyTask], Kept],
    *,
    skip: frozenset[str] = frozenset(),
    arms: Sequence[str] = (),
    samples: int | None = None,
) -> Archive[Kept]:
    """Read archives and keep `keep(completion, task)` of each sample, so that texts needn't stay in memory.

    Args:
        keep: Gets None as the completion of a request that failed.
        skip: Ids of tasks that exist and are not part of the study.
        arms: Read these alone, and each must exist; all if empty.
        samples: Use this many samples of each task, those with the lowest numbers; all if None.

    Raises:
        InputError: An archive has a flaw that the module's docstring names. The error carries all flaws.
    """
    if twice := _given_twice(paths):
        raise InputError(twice)
    by_id = {task.id: task for task in tasks}
    found: dict[str, dict[str, dict[int, _Sample[Kept]]]] = {}
    flaws: list[Flaw] = []
    dropped: dict[str, None] = {}
    for path in paths:
        for place, value in read_objects(path, lone_surrogates=True):
            if isinstance(value, Flaw):
                flaws.append(value)
                continue
            if wrong := _row_flaws(value, place, by_id, skip):
                flaws.append(wrong)
                continue
            if arms and value["arm"] not in arms:
                dropped[value["arm"]] = None
            elif value["id"] in by_id:
                row = found.setdefault(value["arm"], {}).setdefault(value["id"], {})
                if earlier := row.get(value["sample"]):
                    flaws.append(_twice(value["id"], value["arm"], value["sample"], place, earlier.place))
                else:
                    completion = None if "failed" in value else value["completion"]
                    row[value["sample"]] = _Sample(place, keep(completion, by_id[value["id"]]))
    if not flaws:
        flaws += _arm_flaws(found, {*found, *dropped}, arms)
        for arm, rows in found.items():
            flaws += _count_flaws(arm, rows, tasks, samples)
    if flaws:
        raise InputError(flaws)
    return Archive(
        arms={arm: tuple(_in_order(found[arm][task.id], samples) for task in tasks) for arm in (arms or sorted(found))},
        dropped=tuple(sorted(dropped)),
        cut=tuple(sorted(arm for arm, rows in found.items() if samples and max(map(len, rows.values())) > samples)),
        digests={str(path): digest_file(path) for path in paths},
    )


def _given_twice(paths: Sequence[Path]) -> list[Flaw]:
    files: dict[str, list[str]] = {}
    for path in paths:
        files.setdefault(os.path.realpath(path), []).append(str(path))
    return [
        Flaw("this archive is given more than once", names[0], notes=(f"as {listed(names)}",))
        for names in files.values()
        if len(names) > 1
    ]


def _in_order(row: Mapping[int, _Sample[Kept]], samples: int | None) -> tuple[Kept, ...]:
    return tuple(row[number].kept for number in sorted(row)[:samples])


def _row_flaws(
    value: Mapping[str, object], place: str, by_id: Mapping[str, StudyTask], skip: frozenset[str]
) -> Flaw | None:
    if wrong := wrong_keys(value, {**_KEYS, "failed": str} if "failed" in value else _KEYS):
        return Flaw(wrong[0], place, helps=(_FAILED_ROW,) if "completion" in wrong[0] else ())
    task, arm, sample = str(value["id"]), str(value["arm"]), value["sample"]
    if not ARM.fullmatch(arm):
        return Flaw("`arm` isn't a name of letters, digits and `._:/@+-`, at most 80", place)
    if not isinstance(sample, int) or sample < 0:
        return Flaw("`sample` is negative", place, helps=("number the samples of a task from 0",))
    if task not in by_id and task not in skip:
        helps = similar(task, by_id) or ("give the split files that the generations were made from",)
        return Flaw(f"there is no task `{task}` in the split files", place, helps=helps)
    return None


def _twice(task: str, arm: str, sample: int, place: str, earlier: str) -> Flaw:
    return Flaw(
        f"sample {sample} of task `{task}` occurs twice in arm `{arm}`",
        place,
        notes=(f"first at {earlier}",),
        helps=("number the samples of a task differently within an arm, or name the arms differently",),
    )


def _arm_flaws(found: Collection[str], named: Collection[str], arms: Sequence[str]) -> list[Flaw]:
    if not found and not arms:
        return [Flaw("the archives hold no generation of these tasks")]
    return [
        Flaw(
            f"the archives have no generation of arm `{arm}`",
            notes=(f"they have {listed(sorted(named))}",) if named else (),
            helps=similar(arm, named),
        )
        for arm in arms
        if arm not in found
    ]


def _count_flaws(
    arm: str, rows: Mapping[str, Mapping[int, object]], tasks: Sequence[StudyTask], samples: int | None
) -> list[Flaw]:
    missing = [task for task in tasks if task.id not in rows]
    if missing:
        splits = dict.fromkeys(task.split for task in missing)
        whole = [split for split in splits if all(task.id not in rows for task in tasks if task.split == split)]
        helps = _FAILED_ROW
        if whole:
            helps = f"leave out a split that wasn't evaluated ({listed(whole)}): choose others with --split"
        return [
            Flaw(
                f"arm `{arm}` lacks {len(missing)} of {len(tasks)} tasks: {listed([task.id for task in missing])}",
                helps=(helps,),
            )
        ]
    counts = {task.id: len(rows[task.id]) for task in tasks}
    fewest, most = min(counts.values()), max(counts.values())
    if samples is None and fewest < most:
        short = [task for task, count in counts.items() if count < most]
        return [
            Flaw(
                f"arm `{arm}` has {fewest} samples of some tasks and {most} of others",
                notes=(f"fewer than {most}: {listed(short)}",),
                helps=(f"sample the rest, or use the first {fewest} of each task: --samples {fewest}",),
            )
        ]
    if samples is not None and fewest < samples:
        short = [task for task, count in counts.items() if count < samples]
        return [
            Flaw(
                f"arm `{arm}` has fewer than {samples} samples of {len(short)} tasks: {listed(short)}",
                helps=(f"every task has at least {fewest}",),
            )
        ]
    return []
