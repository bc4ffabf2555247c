"""Frozen plans: sealed by a hash, and amended only with a record of why.

A frozen plan is JSON: a chain of links, the first the plan as frozen, each further one an amendment with its
reason. The hash of a link covers its plan, its reason and the hash before it, so that an edit anywhere in the
chain, another order or a gap shows. What a chain can't show is that its last links were taken out, or that it
was frozen again: publish the hash, and give it to the report (`--expect`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gpu_train_debug.input_errors import Flaw, InputError, refuse
from gpu_train_debug.jsontext import decode_object
from gpu_train_debug.study.inputs.plan import Plan, complete_plan, parse_plan, plan_content
from gpu_train_debug.study.inputs.tasks import TaskSet

FORMAT = 1

UNFROZEN, FROZEN, AMENDED, ALTERED = "unfrozen", "frozen", "amended", "altered"
"""Altered: the content isn't what was sealed."""


@dataclass(frozen=True, slots=True)
class Link:
    """A sealed plan. `changes` says what it changed in the one before, one text for each key."""

    plan: Plan
    reason: str
    hash: str
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seal:
    """Whether a plan is the one that was sealed before the results were known.

    Attributes:
        links: In order; empty if the plan isn't frozen.
        departures: What differs from what was sealed, in words. Any makes the study one that wasn't planned.
        expected: The published hash that the run was given, or its start; empty if it wasn't.
    """

    status: str
    links: tuple[Link, ...] = ()
    departures: tuple[str, ...] = ()
    expected: str = ""

    @property
    def hash(self) -> str:
        return self.links[-1].hash if self.links else ""


def freeze_plan(plan: Plan, task_set: TaskSet) -> str:
    """Complete a plan, pin the split files, and seal it: the text of a frozen plan.

    Raises:
        InputError: The plan leaves open its arms or samples, or names what doesn't exist.
    """
    return _frozen_text([_sealed(_pinned(plan, task_set), "frozen", "")])


def amend_plan(frozen: Path, plan: Plan, task_set: TaskSet, reason: str) -> str:
    """Add a link to a frozen plan: the text of the new one.

    Raises:
        InputError: The frozen plan was altered, or nothing changes.
    """
    _, seal = read_frozen(frozen)
    if seal.status == ALTERED:
        raise refuse("the frozen plan was altered, so it can't be amended", str(frozen), notes=seal.departures)
    if not reason.strip() or "\n" in reason:
        raise refuse("an amendment needs a reason, on one line", helps=("give it with --reason",))
    new = _pinned(plan, task_set)
    if not plan_changes(seal.links[-1].plan, new):
        raise refuse("the amendment changes nothing", str(frozen))
    return _frozen_text([*seal.links, _sealed(new, reason.strip(), seal.hash)])


def read_frozen(path: Path) -> tuple[Plan, Seal]:
    """Read a frozen plan and check its seals.

    Raises:
        InputError: The file can't be read, or isn't a frozen plan.
    """
    try:
        return parse_frozen(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise refuse(f"can't read the file: {error.strerror}", str(path)) from error
    except UnicodeDecodeError as error:
        raise refuse(f"not a frozen plan: not UTF-8 at byte {error.start}", str(path)) from error


def parse_frozen(text: str, place: str) -> tuple[Plan, Seal]:
    """Read the text of a frozen plan and check its seals.

    An altered plan is read all the same: the report says so.

    Raises:
        InputError: The text isn't a frozen plan, or an alteration made it invalid; the error says that first.
    """
    try:
        value = decode_object(text)
    except ValueError as error:
        raise refuse(f"not a frozen plan: {error}", place) from error
    chain = value.get("chain")
    if value.get("format") != FORMAT or not isinstance(chain, list) or not chain or not all(map(_is_link, chain)):
        raise refuse("not a frozen plan of this format", place, helps=("make one with `gtd study freeze PLAN.toml`",))
    links: list[Link] = []
    departures: list[str] = []
    before = ""
    for number, item in enumerate(chain):
        if _hash(item["plan"], item["reason"], before) != item["hash"]:
            what = f"amendment {number}" if number else "the plan"
            departures.append(f"{what} was changed after it was sealed: its content doesn't match the hash in the file")
        try:
            plan = parse_plan(item["plan"], place, draft=False)
        except InputError as error:
            altered = [Flaw(departure, place) for departure in departures]
            raise InputError([*altered, *error.flaws]) from error
        links.append(Link(plan, item["reason"], item["hash"], plan_changes(links[-1].plan, plan) if links else ()))
        before = item["hash"]
    status = ALTERED if departures else AMENDED if len(links) > 1 else FROZEN
    return links[-1].plan, Seal(status, tuple(links), tuple(departures))


def with_departures(seal: Seal, task_set: TaskSet, *, expected: str = "") -> Seal:
    """Add what differs in this run from what was sealed.

    Args:
        expected: The hash that was published, or its start, in capitals or not.
    """
    expected = expected.lower()
    found = list(seal.departures)
    if seal.links:
        plan = seal.links[-1].plan
        given = task_set.digests_for(plan.splits)
        found += (
            f"the split file `{name}` isn't the one that the plan pins"
            for name in sorted({*given, *plan.tasks})
            if given.get(name) != plan.tasks.get(name)
        )
    if expected:
        places = [number for number, link in enumerate(seal.links) if link.hash.startswith(expected)]
        if not places:
            found.append(f"the plan doesn't have the expected hash `{expected}` anywhere")
        elif places[-1] < len(seal.links) - 1:
            found.append(f"the plan was amended after the expected hash `{expected}`")
    return replace(seal, departures=tuple(found), expected=expected)


def plan_changes(before: Plan, after: Plan) -> tuple[str, ...]:
    """Say in words what `after` has different, by key."""
    old, new = _flat(plan_content(before)), _flat(plan_content(after))
    keys = [*old, *(key for key in new if key not in old)]
    return tuple(f"{key}: {_shown(old, key)} -> {_shown(new, key)}" for key in keys if old.get(key) != new.get(key))


def _pinned(plan: Plan, task_set: TaskSet) -> Plan:
    full = complete_plan(plan, task_set.tasks)
    return replace(full, tasks=task_set.digests_for(full.splits))


def _sealed(plan: Plan, reason: str, before: str) -> Link:
    return Link(plan, reason, _hash(plan_content(plan), reason, before))


def _hash(content: Mapping[str, Any], reason: str, before: str) -> str:
    sealed = {"format": FORMAT, "plan": content, "reason": reason, "before": before}
    text = json.dumps(sealed, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _frozen_text(links: Sequence[Link]) -> str:
    chain = [{"plan": plan_content(link.plan), "reason": link.reason, "hash": link.hash} for link in links]
    return json.dumps({"format": FORMAT, "chain": chain}, indent=2, ensure_ascii=True) + "\n"


def _is_link(item: object) -> bool:
    return (
        isinstance(item, dict)
        and set(item) == {"plan", "reason", "hash"}
        and isinstance(item["plan"], dict)
        and isinstance(item["reason"], str)
        and isinstance(item["hash"], str)
    )


def _flat(content: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in content.items():
        if isinstance(value, dict) and value:
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _shown(flat: Mapping[str, Any], key: str) -> str:
    return json.dumps(flat[key]) if key in flat else "absent"
