"""`gtd compile`: the seed, and a folder that can't be written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.compiled import lines
from strategies.incidents import INCIDENTS, Ran

Gtd = Callable[..., Ran]


@pytest.mark.slow
def test_compile_with_another_seed_gives_other_tasks(gtd: Gtd, compiled: Path, tmp_path: Path) -> None:
    assert gtd("compile", INCIDENTS, "-j", "1", "--seed", "12").status == 0
    mine = {json.loads(line)["prompt"] for line in lines(tmp_path / "out")}
    theirs = {json.loads(line)["prompt"] for line in lines(compiled)}
    assert mine != theirs


def test_a_folder_that_cannot_be_written_is_refused_like_any_output(gtd: Gtd, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = gtd("compile", INCIDENTS, "-j", "1", "-o", "file/out")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "error[E620]: can't write file/out: Not a directory\n"
