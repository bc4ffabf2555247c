from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.emit.record import (
    Malformed,
    Meta,
    evidence_hash,
    gold_json,
    make_record,
    meta_json,
    read_meta,
    read_record,
    record_line,
    task_id,
)
from compiler.plan import SystemPlan
from gpu_train_debug.grading.answer import Gold, read_gold
from gpu_train_debug.jsontext import encode
from gpu_train_debug.tasks import RECORD_KEYS, TaskRecord
from solvers.outcome import WalkAnswer

META = Meta(
    tier="computed",
    interaction=2,
    uniqueness="any",
    depth=6,
    margin=34,
    system="bakery",
    rules=("overload",),
    faults=("OVERLOADED",),
    masked=(),
    unmasked=("FAN_OFF",),
    channels={"config": False, "config+log": True},
    draw=0,
    evidence="0" * 32,
)
GOLD = '{"diagnosis": "OVERLOADED", "fix": {"batch": 4, "fan": true, "glaze": "half-rye"}}'
RECORD = make_record(archetype="too_much", split="train", number=7, prompt="# A\nb ü\n", gold=GOLD, meta=META)


def test_line_has_exactly_the_keys_in_order() -> None:
    line = record_line(RECORD)
    assert line.endswith("}\n")
    assert line.count("\n") == 1
    assert tuple(json.loads(line)) == RECORD_KEYS == ("id", "archetype", "split", "prompt", "gold", "meta")
    assert json.loads(line)["id"] == "train-too_much-007"
    assert "ü" in line


def test_record_read_from_its_line_is_the_same() -> None:
    assert read_record(record_line(RECORD)) == RECORD


def test_task_id_grows_when_the_number_is_long() -> None:
    assert [task_id("ood", "a", number) for number in (0, 12, 1234)] == ["ood-a-000", "ood-a-012", "ood-a-1234"]


def test_gold_has_codes_in_runbook_order_and_typed_values(system: SystemPlan) -> None:
    fix = (("batch", 4), ("glaze", 1), ("fan", 1))
    pair = WalkAnswer(frozenset({"FAN_OFF", "OVERLOADED"}), fix)
    text = gold_json(system, pair)
    assert text == ('{"diagnosis": ["OVERLOADED", "FAN_OFF"], "fix": {"batch": 4, "glaze": "half-rye", "fan": true}}')
    assert read_gold(text) == Gold(("OVERLOADED", "FAN_OFF"), {"batch": 4, "glaze": "half-rye", "fan": True})
    assert gold_json(system, WalkAnswer(frozenset({"FAN_OFF"}), (("fan", 0),))) == (
        '{"diagnosis": "FAN_OFF", "fix": {"fan": false}}'
    )
    assert gold_json(system, WalkAnswer(frozenset(), ())) == '{"diagnosis": "HEALTHY", "fix": {}}'
    assert read_gold('{"diagnosis": "HEALTHY", "fix": {}}') == Gold(("HEALTHY",), {})


def test_meta_read_back_is_the_same() -> None:
    assert read_meta(meta_json(META)) == META
    assert meta_json(META).startswith(
        '{"tier": "computed", "interaction": 2, "uniqueness": "any", "depth": 6, "margin": 34, '
    )


def test_evidence_hash_differs_when_system_or_values_differ() -> None:
    hashes = {evidence_hash(*parts) for parts in (("a", (1, 2)), ("b", (1, 2)), ("a", (1, 3)), ("a", (12,)))}
    assert len(hashes) == 4
    assert evidence_hash("a", (True, 2)) == evidence_hash("a", (1, 2))


def changed(**values: object) -> str:
    return encode({**asdict(RECORD), **values})


def changed_meta(**values: object) -> str:
    return changed(meta=encode({**json.loads(RECORD.meta), **values}))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "not JSON"),
        ("[]", "not a JSON object"),
        ("{", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"id": 1, "id": 2}', "occurs twice"),
        (encode(dict(reversed(asdict(RECORD).items()))), "in this order"),
        (encode({**asdict(RECORD), "more": ""}), "the keys aren't"),
        (changed(prompt=1), "`prompt` isn't a string"),
        (changed(id="train-too_much-7"), "`id` isn't"),
        (changed(id="train-too_much-0007"), "`id` isn't"),
        (changed(id="train-too_much-٠٠٧"), "`id` isn't"),
        (changed(split="test"), "`id` isn't `test-too_much-`"),
        (changed(split="tr-ain"), "`split` isn't a name"),
        (changed(prompt="no end"), "`prompt` isn't text"),
        (changed(prompt="a\r\n"), "`prompt` isn't text"),
        (record_line(RECORD).replace(": ", ":", 1), "usual way"),
        (record_line(RECORD).replace("ü", "\\u00fc"), "usual way"),
        (changed(gold=GOLD.replace(": ", ":")), "`gold` isn't written in the usual way"),
        (changed(gold='{"diagnosis": "A"}'), "the keys of `gold`"),
        (changed(gold='{"diagnosis": [], "fix": {}}'), "neither a code"),
        (changed(gold='{"diagnosis": ["A"], "fix": {"a": 1}}'), "two or more"),
        (changed(gold='{"diagnosis": ["A", "A"], "fix": {"a": 1}}'), "two or more"),
        (changed(gold='{"diagnosis": ["A", "HEALTHY"], "fix": {"a": 1}}'), "two or more"),
        (changed(gold='{"diagnosis": [["A"], 1], "fix": {"a": 1}}'), "neither a code"),
        (changed(gold='{"diagnosis": "A", "fix": {"a": NaN}}'), "NaN"),
        (changed(gold='{"diagnosis": "A", "fix": {"a": null}}'), "`gold.fix` isn't an object"),
        (changed(gold='{"diagnosis": "A", "fix": {}}'), "empty for a healthy run"),
        (changed(gold='{"diagnosis": "HEALTHY", "fix": {"a": 1}}'), "empty for a healthy run"),
        (changed(gold=encode({"diagnosis": "A", "fix": {"a": 10**400}})), "`gold`: the fix of the gold"),
        (changed(gold=encode({"diagnosis": "A", "fix": {"a": -(10**100)}})), "`gold`: the fix of the gold"),
        (changed(meta="{}"), "the keys of `meta`"),
        (changed_meta(interaction=0), "`meta.interaction`"),
        (changed_meta(depth=True), "`meta.depth`"),
        (changed_meta(draw=-1), "`meta.draw`"),
        (changed_meta(uniqueness="sure"), "`meta.uniqueness`"),
        (changed_meta(uniqueness=["any"]), "`meta.uniqueness`"),
        (changed_meta(rules="overload"), "`meta.rules`"),
        (changed_meta(channels={"log": 1}), "`meta.channels`"),
        (changed_meta(evidence="0"), "`meta.evidence`"),
    ],
)
def test_line_is_malformed_when_it_breaks_the_schema(line: str, reason: str) -> None:
    read = read_record(line)
    assert isinstance(read, Malformed)
    assert reason in "; ".join(read.reasons)


def test_record_line_raises_when_the_record_breaks_the_schema() -> None:
    with pytest.raises(ValueError, match="task 'x': `id` isn't"):
        record_line(replace(RECORD, id="x"))
    with pytest.raises(ValueError, match="surrogates"):
        record_line(replace(RECORD, prompt="\ud800\n"))


@given(st.text('{}[]":,\\ue019 ', max_size=60))
def test_any_line_is_malformed_or_a_record_when_random(line: str) -> None:
    assert isinstance(read_record(line), Malformed | TaskRecord)
