"""Plans: what they say, what they leave open, what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gpu_train_debug.input_errors import InputError
from gpu_train_debug.study.inputs.plan import (
    Band,
    Plan,
    Primary,
    complete_plan,
    parse_plan,
    plan_content,
    read_plan,
    read_toml,
    read_twins,
)
from gpu_train_debug.study.inputs.tasks import TaskSet

FULL = """
title = "Tuned against base"
arms = ["base", "tuned"]
reference = "base"
comparisons = [["tuned", "base"]]
splits = ["ood"]
samples = 4
pass_at = [1, 4]
group_sizes = [2, 4]

[primary]
metric = "score"
splits = ["ood"]

[bootstrap]
resamples = 500
seed = 7
confidence = 0.9
stratify = false

[band]
arm = "tuned"
metric = "exact"
low = 0.4
high = 0.5

[twins]
sticky_rye = ["wet_dough"]
"""


def draft(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_everything_can_be_said(tmp_path: Path, task_set: TaskSet) -> None:
    plan = read_plan(draft(tmp_path / "plan.toml", FULL))
    assert plan.band == Band("tuned", "exact", 0.4, 0.5)
    assert plan.twins == {"sticky_rye": ("wet_dough",)}
    assert complete_plan(plan, task_set.tasks) == plan


def test_content_reads_back_as_the_same_plan(tmp_path: Path) -> None:
    plan = replace(read_plan(draft(tmp_path / "plan.toml", FULL)), tasks={"ood.jsonl": "00"})
    assert parse_plan(plan_content(plan), "here", draft=False) == plan


def test_open_questions_are_filled_in(task_set: TaskSet) -> None:
    plan = complete_plan(Plan(), task_set.tasks, {"base": 6, "sft": 6, "grpo": 6})
    assert plan.reference == plan.band.arm == "base"
    assert plan.comparisons == (("sft", "base"), ("grpo", "base"))
    assert plan.splits == ("ood", "test")
    assert plan.primary == Primary("exact", ("*",))
    assert (plan.samples, plan.pass_at, plan.group_sizes) == (6, (1, 2, 4), (6,))


def test_samples_stay_open_when_arms_have_unlike_numbers(task_set: TaskSet) -> None:
    plan = complete_plan(Plan(), task_set.tasks, {"base": 2, "tuned": 4})
    assert (plan.samples, plan.pass_at, plan.group_sizes) == (None, (1, 2), (2,))
    with pytest.raises(InputError, match="pass@4 needs at least 4 samples, there are 2"):
        complete_plan(Plan(pass_at=(4,)), task_set.tasks, {"base": 2, "tuned": 4})


def test_one_split_and_one_sample_leave_little_to_fill_in(task_set: TaskSet) -> None:
    plan = complete_plan(Plan(splits=("test",)), task_set.tasks, {"base": 1})
    assert plan.primary.splits == ("test",)
    assert (plan.comparisons, plan.pass_at, plan.group_sizes) == ((), (1,), ())


def test_a_plan_that_is_not_utf_8_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match="error: not UTF-8 at byte 0\n"):
        read_toml(tmp_path / "plan.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("arms = [", "not TOML"),
        ('arm = ["a"]', "there is no key `arm`"),
        ('tasks = {a = "b"}', "there is no key `tasks`"),
        ('arms = "base"', "`arms` isn't a list of different texts"),
        ('arms = ["a", "a"]', "`arms` isn't a list of different texts"),
        ('arms = ["a b"]', "`arms` isn't a list of names of arms"),
        ('comparisons = [["a", "a"]]', "`comparisons` isn't a list of pairs of different arms"),
        (
            'comparisons = [["a", "b"], ["b", "a"]]',
            "`comparisons` isn't a list of pairs of different arms, each pair once",
        ),
        ("samples = 0", "`samples` isn't a whole number between 1 and 100000"),
        ("samples = true", "`samples` isn't a whole number"),
        ("pass_at = [4, 1]", "`pass_at` isn't a rising list of whole numbers from 1"),
        ("group_sizes = [1]", "`group_sizes` isn't a rising list of whole numbers from 2"),
        ('primary = "exact"', "`primary` isn't a table"),
        ('[primary]\nmetric = "f1"', "`primary.metric` isn't one of exact, score"),
        ("[bootstrap]\nresamples = 10", "`bootstrap.resamples` isn't a whole number between 200 and 100000"),
        ("[bootstrap]\nresamples = 100001", "`bootstrap.resamples` isn't a whole number between 200 and 100000"),
        ("[bootstrap]\nconfidence = 95", "`bootstrap.confidence` isn't between 0 and 1"),
        ("[bootstrap]\nstratify = 1", "`bootstrap.stratify` isn't true or false"),
        ("[band]\nlow = 0.8", "`band.low` isn't below `band.high`"),
        ("[band]\nlow = 0.6\nup = 1", "there is no key `band.up`"),
        ("title = 3", "`title` isn't text on one line"),
    ],
)
def test_a_plan_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = draft(tmp_path / "plan.toml", text)
    with pytest.raises(InputError) as caught:
        read_plan(path)
    assert f"error: {message}" in str(caught.value)
    assert str(path) in str(caught.value)


def test_all_faults_of_a_plan_are_told_with_suggestions(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_plan(draft(tmp_path / "plan.toml", "sampels = 3\ntitle = 1\n[band]\nlo = 0.1"))
    assert len(caught.value.flaws) == 3
    assert "did you mean `samples`" in str(caught.value)
    assert "did you mean `low`?" in str(caught.value)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(), "the plan leaves open its arms"),
        (Plan(arms=("base",)), "the plan leaves open its samples"),
        (Plan(arms=("base",), samples=2, splits=("tset",)), "the plan names split `tset`, which doesn't exist"),
        (Plan(arms=("base",), samples=2, reference="bsae"), "the plan names arm `bsae`"),
        (Plan(arms=("base",), samples=2, comparisons=(("base", "x"),)), "the plan names arm `x`"),
        (Plan(arms=("base",), samples=2, splits=("test",), primary=Primary("exact", ("*",))), "split of the study `*`"),
        (Plan(arms=("base",), samples=2, pass_at=(4,)), "pass@4 needs at least 4 samples, there are 2"),
        (Plan(arms=("base",), samples=2, group_sizes=(4,)), "groups of 4 need at least 4 samples, there are 2"),
        (Plan(arms=("base",), samples=2, twins={"wet_dough": ()}), "`wet_dough` has tasks with something to fix"),
        (Plan(arms=("base",), samples=2, twins={"sticky_rye": ("sticky_rye",)}), "`sticky_rye` is itself a control"),
    ],
)
def test_names_and_numbers_are_held_against_the_tasks(plan: Plan, message: str, task_set: TaskSet) -> None:
    with pytest.raises(InputError) as caught:
        complete_plan(plan, task_set.tasks)
    assert message in str(caught.value)


def test_twins_may_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    assert read_twins(draft(tmp_path / "twins.toml", 'calm = ["a", "b"]\n')) == {"calm": ("a", "b")}
    with pytest.raises(InputError, match="`twins` isn't a list of different texts"):
        read_twins(draft(tmp_path / "twins.toml", 'calm = "a"\n'))


def test_a_plan_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't read the file"):
        read_plan(tmp_path / "none.toml")
