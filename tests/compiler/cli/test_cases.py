"""`gtd cases`: the table, the JSON, one status in every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from strategies.incidents import INCIDENTS, Ran

Gtd = Callable[..., Ran]

SYSTEM = """
system lamp "A lamp" {
  config { lit: bool "on"  plug: {in_wall, loose} "the plug" }
  rule dark DARK "it is dark" { when not lit and plug == in_wall  set lit = true }
  rule plugged UNPLUGGED "the plug is loose" { when plug == loose  set plug = in_wall }
  runbook dark, plugged
}
case day of lamp "https://example.org/1" { known { lit = true, plug = in_wall } } => HEALTHY
"""
OPEN = 'case night of lamp "https://example.org/2" "dark" { known { lit = false } } => DARK { lit = true }\n'


def test_cases_prints_a_table(gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "lamp.arch").write_text(SYSTEM)
    ran = gtd("cases", "lamp.arch")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (
        "case  system  source                 worlds  verdict    why\n"
        "day   lamp    https://example.org/1  1       confirmed  HEALTHY\n"
        "\n"
        "1 case, 1 confirmed\n"
    )


@pytest.mark.parametrize("format_", ["human", "json", "github", "sarif"])
def test_cases_gives_one_status_in_every_format(gtd: Gtd, tmp_path: Path, format_: str) -> None:
    (tmp_path / "lamp.arch").write_text(SYSTEM + OPEN)
    ran = gtd("cases", "lamp.arch", "--format", format_, "--junit-out", "report.xml")
    assert ran.status == 1
    assert "E439" in ran.out
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()[0]
    assert (suite.attrib["name"], suite.attrib["tests"], suite.attrib["failures"]) == ("gtd cases", "2", "1")


def test_cases_gives_the_table_in_json(gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "lamp.arch").write_text(SYSTEM + OPEN)
    found = json.loads(gtd("cases", "lamp.arch", "--format", "json").out)
    assert found["summary"] == "2 cases, 1 confirmed"
    assert found["results"]["cases"][1] == {
        "name": "night",
        "system": "lamp",
        "source": "https://example.org/2",
        "text": "dark",
        "worlds": 2,
        "complete": True,
        "verdict": "undetermined",
        "why": "2 answers; `plug` would decide",
    }
    assert [finding["subject"] for finding in found["findings"]] == ["night"]


def test_sources_without_cases_are_clean(gtd: Gtd) -> None:
    ran = gtd("cases", INCIDENTS)
    assert (ran.status, ran.out) == (0, "0 cases, 0 confirmed\n")


def test_check_runs_cases_and_counts_them(gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "lamp.arch").write_text(SYSTEM + OPEN)
    ran = gtd("check", "lamp.arch")
    assert ran.status == 1
    assert ran.out.startswith("error[E439]: the facts of case `night` leave the answer open\n")
    assert ran.out.endswith("1 file, 1 system, 0 archetypes, 0 datasets, 2 cases: 1 error, 0 warnings\n")
