"""How many terms a system expands to."""

from __future__ import annotations

import pytest
from strategies.programs import checked_text

from dsl.analysis import growth
from dsl.analysis.growth import check_growth
from dsl.diagnostics.collector import Collector

FIELDS = 'config { a: int in {1, 2} "a"  b: int in {1, 2} "b" }'
SYSTEM = f'system s "S" {{ {FIELDS} let twice = a * b let more = (twice with (a = 2)) + b sound more > 1 "fine" }}'


def test_each_relation_and_condition_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """3 terms of `twice`; of `more` 5 and, written out, the 3 of `twice`; 3 of the condition."""
    system = checked_text(SYSTEM).systems["s"]
    monkeypatch.setattr(growth, "MAX_SIZE", 14)
    assert check_growth(system, Collector())
    monkeypatch.setattr(growth, "MAX_SIZE", 13)
    collector = Collector()
    assert not check_growth(system, collector)
    assert [found.message for found in collector.in_order()] == [
        "system `s` expands to 14 terms when every `with` is written out"
    ]
