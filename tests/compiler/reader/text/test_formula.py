"""Values and grammar of formulas, seen through a printed value."""

from __future__ import annotations

import pytest
from strategies.prompt_texts import line_of, tiny

from compiler.reader import ReadError, read_prompt, solve

# in the tiny system a = 2, b = 1, on = true, mood = calm
VALUES = [
    ("1 + 2 * 3", "7"),
    ("(1 + 2) * 3", "9"),
    ("7 - 2 - 1", "4"),
    ("7 - (2 - 1)", "6"),
    ("-a * 3 + 1", "-5"),
    ("2 - -3", "5"),
    ("2 * 7 % 4", "2"),
    ("(-7 % 4)", "1"),
    ("(7 % -4)", "-1"),
    ("floor(7 / 2)", "3"),
    ("floor(-7 / 2)", "-4"),
    ("ceil(7 / 2)", "4"),
    ("ceil(-7 / 2)", "-3"),
    ("ceil(6 / 2)", "3"),
    ("floor(2 * 7 / (2 * 2))", "3"),
    ("floor(7 / -2)", "-4"),
    ("min(3, a, 5)", "2"),
    ("max(3)", "3"),
    ("max(a, b, -1)", "2"),
    ("abs(b - 9)", "8"),
    ("a == 2", "true"),
    ("a != 2", "false"),
    ("a + 1 <= 3", "true"),
    ("mood is calm", "true"),
    ('mood is not "odd word"', "true"),
    ("mood is not odd", "true"),
    ("on == true", "true"),
    ("on != (a == 1)", "true"),
    ("a in {1, 2, 3}", "true"),
    ("mood in {wild, x}", "false"),
    ("not on", "false"),
    ("not a == 1 and on", "true"),
    ("not not on", "true"),
    ("false and on or true", "true"),
    ("true or on and false", "true"),
    ("(10 if a > b else 20) + 1", "11"),
    ("10 if a > b else 20 + 1", "10"),
    ("1 + a if a < b else 20 + 1", "21"),
    ("(mood if on else wild)", "calm"),
    ("mood if on else wild", "calm"),
    ("1 if not on else 2 if a == 1 else 3", "3"),
    ("1 if on else 2 if a == 1 else 3", "1"),
    ("(1 if a == 1 else 2) if on else 3", "2"),
    ("t[a]", "-20"),
    ("t[a + 1] + 1", "31"),
    ("t", "-20"),
    ("t[a=3]", "30"),
    ("(t + a)[a=3]", "33"),
    ("words[mood]", "5"),
    ("s", "3"),
    ("s[a=10]", "11"),
    ("s[a=b, b=a]", "3"),
    ("s[a=a + 1] + s", "7"),
    ("s[a=10][b=5]", "15"),
    ("twice[a=3]", "13"),
    ("loud[mood=wild]", "true"),
    ("loud[on=false]", "false"),
    ("(a + b)[a=7]", "8"),
    ("many", "7"),
    ("many[a=1]", "1"),
    ("many[a=3]", "9"),
]


def text_with(formula: str, printed: str = "0") -> str:
    relations = (
        "A table, a row for each a; its columns stand for the row of this run. NAME[x] is the entry of row x.\n"
        "t  # some\n| a | t |\n|---|---|\n| 1 | 10 |\n| 2 | -20 |\n| 3 | 30 |\n\n"
        "A table, a row for each key; NAME[x] is the entry of row x.\n"
        "| key | words |\n|---|---|\n| calm | 5 |\n| wild | 6 |\n| odd | 7 |\n\n"
        "twice = s[a=a * 2, b=0] + s + s[b=7 - 1 - 6]  # uses later ones\n"
        "s = a + b  # sum\n"
        "loud = on and mood is wild  # both\n"
        "many =  # one of several\n  1 if a == 1\n  3 + 4 if a == 2 and on\n  else 9"
    )
    return tiny(relations=relations, observations=f"r = {formula}", profiler=f"r {printed}")


@pytest.mark.parametrize(("formula", "printed"), VALUES)
def test_formula_has_its_value(formula: str, printed: str) -> None:
    assert solve(read_prompt(text_with(formula, printed))).reason == "unique"


BAD = [
    ("", "a value"),
    ("1 +", "a value"),
    ("1 2", "the end of the line"),
    ("(1", "`)`"),
    ("a < b < 3", "brackets around one of the two comparisons"),
    ("a in {1} == on", "brackets around one of the two comparisons"),
    ("a in {}", "a value"),
    ("floor(a)", "`/`"),
    ("floor(a + 1 / 2)", "`/`"),
    ("a / 2", "the end of the line"),
    ("a + not on", "a value"),
    ("1 + 2 if on", "`else`"),
    ("2 if 1 if on else 0 else 3", "`else`"),
    ("s[a=1, a=2]", "each variable once between `[` and `]`"),
    ("s[s=1]", "a field, fixed value or hidden quantity to change"),
    ("s[a=1", "`,` or `]`"),
    ("s[]", "a value"),
    ("(s + 1)[a]", "a name and `=` to change"),
    ("s with a = 1", "the end of the line"),
    ("abs(1, 2)", "one argument for `abs`"),
    ("before(a)", "`before` only where a rule sets a field"),
    ("printed(a)", "`printed` only in the condition of a rule"),
    ("a + x1", "a number"),
    ("u[1]", "the name of a column"),
    ("words", "`words[...]`, as no column stands for the row of the run"),
    ("a + on", "a number"),
    ("on and a", "a flag"),
    ("on and off", "a flag"),
    ("a == on", "a number"),
    ("a is 2", "a word beside `is`"),
    ("moot is calm", "the name of something beside a word"),
    ("moot in {calm, wild}", "the name of something beside a word"),
    ("mood == calm", "a number or a flag beside `==`"),
    ("on < true", "a number beside `<`"),
    ("mood < wild", "a number beside `<`"),
    ("1 if a else 2", "a flag"),
    ("1 if on else mood", "a number"),
    ("t[mood]", "a number"),
    ("a[on=1]", "a flag"),
    ("007", "a number without leading zeros"),
    ("1152921504606846977", "a number of at most 2^60"),
    ("a ? b", "the end of the line"),
    ('mood is "calm"', "a word, in double quotes only where it needs them"),
    ("a + __import__", "a number"),
    ("a.b", "the end of the line"),
    ("first", "a value"),
    ("(" * 60 + "a" + ")" * 60, "at most 50 levels of nesting"),
    ("not " * 60 + "on", "at most 50 levels of nesting"),
    ("a" + "[a=1]" * 60, "at most 50 levels of nesting"),
    ("2" + " % 3" * 60, "at most 50 levels of nesting"),
    (" + ".join("a" * 401), "at most 400 operands in a row"),
    (" * ".join("a" * 400), "numbers of at most 2048 bits on the way to the value"),
    ("1 if on else " * 401 + "2", "at most 400 operands in a row"),
    ("1 if on else " * 60 + "2", "at most 50 levels of nesting"),
    (f"({' + '.join('a' * 400)}) + " * 6 + "a", "a formula of at most 4000 parts"),
]


@pytest.mark.parametrize(("formula", "expected"), BAD)
def test_formula_is_refused_with_its_line_when_wrong(formula: str, expected: str) -> None:
    text = text_with(formula)
    with pytest.raises(ReadError) as caught:
        read_prompt(text)
    assert (caught.value.line, caught.value.expected) == (line_of(text, "r = "), expected)


def test_unknown_name_is_a_word_and_the_message_says_so() -> None:
    with pytest.raises(ReadError, match="expected a flag, found the word `ofn`"):
        read_prompt(text_with("on and ofn"))


def test_relations_that_need_each_other_are_refused_with_the_circle() -> None:
    relations = "p = q + 1  # x\nq = s[a=p]  # x\ns = a  # x"
    with pytest.raises(ReadError, match=r"relations that do not depend on themselves, found (q -> p -> q|p -> q -> p)"):
        read_prompt(tiny(relations=relations))


def test_column_needs_what_its_rows_are_read_by() -> None:
    """The header of the rows may be a relation, which is then computed first."""
    table = (
        "One table, a row for each p; its columns stand for the row of this run.\n| p | t |\n|---|---|\n| 4 | 40 |\n\n"
    )
    text = tiny(relations=f"{table}q = t + 1\np = a * 2", observations="q", profiler="q 41")
    assert solve(read_prompt(text)).reason == "unique"
    with pytest.raises(ReadError, match="relations that do not depend on themselves"):
        read_prompt(tiny(relations=f"{table}q = t + 1\np = q * 2"))
    with pytest.raises(ReadError, match="a variable or relation as the header of the rows, found `p`"):
        read_prompt(tiny(relations=table))


def test_longest_allowed_formula_is_compiled() -> None:
    formula = " + ".join(["0"] * 399 + ["a"])
    nested = "(" * 40 + "a" + ")" * 40
    assert solve(read_prompt(text_with(f"{formula}", "2"))).reason == "unique"
    assert solve(read_prompt(text_with(nested, "2"))).reason == "unique"
    deep = "ceil(" * 45 + "a" + " / 1)" * 45
    assert solve(read_prompt(text_with(deep, "2"))).reason == "unique"


def test_relations_in_a_long_row_are_refused() -> None:
    row = "\n".join(f"q{at} = q{at - 1} + 1" for at in range(1, 300))
    with pytest.raises(ReadError, match="deep in each other"):
        read_prompt(tiny(relations=f"q0 = a\n{row}"))


def test_relations_that_need_too_many_states_are_refused() -> None:
    row = "\n".join(f"q{at} = q{at - 1}[a=1] + q{at - 1}[a=2]" for at in range(1, 40))
    with pytest.raises(ReadError, match="a formula of at most 1000000 steps"):
        read_prompt(tiny(relations=f"q0 = a\n{row}"))
