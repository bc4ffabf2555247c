"""How many examples a property gets, and which of many cases belong to the quick check."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

_Test = TypeVar("_Test", bound=Callable[..., object])


def costly(test: _Test) -> _Test:
    """Give a property two fifths of the profile's examples, since each takes some hundredths of a second.

    Mutation runs give it all of them, since there each property is the judge of a module.
    """
    if os.environ.get("HYPOTHESIS_PROFILE") == "mutants":
        return test
    return settings(max_examples=settings().max_examples * 2 // 5)(test)


def slow_if(slow: bool, value: object, name: str) -> ParameterSet:
    """A case for `parametrize` with this name, marked slow or not."""
    return pytest.param(value, marks=[pytest.mark.slow] if slow else [], id=name)


def slow_but(names: Iterable[str], *quick: str) -> list[ParameterSet]:
    """Cases for `parametrize`, all marked slow but the `quick` ones.

    Raises:
        ValueError: A quick name is not among the names.
    """
    listed = list(names)
    if missing := set(quick) - set(listed):
        raise ValueError(f"no such cases: {sorted(missing)}")
    return [slow_if(name not in quick, name, name) for name in listed]
