"""`gtd verify`: a compiled dataset is clean."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from strategies.incidents import INCIDENTS, Ran

Gtd = Callable[..., Ran]


@pytest.mark.parametrize("named", [(), ("--tasks",)], ids=["short", "long"])
def test_verify_takes_the_folder_with_and_without_the_option(gtd: Gtd, named: tuple[str, ...]) -> None:
    ran = gtd("verify", *named, "nowhere", "--sources", INCIDENTS)
    assert ran.status == 2
    assert ran.err.splitlines()[:2] == [
        "tasks: nowhere",
        "error: can't read nowhere/manifest.json: No such file or directory",
    ]


def test_verify_takes_one_folder(gtd: Gtd) -> None:
    ran = gtd("verify", "a", "--tasks", "b", "--sources", INCIDENTS)
    assert ran.status == 2
    assert ran.err.startswith("Usage: ")
    assert "given twice" in ran.err


@pytest.mark.slow
def test_compile_then_verify_is_clean(gtd: Gtd) -> None:
    compiled = gtd("compile", INCIDENTS, "-j", "1")
    assert compiled.status == 0
    assert "24 proved tasks in out" in compiled.out
    verified = gtd("verify", "out", "--sources", INCIDENTS, "-j", "1", "--rebuild")
    assert (verified.status, verified.out) == (0, "24 tasks in 4 splits: clean\n")
