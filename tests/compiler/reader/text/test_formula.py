"""Values and grammar of formulas, seen through a printed relation."""

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
    ("2 * 7 mod 4", "2"),
    ("(-7 mod 4)", "1"),
    ("(7 mod -4)", "-1"),
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
    ('mood == "calm"', "true"),
    ('mood != "odd word"', "true"),
    ("on == true", "true"),
    ("a in {1, 2, 3}", "true"),
    ('mood in {"wild", "x"}', "false"),
    ("not on", "false"),
    ("not a == 1 and on", "true"),
    ("not not on", "true"),
    ("false and on or true", "true"),
    ("true or on and false", "true"),
    ("false implies false implies false", "true"),
    ("on implies a == 1 or b == 1", "true"),
    ("(true implies false) or on", "true"),
    ("(if a > b then 10 else 20) + 1", "11"),
    ('(if on then mood else "wild")', "calm"),
    ("if on then 1 else if a == 1 then 2 else 3", "1"),
    ("t[a]", "-20"),
    ("t[a + 1] + 1", "31"),
    ("words[mood]", "5"),
    ("s", "3"),
    ("(s with a = 10)", "11"),
    ("(s with a = b, b = a)", "3"),
    ("(s with a = a + 1) + s", "7"),
    ("((s with a = 10) with b = 5)", "15"),
    ("(twice with a = 3)", "13"),
    ('(loud with mood = "wild")', "true"),
    ("(loud with on = false)", "false"),
    ("((a + b) with a = 7)", "8"),
]


def text_with(formula: str, printed: str = "0") -> str:
    relations = (
        "- twice = `(s with a = a * 2, b = 0) + s + (s with b = 7 - 1 - 6)` | uses later ones\n"
        "- s = `a + b` | sum\n"
        '- loud = `on and mood == "wild"` | both\n'
        f"- r (printed) = `{formula}` | tested"
    )
    tables = '- t: 1 10, 2 -20, 3 30 | x\n- words: calm 5, wild 6, "odd word" 7 | x'
    return tiny(relations=relations, tables=tables, profiler=f"r = {printed}")


@pytest.mark.parametrize(("formula", "printed"), VALUES)
def test_formula_has_its_value(formula: str, printed: str) -> None:
    assert solve(read_prompt(text_with(formula, printed))).reason == "unique"


BAD = [
    ("", "a value"),
    ("1 +", "a value"),
    ("1 2", "an operator or the end of the formula"),
    ("(1", "`)`"),
    ("a < b < 3", "brackets around one of the two comparisons"),
    ("a in {1} == on", "brackets around one of the two comparisons"),
    ("a in {}", "a value"),
    ("floor(a)", "`/`"),
    ("floor(a + 1 / 2)", "`/`"),
    ("a / 2", "an operator or the end of the formula"),
    ("a + not on", "a value"),
    ("1 + if on then 1 else 2", "a value"),
    ("(a + b with a = 1)", "brackets around what stands before `with`"),
    ("(-a with a = 1)", "brackets around what stands before `with`"),
    ("(a with s = 1)", "a field, fact or hidden quantity to change after `with`"),
    ("(a with a = 1, a = 2)", "each variable once after `with`"),
    ("a with a = 1", "an operator or the end of the formula"),
    ("abs(1, 2)", "one argument for `abs`"),
    ("before(a)", "`before` only where a rule sets a field"),
    ("x1", "the name of a field, fact, hidden quantity or relation"),
    ("u[1]", "the name of a table"),
    ("t", "the name of a field, fact, hidden quantity or relation"),
    ("a + on", "a number"),
    ("on and a", "a flag"),
    ("a == on", "a number"),
    ('mood < "wild"', "a number"),
    ("if a then 1 else 2", "a flag"),
    ("if on then 1 else mood", "a number"),
    ("t[mood]", "a number"),
    ("(a with on = 1)", "a flag"),
    ("007", "a number without leading zeros"),
    ("1152921504606846977", "a number of at most 2^60"),
    ("a ? b", "a number, name, word or sign of a formula"),
    ('mood == "calm', "a formula in backticks"),
    ("__import__", "the name of a field, fact, hidden quantity or relation"),
    ("a.b", "a number, name, word or sign of a formula"),
    ("(" * 60 + "a" + ")" * 60, "at most 50 levels of nesting"),
    ("not " * 60 + "on", "at most 50 levels of nesting"),
    ("2" + " mod 3" * 60, "at most 50 levels of nesting"),
    (" + ".join("a" * 401), "at most 400 operands in a row"),
    (" * ".join("a" * 400), "numbers of at most 2048 bits on the way to the value"),
    ("a - " * 2001 + "a", "a formula of at most 4000 parts"),
]


@pytest.mark.parametrize(("formula", "expected"), BAD)
def test_formula_is_refused_with_its_line_when_wrong(formula: str, expected: str) -> None:
    text = text_with(formula)
    with pytest.raises(ReadError) as caught:
        read_prompt(text)
    assert (caught.value.line, caught.value.expected) == (line_of(text, "- r ("), expected)


def test_relations_that_need_each_other_are_refused_with_the_circle() -> None:
    relations = "- p = `q + 1` | x\n- q = `(s with a = p)` | x\n- s = `a` | x"
    with pytest.raises(ReadError, match=r"relations that do not depend on themselves, found (q -> p -> q|p -> q -> p)"):
        read_prompt(tiny(relations=relations))


def test_longest_allowed_formula_is_compiled() -> None:
    formula = " + ".join(["0"] * 399 + ["a"])
    nested = "(" * 40 + "a" + ")" * 40
    assert solve(read_prompt(text_with(f"{formula}", "2"))).reason == "unique"
    assert solve(read_prompt(text_with(nested, "2"))).reason == "unique"
    deep = "ceil(" * 45 + "a" + " / 1)" * 45
    assert solve(read_prompt(text_with(deep, "2"))).reason == "unique"


def test_relations_in_a_long_row_are_refused() -> None:
    row = "\n".join(f"- q{at} = `q{at - 1} + 1` | x" for at in range(1, 300))
    with pytest.raises(ReadError, match="deep in each other"):
        read_prompt(tiny(relations=f"- q0 = `a` | x\n{row}"))


def test_relations_that_need_too_many_states_are_refused() -> None:
    row = "\n".join(f"- q{at} = `(q{at - 1} with a = 1) + (q{at - 1} with a = 2)` | x" for at in range(1, 40))
    with pytest.raises(ReadError, match="a formula of at most 1000000 steps"):
        read_prompt(tiny(relations=f"- q0 = `a` | x\n{row}"))
