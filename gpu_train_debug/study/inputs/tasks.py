"""The tasks of a study, from split files.

In: JSONL files with the keys `id`, `archetype`, `split`, `gold` and `meta`, the last two JSON texts; other
keys are left alone. Out: `Task`s in the order of the files. Codes, tiers and names are whatever the files
hold: nothing about them is known beforehand. A task is a control if its gold has an empty fix.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpu_train_debug.faults import Fault, StudyError, refuse
from gpu_train_debug.grading.answer import read_gold
from gpu_train_debug.jsonlines import decode_object, read_objects, wrong_keys
from gpu_train_debug.tasks import TasksError, split_names


@dataclass(frozen=True, slots=True)
class Task:
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

    tasks: tuple[Task, ...]
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
        StudyError: A folder has no split, or two files have the same name.
    """
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
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
        StudyError: Something in them is not as it should be; all of it is told.
    """
    tasks: dict[str, Task] = {}
    faults: list[Fault] = []
    digests: dict[str, str] = {}
    contents: dict[str, dict[str, None]] = {}
    for path in split_files(paths):
        inside = contents.setdefault(path.name, {})
        for number, value in read_objects(path):
            place = f"{path}:{number}"
            task = value if isinstance(value, Fault) else _task(value, place)
            if isinstance(task, Fault):
                faults.append(task)
            elif task.id in tasks:
                faults.append(Fault(f"the task `{task.id}` occurs twice", place))
            else:
                tasks[task.id] = task
                inside[task.split] = None
        digests[path.name] = digest_file(path)
    if not tasks and not faults:
        faults.append(Fault("the split files hold no task", str(paths[0]) if paths else ""))
    if faults:
        raise StudyError(faults)
    return TaskSet(tuple(tasks.values()), digests, {name: tuple(inside) for name, inside in contents.items()})


def digest_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _task(value: dict[str, Any], place: str) -> Task | Fault:
    if wrong := wrong_keys(value, dict.fromkeys(("id", "archetype", "split", "gold", "meta"), str)):
        return Fault(wrong[0], place, helps=("give the split files that `gtd compile` wrote",))
    try:
        gold = read_gold(value["gold"])
        meta = decode_object(value["meta"])
    except (ValueError, json.JSONDecodeError) as error:
        return Fault(f"task `{value['id']}`: {error}", place)
    if wrong := wrong_keys(meta, {"tier": str, "system": str}):
        return Fault(f"task `{value['id']}`, in `meta`: {wrong[0]}", place)
    return Task(
        id=value["id"],
        archetype=value["archetype"],
        split=value["split"],
        tier=meta["tier"],
        system=meta["system"],
        gold=value["gold"],
        codes=gold.codes,
        control=not gold.fix,
    )
