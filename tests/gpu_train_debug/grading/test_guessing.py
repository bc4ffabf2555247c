"""Answers that are fixed in advance, or copied from somewhere, earn no more than their chance level."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from benchmarks.grading import chance_level, code_counts, fixed_answers, mean_part
from compiler.baseline.run import read_run
from gpu_train_debug import grade
from gpu_train_debug.tasks import MANIFEST, read_split, split_names

OUT = Path(__file__).parents[3] / "out"
SPLITS = split_names(OUT) if (OUT / MANIFEST).is_file() else []

Task = dict[str, Any]


def mean(replies: list[str], tasks: list[Task]) -> float:
    return sum(grade(reply, task["gold"]).score for reply, task in zip(replies, tasks, strict=True)) / len(tasks)


def made_tasks(seed: int, skew: float, pairs: float) -> list[Task]:
    """Golds in which codes and values are the less even, the greater `skew` is."""
    rng = random.Random(seed)
    codes = [f"C{i}" for i in range(8)]
    weights = [1 / (i + 1) ** skew for i in range(8)]
    tasks = []
    for number in range(100):
        if number % 10 == 0:
            gold: dict[str, Any] = {"diagnosis": "HEALTHY", "fix": {}}
        else:
            named = sorted(set(rng.choices(codes, weights, k=2 if rng.random() < pairs else 1)))
            fix = {f"f{code[1:]}": rng.choices([1, 2, 4, 8], weights[:4])[0] for code in named}
            fix.update({"kept": rng.choices([16, 32, 64], weights[:3])[0]} if rng.random() < 0.4 else {})
            gold = {"diagnosis": named[0] if len(named) == 1 else named, "fix": fix}
        tasks.append({"gold": json.dumps(gold)})
    return tasks


def check_fixed_answers(tasks: list[Task]) -> None:
    level = chance_level([json.loads(task["gold"]) for task in tasks])
    golds = Counter(task["gold"] for task in tasks)
    replies = fixed_answers([json.loads(task["gold"]) for task in tasks])
    above = {name: score for name, reply in replies.items() if (score := mean_part(reply, golds)) > level + 1e-9}
    assert not above, f"chance level {level}"


@pytest.mark.parametrize("skew", [pytest.param(0, marks=pytest.mark.slow), 1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("pairs", [pytest.param(0, marks=pytest.mark.slow), 0.6])
def test_no_fixed_answer_is_above_chance_on_made_golds(skew: float, pairs: float) -> None:
    check_fixed_answers(made_tasks(1, skew, pairs))


@pytest.mark.slow
@pytest.mark.skipif(not SPLITS, reason="no compiled splits in out/")
@pytest.mark.parametrize("split", SPLITS)
def test_no_fixed_or_copied_answer_is_above_chance_on_a_split(split: str) -> None:
    tasks = [asdict(row) for row in read_split(split, OUT)]
    check_fixed_answers(tasks)
    golds = [json.loads(task["gold"]) for task in tasks]
    assert any(gold["fix"] for gold in golds)
    for task, gold in zip(tasks, golds, strict=True):
        assert config_of(task["prompt"]).keys() >= gold["fix"].keys()
        assert first_code_of(task["prompt"]).isupper()
    code = code_counts(golds).most_common(1)[0][0]
    copies = {
        "the prompt": [task["prompt"] for task in tasks],
        "the config as fix": [json.dumps({"diagnosis": code, "fix": config_of(task["prompt"])}) for task in tasks],
        "the first code of the prompt": [
            json.dumps({"diagnosis": first_code_of(task["prompt"]), "fix": {}}) for task in tasks
        ],
    }
    scores = {name: mean(replies, tasks) for name, replies in copies.items()}
    scores["the gold of another task"] = mean_of_other_golds([task["gold"] for task in tasks])
    level = chance_level(golds)
    assert {name: score for name, score in scores.items() if score > level} == {}


def mean_of_other_golds(golds: list[str]) -> float:
    """What the gold of a task earns on the others, over all pairs of tasks."""
    counts = Counter(golds)
    earned = sum(
        times * (others - (reply == gold)) * grade(reply, gold).score
        for gold, times in counts.items()
        for reply, others in counts.items()
    )
    return earned / (len(golds) * (len(golds) - 1))


def config_of(prompt: str) -> dict[str, Any]:
    """The printed config, as an answer would write it."""
    settings = (line.partition(" = ") for line in read_run(prompt).channels["config"].splitlines())
    return {name: as_answer(value) for name, _, value in settings}


def as_answer(word: str) -> object:
    try:
        return json.loads(word)
    except ValueError:
        return word


def first_code_of(prompt: str) -> str:
    return prompt.partition("\n1. ")[2].partition(":")[0]


def test_an_empty_fix_is_no_hedge() -> None:
    """A guess of a fault earns the same on faulty runs, and nothing on healthy ones."""
    golds = [json.loads(task["gold"]) for task in made_tasks(2, 0, 0)]
    texts = [json.dumps(gold) for gold in golds]
    for code in code_counts(golds):
        earned = sum(grade(json.dumps({"diagnosis": code, "fix": {}}), text).score for text in texts)
        share = sum(gold["diagnosis"] == code for gold in golds)
        assert earned == (share if code == "HEALTHY" else share / 2)
