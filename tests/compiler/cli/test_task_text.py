"""A task as `gtd show` prints it."""

from __future__ import annotations

from compiler.cli.task_text import evidence_text, walk_text, world_text
from compiler.plan import ProgramPlan, SystemPlan
from solvers.evaluate import run_walk
from solvers.outcome import Assignment

STALE = {
    "reads_from": 0,
    "cache": 2048,
    "pool": 20,
    "retries": 1,
    "instances": 2,
    "requests": 2000,
    "allowed_lag": 500,
    "working_set": 1800,
    "server_limit": 120,
    "lag": 5000,
}


def rows(text: str) -> dict[str, list[str]]:
    """The cells of a table by that in the second column, without it."""
    return {cells[1]: [cells[0], *cells[2:]] for cells in (line.split() for line in text.splitlines())}


def service(program: ProgramPlan) -> SystemPlan:
    return program.systems["service"]


def test_values_are_printed_as_in_prompts(program: ProgramPlan) -> None:
    system = service(program)
    world: Assignment = {variable.name: variable.domain[-1] for variable in system.problem.variables}
    table = rows(world_text(system, world))
    assert table["reads_from"] == ["config", "1", "primary"]
    assert table["cache"] == ["config", "2048", "2048", "MiB"]


def test_the_evidence_is_printed_as_in_prompts(program: ProgramPlan) -> None:
    table = rows(evidence_text(service(program), STALE))
    assert table["allowed_lag"] == ["config", "5", "0.5", "s"]
    assert table["replica_state"] == ["log", "1", "its", "line"]
    assert table["replica_state.behind"] == ["log", "50", "5.0", "s"]
    assert table["refused"] == ["log", "0", "no", "line"]
    assert table["refused.surplus"] == ["log", "0"]


def test_a_walk_names_its_rules_and_values(program: ProgramPlan) -> None:
    system = service(program)
    assert walk_text(system, run_walk(system.problem, STALE)).splitlines() == [
        "1. rule stale fires, STALE_READS, and sets reads_from = primary",
        "ending: answer",
        "diagnosis: STALE_READS",
        "fix: reads_from = primary",
        "masked: none",
        "unmasked: none",
    ]
