"""How the flaws of an input are printed."""

from __future__ import annotations

from gpu_train_debug.input_errors import FLAWS_SHOWN, Flaw, InputError


def test_one_flaw_at_many_places_is_printed_once() -> None:
    flaws = [Flaw("not JSON", f"a.jsonl:{line}", helps=("write JSON",)) for line in range(1, 21)]
    assert str(InputError([*flaws, Flaw("the line is empty", "a.jsonl:21")])).splitlines() == [
        "error: not JSON",
        "  --> a.jsonl:1",
        "   = note: the same is wrong in 19 more places: a.jsonl:2, a.jsonl:3, a.jsonl:4, ...",
        "   = help: write JSON",
        "error: the line is empty",
        "  --> a.jsonl:21",
    ]


def test_different_flaws_beyond_the_limit_are_counted() -> None:
    said = str(InputError([Flaw(f"flaw {number}") for number in range(FLAWS_SHOWN + 2)]))
    assert said.splitlines()[-2:] == [f"error: flaw {FLAWS_SHOWN - 1}", "and 2 more"]
