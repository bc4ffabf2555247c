"""The tasks of a study, from split files.

In: JSONL files of task records. Out: `StudyTask`s in the order of the files. Codes, tiers and names are whatever
the files hold: nothing about them is assumed. A task is a control if its gold has an empty fix.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu_train_debug.grading.answer import read_gold
from gpu_train_debug.input_errors import Flaw, InputError, refuse
from gpu_train_debug.jsonlines import wrong_keys
from gpu_train_debug.jsontext import decode_object
from gpu_train_debug.tasks import TaskRecord, TasksError, read_records, split_names


@dataclass(frozen=True, slots=True)
class StudyTask:
    """What a study needs of a task.

    Attributes:
        codes: Of the gold's diagnosis, in its order.
        control: There is nothing to fix: a healthy run.
    """

    id: str
    archetype: str
    split: str
    tier: str
    system: str
    gold: str
    codes: tuple[str, ...]
    control: bool


@dataclass(frozen=True, slots=True)
class TaskSet:
    """Tasks of one or more files, in order, ids unique.

    Attributes:
        digests: SHA-256 of each file, by its name.
        contents: Splits that each file has tasks of, by its name.
    """

    tasks: tuple[StudyTask, ...]
    digests: dict[str, str]
    contents: dict[str, tuple[str, ...]]

    @property
    def splits(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(task.split for task in self.tasks))

    def digests_for(self, splits: Sequence[str]) -> dict[str, str]:
        """The digests of the files that have tasks of `splits`."""
        return {name: digest for name, digest in self.digests.items() if set(self.contents[name]) & set(splits)}


def split_files(paths: Sequence[Path]) -> list[Path]:
    """The files themselves; for a folder its splits, by name.

    Raises:
        InputError: A folder has no split, or two files have the same name.
    """
    files: list[Path] = []
    for path in paths:
        if not os.path.isdir(path):
            files.append(path)
            continue
        try:
            files += [path / f"{split}.jsonl" for split in split_names(path)]
        except TasksError as error:
            raise refuse(str(error), str(path)) from error
    names = [file.name for file in files]
    for file in files:
        if names.count(file.name) > 1:
            raise refuse(f"two split files are named `{file.name}`", str(file))
    return files


def read_tasks(paths: Sequence[Path]) -> TaskSet:
    """Read split files.

    Raises:
        InputError: A line isn't a task, or a task occurs twice. The error carries all flaws.
    """
    tasks: dict[str, StudyTask] = {}
    flaws: list[Flaw] = []
    digests: dict[str, str] = {}
    contents: dict[str, dict[str, None]] = {}
    for path in split_files(paths):
        inside = contents.setdefault(path.name, {})
        for place, record in read_records(path):
            task = record if isinstance(record, Flaw) else study_task(record, place)
            if isinstance(task, Flaw):
                flaws.append(task)
            elif task.id in tasks:
                flaws.append(Flaw(f"the task `{task.id}` occurs twice", place))
            else:
                tasks[task.id] = task
                inside[task.split] = None
        digests[path.name] = digest_file(path)
    if not tasks and not flaws:
        flaws.append(Flaw("the split files hold no task", str(paths[0]) if paths else ""))
    if flaws:
        raise InputError(flaws)
    return TaskSet(tuple(tasks.values()), digests, {name: tuple(inside) for name, inside in contents.items()})


def digest_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def study_task(record: TaskRecord, place: str) -> StudyTask | Flaw:
    """What a study needs of a task that stands at `place`."""
    try:
        gold = read_gold(record.gold)
        meta = decode_object(record.meta)
    except ValueError as error:
        return Flaw(f"task `{record.id}`: {error}", place)
    if wrong := wrong_keys(meta, {"tier": str, "system": str}):
        return Flaw(f"task `{record.id}`, in `meta`: {wrong[0]}", place)
    return StudyTask(
        id=record.id,
        archetype=record.archetype,
        split=record.split,
        tier=meta["tier"],
        system=meta["system"],
        gold=record.gold,
        codes=gold.codes,
        control=not gold.fix,
    )
