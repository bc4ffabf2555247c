"""Fresh tasks: a split of the dataset made again from another seed, each task proved like a frozen one.

In: a request for fresh tasks. Out: records, one after the other. They keep to everything that the split asks for
(archetypes and their weights, regions, boundary, interaction) and belong to a split of their own, named after split
and seed, so that no id is that of a frozen task. `gpu_train_debug.fresh` finds `plan_fresh_tasks` as an entry point.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import attrs

from compiler.frontend.run import run_frontend
from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan
from compiler.tasks.pipeline import Drops, MissingTaskError, make_split, makers
from compiler.tasks.tools import DisagreementError, UndecidedError
from gpu_train_debug.fresh import FreshRequest
from gpu_train_debug.tasks import TaskRecord, TasksError, check_names, no_task
from gpu_train_debug.wording import suggestion


@attrs.frozen
class FreshSplit:
    """A fresh split, ready to be made: `dataset` has the seed that was asked for and `split` alone."""

    program: ProgramPlan
    dataset: DatasetPlan
    split: SplitPlan

    def make(self, *, avoid: Collection[str] = (), jobs: int = 1) -> Iterator[TaskRecord]:
        """Make the tasks.

        They depend on the sources, the seed and `avoid` alone; a task doesn't depend on how many there are,
        except that of two with the same evidence the later one is drawn again.

        Args:
            avoid: Evidence hashes that no task may have, such as those of the frozen tasks.

        Raises:
            TasksError: A task can't be made, a proof ran out of budget, or two procedures differ on a proof.
        """
        try:
            with makers(self.program, self.dataset, jobs=jobs) as workers:
                for made in make_split(workers, self.dataset, self.split, seen=set(avoid), drops=Drops()):
                    yield made.record
        except MissingTaskError as error:
            raise TasksError(f"no task of `{error.missing.spec.archetype}` could be made: {error}") from error
        except UndecidedError as error:
            raise TasksError(f"a proof of task `{error.subject}` ran out of budget") from error
        except DisagreementError as error:
            raise TasksError(f"{error.what}: this is a bug in the compiler") from error


def plan_fresh_tasks(request: FreshRequest) -> FreshSplit:
    """Compile the sources and check the request, without making a task.

    Raises:
        TasksError: The sources have errors or declare no such split, archetype or tier, or nothing that is both.
    """
    program, dataset = _compiled(request.sources)
    plans = {plan.name: plan for plan in dataset.splits}
    if request.split not in plans:
        known = suggestion(request.split, plans)
        raise TasksError(f"the sources in {request.sources} declare no split `{request.split}`{known}")
    plan = plans[request.split]
    used = [name for name, _ in plan.uses]
    tiers = {name: program.archetypes[name].tier for name in used}
    check_names("archetype", request.archetypes, used, request.split)
    check_names("tier", request.tiers, tiers.values(), request.split)
    uses = tuple(
        (name, weight)
        for name, weight in plan.uses
        if name in (request.archetypes or used) and tiers[name] in (request.tiers or tiers.values())
    )
    if not uses:
        raise no_task(request.split, request.archetypes, request.tiers)
    fresh = attrs.evolve(plan, name=f"{plan.name}_seed{request.seed}", count=request.count, uses=uses)
    return FreshSplit(program, attrs.evolve(dataset, seed=request.seed, splits=(fresh,)), fresh)


def _compiled(sources: Path) -> tuple[ProgramPlan, DatasetPlan]:
    found = run_frontend([sources], lints=False)
    if found.plan is None or found.failed or len(found.plan.datasets) != 1:
        raise TasksError(f"the sources in {sources} don't compile to one dataset; `gtd check` tells why")
    return found.plan, next(iter(found.plan.datasets.values()))
