"""Answers to the hand-written pages, worked out by hand."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import prompt

from compiler.reader import answer_json, read_prompt, solve

ANSWERS = {
    "memory-one_code": '{"diagnosis": "ACT_PEAK_OVER_BUDGET", "fix": {"micro_batch": 4, "grad_accum": 2}}',
    "memory-alternative": '{"diagnosis": "ACT_PEAK_OVER_BUDGET", "fix": {"recompute": "selective"}}',
    "memory-unmasked_pair": '{"diagnosis": ["STATE_OVER_BUDGET", "ACT_PEAK_OVER_BUDGET"], '
    '"fix": {"micro_batch": 2, "grad_accum": 4, "offload": true}}',
    "memory-small_batch": '{"diagnosis": "BATCH_TOO_SMALL", "fix": {"grad_accum": 4}}',
    "memory-healthy": '{"diagnosis": "HEALTHY", "fix": {}}',
    "pump-masked_pair": '{"diagnosis": ["WRONG_VALVE", "OVERHEAT"], "fix": {"valve": "open", "cooler": true}}',
    "pump-low_flow": '{"diagnosis": ["LOW_FLOW", "GAIN_HIGH"], "fix": {"speed": 2, "gain": 0.0001}}',
    "pump-leak": '{"diagnosis": "OVERHEAT", "fix": {"cooler": true}}',
}
REASONS = {
    "memory-three_codes": "too many codes",
    "pump-no_value": "no value",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_solve_gives_the_answer_when_the_walk_ends_well(name: str) -> None:
    solution = solve(read_prompt(prompt(name)))
    assert solution.reason == "unique"
    assert answer_json(solution) == ANSWERS[name]


@pytest.mark.parametrize("name", REASONS)
def test_solve_gives_a_reason_when_there_is_no_answer(name: str) -> None:
    solution = solve(read_prompt(prompt(name)))
    assert (solution.answer, solution.reason) == (None, REASONS[name])
    assert answer_json(solution) == "null"


def test_answer_has_numbers_as_the_config_prints_them() -> None:
    document = read_prompt(prompt("pump-low_flow"))
    solution = solve(document)
    assert solution.answer == {"diagnosis": ["LOW_FLOW", "GAIN_HIGH"], "fix": {"speed": 2, "gain": 0.0001}}
    assert solution.walks[0].fix == {"speed": 2, "gain": 10}
    assert document.texts({"gain": 150, "share": 50, "cooler": True, "valve": "open", "speed": 3}) == {
        "gain": "1.5e-3",
        "share": "0.5",
        "cooler": "true",
        "valve": "open",
        "speed": "3",
    }


def test_evidence_holds_each_printed_value_as_it_stands() -> None:
    document = read_prompt(prompt("pump-leak"))
    assert document.evidence == {
        "speed": "2",
        "valve": "open",
        "cooler": "false",
        "setpoint": "10",
        "gain": "5e-5",
        "share": "0.25",
        "mode": "day",
        "demand": "15",
        "head": "4",
        "site": "north",
        "ambient": "8",
        "gap": "2 l/s",
        "heat": "35000 mC",
        "drift": "24.0 C",
        "quiet": "true",
        "oil": "A1",
        "log.start": "present",
        "log.start.where": "north",
        "log.steps@1": "absent",
        "log.steps@10": "present",
        "log.steps@10.turns": "1199turns",
        "log.steps@10.slip": "1e-3",
        "log.trip": "present",
        "log.trip.margin": "25C",
        "log.trip.leaking": "true",
        "log.trip<start": "true",
    }


def test_evidence_holds_what_the_handbook_does_not_explain() -> None:
    evidence = read_prompt(prompt("memory-small_batch")).evidence
    assert evidence["spread"] == "3.5 ms"
    assert read_prompt(prompt("memory-alternative")).evidence["clip"] == "0.5"


def test_evidence_says_absent_when_an_event_is_not_printed() -> None:
    evidence = read_prompt(prompt("memory-healthy")).evidence
    assert evidence["log.alloc"] == "absent"
    assert "log.alloc.request" not in evidence


def test_lines_hold_the_whole_log() -> None:
    lines = read_prompt(prompt("memory-one_code")).lines
    assert [(line.level, line.logger) for line in lines] == [("INFO", "device"), ("INFO", "nccl"), ("INFO", "alloc")]
    assert lines[1].text == "ring 3 of 8 has p=0.1"


def test_walk_record_shows_each_step_with_its_settings() -> None:
    (walk,) = solve(read_prompt(prompt("memory-alternative"))).walks
    (step,) = walk.steps
    assert (step.code, step.alternative) == ("ACT_PEAK_OVER_BUDGET", 1)
    assert step.settings == (("recompute", "selective"),)
    assert walk.world == {"gpu_mem": 24576, "frag": 1024}


def test_codes_come_in_the_order_fired_when_a_fix_unmasks_a_rule() -> None:
    (walk,) = solve(read_prompt(prompt("memory-unmasked_pair"))).walks
    assert walk.codes == ("STATE_OVER_BUDGET", "ACT_PEAK_OVER_BUDGET")


def test_read_prompt_shares_the_static_part_between_pages_of_a_system() -> None:
    """Whatever the form of the config."""
    first, second = read_prompt(prompt("memory-healthy")), read_prompt(prompt("memory-one_code"))
    assert first.system is second.system
