"""Answers to the hand-written prompts, worked out by hand."""

from __future__ import annotations

import json

import pytest
from strategies.prompt_texts import prompt

from compiler.reader import answer_json, read_prompt, rivals, solve

ANSWERS = {
    "memory-one_code": {"diagnosis": "ACT_PEAK_OVER_BUDGET", "fix": {"micro_batch": 4, "grad_accum": 2}},
    "memory-alternative": {"diagnosis": "ACT_PEAK_OVER_BUDGET", "fix": {"recompute": "selective"}},
    "memory-unmasked_pair": {
        "diagnosis": ["STATE_OVER_BUDGET", "ACT_PEAK_OVER_BUDGET"],
        "fix": {"micro_batch": 2, "grad_accum": 4, "offload": True},
    },
    "memory-small_batch": {"diagnosis": "BATCH_TOO_SMALL", "fix": {"grad_accum": 4}},
    "memory-healthy": {"diagnosis": "HEALTHY", "fix": {}},
    "pump-masked_pair": {"diagnosis": ["WRONG_VALVE", "OVERHEAT"], "fix": {"valve": "open", "cooler": True}},
    "pump-low_flow": {"diagnosis": "LOW_FLOW", "fix": {"speed": 2}},
}
REASONS = {
    "memory-uncovered": "uncovered",
    "memory-three_codes": "too many codes",
    "pump-no_value": "no value",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_solve_gives_the_answer_when_the_walk_ends_well(name: str) -> None:
    solution = solve(read_prompt(prompt(name)))
    assert solution.reason == "unique"
    assert answer_json(solution) == json.dumps(ANSWERS[name])


@pytest.mark.parametrize("name", REASONS)
def test_solve_gives_a_reason_when_there_is_no_answer(name: str) -> None:
    solution = solve(read_prompt(prompt(name)))
    assert (solution.answer, solution.reason) == (None, REASONS[name])
    assert answer_json(solution) == "null"


@pytest.mark.parametrize("name", ANSWERS)
def test_rivals_confirm_the_answer_when_no_repair_is_cheaper(name: str) -> None:
    document = read_prompt(prompt(name))
    found = rivals(document, solve(document))
    assert (found.rivals, found.failure) == ((), "")


def test_evidence_holds_each_printed_value_as_it_stands() -> None:
    document = read_prompt(prompt("pump-masked_pair"))
    assert document.evidence == {
        "speed": "2",
        "valve": "closed",
        "cooler": "false",
        "setpoint": "20 C",
        "mode": "day",
        "demand": "15 l/s",
        "head": "5 m",
        "site": '"lower reservoir"',
        "ambient": "8.0 C",
        "gap": "-16 l/s",
        "heat": "36000 mC",
        "drift": "15.0 C",
        "quiet": "true",
        "oil": '"A-1"',
        "log.start": "present",
        "log.start.where": '"lower reservoir"',
        "log.trip": "present",
        "log.trip.margin": "16 C",
        "log.trip.leaking": "false",
    }


def test_evidence_says_absent_when_an_event_is_not_printed() -> None:
    evidence = read_prompt(prompt("memory-healthy")).evidence
    assert evidence["log.alloc_fail"] == "absent"
    assert "log.alloc_fail.request" not in evidence


def test_walk_record_shows_each_step_with_its_settings() -> None:
    (walk,) = solve(read_prompt(prompt("memory-alternative"))).walks
    (step,) = walk.steps
    assert (step.code, step.alternative) == ("ACT_PEAK_OVER_BUDGET", 1)
    assert step.settings == (("recompute", "selective"),)
    assert walk.world == {"gpu_mem": 24576, "frag": 1024}


def test_codes_come_in_the_order_fired_when_a_fix_unmasks_a_rule() -> None:
    (walk,) = solve(read_prompt(prompt("memory-unmasked_pair"))).walks
    assert walk.codes == ("STATE_OVER_BUDGET", "ACT_PEAK_OVER_BUDGET")


def test_read_prompt_shares_the_static_part_between_prompts_of_a_system() -> None:
    first, second = read_prompt(prompt("memory-healthy")), read_prompt(prompt("memory-one_code"))
    assert first.system is second.system
