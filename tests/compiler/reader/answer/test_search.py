"""Which hidden assignments fit, and what follows when several do."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import prompt, tiny

from compiler.reader import Solution, read_prompt, solve


def solved(text: str) -> Solution:
    return solve(read_prompt(text))


def test_worlds_counts_every_assignment_that_prints_the_same() -> None:
    assert solved(prompt("pump-masked_pair")).worlds == 2
    assert solved(prompt("pump-low_flow")).worlds == 1


def test_worlds_counts_quantities_that_nothing_depends_on() -> None:
    assert solved(tiny(hidden="- idle: 1, 2, 3 | x\n- word: x, y | x")).worlds == 6


def test_rounded_fact_stands_for_all_listed_values_that_print_the_same() -> None:
    facts = "- f [cm] (printed as m to 0 decimals, 1 m = 100 cm): 449, 450, 549, 550 | x"
    config = "a = 2\nb = 1\non = true\nmood = calm\nf = 5 m"
    assert solved(tiny(facts=facts, config=config)).worlds == 2
    relations = "- r (printed) = `f mod 100` | x"
    assert solved(tiny(facts=facts, config=config, relations=relations, profiler="r = 49")).worlds == 1
    assert solved(tiny(facts=facts, config=config, relations=relations, profiler="r = 50")).worlds == 1
    assert solved(tiny(facts=facts, config=config, relations=relations, profiler="r = 51")).reason == "no world fits"


@pytest.mark.parametrize(
    ("value", "printed"),
    [(51, "0.0"), (52, "0.1"), (-51, "0.0"), (-52, "-0.1"), (-153, "-0.1"), (-154, "-0.2"), (1024, "1.0")],
)
def test_rounding_is_half_up_when_a_number_is_printed_coarser(value: int, printed: str) -> None:
    # 51.2 and 153.6 are the halves of a last decimal
    relations = f"- r [M] (printed as G to 1 decimal, 1 G = 1024 M) = `{value}` | x"
    assert solved(tiny(relations=relations, profiler=f"r = {printed} G")).reason == "unique"


@pytest.mark.parametrize(("value", "printed"), [(5, "0.5"), (-5, "-0.5"), (-15, "-1.5")])
def test_rounding_is_exact_when_the_decimals_suffice(value: int, printed: str) -> None:
    relations = f"- r [M] (printed as G to 1 decimal, 1 G = 10 M) = `{value}` | x"
    assert solved(tiny(relations=relations, profiler=f"r = {printed} G")).reason == "unique"


@pytest.mark.parametrize(("value", "printed"), [(5, "1"), (-5, "0"), (-6, "-1"), (14, "1"), (15, "2")])
def test_rounding_takes_halves_up_for_both_signs(value: int, printed: str) -> None:
    relations = f"- r [M] (printed as G to 0 decimals, 1 G = 10 M) = `{value}` | x"
    assert solved(tiny(relations=relations, profiler=f"r = {printed} G")).reason == "unique"


def test_finer_unit_multiplies_the_number() -> None:
    relations = "- r [G] (printed as M to 0 decimals, 1 G = 1024 M) = `3` | x"
    assert solved(tiny(relations=relations, profiler="r = 3072 M")).reason == "unique"
    assert solved(tiny(relations=relations, profiler="r = 3073 M")).reason == "no world fits"


def test_answer_is_ambiguous_when_hidden_values_call_for_different_fixes() -> None:
    text = prompt("memory-unmasked_pair").replace(" (capacity=24.0 GiB)", "")
    text = text.replace("  - capacity [MiB] (printed as GiB to 1 decimal, 1 GiB = 1024 MiB) = `gpu_mem`\n", "")
    solution = solved(text)
    assert (solution.answer, solution.reason, solution.worlds) == (None, "ambiguous", 2)
    assert {walk.codes for walk in solution.walks} == {
        ("STATE_OVER_BUDGET", "ACT_PEAK_OVER_BUDGET"),
        ("ACT_PEAK_OVER_BUDGET",),
    }


RUNBOOK = "1. HIGH: t\n   when `h > a`\n   set a = smallest where `h <= a`"


def test_answer_stands_when_all_worlds_lead_to_it() -> None:
    runbook = RUNBOOK.replace("smallest where `h <= a`", "`4`")
    solution = solved(tiny(hidden="- h: 3, 4 | x", runbook=runbook))
    assert solution.answer == {"diagnosis": "HIGH", "fix": {"a": 4}}
    assert (solution.worlds, len(solution.walks)) == (2, 1)


def test_reason_is_the_ending_of_the_worlds_without_an_answer() -> None:
    solution = solved(tiny(hidden="- h: 4, 9 | x", runbook=RUNBOOK))
    assert (solution.reason, solution.worlds) == ("no value", 2)


def test_event_rules_out_worlds_by_presence_and_by_absence() -> None:
    parts = {"hidden": "- h: 1, 2, 3, 4 | x", "events": "- big: when `h > 3` | x"}
    assert solved(tiny(**parts)).worlds == 3
    assert solved(tiny(**parts, log="[big] so it is")).worlds == 1


def test_attribute_counts_only_when_its_event_is_printed() -> None:
    events = "- big: when `h > 2` | x\n  - rest = `h mod 2`"
    parts = {"hidden": "- h: 1, 2, 3, 4 | x", "events": events}
    assert solved(tiny(**parts)).worlds == 2
    assert solved(tiny(**parts, log="[big] so it is (rest=1)")).worlds == 1
    assert solved(tiny(**parts, log="[big] so it is (rest=2)")).reason == "no world fits"


def test_worlds_that_break_a_condition_do_not_count() -> None:
    parts = {"hidden": "- h: 1, 2, 3, 4 | x"}
    assert solved(tiny(**parts, conditions="- every run satisfies `h * a <= 6` | x")).worlds == 3
    assert solved(tiny(**parts, conditions="- every run satisfies `a > 2` | x")).reason == "no world fits"


def test_hidden_flags_and_words_are_tried() -> None:
    hidden = '- leak: true, false | x\n- kind: "x y", z | x'
    relations = '- r (printed) = `(if leak then 1 else 0) + (if kind == "x y" then 2 else 0)` | x'
    solution = solved(tiny(hidden=hidden, relations=relations, profiler="r = 2"))
    assert solution.walks[0].world == {"leak": False, "kind": "x y"}


def test_many_hidden_quantities_are_searched_in_short_loops() -> None:
    names = [f"h{at}" for at in range(20)]
    hidden = "\n".join(f"- {name}: 0, 1 | x" for name in names)
    relations = f"- low (printed) = `{' + '.join(names[:10])}` | x\n- high (printed) = `{' + '.join(names[10:])}` | x"
    solution = solved(tiny(hidden=hidden, relations=relations, profiler="low = 1\nhigh = 10"))
    assert solution.worlds == 10


def test_solution_is_undefined_when_a_divisor_is_zero() -> None:
    solution = solved(tiny(relations="- r (printed) = `floor(a / (b - 1))` | x", profiler="r = 1"))
    assert (solution.answer, solution.reason) == (None, "undefined value")


def test_branch_not_taken_is_not_evaluated() -> None:
    relations = "- q = `floor(a / (b - 1))` | x\n- r (printed) = `(if b == 1 then 7 else q)` | x"
    assert solved(tiny(relations=relations, profiler="r = 7")).reason == "unique"


def test_solution_is_undefined_when_a_table_lacks_the_key() -> None:
    parts = {"tables": "- t: 1 10, 3 30 | x", "relations": "- r (printed) = `t[a]` | x", "profiler": "r = 1"}
    assert solved(tiny(**parts)).reason == "undefined value"


def test_solution_is_undefined_when_a_number_grows_too_large() -> None:
    relations = "- r1 = `1000000007 * 1000000007` | x\n- r2 (printed) = `r1 * r1` | x"
    assert solved(tiny(relations=relations, profiler="r2 = 1")).reason == "undefined value"
