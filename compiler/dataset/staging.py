"""Writes the files of an output folder: all of them, or none.

In: lines, one at a time. Out: files, with checksum, bytes and number of lines. Lines go to temporary names
inside the folder, so that memory doesn't grow with their number; `publish` flushes the files to disk and
then renames them together. Whatever ends a run before that (an exception, Ctrl-C, a full disk) leaves the
earlier files as they were and takes the temporary ones away; after a kill the next run does so.

Dataset folders are written here alone; saved cases and exported claims are single files, written where they arise.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import sys
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from compiler.dataset.manifest import FileEntry
from compiler.interrupts import interrupts_deferred

if sys.platform != "win32":
    import fcntl

_LEFT_OVER = re.compile(r"\..+\.\d+\.(new|old)~")
_CHUNK = 1 << 20


class StagedFile:
    """A file that is being written under a temporary name."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.temporary = _beside(target, "new")
        self._digest = hashlib.sha256()
        self._bytes = 0
        self._rows = 0
        descriptor = os.open(self.temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        self._file: BinaryIO = os.fdopen(descriptor, "wb")

    def write(self, text: str) -> None:
        """Append `text`, which ends with a line end."""
        data = text.encode()
        self._file.write(data)
        self._digest.update(data)
        self._bytes += len(data)
        self._rows += data.count(b"\n")

    def entry(self) -> FileEntry:
        """Describe what has been written so far."""
        return FileEntry(self._digest.hexdigest(), self._bytes, self._rows)

    def finish(self) -> None:
        """Bring everything to the disk and close the file."""
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def discard(self) -> None:
        """Close the file and remove it, whatever state it is in."""
        with contextlib.suppress(OSError):  # closing flushes, and the disk may be full
            self._file.close()
        self.temporary.unlink(missing_ok=True)


class StagedFolder:
    """A context in which files of `folder` are written and at the end published together.

        with StagedFolder(Path("out")) as staged:
            file = staged.open("train.jsonl")
            file.write(line)
            staged.publish()

    The folder is made if it isn't there. One run at a time may write into it. `published` says whether the files have
    their names.

    Raises:
        OSError: The folder can't be made or written, or another run is writing into it
            (`BlockingIOError`).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.published = False
        self._made: list[Path] = []
        self._files: list[StagedFile] = []
        self._lock: int | None = None

    def __enter__(self) -> Self:
        self._made = _make_folders(self.folder)
        try:
            self._lock = _lock_folder(self.folder)
            for path in self.folder.iterdir():
                if _LEFT_OVER.fullmatch(path.name):
                    path.unlink(missing_ok=True)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with interrupts_deferred():
            for file in self._files:
                file.discard()
            self._leave()

    def open(self, name: str) -> StagedFile:
        """Start the file `name`. Files are published in the order in which they were opened."""
        if not name or name.startswith(".") or Path(name).name != name:
            raise ValueError(f"not the name of an output file: {name!r}")
        with interrupts_deferred():
            file = StagedFile(self.folder / name)
            self._files.append(file)
        return file

    def publish(self) -> None:
        """Give all files their names. If one can't have its name, all keep what they had before."""
        for file in self._files:
            file.finish()
        with interrupts_deferred():
            _replace_together([(file.temporary, file.target) for file in self._files])
            self.published = True
            self._files.clear()
            self._made.clear()
            _sync_folder(self.folder)

    def _leave(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):  # somebody else may have put something there
                folder.rmdir()


def describe_file(path: Path) -> FileEntry:
    """Read a file and describe it as `StagedFile.entry` does; memory stays bounded."""
    digest = hashlib.sha256()
    size = rows = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            rows += chunk.count(b"\n")
    return FileEntry(digest.hexdigest(), size, rows)


def _beside(target: Path, what: str) -> Path:
    """A hidden name in the same folder, which `_LEFT_OVER` matches."""
    return target.with_name(f".{target.name}.{os.getpid()}.{what}~")


def _make_folders(folder: Path) -> list[Path]:
    """Make `folder` and its parents; returns those that weren't there, outermost first."""
    missing = []
    path = folder
    while not os.path.exists(path):
        missing.append(path)
        path = path.parent
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _lock_folder(folder: Path) -> int | None:
    """Lock `folder` for as long as the returned descriptor is open; None where that isn't possible."""
    if sys.platform == "win32":
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise BlockingIOError(errno.EAGAIN, "another run is writing into this folder", str(folder)) from None
    except OSError:  # a file system without locks
        os.close(descriptor)
        return None
    return descriptor


def _replace_together(renames: list[tuple[Path, Path]]) -> None:
    """Rename each file over its target; after a failure every target is what it was before."""
    olds: dict[Path, Path] = {}
    done: list[Path] = []
    try:
        for _, target in renames:
            if os.path.exists(target):
                olds[target] = _beside(target, "old")
                _copy(target, olds[target])
        for temporary, target in renames:
            os.replace(temporary, target)
            done.append(target)
    except BaseException:
        for target in done:
            if target in olds:
                os.replace(olds[target], target)
            else:
                target.unlink(missing_ok=True)
        raise
    finally:
        for old in olds.values():
            old.unlink(missing_ok=True)


def _copy(path: Path, copy: Path) -> None:
    """Give `path` a second name, or copy it where the file system has no links."""
    try:
        os.link(path, copy)
    except OSError:
        shutil.copyfile(path, copy)


def _sync_folder(folder: Path) -> None:
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
