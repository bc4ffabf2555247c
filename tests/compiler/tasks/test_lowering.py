"""Lowered problems held against their sources on drawn runs and on boundaries: right ones pass, faults are named."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import attrs
import pytest
from strategies.effort import slow_but
from strategies.lowering_faults import FAULTS

from compiler.frontend.run import run_frontend
from compiler.plan import ProgramPlan
from compiler.tasks.lowering import lowering_denied
from compiler.tasks.tools import check_lowering

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
    "preference turned round": "the values on the page are held against each task",
    "stated left out": "neither system tells less than it requires",
    "with, one change after the other": "no change of these systems reads another one",
}
"""Faults that change no relation, guard, prescription or walk of these systems, and what else there is to say."""


@cache
def shipped() -> ProgramPlan:
    program = run_frontend([SHIPPED], lints=False).plan
    assert program is not None
    return program


def test_right_program_is_not_denied(program: ProgramPlan) -> None:
    check_lowering(program)


@pytest.mark.slow
def test_shipped_sources_are_not_denied() -> None:
    check_lowering(shipped())


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")  # no divisor is zero by the sources
@pytest.mark.parametrize("fault", slow_but(sorted(FAULTS.keys() - NOT_DENIED.keys()), "> as >="))
def test_fault_is_denied(program: ProgramPlan, fault: str) -> None:
    """In a small domain or, where it lacks what the fault concerns, in the shipped sources."""
    assert any(denials(whole(), fault) for whole in (lambda: program, shipped))


def denials(program: ProgramPlan, fault: str) -> list[str]:
    """The first thing that is denied of each system, all with the fault."""
    found = []
    for system in program.systems.values():
        problem = FAULTS[fault](system.problem)
        denied = lowering_denied(attrs.evolve(system, problem=problem)) if problem != system.problem else iter(())
        found += [what for _, what in itertools.islice(denied, 1)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["< as <=", "> as >=", "<= as <", ">= as >"])
def test_wrong_comparison_in_the_shipped_sources_is_denied(fault: str) -> None:
    assert len(denials(shipped(), fault)) == len(shipped().systems)
