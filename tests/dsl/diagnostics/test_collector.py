"""Diagnostics are collected up to a limit, with suggestions of near names."""

from __future__ import annotations

from strategies.programs import loaded_texts

from dsl.diagnostics.collector import MAX_ERRORS, Collector
from dsl.program import check_program


def test_suggestions_are_near_names_at_most_three() -> None:
    collector = Collector()
    assert collector.suggestion("batsh", ["batch", "Match", "bench", "latch", "other"]) == (
        "did you mean `batch`, `Match` or `latch`?",
    )
    assert collector.suggestion("zzz", ["batch"]) == ()


def test_checking_stops_after_too_many_errors() -> None:
    texts = {"one": "".join(f"const c{n} = missing{n}\n" for n in range(MAX_ERRORS + 50))}
    program, found = check_program(loaded_texts(texts))
    assert program is None
    assert len(found) == MAX_ERRORS
