"""The exit status says how bad the findings are."""

from __future__ import annotations

import pytest

from compiler.findings import Finding, exit_status, finding_about, finding_of
from dsl.diagnostics.diagnostic import Diagnostic, Severity
from dsl.source import Source, Span

SOURCE = Source("a/b, c.arch", "unit MiB\nunit MiB\n")
ERROR = finding_of(
    Diagnostic("E201", "unknown variable `x`", Span(SOURCE, 14, 17), "not declared", helps=("did you mean `y`?",)),
    subject="first",
)
WARNING = finding_about("E101", "100% odd\nsecond line", path="b.jsonl", line=7, severity=Severity.WARNING)
UNDECIDED = finding_about("E503", "out of budget", subject="second", inconclusive=True)


@pytest.mark.parametrize(
    ("findings", "status"),
    [
        pytest.param([], 0, id="none"),
        pytest.param([WARNING], 0, id="warning"),
        pytest.param([ERROR, UNDECIDED], 1, id="error and undecided"),
        pytest.param([WARNING, UNDECIDED], 3, id="only undecided"),
    ],
)
def test_exit_status_counts_errors(findings: list[Finding], status: int) -> None:
    assert exit_status(findings) == status
