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
    assert solved(tiny(hidden="idle: 1, 2, 3\nword: x, y")).worlds == 6


def test_rounded_value_stands_for_all_listed_values_that_print_the_same() -> None:
    fixed = "f: 449, 450, 549, 550 (m, 0 decimals)  # cm"
    config = "a = 2\nb = 1\non = true\nmood = calm\nf = 5"
    parts = {"fixed": fixed, "config": config, "relations": "1 m = 100 cm."}
    assert solved(tiny(**parts)).worlds == 2
    observations = "r = f % 100"
    assert solved(tiny(**parts, observations=observations, profiler="r 49")).worlds == 1
    assert solved(tiny(**parts, observations=observations, profiler="r 50")).worlds == 1
    assert solved(tiny(**parts, observations=observations, profiler="r 51")).reason == "no world fits"


def printed(value: str, note: str, text: str, *, sentence: str = "") -> str:
    """Say whether a value that is printed as the note says can be that text."""
    return solved(tiny(relations=sentence, observations=f"r = {value}  # {note}", profiler=f"r {text}")).reason


@pytest.mark.parametrize(
    ("value", "text"),
    [(51, "0.0"), (52, "0.1"), (-51, "0.0"), (-52, "-0.1"), (-153, "-0.1"), (-154, "-0.2"), (1024, "1.0")],
)
def test_rounding_is_half_up_when_a_number_is_printed_coarser(value: int, text: str) -> None:
    # 51.2 and 153.6 are the halves of a last decimal
    assert printed(str(value), "G, 1 decimal", f"{text} G", sentence="1 G = 1024 M.") == "unique"
    assert printed(str(value), "G, 1 decimal, x 1/1024", f"{text} G") == "unique"


@pytest.mark.parametrize(("value", "text"), [(5, "0.5"), (-5, "-0.5"), (-15, "-1.5")])
def test_rounding_is_exact_when_the_decimals_suffice(value: int, text: str) -> None:
    assert printed(str(value), "G, 1 decimal", f"{text} G", sentence="1 G = 10 M.") == "unique"


@pytest.mark.parametrize(("value", "text"), [(5, "1"), (-5, "0"), (-6, "-1"), (14, "1"), (15, "2")])
def test_rounding_takes_halves_up_for_both_signs(value: int, text: str) -> None:
    assert printed(str(value), "G, 0 decimals", f"{text} G", sentence="1 G = 10 M.") == "unique"


def test_finer_unit_multiplies_the_number() -> None:
    assert printed("3", "M, 0 decimals", "3072 M", sentence="1024 M = 1 G.") == "unique"
    assert printed("3", "M, 0 decimals", "3073 M", sentence="1024 M = 1 G.") == "no world fits"


def test_factor_of_a_note_goes_before_the_sentence() -> None:
    assert printed("3", "M, x 1", "3 M", sentence="1024 M = 1 G.") == "unique"
    assert printed("3", "M, 1 decimal, x 2/4", "1.5 M", sentence="1024 M = 1 G.") == "unique"


@pytest.mark.parametrize(
    ("value", "note", "text"),
    [
        (100, "x 1/1000", "0.1"),
        (-100, "x 1/1000", "-0.1"),
        (125, "x 1/1000", "0.125"),
        (2000, "x 1/1000", "2"),
        (0, "x 1/1000", "0"),
        (3, "x 1/8", "0.375"),
        (3000, "scientific, x 1e-7", "3e-4"),
        (1500, "scientific, x 1e-7", "1.5e-4"),
        (10**8, "scientific, x 1e-7", "1e1"),
        (1, "scientific, x 1/2000", "5e-4"),
        (0, "scientific, x 1e-7", "0"),
    ],
)
def test_exact_number_has_all_its_decimals(value: int, note: str, text: str) -> None:
    assert printed(str(value), note, text) == "unique"
    assert printed(str(value + 1), note, text) == "no world fits"


@pytest.mark.parametrize("number", [1, 2, 0, -1])
def test_printed_one_has_the_singular(number: int) -> None:
    noun = "tick" if number == 1 else "ticks"
    assert printed(str(number), "ticks, 1 tick", f"{number} {noun}") == "unique"


def test_answer_is_ambiguous_when_hidden_values_call_for_different_fixes() -> None:
    text = prompt("memory-unmasked_pair").replace("device: capacity = gpu_mem (GiB, 1 decimal)\n", "")
    solution = solved(text)
    assert (solution.answer, solution.reason, solution.worlds) == (None, "ambiguous", 2)
    assert {walk.codes for walk in solution.walks} == {
        ("STATE_OVER_BUDGET", "ACT_PEAK_OVER_BUDGET"),
        ("ACT_PEAK_OVER_BUDGET",),
    }


RUNBOOK = "1. HIGH: h > a\n   -> a = smallest with h <= a"


def test_answer_stands_when_all_worlds_lead_to_it() -> None:
    runbook = RUNBOOK.replace("smallest with h <= a", "4")
    solution = solved(tiny(hidden="h: 3, 4", runbook=runbook))
    assert solution.answer == {"diagnosis": "HIGH", "fix": {"a": 4}}
    assert (solution.worlds, len(solution.walks)) == (2, 1)


def test_reason_is_the_ending_of_the_worlds_without_an_answer() -> None:
    solution = solved(tiny(hidden="h: 4, 9", runbook=RUNBOOK))
    assert (solution.reason, solution.worlds) == ("no value", 2)


def test_value_that_is_not_available_says_that_its_condition_fails() -> None:
    parts = {"hidden": "h: 1, 2, 3, 4", "observations": "r = h % 2  # n/a unless h > 2"}
    assert solved(tiny(**parts, profiler="r n/a")).worlds == 2
    assert solved(tiny(**parts, profiler="r 1")).worlds == 1


def test_event_rules_out_worlds_by_presence_and_by_absence() -> None:
    parts = {"hidden": "h: 1, 2, 3, 4", "observations": "big: there if h > 3"}
    assert solved(tiny(**parts)).worlds == 3
    assert solved(tiny(**parts, log="big: so it is")).worlds == 1


def test_attribute_counts_only_when_its_event_is_printed() -> None:
    parts = {"hidden": "h: 1, 2, 3, 4", "observations": "big, there if h > 2: rest = h % 2"}
    assert solved(tiny(**parts)).worlds == 2
    assert solved(tiny(**parts, log="big: so it is rest=1")).worlds == 1
    assert solved(tiny(**parts, log="big: so it is rest=2")).reason == "no world fits"


def test_event_whose_presence_is_not_explained_says_nothing_by_its_absence() -> None:
    parts = {"hidden": "h: 1, 2, 3, 4", "observations": "big: rest = h % 2"}
    assert solved(tiny(**parts)).worlds == 4
    assert solved(tiny(**parts, log="big: so it is rest=1")).worlds == 2


def test_repeated_event_shows_something_for_each_number() -> None:
    parts = {"hidden": "h: 1, 2, 3, 4", "observations": "step (n = 1, 2, 3), there if n < h: v = n * h"}
    assert solved(tiny(**parts)).worlds == 1
    assert solved(tiny(**parts, log="step: n=1 v=3\nother: n=2\nstep: at n=2, v=6.")).worlds == 1
    assert solved(tiny(**parts, log="step: n=1 v=3\nstep: n=2 v=7")).reason == "no world fits"
    assert solved(tiny(**parts, log="step: n=2 v=6")).reason == "no world fits"


def test_place_of_a_line_is_evidence() -> None:
    parts = {"hidden": "h: 1, 2, 3, 4", "observations": "late: stands before early if h > 3"}
    assert solved(tiny(**parts, log="early: x\nnoise: y\nlate: z")).worlds == 3
    assert solved(tiny(**parts, log="late: z\nnoise: y\nearly: x\nearly: again")).worlds == 1
    assert solved(tiny(**parts, log="early: x")).worlds == 4
    assert solved(tiny(**parts, log="late: x")).worlds == 4


def test_worlds_that_break_what_always_holds_do_not_count() -> None:
    parts = {"hidden": "h: 1, 2, 3, 4"}
    assert solved(tiny(**parts, relations="Always: h * a <= 6  # text")).worlds == 3
    assert solved(tiny(**parts, relations="Always: a > 2  # text")).reason == "no world fits"


def test_hidden_flags_and_words_are_tried() -> None:
    hidden = "leak: true, false\nkind: odd, z"
    observations = "r = (1 if leak else 0) + (2 if kind is odd else 0)"
    solution = solved(tiny(hidden=hidden, observations=observations, profiler="r 2"))
    assert solution.walks[0].world == {"leak": False, "kind": "odd"}


def test_hidden_number_may_count_in_parts() -> None:
    hidden = "h: 0.1, 0.25  # formulas count in 1/100"
    solution = solved(tiny(hidden=hidden, observations="r = h + 1", profiler="r 26"))
    assert solution.walks[0].world == {"h": 25}


def test_value_of_the_config_without_a_line_is_known_by_its_name() -> None:
    config = "a = 2\nb = 1\non = true\nmood = calm\nkind = odd\nsize = 7\nidle = 0.5"
    observations = "r = size if kind is odd else 0"
    assert solved(tiny(config=config, observations=observations, profiler="r 7")).reason == "unique"


def test_many_hidden_quantities_are_searched_in_short_loops() -> None:
    names = [f"h{at}" for at in range(20)]
    hidden = "\n".join(f"{name}: 0, 1" for name in names)
    observations = f"low = {' + '.join(names[:10])}\nhigh = {' + '.join(names[10:])}"
    solution = solved(tiny(hidden=hidden, observations=observations, profiler="low 1 | high 10"))
    assert solution.worlds == 10


def test_solution_is_undefined_when_a_divisor_is_zero() -> None:
    solution = solved(tiny(observations="r = floor(a / (b - 1))", profiler="r 1"))
    assert (solution.answer, solution.reason) == (None, "undefined value")


def test_branch_not_taken_is_not_evaluated() -> None:
    text = tiny(relations="q = floor(a / (b - 1))", observations="r = 7 if b == 1 else q", profiler="r 7")
    assert solved(text).reason == "unique"


def test_solution_is_undefined_when_a_column_lacks_the_row() -> None:
    table = "One table, a row for each a; its columns stand for the row of this run.\n| a | t |\n|---|---|\n| 1 | 10 |"
    assert solved(tiny(relations=table, observations="r = t", profiler="r 1")).reason == "undefined value"


def test_solution_is_undefined_when_a_number_grows_too_large() -> None:
    text = tiny(relations="r1 = 1000000007 * 1000000007\nr2 = r1 * r1", observations="r2", profiler="r2 1")
    assert solved(text).reason == "undefined value"
