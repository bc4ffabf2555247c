"""The frozen tasks: where they are, and their rows.

In: a folder that `gtd compile` wrote. Out: `TaskRow`s in the order of the lines. An installed package has the
folder inside it, a checkout has it as `out/`; any other can be named. Nothing but the standard library is
loaded. How many tasks and splits there are, and their names, is whatever the folder's manifest says; a folder
without one holds a split in each of its `.jsonl` files.
"""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from gpu_train_debug.wording import listed, suggestion

HERE = Path("out")
MANIFEST = "manifest.json"

_PACKAGE = Path(__file__).parent
_KEYS = ("id", "archetype", "split", "prompt", "gold", "meta")


class TasksError(Exception):
    """The tasks asked for don't exist or can't be read; the message says what to do."""


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One line of a split; the attributes are its keys. `gold` and `meta` are JSON texts."""

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
            return str(json.loads(self.meta)[key])
        except (ValueError, KeyError, TypeError) as error:
            raise TasksError(f"task `{self.id}`: its `meta` is no JSON object with `{key}`") from error


def data_folder() -> Path:
    """The compiled splits: inside the installed package, or `out/` of a checkout.

    Raises:
        TasksError: There are none.
    """
    for folder in (_PACKAGE / "data", _PACKAGE.parent / "out"):
        if (folder / MANIFEST).is_file():
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
    return HERE if HERE.is_dir() else data_folder()


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
    files = {path.name for path in folder.glob("*.jsonl")}
    if (manifest := folder / MANIFEST).is_file():
        files &= _files_of(manifest)
    if not files:
        raise TasksError(f"there are no compiled tasks in {folder}")
    return sorted(Path(name).stem for name in files)


def _files_of(manifest: Path) -> set[str]:
    try:
        return set(json.loads(manifest.read_bytes())["content"]["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TasksError(f"{manifest} is not the manifest of compiled tasks") from error


def read_split(split: str, folder: Path | None = None) -> Iterator[TaskRow]:
    """Read the rows of a split, one at a time.

    Raises:
        TasksError: There is no such split, or a line isn't a task.
    """
    folder = data_folder() if folder is None else folder
    if split not in (names := split_names(folder)):
        raise TasksError(f"there is no split `{split}` in {folder}{suggestion(split, names)}")
    path = folder / f"{split}.jsonl"
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            yield task_row(value, f"{path}:{number}")


def task_row(value: object, place: str) -> TaskRow:
    """The row in a value read from JSON, whose other keys are let be.

    Raises:
        TasksError: It is none.
    """
    if not isinstance(value, dict) or not all(isinstance(value.get(key), str) for key in _KEYS):
        raise TasksError(f"{place}: not a task: a JSON object with the texts {', '.join(_KEYS)}")
    return TaskRow(**{key: value[key] for key in _KEYS})


def frozen_tasks(
    split: str,
    *,
    folder: Path | None = None,
    archetypes: Collection[str] = (),
    tiers: Collection[str] = (),
    limit: int | None = None,
    seed: int | None = None,
) -> list[TaskRow]:
    """Choose tasks of a split.

    Args:
        folder: What `gtd compile` wrote; the frozen splits if None.
        archetypes: Take these alone; all if empty.
        tiers: Likewise.
        limit: Take so many at most.
        seed: Shuffle by it before the limit; keep the order of the file if None.

    Raises:
        TasksError: There is no such split, archetype or tier, or no task of both.
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
