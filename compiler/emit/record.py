"""Task records: one line of a JSONL file, and the JSON texts inside it.

In: a prompt, an answer and what the proofs found out. Out: a `TaskRecord` and its line. Lines are checked
on the way out (a malformed one is a bug) and on the way in (a malformed one is a value, `Malformed`).
The line of a record is unique: reading it and writing it again gives the same bytes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

import attrs

from compiler.emit.prompt.text import is_flag
from compiler.plan import SystemPlan
from gpu_train_debug.grading.answer import read_gold
from gpu_train_debug.input_errors import Flaw
from gpu_train_debug.jsontext import decode_object, encode
from gpu_train_debug.tasks import RECORD_KEYS, TaskRecord, task_record
from solvers.outcome import Uniqueness, WalkAnswer

SCHEMA_VERSION = 1
"""Changes with any change to the keys below or to what they hold."""

HEALTHY = "HEALTHY"

UNSETTLED = "undecided"
"""What `Meta.channels` says of channels of which it isn't known whether they settle the diagnosis."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"\d{3}|[1-9]\d{3,8}", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{32}")

FixValue: TypeAlias = int | float | str | bool


@attrs.frozen
class Meta:
    """What is known about a task; the attributes in their order are the keys of its JSON text.

    Attributes:
        interaction: Size of the smallest set of channels that settles the diagnosis, or may do so.
        uniqueness: Value of `Uniqueness`.
        depth: Longest derivation from printed quantities to the gold.
        margin: By how little a comparison decides the walk, in permille of its larger side.
        rules: Names of the rules that fired, in firing order.
        faults: Codes that the archetype plants.
        masked: Codes whose rule would fire at first and isn't reported.
        unmasked: Codes that are reported and whose rule would not fire at first.
        channels: For each set of channels, joined by `+`: whether it settles the diagnosis, or `UNSETTLED`.
        draw: Which of the candidates of the task's keyed stream it is, counted from 0.
        evidence: `evidence_hash` of what the prompt shows.
    """

    tier: str
    interaction: int
    uniqueness: str
    depth: int
    margin: int
    system: str
    rules: tuple[str, ...]
    faults: tuple[str, ...]
    masked: tuple[str, ...]
    unmasked: tuple[str, ...]
    channels: Mapping[str, bool | str]
    draw: int
    evidence: str


@attrs.frozen
class Malformed:
    """Why a text isn't the line of a record."""

    reasons: tuple[str, ...]


def task_id(split: str, archetype: str, number: int) -> str:
    return f"{split}-{archetype}-{number:03d}"


def evidence_hash(system: str, evidence: Sequence[int]) -> str:
    """Name an evidence class: two tasks share it only if they print the same values of one system."""
    text = encode([system, *map(int, evidence)])
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def fix_values(system: SystemPlan, fix: Sequence[tuple[str, int]]) -> dict[str, FixValue]:
    """The fix as an answer writes it: words as strings, flags as truth values, numbers as the config prints them."""
    displays = {plan.name: plan.display for plan in system.variables}
    values: dict[str, FixValue] = {}
    for name, value in fix:
        labels = displays[name].labels
        if displays[name].exact:
            values[name] = int(value) / displays[name].denominator  # the nearest double: JSON has the decimal's digits
        elif labels is None:
            values[name] = int(value)
        elif is_flag(displays[name]):
            values[name] = bool(value)
        else:
            values[name] = labels[value]
    return values


def gold_json(system: SystemPlan, answer: WalkAnswer) -> str:
    """The gold: codes in runbook order, so that it depends on the answer alone, and fields by rank."""
    codes = [rule.code for rule in system.problem.rules if rule.code in answer.codes]
    diagnosis = HEALTHY if not codes else codes[0] if len(codes) == 1 else codes
    return encode({"diagnosis": diagnosis, "fix": fix_values(system, answer.fix)})


def meta_json(meta: Meta) -> str:
    return encode(attrs.asdict(meta, recurse=False))


def make_record(*, archetype: str, split: str, number: int, prompt: str, gold: str, meta: Meta) -> TaskRecord:
    return TaskRecord(task_id(split, archetype, number), archetype, split, prompt, gold, meta_json(meta))


def record_line(record: TaskRecord) -> str:
    """The line of `record`, with its line end.

    Raises:
        ValueError: The record doesn't keep to the schema.
    """
    if reasons := record_flaws(record):
        raise ValueError(f"task {record.id!r}: " + "; ".join(reasons))
    return encode(asdict(record)) + "\n"


def read_record(line: str) -> TaskRecord | Malformed:
    """Read a line, with or without its line end; anything but what `record_line` writes is malformed."""
    text = line.removesuffix("\n")
    try:
        value = decode_object(text)
    except ValueError as error:
        return Malformed((str(error),))
    if tuple(value) != RECORD_KEYS:
        return Malformed((f"the keys aren't {', '.join(RECORD_KEYS)}, in this order",))
    record = task_record(value, "")
    if isinstance(record, Flaw):
        return Malformed((record.message,))
    reasons = record_flaws(record)
    if not reasons and encode(value) != text:
        reasons = ("the JSON text isn't written in the usual way",)
    return Malformed(reasons) if reasons else record


def record_flaws(record: TaskRecord) -> tuple[str, ...]:
    """List what in `record` doesn't keep to the schema."""
    reasons = []
    for key in ("archetype", "split"):
        if not _NAME.fullmatch(getattr(record, key)):
            reasons.append(f"`{key}` isn't a name")
    start = f"{record.split}-{record.archetype}-"
    if not record.id.startswith(start) or not _NUMBER.fullmatch(record.id.removeprefix(start)):
        reasons.append(f"`id` isn't `{start}` and a number of three digits or more")
    if not record.prompt.endswith("\n") or record.prompt.endswith("\n\n") or "\r" in record.prompt:
        reasons.append("`prompt` isn't text with plain line ends that ends with one")
    meta = read_meta(record.meta)
    return (*reasons, *_gold_flaws(record.gold), *(meta.reasons if isinstance(meta, Malformed) else ()))


def _gold_flaws(text: str) -> tuple[str, ...]:
    """What keeps `text` from being a gold as the compiler writes it: everything that `read_gold` refuses, and more."""
    value = _object_with("gold", text, ("diagnosis", "fix"))
    if isinstance(value, Malformed):
        return value.reasons
    diagnosis, fix = value["diagnosis"], value["fix"]
    codes = (diagnosis,) if isinstance(diagnosis, str) else tuple(diagnosis) if isinstance(diagnosis, list) else ()
    reasons = []
    if not codes or not all(isinstance(code, str) and _NAME.fullmatch(code) for code in codes):
        reasons.append("`gold.diagnosis` is neither a code nor a list of codes")
    elif isinstance(diagnosis, list) and (len(codes) < 2 or len(set(codes)) < len(codes) or HEALTHY in codes):
        reasons.append("`gold.diagnosis` as a list has two or more different codes")
    if not isinstance(fix, dict) or not all(
        _NAME.fullmatch(field) and isinstance(new, int | float | str) for field, new in fix.items()
    ):
        reasons.append("`gold.fix` isn't an object of fields with numbers, strings or truth values")
    elif (codes == (HEALTHY,)) != (not fix):
        reasons.append("`gold.fix` is empty for a healthy run, and only then")
    return tuple(reasons) or _unread_gold(text)


def _unread_gold(text: str) -> tuple[str, ...]:
    """Why the grader can't read a gold of the right form: a number may be too long for it."""
    try:
        read_gold(text)
    except ValueError as error:
        return (f"`gold`: {error}",)
    return ()


def read_meta(text: str) -> Meta | Malformed:
    """Read the `meta` of a record."""
    value = _object_with("meta", text, tuple(field.name for field in attrs.fields(Meta)))
    if isinstance(value, Malformed):
        return value
    checks: dict[str, Callable[[Any], bool]] = {
        "tier": _is_name,
        "interaction": lambda item: _is_count(item) and item >= 1,
        "uniqueness": lambda item: item in [member.value for member in Uniqueness],
        "depth": _is_count,
        "margin": _is_count,
        "system": _is_name,
        "rules": _are_names,
        "faults": _are_names,
        "masked": _are_names,
        "unmasked": _are_names,
        "channels": lambda item: isinstance(item, dict) and all(map(_is_settling, item.values())),
        "draw": _is_count,
        "evidence": lambda item: isinstance(item, str) and _HASH.fullmatch(item) is not None,
    }
    if bad := [key for key, holds in checks.items() if not holds(value[key])]:
        return Malformed(tuple(f"`meta.{key}` has the wrong form" for key in bad))
    fields: dict[str, Any] = {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
    return Meta(**fields)


def _is_settling(item: object) -> bool:
    return type(item) is bool or item == UNSETTLED


def _object_with(what: str, text: str, keys: tuple[str, ...]) -> dict[str, Any] | Malformed:
    try:
        value = decode_object(text)
    except ValueError as error:
        return Malformed((f"`{what}`: {error}",))
    if tuple(value) != keys:
        return Malformed((f"the keys of `{what}` aren't {', '.join(keys)}, in this order",))
    if encode(value) != text:
        return Malformed((f"the JSON text of `{what}` isn't written in the usual way",))
    return value


def _is_name(item: object) -> bool:
    return isinstance(item, str) and _NAME.fullmatch(item) is not None


def _are_names(item: object) -> bool:
    return isinstance(item, list) and all(map(_is_name, item))


def _is_count(item: object) -> bool:
    return type(item) is int and item >= 0
