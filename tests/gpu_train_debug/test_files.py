"""One file, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu_train_debug.files import cannot_write, write_whole


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.txt"
    path.write_bytes(b"before")
    monkeypatch.setattr("gpu_train_debug.files.os.replace", full)
    with pytest.raises(OSError) as caught:
        write_whole(path, b"after")
    assert cannot_write(path, caught.value) == f"can't write {path}: No space left on device"
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_without_a_reason_of_the_system_is_told_in_its_own_words(tmp_path: Path) -> None:
    assert cannot_write("x", OSError("gone")) == "can't write x: gone"
