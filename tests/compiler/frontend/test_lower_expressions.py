"""Lowering has an operator of the solver side for every operator of the language."""

from __future__ import annotations

from compiler.frontend.lower_expressions import _OPS
from compiler.frontend.simplify import _DECIDING, _NEUTRAL
from dsl.check.operators import _CHAINS
from dsl.operators import OPERATORS


def test_every_operator_is_lowered_to_one_of_its_own() -> None:
    assert {*_OPS} == {*OPERATORS}
    assert len({*_OPS.values()}) == len(_OPS)


def test_every_chain_has_a_neutral_element() -> None:
    assert {*_NEUTRAL} == _CHAINS
    assert {*_DECIDING} <= _CHAINS
