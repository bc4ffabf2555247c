"""A task of a compiled folder, found by its id.

In: a program plan, a folder, an id. Out: the record and the dataset that it belongs to.
"""

from __future__ import annotations

from pathlib import Path

import attrs

from compiler.dataset.manifest import MANIFEST_NAME, read_manifest
from compiler.emit.record import Malformed, read_record
from compiler.plan import DatasetPlan, ProgramPlan
from gpu_train_debug.files import files_ending
from gpu_train_debug.tasks import TaskRecord
from gpu_train_debug.wording import counted, suggestion


class UnknownTaskError(Exception):
    """There is no such task; the message says where it was looked for and which ids are near.

    Attributes:
        helps: What to do, where the message alone doesn't say.
    """

    def __init__(self, message: str, *helps: str) -> None:
        super().__init__(message)
        self.helps = helps


@attrs.frozen
class FoundTask:
    """A task of a folder; `dataset` has the seed that the folder was compiled with."""

    record: TaskRecord
    dataset: DatasetPlan


def find_task(program: ProgramPlan, folder: Path, id_: str) -> FoundTask:
    """Find the task `id_` among the splits in `folder`.

    Raises:
        UnknownTaskError: The folder can't be read or doesn't hold it, or its dataset isn't one of `program`.
    """
    try:
        record = _find_record(folder, id_)
        manifest = read_manifest((folder / MANIFEST_NAME).read_bytes().decode())
    except OSError as error:
        what = f"can't read {error.filename}: {error.strerror}"
        raise UnknownTaskError(f"{folder} isn't a compiled dataset: {what}; `gtd compile` makes one") from error
    except UnicodeDecodeError as error:
        what = f"{folder / MANIFEST_NAME} isn't UTF-8 at byte {error.start}"
        raise UnknownTaskError(f"{folder} isn't a compiled dataset: {what}") from error
    if isinstance(manifest, Malformed):
        raise UnknownTaskError(f"the manifest in {folder} isn't valid; run `gtd verify {folder}`")
    content, _ = manifest
    if content.dataset not in program.datasets:
        raise UnknownTaskError(f"task `{id_}` was compiled from other sources")
    return FoundTask(record, attrs.evolve(program.datasets[content.dataset], seed=content.seed))


def _find_record(folder: Path, id_: str) -> TaskRecord:
    ids: list[str] = []
    helps = []
    paths = files_ending(folder, ".jsonl")
    if not paths:
        raise UnknownTaskError(f"there are no compiled tasks in {folder}")
    for path in paths:
        skipped = 0
        with path.open("rb") as file:
            for line in file:
                record = _read_line(line)
                if record is None:
                    skipped += 1
                elif record.id == id_:
                    return record
                else:
                    ids.append(record.id)
        if skipped:
            aren_t = "isn't a task" if skipped == 1 else "aren't tasks"
            helps.append(f"{counted(skipped, 'line')} of {path.name} {aren_t}; run `gtd verify {folder}`")
    raise UnknownTaskError(f"there is no task `{id_}` among the {len(ids)} in {folder}{suggestion(id_, ids)}", *helps)


def _read_line(line: bytes) -> TaskRecord | None:
    """The task of a line; None if it isn't one."""
    try:
        record = read_record(line.decode())
    except UnicodeDecodeError:
        return None
    return record if isinstance(record, TaskRecord) else None
