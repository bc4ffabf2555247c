"""The names of all stages of the compile, in their order, and one task up to any of its stages.

In: a program plan, and which task is wanted. Out: the names of all stages, and what stands after one of them. The
stages of the sources are in `compiler.frontend.run`, where `run_stages` stops after any of them; those of a task are
in `compiler.tasks.maker`.
"""

from __future__ import annotations

from typing import Final

from compiler.emit.record import record_line
from compiler.frontend.run import PROGRAM_STAGES
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.splits import TaskSpec
from compiler.tasks.maker import TASK_STAGES, MissingTask, RenderedTask, TaskForm, TaskMaker

STAGES: Final = (
    *(stage.name for stage in PROGRAM_STAGES),
    "specs",
    "draw",
    *(stage.name for stage in TASK_STAGES),
    "write",
)
"""The names of all stages, in their order."""


def stop_task(name: str, program: ProgramPlan, dataset: DatasetPlan, spec: TaskSpec) -> TaskForm | str | MissingTask:
    """Make a task up to the stage `name`, from `draw` on; after `write` it is the line of the task.

    Candidate worlds that counting refuses are passed over, unless the stage is `draw`.

    Raises:
        DisagreementError: Two procedures differ.
        UndecidedError: A proof ran out of budget.
        ValueError: A task has no such stage.
    """
    if name not in STAGES[STAGES.index("draw") :]:
        raise ValueError(f"a task has no stage `{name}`")
    stopped = TaskMaker(program, dataset).stop_after(TASK_STAGES[-1].name if name == "write" else name, spec)
    if isinstance(stopped, MissingTask):
        return stopped
    if name == "write" and isinstance(stopped.form, RenderedTask):
        return record_line(stopped.form.record)
    return stopped.form
