"""The `gtd` command: reads paths and options, calls the stages, prints, and chooses the exit status.

Results go to standard output, progress and notes to standard error, bars only on a terminal. Exit status:
0 clean, 1 findings, 2 wrong usage or unreadable input, 3 only inconclusive. A traceback is shown for a bug
and only with `--debug`.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from compiler.cli.baseline import baseline
from compiler.cli.export import export, tasks_option
from compiler.findings import (
    CLEAN,
    FORMATS,
    FOUND,
    USAGE,
    Finding,
    exit_status,
    finding_about,
    finding_of,
    format_findings,
    junit_xml,
)
from gpu_train_debug.study.cli import study
from gpu_train_debug.wording import counted, suggestion

DEFAULT_SOURCES = "archetypes"


class HaltError(Exception):
    """Stop with findings already printed."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def note(text: str) -> None:
    click.echo(text, err=True)


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on standard error if that is a terminal; the value advances it by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(title, total=total)
        yield lambda: bars.advance(bar)


def publish(
    findings: Sequence[Finding],
    *,
    format_: str,
    junit: Path | None,
    suite: str,
    subjects: Sequence[str],
    summary: str,
    results: Mapping[str, Any] | None = None,
) -> int:
    """Print the findings in the asked format, write the JUnit file, and give the exit status."""
    text = format_findings(findings, format_, summary=summary, results=results)
    if text:
        click.echo(text)
    if format_ in ("github", "sarif") and summary:
        note(summary)
    if junit is not None:
        try:
            junit.write_text(junit_xml(suite, subjects, findings), encoding="utf-8")
        except OSError as error:
            raise click.ClickException(f"cannot write {junit}: {error.strerror}") from error
    return exit_status(findings)


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        default="human",
        show_default=True,
        help="Form of the findings.",
    )(command)
    return click.option(
        "--junit-xml", "junit", type=click.Path(dir_okay=False, path_type=Path), help="Also write a JUnit report here."
    )(command)


paths_argument = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
sources_option = click.option(
    "--sources",
    multiple=True,
    type=click.Path(path_type=Path),
    help=f"The `.arch` files or folders; `{DEFAULT_SOURCES}` if not given.",
)
seed_option = click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Seed; the dataset's own if not given.")
jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 256),
    default=lambda: os.cpu_count() or 1,
    help="Worker processes; one per core if not given.",
)


def sources_of(paths: Sequence[Path]) -> list[Path]:
    return list(paths) or [Path(DEFAULT_SOURCES)]


def load_plan(paths: Sequence[Path], *, lints: bool = False) -> Any:
    """The plan of the sources; prints the diagnostics and stops if there are errors."""
    from compiler.frontend.run import run_frontend

    found = run_frontend(sources_of(paths), lints=lints)
    if found.plan is None or found.failed:
        findings = [finding_of(diagnostic) for diagnostic in found.diagnostics]
        note(format_findings(findings, "human"))
        raise HaltError(_input_status(findings))
    return found.plan


def _input_status(findings: Sequence[Finding]) -> int:
    """2 if something could not be read at all, else 1."""
    from dsl.syntax.loader import UNREADABLE

    return USAGE if any(finding.code in UNREADABLE for finding in findings) else FOUND


def _print_version(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    from compiler.cli.version import product_version

    if asked and not context.resilient_parsing:
        click.echo(f"gtd, version {product_version()}")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
@click.pass_context
def cli(context: click.Context, debug: bool) -> None:
    """Compile archetypes of failures to debugging tasks whose right answer is proved to be the only one."""
    context.obj = debug


@cli.command()
@paths_argument
@report_options
def check(paths: tuple[Path, ...], format_: str, junit: Path | None) -> int:
    """Check `.arch` sources, without proofs.

    Syntax, names, types, units, lints, inline examples.
    """
    from compiler.frontend.run import run_frontend

    found = run_frontend(sources_of(paths))
    findings = [finding_of(diagnostic) for diagnostic in found.diagnostics]
    subjects = sorted(found.plan.sources) if found.plan is not None else []
    summary = _check_summary(found.plan, findings)
    status = publish(findings, format_=format_, junit=junit, suite="gtd check", subjects=subjects, summary=summary)
    return _input_status(findings) if status == FOUND else status


def _check_summary(plan: Any, findings: Sequence[Finding]) -> str:
    from dsl.diagnostics.diagnostic import Severity

    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    counts = f"{counted(errors, 'error')}, {counted(len(findings) - errors, 'warning')}"
    if plan is None:
        return counts
    parts = {"file": plan.sources, "system": plan.systems, "archetype": plan.archetypes, "dataset": plan.datasets}
    return f"{', '.join(counted(len(part), noun) for noun, part in parts.items())}: {counts}"


@cli.command()
@paths_argument
@report_options
@seed_option
@jobs_option
@click.option(
    "-n",
    "--draws",
    type=click.IntRange(1, 100_000),
    default=20,
    show_default=True,
    help="Worlds to draw from each archetype.",
)
@click.option("--only", multiple=True, metavar="ARCHETYPE", help="Prove these archetypes only.")
@click.option("--rlimit", type=click.IntRange(1), help="Budget of each solver query, in Z3 resource units.")
@click.option("--recheck", type=click.Choice(["cvc5"]), help="Prove each exported claim again with a second solver.")
@click.option(
    "--smt-lib",
    "smt_folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write each claim as SMT-LIB 2 into this folder.",
)
def prove(
    paths: tuple[Path, ...],
    format_: str,
    junit: Path | None,
    seed: int | None,
    jobs: int,
    draws: int,
    only: tuple[str, ...],
    rlimit: int | None,
    recheck: str | None,
    smt_folder: Path | None,
) -> int:
    """Draw worlds of each archetype and prove their answers.

    An answer is proved if it is the only one that the evidence allows, and no other repair is as good.
    """
    from compiler.dataset.build import disagreement_finding
    from compiler.prove.archetypes import (
        TABLE_LEGEND,
        ProveOptions,
        prove_archetypes,
        rechecked,
        render_table,
        results_json,
    )
    from compiler.prove.census import census, render_census
    from compiler.tasks.maker import DisagreementError

    plan = load_plan(paths)
    names = chosen(sorted(plan.archetypes), only)
    options = ProveOptions(
        draws=draws,
        seed=2027 if seed is None else seed,
        rlimit=rlimit,
        recheck=recheck == "cvc5",
        smt_folder=smt_folder,
    )
    try:
        with progress("proving", len(names)) as advance:
            results = prove_archetypes(plan, names, options, jobs=jobs, advance=advance)
    except DisagreementError as error:
        findings = [disagreement_finding(error)]
        return publish(findings, format_=format_, junit=junit, suite="gtd prove", subjects=names, summary="")
    findings = [finding for result in results for finding in result.findings]
    summary = f"{counted(len(results), 'archetype')}, {counted(sum(r.drawn for r in results), 'world')} drawn"
    if options.recheck:
        summary += f"; {rechecked(results)}"
    if format_ == "human":
        click.echo(f"{render_table(results)}\n{TABLE_LEGEND}")
        for system in sorted({plan.archetypes[name].system for name in names}):
            click.echo(render_census(system, census(plan, system)))
    return publish(
        findings,
        format_=format_,
        junit=junit,
        suite="gtd prove",
        subjects=names,
        summary=summary,
        results=results_json(results),
    )


def chosen(names: Sequence[str], only: Sequence[str]) -> list[str]:
    """`only` in the order of `names`, or all; a name that doesn't exist stops with a suggestion."""
    for name in only:
        if name not in names:
            raise click.UsageError(f"there is no archetype `{name}`{suggestion(name, names)}")
    return [name for name in names if not only or name in only]


@cli.command("compile")
@paths_argument
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    show_default=True,
    help="Folder to write.",
)
@seed_option
@jobs_option
@click.option("--dataset", "dataset_name", help="Which dataset, where the sources declare several.")
@click.option("--only", multiple=True, metavar="ARCHETYPE", help="Make the tasks of these archetypes only.")
def compile_(
    paths: tuple[Path, ...], out: Path, seed: int | None, jobs: int, dataset_name: str | None, only: tuple[str, ...]
) -> int:
    """Compile the whole dataset, with every proof.

    Writes its splits, its card and its manifest.
    """
    from compiler.dataset.build import BuildFailedError, build_dataset
    from compiler.splits import split_specs

    plan = load_plan(paths)
    dataset = choose_dataset(plan, dataset_name, seed)
    kept = frozenset(chosen(sorted(plan.archetypes), only)) if only else frozenset()
    if kept and (out / "manifest.json").exists():
        raise click.UsageError(f"{out} holds a dataset, and --only makes a part of one; choose another folder with -o")
    total = sum(not kept or spec.archetype in kept for split in dataset.splits for spec in split_specs(dataset, split))
    try:
        with progress("compiling", total) as advance:
            result = build_dataset(plan, dataset, out, jobs=jobs, only=kept, advance=advance)
    except BuildFailedError as failure:
        click.echo(format_findings(failure.findings, "human"), err=True)
        return exit_status(failure.findings)
    click.echo(result.summary)
    return CLEAN


def choose_dataset(plan: Any, name: str | None, seed: int | None) -> Any:
    import attrs

    if name is not None and name not in plan.datasets:
        raise click.UsageError(f"there is no dataset `{name}`{suggestion(name, sorted(plan.datasets))}")
    if not plan.datasets:
        raise click.UsageError("the sources declare no dataset")
    if name is None and len(plan.datasets) > 1:
        raise click.UsageError(f"several datasets; choose one with --dataset: {', '.join(sorted(plan.datasets))}")
    dataset = plan.datasets[name] if name is not None else next(iter(plan.datasets.values()))
    return dataset if seed is None else attrs.evolve(dataset, seed=seed)


@cli.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path("out"))
@sources_option
@report_options
@jobs_option
@click.option("--rebuild", is_flag=True, help="Also compile again and compare the bytes.")
def verify(folder: Path, sources: tuple[Path, ...], format_: str, junit: Path | None, jobs: int, rebuild: bool) -> int:
    """Check a compiled dataset against its sources.

    Nothing is trusted: every task is read, answered and proved again, from the files and the sources alone.
    """
    from compiler.verify.folder import UnreadableFolderError, count_rows, verify_folder

    plan = load_plan(sources)
    try:
        with progress("verifying", count_rows(folder)) as advance:
            outcome = verify_folder(plan, folder, jobs=jobs, rebuild=rebuild, advance=advance)
    except UnreadableFolderError as error:
        raise click.UsageError(str(error)) from error
    return publish(
        outcome.findings,
        format_=format_,
        junit=junit,
        suite="gtd verify",
        subjects=outcome.subjects,
        summary=outcome.summary,
    )


@cli.command()
@click.argument("archetype")
@sources_option
@seed_option
@click.option("-n", "--count", type=click.IntRange(1, 1000), default=1, show_default=True, help="How many tasks.")
@click.option("--split", "split_name", help="Draw as for this split of the dataset.")
@click.option("--json", "as_json", is_flag=True, help="Print records, one a line, as in the dataset.")
@click.option("--prompt", "prompt_alone", is_flag=True, help="Print the prompt of one task and nothing else.")
def sample(
    archetype: str,
    sources: tuple[Path, ...],
    seed: int | None,
    count: int,
    split_name: str | None,
    as_json: bool,
    prompt_alone: bool,
) -> int:
    """Make some tasks of an archetype and show them."""
    from compiler.emit.record import record_line
    from compiler.explain.missing import missing_task
    from compiler.tasks.maker import Missing
    from compiler.tasks.samples import sample_tasks

    if prompt_alone and (as_json or count > 1):
        raise click.UsageError("--prompt prints the prompt of one task; it goes neither with --json nor with -n")
    plan = load_plan(sources)
    chosen(sorted(plan.archetypes), [archetype])
    dataset = choose_dataset(plan, None, seed) if split_name is not None else None
    if dataset is not None and split_name not in [split.name for split in dataset.splits]:
        raise click.UsageError(
            f"there is no split `{split_name}`{suggestion(split_name or '', [s.name for s in dataset.splits])}"
        )
    for result in sample_tasks(plan, archetype, count=count, seed=seed, dataset=dataset, split_name=split_name):
        if isinstance(result, Missing):
            click.echo(finding_of(missing_task(plan, result)).text, err=True)
            return FOUND
        if as_json:
            click.echo(record_line(result.record), nl=False)
        elif prompt_alone:
            click.echo(result.record.prompt.encode(), nl=False)
        else:
            click.echo(f"===== {result.record.id} =====\n\n{result.record.prompt}")
            click.echo(f"----- gold -----\n{result.record.gold}\n{result.record.meta}\n")
    return CLEAN


@cli.command()
@click.argument("subject")
@sources_option
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    show_default=True,
    help="Folder that holds the task.",
)
def explain(subject: str, sources: tuple[Path, ...], folder: Path) -> int:
    """Explain a task by its id, or a diagnostic by code.

    `gtd explain E305` says what a diagnostic means, `gtd explain train-NAME-000` why the gold of a task is right.
    """
    from compiler.codes import CODES

    if re.fullmatch(r"[A-Za-z][0-9]+", subject):
        code = CODES.get(subject.upper())
        if code is None:
            raise click.UsageError(f"{subject} is no known code{suggestion(subject.upper(), sorted(CODES))}")
        click.echo(f"{code.code}: {code.title}\n\n{code.explanation}")
        if code.sample is not None:
            click.echo("\nThe smallest program that gives it:\n")
            click.echo("\n".join(f"    {line}" for line in code.sample.rstrip("\n").split("\n")))
        return CLEAN
    from compiler.dataset.lookup import UnknownTaskError, find_task
    from compiler.explain.writeup import explain_task
    from compiler.tasks.redraw import OtherSourcesError

    plan = load_plan(sources)
    try:
        found = find_task(plan, folder, subject)
        click.echo(explain_task(plan, found.dataset, found.record), nl=False)
    except (UnknownTaskError, OtherSourcesError) as error:
        raise click.UsageError(str(error)) from error
    return CLEAN


@cli.command()
@click.argument("file", type=click.File("rb"))
@click.option("--steps", is_flag=True, help="Also show the walk.")
def solve(file: Any, steps: bool) -> int:
    """Answer a prompt from its text alone.

    FILE holds the prompt of one task and nothing else, as `gtd sample ARCHETYPE --prompt` prints it; `-` reads
    standard input. The answer comes from the independent reader.
    """
    from compiler.cli.solve import prompt_text, render_steps
    from compiler.reader import ReadError, answer_json, read_prompt
    from compiler.reader import solve as solve_document

    try:
        text = prompt_text(file.read())
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{file.name}: not UTF-8 at byte {error.start}") from error
    try:
        solution = solve_document(read_prompt(text))
    except ReadError as error:
        click.echo(f"{file.name}: {error}", err=True)
        return USAGE
    if steps:
        note(render_steps(solution))
    if solution.answer is None:
        note(f"{file.name}: no answer: {solution.reason}: {solution.detail}")
        return FOUND
    click.echo(answer_json(solution))
    return CLEAN


@cli.command("grade")
@click.argument("file", type=click.File("rb"))
@tasks_option("--out")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def grade_(file: Any, folder: Path, as_json: bool) -> int:
    """Score a file of answers, by split and archetype.

    FILE holds JSON objects, one a line, with an `id` and a `completion` or `completions`.
    """
    from compiler.grade_file import UnreadableError, grade_answers, render_scores, scores_json

    try:
        splits = grade_answers(folder, file, file.name)
    except UnreadableError as error:
        raise click.UsageError(str(error)) from error
    click.echo(scores_json(splits) if as_json else render_scores(splits))
    return CLEAN


cli.add_command(baseline)
cli.add_command(study)
cli.add_command(export)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit; the only place that turns exceptions into messages."""
    debug = "--debug" in (sys.argv[1:] if arguments is None else arguments)
    signal.signal(signal.SIGTERM, _terminate)
    try:
        status = cli.main(arguments, prog_name="gtd", standalone_mode=False)
        sys.stdout.flush()
    except HaltError as halt:
        status = halt.status
    except click.exceptions.Exit as exit_:
        status = exit_.exit_code
    except click.ClickException as error:
        error.show()
        status = USAGE
    except (click.Abort, KeyboardInterrupt):
        note("interrupted; nothing was changed")
        status = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    except Exception as error:
        status = _internal_error(error, debug=debug)
    sys.exit(status or CLEAN)


def _terminate(_signal: int, _frame: object) -> None:
    """End like Ctrl-C does: open files are taken away on the way out."""
    raise KeyboardInterrupt


def _internal_error(error: Exception, *, debug: bool) -> int:
    from compiler.dataset.build import disagreement_finding
    from compiler.tasks.maker import DisagreementError

    if debug:
        traceback.print_exception(error)
    elif isinstance(error, DisagreementError):
        note(disagreement_finding(error).text)
    else:
        finding = finding_about(
            "E699",
            f"internal error: {type(error).__name__}: {error}",
            helps=["this is a bug in the compiler; repeat with `gtd --debug ...` for the traceback"],
        )
        note(finding.text)
    return FOUND
