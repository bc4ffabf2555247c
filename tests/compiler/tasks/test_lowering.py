"""Lowered problems held against their sources on drawn runs and on boundaries: right ones pass, faults are named."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import attrs
import pytest
from strategies.effort import slow_but
from strategies.lowering_faults import FAULTS

from compiler.frontend.run import run_frontend
from compiler.plan import ProgramPlan
from compiler.tasks.lowering import lowering_denied
from compiler.tasks.tools import DisagreementError, check_lowering

SHIPPED = Path(__file__).parents[3] / "archetypes"

NOT_DENIED = {
    "printed numbers rounded down": "what is printed is held against each task",
    "conditions of profiler values left out": "the same",
    "places of events left out": "the same",
    "lines of repeated events alike": "the same",
    "last observation left out": "the same",
    "last hidden value left out": "the values on the page are held against each task",
    "keeps of rules left out": "repairs are no part of a walk",
    "keeps of the system left out": "the same",
    "keeps in any sense as equal": "the same",
    "keeps of fields bind always": "the same",
    "stated left out": "neither system tells less than it requires",
    "with, one change after the other": "no change of these systems reads another one",
}
"""Faults that change no relation, guard, prescription or walk of these systems, and what else there is to say."""


@cache
def shipped() -> ProgramPlan:
    program = run_frontend([SHIPPED], lints=False).plan
    assert program is not None
    return program


def planted(program: ProgramPlan, fault: str) -> ProgramPlan:
    systems = {
        name: attrs.evolve(system, problem=FAULTS[fault](system.problem)) for name, system in program.systems.items()
    }
    return attrs.evolve(program, systems=systems)


def denial(program: ProgramPlan) -> str:
    with pytest.raises(DisagreementError) as caught:
        check_lowering(program)
    return caught.value.what


def test_right_program_is_not_denied(program: ProgramPlan) -> None:
    check_lowering(program)


def test_shipped_sources_are_not_denied() -> None:
    check_lowering(shipped())


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")  # no divisor is zero by the sources
@pytest.mark.parametrize("fault", slow_but(sorted(FAULTS.keys() - NOT_DENIED.keys()), "> as >="))
def test_fault_is_denied(program: ProgramPlan, fault: str) -> None:
    """In the shipped sources or, where they lack what it concerns, in those of another domain."""
    denied = []
    for whole in (shipped(), program):
        for name, system in whole.systems.items():
            problem = FAULTS[fault](system.problem)
            if problem != system.problem:
                denied.append((name, next(lowering_denied(attrs.evolve(system, problem=problem)), None)))
    assert any(found for _, found in denied), denied
