"""The check stage: from parsed modules to a checked program, or the reasons why not.

In: what the loader read. Out: a `CheckedProgram` in which the lowering can't meet an error, or None, and all
diagnostics of the stage in one run, sorted by place.
"""

from __future__ import annotations

from dsl.analysis.bounds import check_bounds
from dsl.analysis.lints import lint_program
from dsl.check.archetypes import ArchetypeChecker
from dsl.check.checker import ExpansionBudget
from dsl.check.datasets import check_datasets
from dsl.check.declarations import Library
from dsl.check.index import ProgramIndex
from dsl.check.systems import check_system
from dsl.checked import CheckedProgram
from dsl.diagnostics.collector import CheckStoppedError, Findings
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.syntax.loader import Loaded


def check_program(loaded: Loaded) -> tuple[CheckedProgram | None, tuple[Diagnostic, ...]]:
    """Check everything that was loaded.

    Returns:
        The program, if nothing in it is wrong, and the diagnostics; warnings come with either.
    """
    findings = Findings()
    try:
        program = _check(loaded, findings)
    except CheckStoppedError:
        program = None
    return (None if findings.error_count else program), findings.in_order()


def _check(loaded: Loaded, findings: Findings) -> CheckedProgram:
    budget = ExpansionBudget()
    index = ProgramIndex(loaded.modules, loaded.imports, findings)
    library = Library(index, findings, budget)
    sound_outside = findings.error_count == 0
    systems = {
        name: check_system(declared.node, library.scopes[declared.module], findings, budget)
        for name, declared in index.systems.items()
    }
    checker = ArchetypeChecker(index, library.scopes, systems, findings, budget)
    archetypes = checker.run()
    datasets = check_datasets(index, checker, findings, budget)
    program = CheckedProgram(
        systems={
            name: system.checked for name, system in systems.items() if sound_outside and system.checked is not None
        },
        archetypes=dict(sorted(archetypes.items())),
        datasets=datasets,
    )
    bounds = check_bounds(program, findings)
    if findings.error_count == 0:
        lint_program(program, systems, index, library, bounds, findings)
    return program
