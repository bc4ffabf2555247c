"""`gtd study`: reads options, calls the analysis, prints, and chooses the exit status.

0: done. 1: done, but the plan was altered or the run departs from it. 2: wrong usage or an unreadable input.
The numerical libraries are loaded by the commands, not by this module.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from gpu_train_debug.faults import StudyError
from gpu_train_debug.tasks import TasksError, data_folder, default_folder, sources_folder

if TYPE_CHECKING:
    from gpu_train_debug.study.inputs.freeze import Seal
    from gpu_train_debug.study.inputs.plan import Plan
    from gpu_train_debug.study.inputs.tasks import Task, TaskSet

CLEAN, FOUND = 0, 1

TWINS = "twins.toml"
_EXTRA = ("numpy", "scipy", "matplotlib")


class Refused(click.ClickException):
    """An input can't be used; the message has its own form."""

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(self.message, file=file, err=file is None)


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what is wrong with the input or the installation into messages."""
    try:
        yield
    except StudyError as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise Refused(f"error: cannot write {error.filename or 'the output'}: {error.strerror}") from error
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise Refused(
            f"error: studies need {error.name}\n   = help: install the extra: pip install 'gpu-train-debug[study]'"
        ) from error


def _warn(notes: Sequence[str]) -> None:
    for note in notes:
        click.echo(f"warning: {note}", err=True)


archives_argument = click.argument("archives", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))


def _known_tasks(_context: click.Context, _option: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Where tasks are if nobody says so: in `out`, or else in the installed package."""
    if paths:
        return paths
    try:
        return (default_folder(),)
    except TasksError as error:
        raise click.UsageError(str(error)) from error


tasks_option = click.option(
    "--tasks",
    multiple=True,
    type=click.Path(path_type=Path),
    callback=_known_tasks,
    help="A split file, or a folder of them; `out` if there is one here, else the frozen splits.",
)
split_option = click.option("--split", "splits", multiple=True, help="Only the tasks of this split.")
arm_option = click.option("--arm", "arms", multiple=True, help="Only this arm.")
samples_option = click.option(
    "--samples", type=click.IntRange(1), help="Use the first so many samples of each task; all if not given."
)
twins_option = click.option(
    "--twins",
    type=click.Path(path_type=Path, dir_okay=False),
    help="TOML that names, for archetypes of healthy runs, the faults they resemble; the frozen splits have one.",
)


@click.group()
def study() -> None:
    """Compare models on archived generations.

    Means, paired comparisons, errors, controls.
    """


@study.command()
@archives_argument
@tasks_option
@split_option
@arm_option
@samples_option
@click.option(
    "--by",
    type=click.Choice(["split", "archetype", "tier"]),
    default="split",
    show_default=True,
    help="What to average over.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write each sample's score here, as JSONL."
)
def score(
    archives: tuple[Path, ...],
    tasks: tuple[Path, ...],
    splits: tuple[str, ...],
    arms: tuple[str, ...],
    samples: int | None,
    by: str,
    as_json: bool,
    out: Path | None,
) -> int:
    """Score archives of generations: the means of each arm, exact and partial."""
    with refusals():
        from gpu_train_debug.files import write_whole
        from gpu_train_debug.study.inputs.plan import Bootstrap
        from gpu_train_debug.study.inputs.tasks import read_tasks, split_files
        from gpu_train_debug.study.report.summary import mean_rows, mean_table
        from gpu_train_debug.study.report.write import spare_inputs
        from gpu_train_debug.study.statistics.score import failure_notes, score_archives, score_rows

        if out is not None:
            spare_inputs([out], [*archives, *split_files(tasks)])
        scores = score_archives(archives, read_tasks(tasks), splits=splits, arms=arms, samples=samples)
        rows = mean_rows(scores, Bootstrap(), by)
        if out is not None:
            write_whole(out, "".join(json.dumps(row) + "\n" for row in score_rows(scores)).encode())
    _warn(failure_notes(scores))
    click.echo(json.dumps(rows, indent=1) if as_json else mean_table(rows, by))
    return CLEAN


@study.command()
@archives_argument
@tasks_option
@click.option(
    "--plan",
    "plan_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A plan: frozen (JSON), or a draft (TOML).",
)
@click.option("--expect", metavar="HASH", help="The published hash of the plan, or its first 8 or more digits.")
@split_option
@arm_option
@samples_option
@click.option("--reference", help="The arm that the others are compared with; the first if not given.")
@twins_option
@click.option(
    "--pictures",
    type=click.Choice(["svg", "png", "none"]),
    default="svg",
    show_default=True,
    help="Form of the pictures.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("study"),
    show_default=True,
    help="Folder to write.",
)
def report(
    archives: tuple[Path, ...],
    tasks: tuple[Path, ...],
    plan_file: Path | None,
    expect: str | None,
    splits: tuple[str, ...],
    arms: tuple[str, ...],
    samples: int | None,
    reference: str | None,
    twins: Path | None,
    pictures: str,
    out: Path,
) -> int:
    """Analyse archives of generations: one JSON report, one Markdown report, pictures."""
    if expect is not None and len(expect) < 8:
        raise click.UsageError("--expect needs at least 8 digits of the hash")
    with refusals():
        from gpu_train_debug.study.inputs.freeze import with_departures
        from gpu_train_debug.study.inputs.plan import complete_plan
        from gpu_train_debug.study.inputs.tasks import read_tasks, split_files
        from gpu_train_debug.study.report.content import analyse
        from gpu_train_debug.study.report.write import report_files, spare_inputs, write_report
        from gpu_train_debug.study.statistics.score import failure_notes, score_archives

        others = [path for path in (plan_file, twins) if path is not None]
        spare_inputs(report_files(out), [*archives, *split_files(tasks), *others])
        options = {"splits": splits, "arms": arms, "samples": samples, "reference": reference}
        plan, seal = _plan(plan_file, {key: value for key, value in options.items() if value})
        task_set = read_tasks(tasks)
        if not seal.links:
            plan = _with_twins(plan, twins, tasks, task_set)
        elif twins is not None:
            raise click.UsageError("the plan is frozen: change its twins there, and amend it")
        seal = with_departures(seal, task_set, expected=expect or "")
        _warn(seal.departures)  # first, since a plan that was altered may be refused for what was done to it
        scores = score_archives(archives, task_set, splits=plan.splits, arms=plan.arms, samples=plan.samples)
        plan = complete_plan(plan, task_set.tasks, {arm.name: arm.samples for arm in scores.arms})
        files = write_report(
            analyse(scores, plan, seal, task_set), out, pictures=None if pictures == "none" else pictures
        )
    _warn(failure_notes(scores))
    click.echo(f"plan {seal.status}{f' {seal.hash[:16]}' if seal.hash else ''}; wrote {len(files)} files to {out}")
    return FOUND if seal.departures else CLEAN


def _plan(path: Path | None, options: Mapping[str, Any]) -> tuple[Plan, Seal]:
    """The plan of a file; without one, a draft that says what the options do."""
    from gpu_train_debug.study.inputs.freeze import UNFROZEN, Seal, read_frozen
    from gpu_train_debug.study.inputs.plan import parse_plan, read_plan

    if path is None:
        return parse_plan(options, "the options", draft=True), Seal(UNFROZEN)
    if options:
        raise click.UsageError(
            f"the plan says the {', '.join(options)}: change it there (and amend it, if it is frozen)"
        )
    if path.suffix == ".toml":
        return read_plan(path), Seal(UNFROZEN)
    return read_frozen(path)


def _with_twins(plan: Plan, twins: Path | None, tasks: Sequence[Path], task_set: TaskSet) -> Plan:
    """A draft with the twins of the file; without a file its own, or else those of the frozen splits."""
    from gpu_train_debug.faults import refuse
    from gpu_train_debug.study.inputs.plan import read_twins
    from gpu_train_debug.study.statistics.score import choose_tasks

    if twins is not None:
        if plan.twins:
            raise refuse("the plan has twins of its own", helps=("give them there or with --twins",))
        return replace(plan, twins=read_twins(twins))
    return plan if plan.twins else replace(plan, twins=_frozen_twins(tasks, choose_tasks(task_set, plan.splits)))


def _frozen_twins(paths: Sequence[Path], chosen: Sequence[Task]) -> dict[str, tuple[str, ...]]:
    """The twins that come with the frozen splits, of archetypes that `chosen` has tasks of; none for other splits."""
    from gpu_train_debug.study.inputs.plan import read_twins

    try:
        stated = sources_folder() / TWINS
        if [path.resolve() for path in paths] != [data_folder().resolve()] or not stated.exists():
            return {}
    except TasksError:
        return {}
    known = {task.archetype for task in chosen}
    kept = {twin: tuple(name for name in faults if name in known) for twin, faults in read_twins(stated).items()}
    return {twin: faults for twin, faults in kept.items() if twin in known and faults}


@study.command()
@click.argument("plan_file", metavar="PLAN.toml", type=click.Path(path_type=Path, dir_okay=False))
@tasks_option
@twins_option
@click.option("--amends", type=click.Path(path_type=Path, dir_okay=False), help="The frozen plan that this one amends.")
@click.option("--reason", default="", help="Why it is amended.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("plan.json"),
    show_default=True,
    help="File to write.",
)
def freeze(
    plan_file: Path, tasks: tuple[Path, ...], twins: Path | None, amends: Path | None, reason: str, out: Path
) -> int:
    """Seal a plan with a hash, before its results are known, or amend a sealed one in the open."""
    with refusals():
        from gpu_train_debug.faults import refuse
        from gpu_train_debug.files import write_whole
        from gpu_train_debug.study.inputs.freeze import amend_plan, freeze_plan, parse_frozen
        from gpu_train_debug.study.inputs.plan import read_plan
        from gpu_train_debug.study.inputs.tasks import read_tasks

        if out.is_file() and (amends is None or not out.samefile(amends)):
            raise refuse(
                "there is a file already, which may be a frozen plan",
                str(out),
                helps=(f"amend it with --amends {out} --reason ..., or choose another name with -o",),
            )
        task_set = read_tasks(tasks)
        plan = _with_twins(read_plan(plan_file), twins, tasks, task_set)
        text = freeze_plan(plan, task_set) if amends is None else amend_plan(amends, plan, task_set, reason)
        write_whole(out, text.encode())
        _, seal = parse_frozen(text, str(out))
    for change in seal.links[-1].changes:
        click.echo(change)
    click.echo(f"{seal.status} {seal.hash}")
    return CLEAN


@study.command()
@tasks_option
@split_option
@click.option(
    "--arm",
    "arms",
    multiple=True,
    required=True,
    metavar="NAME=ABILITY",
    help="An arm and its ability in logits: 0 solves about half.",
)
@click.option("--samples", type=click.IntRange(1, 1000), default=8, show_default=True, help="Samples of each task.")
@click.option("--seed", type=click.IntRange(0), default=2027, show_default=True, help="Seed of the draws.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("simulated.jsonl"),
    show_default=True,
    help="Archive to write; the truth goes beside it.",
)
def simulate(
    tasks: tuple[Path, ...], splits: tuple[str, ...], arms: tuple[str, ...], samples: int, seed: int, out: Path
) -> int:
    """Make an archive of simulated arms, whose true rates are known."""
    abilities = dict(map(_ability, arms))
    if len(abilities) < len(arms):
        raise click.UsageError("two arms have the same name")
    with refusals():
        from gpu_train_debug.files import write_whole
        from gpu_train_debug.study.inputs.tasks import read_tasks, split_files
        from gpu_train_debug.study.report.write import spare_inputs
        from gpu_train_debug.study.simulate import Simulation, simulate_rows, truth
        from gpu_train_debug.study.statistics.score import choose_tasks

        true = out.with_suffix(".truth.json")
        spare_inputs([out, true], split_files(tasks))
        simulation = Simulation(abilities, samples=samples, seed=seed)
        chosen = choose_tasks(read_tasks(tasks), splits)
        lines = [json.dumps(row) + "\n" for row in simulate_rows(chosen, simulation)]
        write_whole(out, "".join(lines).encode())
        write_whole(true, (json.dumps(truth(chosen, simulation), indent=1) + "\n").encode())
    click.echo(f"wrote {len(lines)} generations to {out}, the truth to {true}")
    return CLEAN


def _ability(text: str) -> tuple[str, float]:
    from math import isfinite

    from gpu_train_debug.study.inputs.generations import ARM

    name, _, number = text.rpartition("=")
    try:
        ability = float(number)
    except ValueError:
        ability = float("nan")
    if not ARM.fullmatch(name) or not isfinite(ability):
        raise click.UsageError(f"`{text}` is not a name and a number, such as base=-0.5")
    return name, ability
