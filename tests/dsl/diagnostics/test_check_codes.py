"""Every code of the checks is shown: its sample gives exactly this code, and a bad program records its message."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.effort import slow_if

from compiler.frontend.run import run_frontend
from dsl.diagnostics.check_codes import NAME_CODES, RULE_CODES, TYPE_CODES
from dsl.diagnostics.diagnostic import Diagnostic, render_text
from dsl.diagnostics.syntax_codes import LANGUAGE_CODES

FOLDER = Path(__file__).parents[1] / "bad_check"
PROGRAMS = sorted(path for path in FOLDER.iterdir() if path.suffix == ".arch" or path.is_dir())
OWN = {entry.code for block in (NAME_CODES, TYPE_CODES, RULE_CODES) for entry in block}

SAMPLES = sorted(code for code in OWN if LANGUAGE_CODES[code].sample)


def main_file(path: Path) -> Path:
    return path / "main.arch" if path.is_dir() else path


def diagnose(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Diagnostic, ...]:
    monkeypatch.chdir(folder)
    return run_frontend([path]).diagnostics


def expected_codes(path: Path) -> list[str]:
    first = re.match(r"# expect: (.*)\n", main_file(path).read_text(encoding="utf-8"))
    assert first, "the first line says `# expect: CODE ...`"
    return first[1].split()


@pytest.mark.parametrize("path", [slow_if(path.stem == "limits_quantifier", path, path.stem) for path in PROGRAMS])
def test_bad_program_gives_its_messages(
    path: Path, golden: Callable[[str, Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = diagnose(path.relative_to(FOLDER), FOLDER, monkeypatch)
    assert sorted(each.code for each in found) == sorted(expected_codes(path))
    golden("\n\n".join(map(render_text, found)) + "\n", path.with_suffix(".expect"))


@pytest.mark.parametrize("code", [slow_if(code == "E421", code, code) for code in SAMPLES])
def test_sample_gives_its_own_code_alone(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sample.arch").write_text(LANGUAGE_CODES[code].sample or "", encoding="utf-8")
    found = diagnose(Path("sample.arch"), tmp_path, monkeypatch)
    assert {each.code for each in found} == {code}, "\n".join(map(render_text, found))


def test_every_code_is_in_the_catalogue_once() -> None:
    blocks = [entry.code for block in (NAME_CODES, TYPE_CODES, RULE_CODES) for entry in block]
    assert blocks == sorted(set(blocks), key=lambda code: (code[1:], code[0]))


def test_every_code_has_a_bad_program() -> None:
    shown = {code for path in PROGRAMS for code in expected_codes(path)}
    assert shown >= OWN
