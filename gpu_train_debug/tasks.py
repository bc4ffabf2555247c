"""The frozen tasks: where they are, and their rows.

In: a folder that `gtd compile` wrote. Out: `TaskRow`s in the order of the lines. An installed package has the
folder inside it, a checkout has it as `out/`; any other can be named. Nothing but the standard library is
loaded. How many tasks and splits there are, and their names, is whatever the folder holds.
"""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

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
        return str(json.loads(self.meta)["tier"])

    @property
    def evidence(self) -> str:
        """Names what the prompt shows: two tasks with the same show the same."""
        return str(json.loads(self.meta)["evidence"])


def data_folder() -> Path:
    """The compiled splits: inside the installed package, or `out/` of a checkout.

    Raises:
        TasksError: There are none.
    """
    for folder in (_PACKAGE / "data", _PACKAGE.parent / "out"):
        if any(folder.glob("*.jsonl")):
            return folder
    raise TasksError(
        f"there are no compiled tasks in {_PACKAGE.parent / 'out'}; "
        "compile them with `gtd compile`, or name the folder that holds them"
    )


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
    """The splits of `folder`, sorted.

    Raises:
        TasksError: There is no such folder, or no split in it.
    """
    folder = data_folder() if folder is None else folder
    names = sorted(path.stem for path in folder.glob("*.jsonl"))
    if not names:
        raise TasksError(f"there are no compiled tasks in {folder}")
    return names


def read_split(split: str, folder: Path | None = None) -> Iterator[TaskRow]:
    """Read the rows of a split, one at a time.

    Raises:
        TasksError: There is no such split, or a line isn't a task.
    """
    folder = data_folder() if folder is None else folder
    if split not in (names := split_names(folder)):
        raise TasksError(f"there is no split `{split}` in {folder}{_close(split, names)}")
    path = folder / f"{split}.jsonl"
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            yield _row(line, f"{path}:{number}")


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
        TasksError: There is no such split, archetype or tier.
    """
    rows = list(read_split(split, folder))
    check_names("archetype", archetypes, [row.archetype for row in rows], split)
    if tiers:
        check_names("tier", tiers, [row.tier for row in rows], split)
        rows = [row for row in rows if row.tier in tiers]
    if archetypes:
        rows = [row for row in rows if row.archetype in archetypes]
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
            raise TasksError(f"split `{split}` has no {what} `{name}`{_close(name, names)}")


def _close(name: str, names: Sequence[str]) -> str:
    close = get_close_matches(name, names, n=3) or (names if len(names) <= 5 else [])
    return f"; there is {', '.join(f'`{match}`' for match in close)}" if close else ""


def _row(line: str, place: str) -> TaskRow:
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if not isinstance(value, dict) or not all(isinstance(value.get(key), str) for key in _KEYS):
        raise TasksError(f"{place}: not a task: a JSON object with the texts {', '.join(_KEYS)}")
    return TaskRow(**{key: value[key] for key in _KEYS})
