"""The system that uses every form of the page."""

from __future__ import annotations

import pytest
from strategies.firing import make_kiln

from compiler.plan import SystemPlan


@pytest.fixture(scope="session")
def kiln() -> SystemPlan:
    return make_kiln()
