"""The parser from the cache is the one that the grammar gives; files that can't be trusted are left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lark import Lark

from dsl.syntax import parse_tables
from gpu_train_debug.user_cache import CACHE_VARIABLE

PARSER = parse_tables.language()
TEXT = 'unit MiB\nsystem shop "A shop" { config { size: int in 1..3 "its size" } let twice = size * 2 }\n'


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Lark]:
    """An entry for each time that the parser is built from now on; it is built once, since that is slow."""
    made: list[Lark] = []

    def counted() -> Lark:
        made.append(PARSER)
        return PARSER

    monkeypatch.setattr(parse_tables, "build_language", counted)
    return made


def loaded() -> Lark:
    """The parser of a new process."""
    return parse_tables.language.__wrapped__()


def cached_file(cache: Path) -> Path:
    (found,) = cache.iterdir()
    return found


def test_the_second_process_loads_what_the_first_one_built(cache: Path, built: list[Lark]) -> None:
    first, second = loaded(), loaded()
    assert len(built) == 1
    assert second.parse(TEXT, start="module") == first.parse(TEXT, start="module")
    assert [each.name for each in second.terminals] == [each.name for each in first.terminals]


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1000])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def opened(path: Path) -> None:
    path.chmod(0o666)


@pytest.mark.parametrize("spoil", [flipped, cut, emptied, opened])
def test_a_file_that_cannot_be_trusted_is_written_again(cache: Path, built: list[Lark], spoil: object) -> None:
    loaded()
    assert callable(spoil)
    spoil(cached_file(cache))
    loaded()
    assert len(built) == 2
    loaded()
    assert len(built) == 2, "the new file is good"


def test_without_a_folder_to_write_to_nothing_is_kept(cache: Path, built: list[Lark]) -> None:
    cache.write_text("a file where the folder should be")
    loaded()
    loaded()
    assert len(built) == 2


def test_where_the_disk_is_full_nothing_is_left_behind(
    cache: Path, built: list[Lark], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert loaded() is PARSER
    assert not list(cache.iterdir())


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner here")
def test_only_the_user_may_read_the_file_whatever_others_are_allowed(cache: Path, built: list[Lark]) -> None:
    before = os.umask(0)
    try:
        loaded()
    finally:
        os.umask(before)
    assert cached_file(cache).stat().st_mode & 0o777 == 0o600
    loaded()
    assert len(built) == 1


def test_an_empty_name_means_no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, built: list[Lark]) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    loaded()
    assert len(built) == 1
    assert not list(tmp_path.iterdir())


def test_the_usual_folder_is_that_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, built: list[Lark]
) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    loaded()
    assert built
    assert os.listdir(tmp_path) == ["gpu-train-debug"]


def test_a_user_without_a_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch, built: list[Lark]) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in (CACHE_VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    loaded()
    loaded()
    assert len(built) == 2
