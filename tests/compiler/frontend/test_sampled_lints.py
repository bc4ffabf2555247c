"""Sampled lints: what they find, what they leave alone, and that they find the same each time."""

from __future__ import annotations

import numpy as np
from strategies.programs import lowered_text

from compiler.frontend.sampled_lints import DRAWN, draw_worlds, sampled_lints
from solvers.counting.tables import Tables


def codes(text: str) -> list[str]:
    program, plan = lowered_text(text)
    return [found.code for found in sampled_lints(plan, program)]


def system(fields: str, rules: str, runbook: str) -> str:
    return f'system s "S" {{ config {{ {fields} }} {rules} runbook {runbook} }}\n'


SIZE = 'size: int in {1, 2, 4} "size"  stock: int in {1, 2, 4} "stock"'


def test_decoy_without_any_effect_is_left_alone() -> None:
    rules = 'rule big BIG "big" { when size > 2  set size = first where size * 2 <= 4 }'
    text = system('size: int in {1, 2, 4} "size"  decoy: {north, south} "decoy"', rules, "big")
    assert codes(text) == ["W443"]  # sizes 1 and 2 differ in nothing; the decoy may


def test_field_that_a_rule_sets_is_no_decoy() -> None:
    rules = 'rule big BIG "big" { when size == 4  set size = 2, knob = on }'
    text = system('size: int in {2, 4} "size"  knob: {on, off} "knob"', rules, "big")
    assert codes(text) == ["W443"]


def test_difference_in_the_log_alone_counts() -> None:
    rules = """
      log { event noisy when size == 1 "noisy" { says "noise" } }
      rule big BIG "big" { when size == 4  set size = 2 }"""
    assert codes(system('size: int in {1, 2, 4} "size"', rules, "big")) == []


def test_difference_in_a_prescription_alone_counts() -> None:
    rules = 'rule big BIG "big" { when stock == 4  set stock = size }'
    assert codes(system('size: int in {1, 2} "size"  stock: int in {1, 2, 4} "stock"', rules, "big")) == ["W443"]


def test_rule_that_an_example_shows_is_not_silent() -> None:
    rare = " and ".join(f"f{n} == 7" for n in range(5))
    fields = " ".join(f'f{n}: int in 0..63 "f"' for n in range(5))
    rules = f'rule rare RARE "rare" {{ when {rare}  set f0 = 6 }}'
    example = ", ".join(f"f{n} = 7" for n in range(5))
    archetype = 'archetype a of s "A" { fault rare  tier computed  %s }\n'
    silent = system(fields, rules, "rare")
    assert "W447" in codes(silent + archetype % "")
    assert "W447" not in codes(silent + archetype % f"example {{ {example} }} => RARE {{ f0 = 6 }}")


def test_loop_is_found_with_its_world() -> None:
    rules = 'rule big BIG "big" { when size * stock > 3  set size = 2 }'
    program, plan = lowered_text(system(SIZE, rules, "big"))
    (found,) = (each for each in sampled_lints(plan, program) if each.code == "W445")
    assert found.notes[0] == "for example: BIG sets size = 2"


def test_same_sample_each_time_and_within_the_domains() -> None:
    rules = 'rule big BIG "big" { when size * stock > 8  set size = 1 } require size + stock > 2'
    _program, plan = lowered_text(system(SIZE, rules, "big"))
    problem = plan.systems["s"].problem
    first, second = draw_worlds(Tables(problem)), draw_worlds(Tables(problem))
    assert first.count == second.count == DRAWN  # `require` has cut the draw
    assert (first.state["size"] + first.state["stock"]).min() > 2
    for name, values in first.state.items():
        assert np.array_equal(values, second.state[name])
        assert set(values.tolist()) == set(problem.variable(name).domain)


def test_fields_are_drawn_independently() -> None:
    rules = 'rule big BIG "big" { when size * stock > 8  set size = 1 }'
    _, plan = lowered_text(system(SIZE, rules, "big"))
    worlds = draw_worlds(Tables(plan.systems["s"].problem))
    pairs = zip(worlds.state["size"].tolist(), worlds.state["stock"].tolist(), strict=True)
    counts = np.unique(np.array(list(pairs)), axis=0, return_counts=True)[1]
    assert len(counts) == 9
    assert counts.min() > 0.85 * DRAWN / 9
