"""Frozen plans: seals, amendments, alterations."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from strategies.bakery import write_splits

from gpu_train_debug.input_errors import InputError
from gpu_train_debug.study.inputs.freeze import (
    ALTERED,
    AMENDED,
    FROZEN,
    UNFROZEN,
    Seal,
    amend_plan,
    freeze_plan,
    plan_changes,
    read_frozen,
    with_departures,
)
from gpu_train_debug.study.inputs.plan import Bootstrap, Plan
from gpu_train_debug.study.inputs.tasks import TaskSet, read_tasks

PLAN = Plan(title="Tuned against base", arms=("base", "tuned"), samples=4)


@pytest.fixture
def frozen(tmp_path: Path, task_set: TaskSet) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(freeze_plan(PLAN, task_set))
    return path


@pytest.fixture
def amended(frozen: Path, task_set: TaskSet) -> Path:
    text = amend_plan(frozen, replace(PLAN, samples=8), task_set, "four were too few")
    path = frozen.with_name("amended.json")
    path.write_text(text)
    return path


def edited(path: Path, edit: Callable[[dict[str, Any]], object]) -> Path:
    value = json.loads(path.read_text())
    edit(value)
    path.write_text(json.dumps(value))
    return path


def test_frozen_plan_is_complete_and_pins_its_files(frozen: Path, task_set: TaskSet) -> None:
    plan, seal = read_frozen(frozen)
    assert seal.status == FROZEN
    assert plan.comparisons == (("tuned", "base"),)
    assert plan.tasks == task_set.digests
    assert (seal.departures, with_departures(seal, task_set).departures) == ((), ())


def test_hash_is_pinned(frozen: Path) -> None:
    """A hash that was published must stay checkable."""
    _, seal = read_frozen(frozen)
    assert seal.hash == "988f5bc45ec697dd0b4740a3ec0f1e489f932da1ef98c932c5f4a9853e9e39bc"


def test_hash_doesnt_depend_on_the_layout_of_the_file(frozen: Path) -> None:
    _, before = read_frozen(frozen)
    _, after = read_frozen(edited(frozen, lambda value: None))
    assert before == after


def test_amended_plan_shows_as_amended(amended: Path) -> None:
    plan, seal = read_frozen(amended)
    assert (seal.status, plan.samples) == (AMENDED, 8)
    assert [link.reason for link in seal.links] == ["frozen", "four were too few"]
    assert seal.links[1].changes == ("samples: 4 -> 8", "pass_at: [1, 2, 4] -> [1, 2, 4, 8]", "group_sizes: [4] -> [8]")


def test_amendments_can_follow_each_other(amended: Path, task_set: TaskSet) -> None:
    amended.write_text(amend_plan(amended, replace(PLAN, samples=2), task_set, "too expensive"))
    _, seal = read_frozen(amended)
    assert (seal.status, len(seal.links), seal.departures) == (AMENDED, 3, ())


@pytest.mark.parametrize(
    "edit",
    [
        lambda chain: chain[-1]["plan"].update(samples=3),
        lambda chain: chain[-1].update(reason="because"),
        lambda chain: chain[-1].update(hash="0" * 64),
        lambda chain: chain[0]["plan"].update(title="Other"),
        lambda chain: chain.pop(0),
        lambda chain: chain.pop(1),
        lambda chain: chain.reverse(),
    ],
    ids=["plan", "reason", "hash", "earlier plan", "origin taken away", "link taken out", "order"],
)
def test_edited_plan_shows_as_altered(
    edit: Callable[[list[dict[str, Any]]], object], amended: Path, task_set: TaskSet
) -> None:
    amended.write_text(amend_plan(amended, replace(PLAN, samples=2), task_set, "too expensive"))
    _, seal = read_frozen(edited(amended, lambda value: edit(value["chain"])))
    assert seal.status == ALTERED
    assert "was changed after it was sealed" in seal.departures[0]


def test_last_amendment_taken_out_shows_by_its_hash_alone(amended: Path, task_set: TaskSet) -> None:
    _, published = read_frozen(amended)
    _, seal = read_frozen(edited(amended, lambda value: value["chain"].pop()))
    assert (seal.status, with_departures(seal, task_set).departures) == (FROZEN, ())
    assert "doesn't have the expected hash" in with_departures(seal, task_set, expected=published.hash).departures[0]


def test_plan_that_is_no_plan_since_it_was_altered_is_told_to_be_altered_first(frozen: Path) -> None:
    edited(frozen, lambda value: value["chain"][0]["plan"].update(samples=0, reference=3))
    with pytest.raises(InputError) as caught:
        read_frozen(frozen)
    assert [fault.message.partition(":")[0] for fault in caught.value.flaws] == [
        "the plan was changed after it was sealed",
        "`reference` isn't the name of an arm",
        "`samples` isn't a whole number between 1 and 100000",
    ]


def test_altered_plan_cant_be_amended(frozen: Path, task_set: TaskSet) -> None:
    edited(frozen, lambda value: value["chain"][0]["plan"].update(samples=2))
    with pytest.raises(InputError, match="was altered, so it can't be amended"):
        amend_plan(frozen, PLAN, task_set, "why not")


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines"])
def test_amendment_needs_a_reason(reason: str, frozen: Path, task_set: TaskSet) -> None:
    with pytest.raises(InputError, match="needs a reason"):
        amend_plan(frozen, replace(PLAN, samples=8), task_set, reason)


def test_amendment_has_to_change_something(frozen: Path, task_set: TaskSet) -> None:
    with pytest.raises(InputError, match="changes nothing"):
        amend_plan(frozen, PLAN, task_set, "why not")


def test_other_tasks_are_a_departure(frozen: Path, tmp_path: Path) -> None:
    _, seal = read_frozen(frozen)
    other = read_tasks([write_splits(tmp_path / "other", {"test": 2, "ood": 3})])
    assert with_departures(seal, other).departures == ("the split file `ood.jsonl` isn't the one that the plan pins",)


def test_only_files_of_the_splits_of_the_study_are_pinned(tmp_path: Path, task_set: TaskSet) -> None:
    path = tmp_path / "plan.json"
    path.write_text(freeze_plan(replace(PLAN, splits=("test",)), task_set))
    plan, seal = read_frozen(path)
    assert list(plan.tasks) == ["test.jsonl"]
    assert with_departures(seal, read_tasks([tmp_path / "out" / "test.jsonl"])).departures == ()


def test_expected_hash_is_held_against_the_chain(amended: Path, task_set: TaskSet) -> None:
    _, seal = read_frozen(amended)
    first, last = (link.hash for link in seal.links)
    assert with_departures(seal, task_set, expected=last[:12]).departures == ()
    assert with_departures(seal, task_set, expected=last.upper()).departures == ()
    assert "was amended after the expected hash" in with_departures(seal, task_set, expected=first).departures[0]
    assert "doesn't have the expected hash" in with_departures(seal, task_set, expected="f" * 8).departures[0]
    assert "doesn't have the expected hash" in with_departures(Seal(UNFROZEN), task_set, expected=first).departures[0]


def test_changes_name_keys_that_come_and_go() -> None:
    before = replace(PLAN, twins={"calm": ("cold",)})
    after = replace(PLAN, bootstrap=Bootstrap(seed=1), twins={"still": ("cold",)})
    assert plan_changes(before, after) == (
        "bootstrap.seed: 2027 -> 1",
        'twins.calm: ["cold"] -> absent',
        'twins.still: absent -> ["cold"]',
    )


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 1, "chain": []}', '{"format": 2, "chain": [{}]}', "\udcff"]
)
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match="not a frozen plan"):
        read_frozen(path)
