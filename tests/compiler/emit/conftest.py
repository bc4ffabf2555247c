"""The small system made by hand, and its program."""

from __future__ import annotations

import pytest
from strategies.glazing import make_program, make_system

from compiler.plan import ProgramPlan, SystemPlan


@pytest.fixture(scope="session")
def system() -> SystemPlan:
    return make_system()


@pytest.fixture(scope="session")
def program() -> ProgramPlan:
    return make_program()
