"""The reference meaning, case by case."""

from __future__ import annotations

import pytest
from strategies.semantics import Case, cases

from solvers.evaluate import value


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_value_follows_the_semantics_table(case: Case) -> None:
    result = value(case.problem, case.expr, case.bindings, before=case.before)
    assert result == case.value
    assert isinstance(result, bool) == isinstance(case.value, bool)
