"""A task of a compiled folder, found by its id.

In: a program plan, a folder, an id. Out: the record and the dataset that it belongs to.
"""

from __future__ import annotations

from pathlib import Path

import attrs

from compiler.dataset.manifest import MANIFEST_NAME, read_manifest
from compiler.emit.record import Malformed, read_record
from compiler.plan import DatasetPlan, ProgramPlan
from gpu_train_debug.tasks import TaskRecord
from gpu_train_debug.wording import suggestion


class UnknownTaskError(Exception):
    """There is no such task; the message says where it was looked for and which ids are near."""


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
        manifest = read_manifest((folder / MANIFEST_NAME).read_text(encoding="utf-8"))
    except OSError as error:
        what = f"cannot read {error.filename}: {error.strerror}"
        raise UnknownTaskError(f"{folder} isn't a compiled dataset: {what}; `gtd compile` makes one") from error
    except UnicodeDecodeError as error:
        raise UnknownTaskError(f"{folder} isn't a compiled dataset: a file in it isn't UTF-8") from error
    if isinstance(manifest, Malformed):
        raise UnknownTaskError(f"the manifest in {folder} isn't valid; run `gtd verify {folder}`")
    content, _ = manifest
    if content.dataset not in program.datasets:
        raise UnknownTaskError(f"task `{id_}` was compiled from other sources")
    return FoundTask(record, attrs.evolve(program.datasets[content.dataset], seed=content.seed))


def _find_record(folder: Path, id_: str) -> TaskRecord:
    ids: list[str] = []
    for path in sorted(folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as file:
            for line in file:
                record = read_record(line)
                if isinstance(record, TaskRecord):
                    if record.id == id_:
                        return record
                    ids.append(record.id)
    raise UnknownTaskError(f"there is no task `{id_}` among the {len(ids)} in {folder}{suggestion(id_, ids)}")
