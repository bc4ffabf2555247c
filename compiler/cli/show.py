"""`gtd show`: what a stage of the compile produced, as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import click

from compiler.cli.console import note_findings
from compiler.cli.group import GtdCommand, HaltError
from compiler.cli.options import dataset_option, draw_seed_option, sources_option, split_option
from compiler.cli.sources import chosen, input_status, load_plan, note_beyond_split, sources_of, task_choice
from compiler.cli.task_text import evidence_text, proof_text, walk_text, world_text
from compiler.cli.tree import tree_text
from compiler.findings import CLEAN, FOUND, finding_of
from gpu_train_debug.wording import joined

if TYPE_CHECKING:
    from compiler.plan import SystemPlan
    from compiler.tasks.maker import ProvedWorld, TaskForm

SOURCE_FORMS = {"parsed": "load", "checked": "check", "problem": "lower"}
"""What the stages of the sources produce, and the names of the stages."""

TASK_FORMS = {
    "candidate": "draw",
    "world": "count",
    "proof": "count",
    "walk": "count",
    "evidence": "count",
    "prompt": "render",
    "gold": "render",
    "meta": "render",
    "record": "write",
}
"""What the stages of a task produce, and the names of the stages."""


@click.command("show", cls=GtdCommand)
@click.argument("subjects", nargs=-1, metavar="[ARCHETYPE | PATHS]...")
@click.option(
    "--stage",
    type=click.Choice((*SOURCE_FORMS, *TASK_FORMS)),
    metavar="STAGE",
    required=True,
    help=f"What to show: of sources {joined(tuple(SOURCE_FORMS))}; of a task {joined(tuple(TASK_FORMS))}.",
)
@sources_option
@dataset_option
@split_option
@click.option(
    "--index", type=click.IntRange(0), default=0, show_default=True, help="Number of the task in its split, from 0."
)
@draw_seed_option
def show_command(
    subjects: tuple[str, ...],
    stage: str,
    sources: tuple[Path, ...],
    dataset_name: str | None,
    split_name: str | None,
    index: int,
    seed: int | None,
) -> int:
    """Show what a stage of the compile produced.

    Of sources, given as PATHS: `parsed` is their canonical text, `checked` the program without open names and types,
    `problem` what the solvers see, with the texts for people.

    Of one task of an ARCHETYPE, whose sources --sources names: `candidate` is the first world that is drawn, `world`
    the first one that passes its proofs; then its `proof`, the `walk` of the runbook, the `evidence`, the `prompt`,
    the `gold`, what is known about the task (`meta`), and the `record` as it stands in a dataset.
    """
    if stage in SOURCE_FORMS:
        click.echo(_source_text(stage, sources_of([*map(Path, subjects), *sources])))
        return CLEAN
    if len(subjects) != 1:
        raise click.UsageError(f"`--stage {stage}` shows a task of one archetype: name it")
    return _show_task(stage, subjects[0], sources, dataset_name, split_name, index, seed)


def _source_text(stage: str, paths: Sequence[Path]) -> str:
    from compiler.frontend.run import CheckedSources, LoweredSources, SourcePaths, run_stages
    from dsl.syntax.loader import Loaded
    from dsl.syntax.printer import print_module

    result = run_stages(SourcePaths(tuple(paths)), SOURCE_FORMS[stage])
    match result.form:
        case Loaded(modules=modules):
            return "\n".join(f"# {name}\n{print_module(module)}" for name, module in modules.items())
        case CheckedSources(program=program):
            return tree_text(program)
        case LoweredSources(plan=plan):
            return tree_text(plan)
        case None:
            findings = [finding_of(diagnostic) for diagnostic in result.diagnostics]
            note_findings(findings)
            raise HaltError(input_status(findings))


def _show_task(
    stage: str,
    archetype: str,
    sources: Sequence[Path],
    dataset_name: str | None,
    split_name: str | None,
    index: int,
    seed: int | None,
) -> int:
    from compiler.explain.missing import missing_task
    from compiler.splits import TaskSpec
    from compiler.stages import stop_task
    from compiler.tasks.maker import MissingTask

    plan = load_plan(sources)
    chosen(sorted(plan.archetypes), [archetype])
    dataset, split = task_choice(plan, archetype, dataset_name, split_name, seed)
    note_beyond_split(dataset, split_name, archetype, index + 1)
    form = stop_task(TASK_FORMS[stage], plan, dataset, TaskSpec(split, archetype, index))
    if isinstance(form, MissingTask):
        note_findings([finding_of(missing_task(plan, form))])
        return FOUND
    click.echo(_task_text(stage, plan.systems[plan.archetypes[archetype].system], form))
    return CLEAN


def _task_text(stage: str, system: SystemPlan, form: TaskForm | str) -> str:
    from compiler.tasks.maker import DrawnWorld, ProvedWorld, RenderedTask

    match form:
        case DrawnWorld(world=world):
            return world_text(system, world)
        case ProvedWorld():
            return _proved_text(stage, system, form)
        case RenderedTask(record=record, meta=meta):
            return (
                tree_text(meta) if stage == "meta" else record.gold if stage == "gold" else record.prompt.rstrip("\n")
            )
        case str():
            return form.removesuffix("\n")
    assert_never(form)


def _proved_text(stage: str, system: SystemPlan, proved: ProvedWorld) -> str:
    match stage:
        case "world":
            return world_text(system, proved.drawn.world)
        case "walk":
            return walk_text(system, proved.proof.walk)
        case "evidence":
            return evidence_text(system, proved.drawn.world)
        case _:
            return proof_text(system, proved)
