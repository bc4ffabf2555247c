"""`gtd check`: counts, one status in every format, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from strategies.incidents import INCIDENTS, Ran

Gtd = Callable[..., Ran]

BROKEN = 'unit MiB\nunit MiB\nsystem s "t" { let x = y "z" }\n'


def test_check_is_clean_on_a_good_domain(gtd: Gtd) -> None:
    ran = gtd("check", INCIDENTS)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "3 files, 1 system, 8 archetypes, 1 dataset: 0 errors, 0 warnings\n"


@pytest.mark.parametrize("format_", ["human", "json", "github", "sarif"])
def test_check_gives_one_status_in_every_format(gtd: Gtd, tmp_path: Path, format_: str) -> None:
    (tmp_path / "broken.arch").write_text(BROKEN)
    ran = gtd("check", "broken.arch", "--format", format_, "--junit-out", "report.xml")
    assert ran.status == 1
    assert "broken.arch" in ran.out
    assert int(ElementTree.parse(tmp_path / "report.xml").getroot()[0].attrib["failures"]) >= 1


def test_prompts_that_the_reader_cannot_read_are_refused_by_check(gtd: Gtd, tmp_path: Path) -> None:
    text = (INCIDENTS / "service.arch").read_text()
    hidden = 'hidden {\n    a: int in 0..2000 "a" default 0\n    b: int in 0..2000 "b" default 0\n'
    text = text.replace("hidden {\n", hidden, 1).replace("when not young", "when not young and a + b < 4001", 1)
    (tmp_path / "service.arch").write_text(text)
    ran = gtd("check", "service.arch", "--format", "json")
    assert ran.status == 1
    assert "E452" in {finding["code"] for finding in json.loads(ran.out)["findings"]}
