"""The frozen tasks: where they are, and their records.

In: a folder that `gtd compile` wrote. Out: `TaskRecord`s in the order of the lines. An installed package has the
folder inside it, a checkout has it as `out/`; any other can be named. Nothing but the standard library is
loaded. How many tasks and splits there are, and their names, is whatever the folder's manifest says; a folder
without one holds a split in each of its `.jsonl` files.
"""

from __future__ import annotations

import os
import random
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any

from gpu_train_debug.input_errors import Flaw, InputError
from gpu_train_debug.jsonlines import read_objects, wrong_keys
from gpu_train_debug.jsontext import decode_object
from gpu_train_debug.wording import listed, suggestion

HERE = Path("out")
MANIFEST = "manifest.json"

_PACKAGE = Path(__file__).parent


class TasksError(Exception):
    """Tasks, or answers to them, don't exist or can't be read; the message says what to do."""

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.flaw = Flaw(message, place)


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One task; the attributes in their order are the keys of its line. `gold` and `meta` are JSON texts."""

    id: str
    archetype: str
    split: str
    prompt: str
    gold: str
    meta: str

    @property
    def tier(self) -> str:
        return self._known("tier")

    @property
    def evidence(self) -> str:
        """Names what the prompt shows: two tasks with the same show the same."""
        return self._known("evidence")

    def _known(self, key: str) -> str:
        try:
            return str(decode_object(self.meta)[key])
        except (ValueError, KeyError) as error:
            raise TasksError(f"task `{self.id}`: its `meta` isn't a JSON object with `{key}`") from error


RECORD_KEYS = tuple(field.name for field in fields(TaskRecord))


def data_folder() -> Path:
    """The compiled splits: inside the installed package, or `out/` of a checkout.

    Raises:
        TasksError: There are none.
    """
    for folder in (_PACKAGE / "data", _PACKAGE.parent / "out"):
        if os.path.isfile(folder / MANIFEST):
            return folder
    raise TasksError(
        f"there are no compiled tasks in {_PACKAGE.parent / 'out'}; "
        "compile them with `gtd compile`, or name the folder that holds them"
    )


def default_folder() -> Path:
    """Where commands look for tasks if nobody says so: `out` in the current folder, or else the frozen splits.

    Raises:
        TasksError: There is neither.
    """
    return HERE if os.path.isdir(HERE) else data_folder()


def sources_folder() -> Path:
    """The `.arch` sources that the splits are compiled from: in the installed package, or of a checkout.

    Raises:
        TasksError: There are none.
    """
    for folder in (_PACKAGE / "archetypes", _PACKAGE.parent / "archetypes"):
        if any(folder.rglob("*.arch")):
            return folder
    raise TasksError("the sources of the tasks aren't installed; name the folder that holds them")


def split_names(folder: Path | None = None) -> list[str]:
    """The splits of `folder`, sorted: those of its manifest that are there, or without one all `.jsonl` files.

    Raises:
        TasksError: There is no such folder, or no split in it.
    """
    folder = data_folder() if folder is None else folder
    try:
        files = {name for name in os.listdir(folder) if name.endswith(".jsonl")}
    except (FileNotFoundError, NotADirectoryError):
        files = set()
    except (OSError, ValueError) as error:
        raise TasksError(f"can't read {folder}: {getattr(error, 'strerror', None) or error}") from error
    if os.path.isfile(manifest := folder / MANIFEST):
        files &= _files_of(manifest)
    if not files:
        raise TasksError(f"there are no compiled tasks in {folder}")
    return sorted(Path(name).stem for name in files)


def _files_of(manifest: Path) -> set[str]:
    try:
        return set(decode_object(manifest.read_text(encoding="utf-8"))["content"]["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TasksError(f"{manifest} isn't the manifest of compiled tasks") from error


def read_split(split: str, folder: Path | None = None) -> Iterator[TaskRecord]:
    """Read the tasks of a split, one at a time.

    Raises:
        TasksError: There is no such split, or a line isn't a task.
    """
    folder = data_folder() if folder is None else folder
    if split not in (names := split_names(folder)):
        raise TasksError(f"there is no split `{split}` in {folder}{suggestion(split, names)}")
    path = folder / f"{split}.jsonl"
    try:
        for place, task in read_records(path):
            if isinstance(task, Flaw):
                raise TasksError(f"not a task: {task.message}", place)
            yield task
    except InputError as error:
        raise TasksError(error.flaws[0].message, str(path)) from error


def read_records(path: Path) -> Iterator[tuple[str, TaskRecord | Flaw]]:
    """Yield the place of each line of a split, `path:number`, with its task, or with the flaw for which it has none.

    Raises:
        InputError: The file can't be read.
    """
    for place, value in read_objects(path):
        yield place, value if isinstance(value, Flaw) else task_record(value, place)


def task_record(value: Mapping[str, Any], place: str) -> TaskRecord | Flaw:
    """The task in an object that was read from JSON at `place`; its other keys are ignored."""
    if wrong := wrong_keys(value, dict.fromkeys(RECORD_KEYS, str)):
        return Flaw(wrong[0], place)
    return TaskRecord(**{key: value[key] for key in RECORD_KEYS})


def frozen_tasks(
    split: str,
    *,
    folder: Path | None = None,
    archetypes: Collection[str] = (),
    tiers: Collection[str] = (),
    limit: int | None = None,
    seed: int | None = None,
) -> list[TaskRecord]:
    """Choose tasks of a split.

    Args:
        folder: What `gtd compile` wrote; the frozen splits if None.
        archetypes: Take these alone; all if empty.
        tiers: Take these alone; all if empty.
        limit: Take at most this many.
        seed: Shuffle by it before the limit; keep the order of the file if None.

    Raises:
        TasksError: There is no such split, archetype or tier, or no task that has both.
    """
    rows = list(read_split(split, folder))
    check_names("archetype", archetypes, [row.archetype for row in rows], split)
    if tiers:
        check_names("tier", tiers, [row.tier for row in rows], split)
        rows = [row for row in rows if row.tier in tiers]
    if archetypes:
        rows = [row for row in rows if row.archetype in archetypes]
    if not rows:
        raise no_task(split, archetypes, tiers)
    if seed is not None:
        random.Random(seed).shuffle(rows)
    return list(islice(rows, limit))


def check_names(what: str, asked: Iterable[str], known: Iterable[str], split: str) -> None:
    """Refuse a name that isn't among `known`.

    Raises:
        TasksError: With the nearest names.
    """
    names = sorted(set(known))
    for name in asked:
        if name not in names:
            raise TasksError(f"split `{split}` has no {what} `{name}`{suggestion(name, names)}")


def no_task(split: str, archetypes: Collection[str], tiers: Collection[str]) -> TasksError:
    """What to raise where a choice of archetypes and tiers, each of them known, leaves nothing."""
    asked = [
        f" of {what} {listed(names, last='or')}"
        for what, names in (("archetype", archetypes), ("tier", tiers))
        if names
    ]
    return TasksError(f"split `{split}` has no task{' and'.join(asked)}")
