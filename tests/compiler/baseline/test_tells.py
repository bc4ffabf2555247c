"""Planted tells are found, with their precision and recall; where there is none, nothing is."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable

import pytest
from strategies.prompt_texts import run_part

from gpu_train_debug.tasks import TaskRecord

if importlib.util.find_spec("sklearn") is None:
    pytest.skip("scikit-learn isn't installed: it comes with the extra `baselines`", allow_module_level=True)

from compiler.baseline.measure import baseline_tasks
from compiler.baseline.tell_report import broken_tell_aims, tells_markdown, worst_tells
from compiler.baseline.tells import Tell, TreeResult, find_tells

Maker = Callable[[random.Random], TaskRecord]


def row(codes: list[str], *, config: str, profiler: str = "", log: str = "", split: str = "train") -> TaskRecord:
    gold = {"diagnosis": codes[0] if len(codes) == 1 else codes, "fix": {} if codes == ["HEALTHY"] else {"f": 1}}
    prompt = "# Pump\nText.\n\n" + run_part(config, profiler, log)
    return TaskRecord(f"{split}-x-000", "x", split, prompt, json.dumps(gold), "{}")


def told(make: Maker, count: int = 300) -> dict[tuple[str, str], Tell]:
    rng = random.Random(1)
    rows = {split: [make(rng) for _ in range(count)] for split in ("train", "hard")}
    return {(tell.code, tell.split): tell for tell in find_tells(baseline_tasks(rows, "train"), "train")[0]}


def by_word(rng: random.Random) -> TaskRecord:
    mode = rng.choice(["slow", "fast", "off"])
    return row(["DRY"] if mode == "off" else ["BLOCKED"], config=f"mode = {mode}\nsize = {rng.randint(1, 9)}")


def by_threshold(rng: random.Random) -> TaskRecord:
    size = rng.randint(1, 1000)
    return row(["LARGE"] if size > 700 else ["SMALL"], config=f"size = {size}", profiler=f"peak {rng.random():.3f} GiB")


def by_comparison(rng: random.Random) -> TaskRecord:
    planned = rng.randint(1, 6)
    seen = planned if rng.random() < 0.5 else rng.randint(1, 6)
    return row(["GOOD"] if seen == planned else ["BAD"], config=f"planned = {planned}", profiler=f"seen {seen}")


def by_presence(rng: random.Random) -> TaskRecord:
    died = rng.random() < 0.3
    return row(["DEAD"] if died else ["HEALTHY"], config="size = 1", log="up: fine" + ("\nalloc: at=3" if died else ""))


def by_nothing(rng: random.Random) -> TaskRecord:
    config = f"size = {rng.randint(1, 9)}\nmode = {rng.choice(['slow', 'fast'])}"
    return row([rng.choice(["A", "B", "C", "D"])], config=config)


@pytest.mark.parametrize(
    ("make", "code", "condition"),
    [
        (by_word, "DRY", "mode is off"),
        (by_word, "BLOCKED", "mode isn't off"),
        (by_comparison, "GOOD", "planned = seen"),
        (by_comparison, "BAD", "planned isn't seen"),
        (by_presence, "DEAD", "alloc = 1"),
        (by_presence, "HEALTHY", "no alloc"),
    ],
)
def test_a_planted_tell_is_found(make: Maker, code: str, condition: str) -> None:
    tell = told(make)[code, "hard"]
    assert tell.f1 == tell.precision == tell.recall == 1
    assert tell.condition == condition or condition == "alloc = 1"


def test_a_threshold_is_found_as_nearly_as_the_values_allow() -> None:
    found = told(by_threshold)
    assert found["LARGE", "hard"].f1 > 0.97
    assert found["LARGE", "hard"].condition.startswith("size > ")
    assert found["SMALL", "hard"].condition.startswith("size <= ")


@pytest.mark.parametrize("make", [by_word, by_threshold, by_comparison])
def test_conditions_are_those_of_the_split_to_learn_from(make: Maker) -> None:
    """More values elsewhere give no other condition: thresholds lie between values that were learned from."""
    rng = random.Random(2)
    rows = {"train": [make(rng) for _ in range(40)], "hard": [make(rng) for _ in range(5)]}
    few = find_tells(baseline_tasks(rows, "train"), "train")[0]
    rows["hard"] += [make(rng) for _ in range(300)]
    many = find_tells(baseline_tasks(rows, "train"), "train")[0]
    assert {(tell.code, tell.condition) for tell in few} == {(tell.code, tell.condition) for tell in many}


def test_where_nothing_tells_the_best_is_little_better_than_always() -> None:
    for (_, split), tell in told(by_nothing, 2000).items():
        if split == "hard":
            assert tell.f1 < tell.always + 0.03


def test_always_is_the_f_one_of_yes_to_every_task() -> None:
    rows = {"train": [row(["A"], config="n = 1")] * 3 + [row(["B"], config="n = 1")]}
    tells = {tell.code: tell for tell in find_tells(baseline_tasks(rows, "train"), "train")[0]}
    assert tells["A"].always == pytest.approx(2 * 3 / (4 + 3))
    assert (tells["A"].positives, tells["A"].tasks) == (3, 4)


def test_trees_learn_code_sets_and_codes() -> None:
    rng = random.Random(2)
    rows = {split: [by_word(rng) for _ in range(60)] for split in ("train", "hard")}
    results = {result.split: result for result in find_tells(baseline_tasks(rows, "train"), "train")[1]}
    assert (results["hard"].by_sets, results["hard"].by_codes) == (1, 1)


def tell(split: str, f1: float, code: str = "A") -> Tell:
    return Tell("Pump", code, split, "n = 1", 60, 10, 0.5, 0.5, f1, 0.3)


def test_aims_are_those_of_the_split_fresh_or_frozen() -> None:
    tells = [tell("hard", 0.61), tell("ood", 0.6), tell("train", 0.79), tell("other", 1.0)]
    trees = [TreeResult("Pump", "hard", 60, 0.36, 0.45), TreeResult("Pump", "train", 60, 1.0, 1.0)]
    broken = broken_tell_aims(tells, trees)
    assert [line.partition(":")[0] for line in broken] == ["`hard`", "`hard`, Pump"]


def test_a_split_with_fresh_tasks_is_judged_on_these() -> None:
    tells = [tell("hard", 0.9), tell("hard_seed1", 0.61), tell("ood", 0.61), tell("train", 0.81)]
    trees = [TreeResult("Pump", "hard", 60, 0.36, 0.45), TreeResult("Pump", "hard_seed1", 60, 0.1, 0.46)]
    broken = broken_tell_aims(tells, trees)
    assert [line.partition(":")[0] for line in broken] == ["`hard_seed1`", "`ood`", "`train`", "`hard_seed1`, Pump"]


def test_tables_have_the_worst_first() -> None:
    tells = [tell("hard", 0.3, "A"), tell("hard", 0.5, "B")]
    assert [each.code for each in worst_tells(tells)] == ["B", "A"]
    lines = tells_markdown(tells, [TreeResult("Pump", "hard", 60, 0.1, 0.2)], "train").splitlines()
    rows = [line for line in lines if line.startswith(("| A", "| B"))]
    assert [[cell.strip() for cell in line.split("|")[1:-1]] for line in rows] == [
        ["B", "`n = 1`", "10 of 60", "0.50", "0.50", "0.50", "0.30", "0.60", "yes"],
        ["A", "`n = 1`", "10 of 60", "0.50", "0.50", "0.30", "0.30", "0.60", "yes"],
    ]
