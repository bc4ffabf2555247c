"""From paths to a program plan: load, check, lower, and then the checks of the plan.

In: files or folders. Out: a `ProgramPlan`, or None if there are errors, and the diagnostics of every stage that ran,
those of a stage sorted by place. `PROGRAM_STAGES` has the stages in their order, `compiler.frontend.checks` the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import attrs

from compiler.frontend.checks import PLAN_CHECKS, WORLD_CHECKS
from compiler.frontend.lower import lower_program
from compiler.frontend.page_lints import undecided_parts
from compiler.plan import ProgramPlan
from dsl.checked import CheckedProgram
from dsl.diagnostics.diagnostic import Diagnostic, has_errors
from dsl.program import check_program
from dsl.syntax.loader import Loaded, load


@attrs.frozen
class SourcePaths:
    """Files or folders to load, and the folder that imports may not leave (by default as `load` says)."""

    paths: tuple[Path, ...]
    root: Path | None = None


@attrs.frozen
class CheckedSources:
    loaded: Loaded
    program: CheckedProgram


@attrs.frozen
class LoweredSources:
    checked: CheckedProgram
    plan: ProgramPlan


ProgramForm: TypeAlias = Loaded | CheckedSources | LoweredSources
Diagnostics: TypeAlias = tuple[Diagnostic, ...]


@attrs.frozen
class ProgramStage:
    """One step of the sources on their way to a plan.

    Attributes:
        run: From what the stage before gave to the next form, or None if errors stand in its way.
    """

    name: str
    run: Callable[[Any], tuple[ProgramForm | None, Diagnostics]]


def _load(sources: SourcePaths) -> tuple[Loaded, Diagnostics]:
    loaded = load(sources.paths, root=sources.root)
    return loaded, loaded.diagnostics


def _check(loaded: Loaded) -> tuple[CheckedSources | None, Diagnostics]:
    program, diagnostics = check_program(loaded)
    return None if program is None else CheckedSources(loaded, program), diagnostics


def _lower(sources: CheckedSources) -> tuple[LoweredSources, Diagnostics]:
    return LoweredSources(sources.program, lower_program(sources.program, sources.loaded)), ()


PROGRAM_STAGES: Final = (ProgramStage("load", _load), ProgramStage("check", _check), ProgramStage("lower", _lower))


@attrs.frozen
class StageResult:
    """What a stage produced: None if errors came before, or from it; `diagnostics` are those of all that ran."""

    form: ProgramForm | None
    diagnostics: Diagnostics


@attrs.frozen
class Frontend:
    """What the sources say; `plan` is None where an error stands in the way."""

    plan: ProgramPlan | None
    diagnostics: Diagnostics

    @property
    def failed(self) -> bool:
        return self.plan is None or has_errors(self.diagnostics)


def run_stages(sources: SourcePaths, last: str = PROGRAM_STAGES[-1].name) -> StageResult:
    """Run the stages up to the one named `last`, or up to the first that finds errors."""
    form: Any = sources
    found: Diagnostics = ()
    for stage in PROGRAM_STAGES:
        form, diagnostics = stage.run(form)
        found += diagnostics
        if form is None or has_errors(found):
            return StageResult(None, found)
        if stage.name == last:
            return StageResult(form, found)
    raise ValueError(f"there is no stage `{last}`")


def run_frontend(
    paths: Sequence[Path], *, root: Path | None = None, lints: bool = True, unneeded: bool = False
) -> Frontend:
    """Load, check and lower `paths`, and check the plan.

    Args:
        root: Folder that imports may not leave; by default as `dsl.syntax.loader` says.
        lints: Also run the checks that look at worlds: inline examples and sampled lints among them.
        unneeded: Also warn of everything that no answer depends on.
    """
    result = run_stages(SourcePaths(tuple(paths), root))
    if result.form is None:
        return Frontend(None, result.diagnostics)
    assert isinstance(result.form, LoweredSources)
    plan, checked = result.form.plan, result.form.checked
    found = result.diagnostics
    for check in PLAN_CHECKS:
        found += check(plan, checked)
    if lints and not has_errors(found):
        for check in WORLD_CHECKS:
            found += check(plan, checked)
    if unneeded and not has_errors(found):
        found += undecided_parts(plan, checked)
    return Frontend(plan, found)
