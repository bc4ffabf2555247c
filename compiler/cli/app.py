"""The `gtd` command: puts the commands together, runs the one that is asked for, and chooses the exit status.

Exit status: 0 clean, 1 findings, 2 wrong usage or unreadable input, 3 only inconclusive. Wrong usage is shown with the
usage of the command, and what is wrong with the input as a diagnostic. A traceback is shown for a bug and only with
`--debug`.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence

import click

from compiler.cli.baseline import baseline_command
from compiler.cli.cases import cases_command
from compiler.cli.check import check_command
from compiler.cli.compile import compile_command
from compiler.cli.console import (
    COLOURS,
    note,
    note_findings,
    prepare_streams,
    silence,
    standard_output_failure,
    wants_colour,
)
from compiler.cli.explain import explain_command
from compiler.cli.export.group import export_group
from compiler.cli.grade import grade_command
from compiler.cli.group import GtdGroup, HaltError
from compiler.cli.prove import prove_command
from compiler.cli.sample import sample_command
from compiler.cli.show import show_command
from compiler.cli.solve import solve_command
from compiler.cli.stats import stats_command
from compiler.cli.study.group import study_group
from compiler.cli.verify import verify_command
from compiler.findings import CLEAN, FOUND, INTERRUPTED, USAGE, exit_status, finding_about
from gpu_train_debug.files import cannot_write
from gpu_train_debug.input_errors import InputError, refuse
from gpu_train_debug.tasks import TasksError

COMMANDS = (
    check_command,
    cases_command,
    prove_command,
    compile_command,
    verify_command,
    sample_command,
    show_command,
    explain_command,
    solve_command,
    grade_command,
    stats_command,
    baseline_command,
    export_group,
    study_group,
)


def _print_version(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    from compiler.cli.version import product_version

    if asked and not context.resilient_parsing:
        click.echo(f"gtd, version {product_version()}")
        context.exit()


@click.group(cls=GtdGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.option(
    "--color",
    type=click.Choice(COLOURS),
    default="auto",
    show_default=True,
    help="Colours in messages; auto: on a terminal, unless NO_COLOR is set.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
@click.pass_context
def cli(context: click.Context, color: str, debug: bool) -> None:
    """Compile archetypes of failures to debugging tasks whose right answer is proved to be the only one."""
    context.color = wants_colour(color, os.environ)


for _command in COMMANDS:
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit; the only place that turns exceptions into messages."""
    debug = "--debug" in (sys.argv[1:] if arguments is None else arguments)
    signal.signal(signal.SIGTERM, _terminate)
    if sys.stderr is None:  # it was closed before the start; files that are opened must not take its place
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        note("error: can't write standard output: it is closed")
        sys.exit(USAGE)
    prepare_streams()
    try:
        status = cli.main(arguments, prog_name="gtd", standalone_mode=False)
        sys.stdout.flush()
    except HaltError as halt:
        status = halt.status
    except click.exceptions.Exit as exit_:
        status = exit_.exit_code
    except click.UsageError as error:
        _show_usage(error)
        status = USAGE
    except (InputError, TasksError) as error:
        note(str(error) if isinstance(error, InputError) else error.flaw.text())
        status = USAGE
    except (click.Abort, KeyboardInterrupt):
        note("interrupted")
        status = INTERRUPTED
    except BrokenPipeError:
        silence(sys.stdout)
        status = 141
    except OSError as error:
        failure = standard_output_failure()
        status = _report(error, debug=debug) if failure is None else _refuse_output(failure)
    except Exception as error:
        status = _report(error, debug=debug)
    sys.exit(status or CLEAN)


def _terminate(_signal: int, _frame: object) -> None:
    """End like Ctrl-C does: unfinished files are removed on exit."""
    raise KeyboardInterrupt


def _show_usage(error: click.UsageError) -> None:
    try:
        error.show()
    except OSError:
        silence(sys.stderr)


def _refuse_output(failure: OSError) -> int:
    note(str(refuse(cannot_write("standard output", failure))))
    silence(sys.stdout)
    return USAGE


def _report(error: Exception, *, debug: bool) -> int:
    """Say what ended the command: procedures that disagree, an undecided proof, or else a bug."""
    from compiler.dataset.build import disagreement_finding, undecided_finding
    from compiler.tasks.tools import DisagreementError, UndecidedError

    if debug:
        traceback.print_exception(error)
        return FOUND
    match error:
        case UndecidedError():
            finding = undecided_finding(error)
        case DisagreementError():
            finding = disagreement_finding(error)
        case _:
            finding = finding_about(
                "E699",
                f"internal error: {type(error).__name__}: {error}",
                helps=["this is a bug in the compiler; repeat with `gtd --debug ...` for the traceback"],
            )
    note_findings([finding])
    return exit_status([finding])
