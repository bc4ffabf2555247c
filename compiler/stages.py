"""The order of the whole compile in one place, and the way of one task through it.

In: paths of sources, and which task is wanted. Out: what stands after any stage. A compile runs these stages and no
others: `run_frontend` those of the sources, `TaskMaker` those of a task, `build_dataset` one after the other for each
split, with `write` at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import attrs

from compiler.emit.record import record_line
from compiler.frontend.run import PROGRAM_STAGES, LoweredSources, ProgramForm, SourcePaths, run_stages
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.splits import TaskSpec, split_specs
from compiler.tasks.maker import TASK_STAGES, FlawedWorld, RenderedTask, TaskForm, TaskMaker
from dsl.diagnostics.diagnostic import Diagnostic
from solvers.sampling import Exhausted

STAGES: Final = (
    *(stage.name for stage in PROGRAM_STAGES),
    "specs",
    "draw",
    *(stage.name for stage in TASK_STAGES),
    "write",
)
"""The names of all stages, in their order."""

Specs: TypeAlias = tuple[TaskSpec, ...]
StageForm: TypeAlias = ProgramForm | Specs | TaskForm | str


@attrs.frozen
class WantedTask:
    """One task of a dataset."""

    dataset: DatasetPlan
    spec: TaskSpec


@attrs.frozen
class StoppedCompile:
    """What stands after a stage.

    Attributes:
        form: What the stage gave: its sources loaded, checked (`CheckedSources`) or lowered (`LoweredSources`), the
            specs of the task's split, its `DrawnWorld`, `ProvedWorld` or `RenderedTask`, or its line; None where the
            sources have errors or no task could be made.
        diagnostics: Of the sources.
        exhausted: Why no world was found, if that is so.
    """

    form: StageForm | None
    diagnostics: tuple[Diagnostic, ...] = ()
    exhausted: Exhausted | None = None


def stop_after(name: str, sources: SourcePaths, choose: Callable[[ProgramPlan], WantedTask]) -> StoppedCompile:
    """Compile one task up to the stage `name`, one of `STAGES`.

    Candidate worlds that counting refuses are passed over, except that `draw` gives the first candidate as it is.

    Args:
        choose: Picks the task; called only if the stage comes after `lower`.

    Raises:
        DisagreementError: Two procedures differ.
        UndecidedError: A proof ran out of budget.
        ValueError: There is no such stage.
    """
    if name not in STAGES:
        raise ValueError(f"there is no stage `{name}`")
    if any(stage.name == name for stage in PROGRAM_STAGES):
        result = run_stages(sources, name)
        return StoppedCompile(result.form, result.diagnostics)
    result = run_stages(sources)
    if not isinstance(result.form, LoweredSources):
        return StoppedCompile(None, result.diagnostics)
    wanted = choose(result.form.plan)
    if name == "specs":
        split = next(split for split in wanted.dataset.splits if split.name == wanted.spec.split)
        return StoppedCompile(split_specs(wanted.dataset, split), result.diagnostics)
    maker = TaskMaker(result.form.plan, wanted.dataset)
    return attrs.evolve(_stop_task(name, maker, wanted.spec), diagnostics=result.diagnostics)


def _stop_task(name: str, maker: TaskMaker, spec: TaskSpec) -> StoppedCompile:
    for found in maker.draw(spec):
        if isinstance(found, Exhausted):
            return StoppedCompile(None, exhausted=found)
        form = maker.finish(found, last=name)
        if isinstance(form, FlawedWorld):
            continue
        if name == "write" and isinstance(form, RenderedTask):
            return StoppedCompile(record_line(form.record))
        return StoppedCompile(form)
    raise AssertionError("candidates end with Exhausted")
