"""`gtd verify`: a compiled dataset is clean."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from strategies.incidents import INCIDENTS, Ran

Gtd = Callable[..., Ran]


@pytest.mark.slow
def test_compile_then_verify_is_clean(gtd: Gtd) -> None:
    compiled = gtd("compile", INCIDENTS, "-j", "1")
    assert compiled.status == 0
    assert "24 proved tasks in out" in compiled.out
    verified = gtd("verify", "out", "--sources", INCIDENTS, "-j", "1", "--rebuild")
    assert (verified.status, verified.out) == (0, "24 tasks in 4 splits: clean\n")
