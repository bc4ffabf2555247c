"""Fuzz the grader with atheris, which is not a dependency.

Run `python tests/gpu_train_debug/grading/fuzz_grade.py -max_total_time=60`.

Not collected by pytest. Coverage guides the bytes; they become a reply of any characters, lone surrogates
included. Beyond exceptions it looks for broken promises: a score outside its range, a score of 1 for
something other than the gold, an object other than the one that ends last.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import atheris

sys.path[:0] = [str(Path(__file__).parents[3]), str(Path(__file__).parents[2])]

from strategies.json_objects import slow_last_object  # noqa: E402

with atheris.instrument_imports(include=["gpu_train_debug"]):
    from gpu_train_debug.grading.rubric import grade
    from gpu_train_debug.grading.scan import last_object

GOLDS: list[dict[str, Any]] = [
    {"diagnosis": "HEALTHY", "fix": {}},
    {"diagnosis": "A", "fix": {"f": 8}},
    {"diagnosis": ["A", "B"], "fix": {"f": 1, "g": "x", "h": True}},
]
TEXTS = [json.dumps(gold) for gold in GOLDS]


def says(gold: dict[str, Any], reply: str) -> bool:
    answer = json.loads(reply)
    codes, expected = ([v] if isinstance(v, str) else v for v in (answer["diagnosis"], gold["diagnosis"]))
    same_fix = json.dumps(answer["fix"], sort_keys=True) == json.dumps(gold["fix"], sort_keys=True)
    return set(answer) == {"diagnosis", "fix"} and sorted(codes) == sorted(expected) and same_fix


def try_one(data: bytes) -> None:
    provider = atheris.FuzzedDataProvider(data)
    number = provider.ConsumeIntInRange(0, len(GOLDS) - 1)
    if provider.ConsumeBool():
        reply = provider.ConsumeUnicode(sys.maxsize)
    else:
        reply = provider.ConsumeBytes(sys.maxsize).decode("latin-1")
    result = grade(reply, TEXTS[number])
    assert 0 <= result.diagnosis <= 0.5
    assert 0 <= result.fix <= 0.5
    assert result.score == result.diagnosis + result.fix
    assert result.exact is (result.score == 1) is (not result.reasons)
    assert all(reason.isascii() for reason in result.reasons)
    found = last_object(reply)
    if reply.count("{") < 100:
        assert (None if found is None else (found.start, found.end)) == slow_last_object(reply)
    if result.exact and "</think>" not in reply:
        assert found is not None
        assert says(GOLDS[number], reply[found.start : found.end])


if __name__ == "__main__":
    atheris.Setup(sys.argv, try_one)
    atheris.Fuzz()
