"""The mutants themselves: each is another program, and a module has the same ones every time."""

from __future__ import annotations

import ast

import pytest
from mutation.mutants import mutants
from mutation.run import ROOT, TESTS, file_of
from strategies.effort import slow_but


@pytest.mark.parametrize("module", slow_but(TESTS, "queries", "rubric"))
def test_a_mutant_is_another_program(module: str) -> None:
    source = (ROOT / file_of(module)).read_bytes()
    found = mutants(module, source)
    original = ast.dump(ast.parse(source))
    for mutant in found[::9]:
        assert ast.dump(ast.parse(mutant.applied(source))) != original, mutant.shown(source)
    assert [mutant.number for mutant in found] == list(range(len(found)))


@pytest.mark.parametrize("module", TESTS)
def test_the_tests_of_every_module_exist(module: str) -> None:
    assert all((ROOT / test).is_file() for test in TESTS[module])


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a < b", {"(a <= b)"}),
        ("a - b * 2", {"(a + b * 2)", "a - (b + 2)", "a - b * 3"}),
        ("not a and b", {"(not a or b)", "(a) and b"}),
        ("if a:\n    return\nb", {"pass\nb", "if (not (a)):\n    return\nb", "if a:\n    return\npass"}),
        ("[x for x in sorted(y) if x]", {"[x for x in list(y) if x]", "[x for x in sorted(y) if True]"}),
        (
            "f = all_of((a, min(b)))",
            {"f = any_of((a, min(b)))", "f = all_of((min(b),))", "f = all_of((a,))", "f = all_of((a, max(b)))"},
        ),
        ("n: int | None = f'{1 + 1}'", set()),
    ],
    ids=["comparison", "arithmetic", "and, not", "statements", "filter, order", "parts, swap", "text and types"],
)
def test_mutants_change_one_place(source: str, changed: set[str]) -> None:
    text = source.encode()
    found = {mutant.applied(text).decode() for mutant in mutants("any", text)}
    assert found - {"pass"} == changed - {"pass"}  # each of these texts may be removed as a whole
