"""False alarms, misses, twins, confused codes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from strategies.bakery import make_arm, make_task, wrong

from gpu_train_debug.grading.rubric import grade
from gpu_train_debug.study.statistics.controls import (
    BEYOND,
    CONTROL_OUTCOMES,
    FAULT_OUTCOMES,
    NOTHING,
    OTHER,
    code_order,
    confuse,
    healthy_codes,
    naming_rates,
    outcome,
    outcome_rates,
    pair_twins,
)
from gpu_train_debug.study.statistics.score import score_reply

HEALTHY = frozenset({"HEALTHY"})
CALM = make_task(0, codes=("HEALTHY",), archetype="calm")
ONE = make_task(1, codes=("COLD",), archetype="cold")
PAIR = make_task(2, codes=("COLD", "WET"), archetype="both")


@pytest.mark.parametrize(
    ("diagnosis", "on_control", "on_one", "on_pair"),
    [
        (None, "none", "none", "none"),
        ([], "none", "none", "none"),
        ([None, 1], "none", "none", "none"),
        ("HEALTHY", "right", "miss", "miss"),
        (["HEALTHY"], "right", "miss", "miss"),
        (["HEALTHY", None], "part", "miss", "miss"),
        (["HEALTHY", "HEALTHY"], "part", "miss", "miss"),
        ("COLD", "false_alarm", "right", "part"),
        (["COLD", "COLD"], "false_alarm", "part", "part"),
        (["COLD", None], "false_alarm", "part", "part"),
        (["WET", "COLD"], "false_alarm", "part", "right"),
        (["COLD", "WET", "COLD"], "false_alarm", "part", "part"),
        ("DRY", "false_alarm", "wrong", "wrong"),
        (["COLD", "HEALTHY"], "false_alarm", "part", "part"),
        (["DRY", "HEALTHY"], "false_alarm", "wrong", "wrong"),
        (["COLD", "DRY", "WET"], "false_alarm", "part", "part"),
    ],
    ids=str,
)
def test_outcome_of_a_diagnosis(diagnosis: object, on_control: str, on_one: str, on_pair: str) -> None:
    """It is right where the grader gives the whole half for it, and nowhere else."""
    reply = json.dumps({"diagnosis": diagnosis, "fix": {}})
    for task, expected in ((CALM, on_control), (ONE, on_one), (PAIR, on_pair)):
        found = outcome(score_reply(reply, task), task, HEALTHY)
        assert found == expected
        assert (found == "right") == (grade(reply, task.gold).diagnosis == 0.5)


def test_codes_of_controls_say_that_all_is_well() -> None:
    assert healthy_codes([CALM, ONE, make_task(3, codes=("FINE",), control=True)]) == {"HEALTHY", "FINE"}


def test_rates_of_outcomes_add_up_on_their_tasks_and_are_zero_elsewhere() -> None:
    replies = ['"HEALTHY"', '"COLD"', "null", '"DRY"', '["HEALTHY", "HEALTHY"]']
    arm = make_arm(
        "base", *([score_reply(f'{{"diagnosis": {text}}}', task) for text in replies] for task in (CALM, ONE))
    )
    controls = outcome_rates(arm, [CALM, ONE], HEALTHY, control=True)
    faults = outcome_rates(arm, [CALM, ONE], HEALTHY, control=False)
    assert dict(zip(CONTROL_OUTCOMES, controls[0], strict=True)) == {
        "right": 0.2,
        "part": 0.2,
        "false_alarm": 0.4,
        "none": 0.2,
    }
    assert dict(zip(FAULT_OUTCOMES, faults[1], strict=True)) == {
        "right": 0.2,
        "part": 0,
        "wrong": 0.2,
        "miss": 0.4,
        "none": 0.2,
    }
    assert not controls[1].any()
    assert not faults[0].any()


def test_stated_twins_stand_beside_their_fault_and_controls_of_the_system_beside_the_others() -> None:
    tasks = [
        CALM,
        ONE,
        make_task(3, codes=("DRY",), archetype="dry"),
        make_task(4, codes=("HEALTHY",), archetype="still"),
        make_task(5, codes=("HEALTHY",), archetype="far", system="cellar"),
    ]
    cold, dry = pair_twins(tasks, {"calm": ["cold"]})
    assert (cold.archetype, cold.stated, cold.twins, cold.rows, cold.twin_rows) == ("cold", True, ("calm",), (1,), (0,))
    assert (dry.archetype, dry.stated, dry.twins, dry.twin_rows) == ("dry", False, ("calm", "still"), (0, 3))


def test_twins_are_of_the_same_split() -> None:
    """A stated twin that another split has is no twin here: the controls of the system stand in, or none."""
    tasks = [
        make_task(0, split="train", codes=("HEALTHY",), archetype="calm"),
        make_task(1, split="train", codes=("COLD",), archetype="cold"),
        make_task(0, split="test", codes=("COLD",), archetype="cold"),
        make_task(1, split="test", codes=("HEALTHY",), archetype="still"),
        make_task(0, split="ood", codes=("COLD",), archetype="cold"),
    ]
    found = [(pairing.split, pairing.stated, pairing.twins) for pairing in pair_twins(tasks, {"calm": ["cold"]})]
    assert found == [("train", True, ("calm",)), ("test", False, ("still",)), ("ood", False, ())]


def test_fault_without_controls_has_no_twins() -> None:
    (pairing,) = pair_twins([ONE], {})
    assert (pairing.twins, pairing.twin_rows) == ((), ())


def test_naming_counts_samples_that_name_any_of_the_codes() -> None:
    arm = make_arm("base", [wrong("x", codes=codes) for codes in (("COLD", "DRY"), ("WET",), ("HEALTHY",), None)])
    assert naming_rates(arm, ("COLD", "WET")).tolist() == [0.5]


def test_confusion_gives_each_code_of_a_gold_one_sample() -> None:
    codes = ("COLD", "WET", "HEALTHY")
    named = [("COLD", "WET"), ("COLD",), ("COLD", "DRY"), ("HEALTHY",), None, ("COLD", "HEALTHY", "WET")]
    arm = make_arm("base", [wrong("x", codes=some) for some in named])
    found = confuse(arm, [PAIR], codes)
    assert found.rows == (*codes, BEYOND)
    assert found.columns == (*codes, OTHER, NOTHING)
    cold, wet, healthy, beyond = found.counts.tolist()
    assert cold == [4, 0, 1, 0, 1]
    assert wet == [0, 2, 1, 1, 2]
    assert healthy == [0, 0, 0, 0, 0]
    assert beyond == [0, 0, 1, 0, 0]


def test_missed_code_is_shared_among_the_wrong_ones() -> None:
    arm = make_arm("base", [wrong("x", codes=("DRY", "HEALTHY"))])
    found = confuse(arm, [ONE], ("COLD", "DRY", "HEALTHY"))
    assert found.counts[0].tolist() == [0, 0.5, 0.5, 0, 0]
    assert np.all(found.counts[1:] == 0)


def test_codes_stand_by_system_and_those_of_controls_last() -> None:
    tasks = [CALM, ONE, make_task(3, codes=("BITTER",), system="cellar"), make_task(4, codes=("AIR", "COLD"))]
    assert code_order(tasks) == ("BITTER", "AIR", "COLD", "HEALTHY")
