"""Colours where they are wanted, bars on a terminal alone, files whole or not at all."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from strategies.bakery import write_rows, write_splits
from strategies.incidents import INCIDENTS, Ran

from compiler.cli.console import prepare_folder, progress, wants_colour, write_file
from gpu_train_debug.input_errors import InputError

Gtd = Callable[..., Ran]

ROOT = Path(__file__).parents[3]
BROKEN = "unit MiB\nunit MiB\n"
RED = "\x1b[1;31merror[E"


@pytest.mark.parametrize(
    ("choice", "environment", "wish"),
    [
        pytest.param("auto", {}, None, id="ask the stream"),
        pytest.param("auto", {"TERM": "dumb"}, False, id="a terminal that can't"),
        pytest.param("auto", {"NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param("auto", {"NO_COLOR": "", "TERM": "xterm"}, None, id="empty NO_COLOR"),
        pytest.param("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, True, id="FORCE_COLOR"),
        pytest.param("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, id="NO_COLOR before FORCE_COLOR"),
        pytest.param("always", {"NO_COLOR": "1"}, True, id="always"),
        pytest.param("never", {"FORCE_COLOR": "1"}, False, id="never"),
    ],
)
def test_the_option_decides_and_then_the_environment(
    choice: str, environment: Mapping[str, str], wish: bool | None
) -> None:
    assert wants_colour(choice, environment) is wish


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.arch"
    path.write_text(BROKEN)
    return path


def test_colours_are_printed_into_a_file_only_if_asked_for(
    gtd: Gtd, broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    assert "\x1b" not in gtd("check", broken).out
    assert RED in gtd("--color", "always", "check", broken).out
    assert RED in gtd("--color", "always", "prove", broken).err
    assert RED in gtd("check", "--color", "always", broken).out
    assert "\x1b" not in gtd("--color", "always", "check", broken, "--format", "json").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert RED in gtd("check", broken).out
    assert "\x1b" not in gtd("--color", "never", "check", broken).out


def on_a_terminal(*arguments: str | Path, **environment: str) -> str:
    """What `gtd` prints where standard output and standard error are a terminal."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "compiler", *map(str, arguments)]
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, cwd=ROOT, env=kept | {"TERM": "xterm"} | environment
    ):
        os.close(slave)
        printed = b""
        try:
            while data := os.read(master, 65536):
                printed += data
        except OSError:  # the other end is closed
            pass
    os.close(master)
    return printed.decode()


@pytest.mark.slow
def test_colours_are_printed_on_a_terminal_that_wants_them(broken: Path) -> None:
    assert RED in on_a_terminal("check", broken)
    assert "\x1b" not in on_a_terminal("check", broken, NO_COLOR="1")


@pytest.mark.slow
def test_a_bar_is_shown_on_a_terminal(tmp_path: Path) -> None:
    sources = ROOT / "tests" / "domains" / "incidents"
    printed = on_a_terminal("prove", sources, "-n", "1", "-j", "1", "--archetype", "starved_pool")
    assert "proving  [" in printed
    assert "1/1" in printed


def test_no_bar_is_shown_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("counting", 2) as advance:
        advance()
    assert capsys.readouterr().err == ""


def test_a_file_that_cannot_be_written_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"can't write .*: "):
        write_file(tmp_path / "file" / "below", "text")
    write_file(tmp_path / "new" / "file", "a\udcff")
    assert (tmp_path / "new" / "file").read_text() == "a\\udcff"


def into(shell: str, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `gtd` in `folder` with its streams as the shell puts them."""
    line = ["sh", "-c", f'exec "$@" {shell}', "sh", sys.executable, "-m", "compiler", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)


needs_full_disk = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")


@needs_full_disk
@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("explain", "E305"),
        *(
            pytest.param(arguments, marks=pytest.mark.slow)
            for arguments in (
                ("check", INCIDENTS),
                ("sample", "starved_pool", "--sources", INCIDENTS, "--prompt"),
                ("export", "sft", "--split", "test"),
                ("export", "configs", "-o", "configs"),
                ("grade", "answers.jsonl", "--format", "json"),
                ("study", "simulate", "--arm", "a=0", "--samples", "1"),
            )
        ),
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:2])).replace(str(INCIDENTS), "SOURCES"),
)
def test_a_full_disk_behind_standard_output_is_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str | Path, ...]
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "" if "check" in arguments else "1")
    write_splits(tmp_path / "out", {"test": 1})
    task = json.loads((tmp_path / "out" / "test.jsonl").read_text().partition("\n")[0])
    write_rows(tmp_path / "answers.jsonl", [{"id": task["id"], "completion": ""}])
    ran = into(">/dev/full", *arguments, folder=tmp_path)
    rows = [row for row in ran.stderr.splitlines() if not row.startswith("tasks: ")]
    assert (ran.returncode, rows) == (2, ["error: can't write standard output: No space left on device"])


@pytest.mark.slow
@needs_full_disk
def test_the_junit_report_is_written_where_standard_output_cannot_be(tmp_path: Path) -> None:
    assert into(">/dev/full", "check", INCIDENTS, "--junit-out", "report.xml", folder=tmp_path).returncode == 2
    assert "<testsuites>" in (tmp_path / "report.xml").read_text()


def test_findings_are_printed_where_the_junit_report_cannot_be_written(gtd: Gtd, broken: Path) -> None:
    ran = gtd("check", broken, "--junit-out", broken / "report.xml")
    assert (ran.status, "error[E" in ran.out) == (2, True)
    assert ran.err.startswith("error: can't write ")


@pytest.mark.slow
def test_a_closed_standard_output_is_a_message(tmp_path: Path) -> None:
    ran = into(">&-", "check", INCIDENTS, folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (2, "error: can't write standard output: it is closed\n")


@pytest.mark.slow
@needs_full_disk
@pytest.mark.parametrize("arguments", [("frobnicate",), ("check", "nowhere.arch"), ("sample", "a", "--sources", "b")])
@pytest.mark.parametrize("shell", ["2>&-", "2>/dev/full"])
def test_the_status_is_right_where_nothing_can_be_said(tmp_path: Path, arguments: tuple[str, ...], shell: str) -> None:
    assert into(shell, *arguments, folder=tmp_path).returncode == 2


def test_a_folder_is_made_before_the_work_or_refused(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "new" / "folder")
    assert list((tmp_path / "new" / "folder").iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"can't write .*file/below: Not a directory"):
        prepare_folder(tmp_path / "file" / "below")
