from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from compiler.dataset.staging import StagedFolder, describe_file

ROOT = Path(__file__).parents[3]
OLD = {"a.jsonl": "old a\n", "b.jsonl": "old b\n", "c.json": "old c\n"}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    for name, text in OLD.items():
        (folder / name).write_text(text)
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def write_all(folder: Path) -> None:
    with StagedFolder(folder) as staged:
        for name in OLD:
            staged.open(name).write("new\n")
        staged.publish()


def fail(folder: Path) -> None:
    with StagedFolder(folder) as staged:
        staged.open("a.jsonl").write("new\n")
        raise RuntimeError


def test_files_are_replaced_together_when_published(out: Path) -> None:
    with StagedFolder(out) as staged:
        files = [staged.open(name) for name in OLD]
        for file in files:
            file.write("new\n")
            file.write("ü\n")
        entries = [file.entry() for file in files]
        staged.publish()
    assert contents(out) == dict.fromkeys(OLD, "new\nü\n")
    assert [describe_file(out / name) for name in OLD] == entries
    assert (entries[0].bytes, entries[0].rows) == (7, 2)


def test_folder_is_made_when_missing_and_taken_away_when_unused(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "out"
    with pytest.raises(RuntimeError):
        fail(folder)
    assert not list(tmp_path.iterdir())
    write_all(folder)
    assert contents(folder) == dict.fromkeys(OLD, "new\n")


def test_earlier_files_stay_when_the_run_fails(out: Path) -> None:
    with pytest.raises(RuntimeError):
        fail(out)
    assert contents(out) == OLD


def test_earlier_files_stay_when_nothing_is_published(out: Path) -> None:
    with StagedFolder(out) as staged:
        staged.open("a.jsonl").write("new\n")
    assert contents(out) == OLD


@pytest.mark.parametrize("works", range(3))
@pytest.mark.parametrize("error", [OSError(errno.EIO, "broken"), KeyboardInterrupt()], ids=["broken", "interrupted"])
def test_earlier_files_stay_when_a_rename_fails(
    out: Path, monkeypatch: pytest.MonkeyPatch, works: int, error: BaseException
) -> None:
    (out / "a.jsonl").unlink()
    calls = []

    def replace(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == works + 1:
            raise error
        os.rename(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(type(error)):
        write_all(out)
    assert contents(out) == {name: text for name, text in OLD.items() if name != "a.jsonl"}


def test_earlier_files_stay_when_a_target_is_a_folder(out: Path) -> None:
    (out / "c.json").unlink()
    (out / "c.json").mkdir()
    with pytest.raises(OSError):
        write_all(out)
    assert sorted(path.name for path in out.iterdir()) == sorted(OLD)
    assert (out / "a.jsonl").read_text() == OLD["a.jsonl"]


def test_files_are_copied_when_the_file_system_has_no_links(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(source: Path, target: Path) -> None:
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", link)
    write_all(out)
    assert contents(out) == dict.fromkeys(OLD, "new\n")


def test_second_writer_is_refused_while_the_first_writes(out: Path) -> None:
    with StagedFolder(out), pytest.raises(BlockingIOError, match="another run"), StagedFolder(out):
        pass
    write_all(out)


def test_left_overs_of_a_killed_run_go_when_the_next_one_starts(out: Path) -> None:
    (out / ".a.jsonl.4242.new~").write_text("half a li")
    (out / ".notes.new~").write_text("mine")
    write_all(out)
    assert sorted(contents(out)) == [".notes.new~", *OLD]


@pytest.mark.parametrize("name", ["", ".hidden", "../a.jsonl", "sub/a.jsonl"])
def test_open_refuses_when_the_name_is_no_plain_file_name(out: Path, name: str) -> None:
    with StagedFolder(out) as staged, pytest.raises(ValueError, match="not the name"):
        staged.open(name)


def test_memory_stays_flat_when_many_lines_are_written(tmp_path: Path) -> None:
    line = "x" * 10_000 + "\n"
    with StagedFolder(tmp_path) as staged:
        file = staged.open("a.jsonl")
        file.write(line)
        tracemalloc.start()
        for _ in range(2_000):
            file.write(line)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 200_000


WRITER = """
import sys, time
from pathlib import Path
from compiler.dataset.staging import StagedFolder
with StagedFolder(Path(sys.argv[1])) as staged:
    file = staged.open("a.jsonl")
    file.write("x" * 100_000 + chr(10))
    print("writing", flush=True)
    for _ in range(int(sys.argv[2])):
        file.write("x" * 100_000 + chr(10))
        time.sleep(0.01)
    staged.publish()
"""


def writer(out: Path, lines: int, limit: int | None = None) -> subprocess.Popen[str]:
    def limit_files() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-c", WRITER, str(out), str(lines)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit_files
    )


@pytest.mark.slow
def test_earlier_files_stay_when_the_disk_is_full(out: Path) -> None:
    with writer(out, 10, limit=500_000) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "OSError" in errors
    assert contents(out) == OLD


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["interrupt", "kill"])
def test_earlier_files_stay_when_the_run_is_stopped(out: Path, number: signal.Signals) -> None:
    with writer(out, 6_000) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.1)
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode != 0
    kept = contents(out)
    assert {name: text for name, text in kept.items() if name in OLD} == OLD
    assert len(kept) == len(OLD) + (number is signal.SIGKILL)
    write_all(out)
    assert contents(out) == dict.fromkeys(OLD, "new\n")


def test_interrupt_waits_when_it_comes_while_files_are_renamed(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(source: Path, target: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        os.rename(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        write_all(out)
    assert contents(out) == dict.fromkeys(OLD, "new\n")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
