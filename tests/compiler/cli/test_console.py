"""Colours where they are wanted, bars on a terminal alone, files whole or not at all."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from strategies.incidents import Ran

from compiler.cli.console import progress, wants_colour, write_file
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
    with pytest.raises(InputError, match=r"cannot write .*: "):
        write_file(tmp_path / "file" / "below", "text")
    write_file(tmp_path / "new" / "file", "a\udcff")
    assert (tmp_path / "new" / "file").read_text() == "a\\udcff"
