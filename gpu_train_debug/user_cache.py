"""What takes long to make and can be made again: kept in a folder of the user's, from one process to the next.

In: a name that says what a content was made from. Out: the content, if it was kept and is as it was written. A file has
its own checksum and is written under another name first, so one that is damaged or half written is never used; nor is
one that others may write to, since readers may unpickle or run it. Where nothing can be read or written, nothing is
kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

CACHE_VARIABLE = "GTD_CACHE"
"""The environment variable that names the folder; empty for none."""


def cache_name(kind: str, *made_from: bytes) -> str:
    """Name a content by its kind and by all that it was made from."""
    digest = hashlib.sha256()
    for part in made_from:
        digest.update(len(part).to_bytes(8, "little") + part)
    return f"{kind}-{digest.hexdigest()[:32]}"


def load_cached(name: str) -> bytes | None:
    """What was kept under a name; None if nothing was, others may write to it, or it isn't as it was written."""
    folder = _folder()
    if folder is None:
        return None
    try:
        with (folder / name).open("rb") as file:
            mine = _is_mine(os.fstat(file.fileno()))
            digest, _, content = file.read().partition(b"\n")
    except OSError:
        return None
    return content if mine and digest == _checksum(content) else None


def keep_cached(name: str, content: bytes) -> None:
    """Keep a content under a name, if that can be done."""
    folder = _folder()
    if folder is None:
        return
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=name) as own:  # of this user alone
            new = Path(own) / name
            new.write_bytes(_checksum(content) + b"\n" + content)
            new.chmod(0o600)
            os.replace(new, folder / name)


def _folder() -> Path | None:
    named = os.environ.get(CACHE_VARIABLE)
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "gpu-train-debug"
    except RuntimeError:  # the user has no home
        return None


def _is_mine(found: os.stat_result) -> bool:
    """Whether nobody but the user may write to a file; systems without owners aren't asked."""
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
