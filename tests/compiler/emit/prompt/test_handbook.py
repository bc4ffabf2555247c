from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from compiler.emit.prompt.handbook import handbook_of, handbook_text
from compiler.plan import SystemPlan
from solvers.problem import TRUE

GOLDEN = Path(__file__).parent / "golden"


def test_handbook_of_every_form(kiln: SystemPlan, golden: Callable[[str, Path], None]) -> None:
    golden(handbook_text(kiln), GOLDEN / "kiln.txt")


def test_handbook_of_a_system_without_the_new_forms(system: SystemPlan, golden: Callable[[str, Path], None]) -> None:
    golden(handbook_text(system), GOLDEN / "bakery.txt")


def test_sections_are_left_out_when_they_have_no_lines(kiln: SystemPlan) -> None:
    problem = attrs.evolve(kiln.problem, variables=kiln.problem.variables[:3], rules=(), stated=TRUE)
    bare = attrs.evolve(kiln, variables=kiln.variables[:3], rules=(), stated=(), problem=problem)
    headings = [line for line in handbook_text(bare).splitlines() if line.startswith("## ")]
    assert headings == ["## Fields that can be changed (values best first)", "## Relations", "## Runbook"]


def test_a_fixed_field_has_a_line_only_when_it_decides(kiln: SystemPlan) -> None:
    told = attrs.evolve(kiln.variables[3], text="kind of clay")
    with_text = attrs.evolve(kiln, variables=(*kiln.variables[:3], told, *kiln.variables[4:]))
    assert [line.split()[0] for line in handbook_of(with_text).fixed] == ["clay", "damp", "rated:"]
    idle = attrs.evolve(with_text, problem=attrs.evolve(kiln.problem, rules=(), stated=TRUE), rules=(), stated=())
    assert handbook_of(idle).fixed == ()


def test_a_handbook_refuses_walks_of_more_than_two_codes(kiln: SystemPlan) -> None:
    with pytest.raises(ValueError, match="may report 3 codes"):
        handbook_text(attrs.evolve(kiln, problem=attrs.evolve(kiln.problem, max_codes=3)))
