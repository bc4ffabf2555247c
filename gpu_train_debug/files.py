"""Writes one file whole or not at all, and says why it can't be written. Folders of splits are written elsewhere."""

from __future__ import annotations

import os
from pathlib import Path


def cannot_write(path: Path | str, error: OSError) -> str:
    """The message that `path` can't be written, and why."""
    return f"can't write {path}: {error.strerror or error}"


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, or leave what was there.

    A link is followed to the file that it names; a device or a pipe is written to directly.

    Raises:
        OSError: It can't be written; `cannot_write` puts that in words.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}~")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
