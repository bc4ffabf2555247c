"""The check stage: from parsed modules to a checked program, or the reasons why not.

In: what the loader read. Out: a `CheckedProgram` in which the lowering can't meet an error, or None, and all
diagnostics of the stage in one run, sorted by place.
"""

from __future__ import annotations

from dsl.analysis.bounds import check_bounds
from dsl.analysis.lints import lint_program
from dsl.check.archetypes import ArchetypeChecker
from dsl.check.cases import check_cases
from dsl.check.checker import ExpansionBudget
from dsl.check.datasets import check_datasets
from dsl.check.declarations import Library
from dsl.check.index import ProgramIndex
from dsl.check.systems import check_system
from dsl.checked import CheckedProgram
from dsl.diagnostics.collector import CheckStoppedError, Collector
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.syntax.loader import Loaded


def check_program(loaded: Loaded) -> tuple[CheckedProgram | None, tuple[Diagnostic, ...]]:
    """Check everything that was loaded.

    Returns:
        The program, if nothing in it is wrong, and the diagnostics; warnings come with either.
    """
    collector = Collector()
    try:
        program = _check(loaded, collector)
    except CheckStoppedError:
        program = None
    return (None if collector.error_count else program), collector.in_order()


def _check(loaded: Loaded, collector: Collector) -> CheckedProgram:
    budget = ExpansionBudget()
    index = ProgramIndex(loaded.modules, loaded.imports, collector)
    library = Library(index, collector, budget)
    sound_outside = collector.error_count == 0
    systems = {
        name: check_system(declared.node, library.scopes[declared.module], collector, budget)
        for name, declared in index.systems.items()
    }
    checker = ArchetypeChecker(index, library.scopes, systems, collector, budget)
    archetypes = checker.run()
    datasets = check_datasets(index, checker, collector, budget)
    cases = check_cases(index, checker, collector, budget)
    program = CheckedProgram(
        systems={
            name: system.checked for name, system in systems.items() if sound_outside and system.checked is not None
        },
        archetypes=dict(sorted(archetypes.items())),
        datasets=datasets,
        cases=cases,
    )
    bounds = check_bounds(program, collector)
    if collector.error_count == 0:
        lint_program(program, systems, index, library, bounds, collector)
    return program
