"""Lists a folder; writes one file whole or not at all, and says why it can't. Splits are written elsewhere."""

from __future__ import annotations

import os
from pathlib import Path


def files_ending(folder: Path, suffix: str) -> list[Path]:
    """The files of a folder whose names end so, sorted; none if it can't be listed."""
    try:
        return sorted(folder / name for name in os.listdir(folder) if name.endswith(suffix))
    except (OSError, ValueError):
        return []


def cannot_write(path: Path | str, error: OSError) -> str:
    """The message that `path` can't be written, and why."""
    return f"can't write {path}: {error.strerror or error}"


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, or leave what was there.

    A link is followed to the file that it names; a device or a pipe is written to directly.

    Raises:
        OSError: It can't be written; `cannot_write` puts that in words.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}~")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
