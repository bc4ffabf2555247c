"""Write a dataset folder: every split, the card and the manifest, all of them or none.

In: a program plan and one of its datasets. Out: files in the folder, and a summary for people. What stands
in the way is raised as `BuildFailedError` with findings; earlier files then are as they were.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import attrs

from compiler.dataset.card import CARD_NAME, CardSplit, render_card
from compiler.dataset.manifest import MANIFEST_NAME, Environment, FileEntry, make_manifest, manifest_text
from compiler.dataset.staging import StagedFolder
from compiler.dataset.tally import Tally
from compiler.emit.record import record_line
from compiler.explain.missing import missing_task
from compiler.findings import Finding, finding_about, finding_of
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.tasks.pipeline import Drops, MissingTaskError, make_split, makers
from compiler.tasks.tools import DisagreementError, UndecidedError, check_lowering, dump_case
from gpu_train_debug.files import cannot_write
from gpu_train_debug.tasks import TaskRecord

FAILURES = Path("failures")


class BuildFailedError(Exception):
    """Nothing was written; `findings` say why."""

    def __init__(self, *findings: Finding) -> None:
        super().__init__(*(finding.message for finding in findings))
        self.findings = findings


class BuildInterruptedError(KeyboardInterrupt):
    """Ctrl-C or termination came before anything was written."""


@attrs.frozen
class BuildResult:
    summary: str
    drops: Drops


def build_dataset(
    program: ProgramPlan,
    dataset: DatasetPlan,
    folder: Path,
    *,
    jobs: int,
    only: frozenset[str] = frozenset(),
    advance: Callable[[], None] = lambda: None,
) -> BuildResult:
    """Make every task of `dataset` and write it to `folder`.

    Args:
        only: Make the tasks of these archetypes alone.
        advance: Called after each task.

    Raises:
        BuildFailedError: A task could not be made, a proof was undecided, procedures disagree, or the folder
            can't be written. Disagreements are saved below `failures/`.
        BuildInterruptedError: Ctrl-C or termination, with the folder as it was.
        KeyboardInterrupt: The same, once the files have their names.
    """
    existed = os.path.isdir(folder)
    staged = StagedFolder(folder)
    if os.path.exists(folder / CARD_NAME) and not os.path.exists(folder / MANIFEST_NAME):
        note = "the folder isn't one of a dataset: it has no manifest"
        raise BuildFailedError(finding_about("E620", f"{folder / CARD_NAME} would be overwritten", notes=[note]))
    try:
        with staged:
            result = _write(program, dataset, staged, jobs=jobs, only=only, advance=advance)
            staged.publish()
        return result
    except KeyboardInterrupt as error:
        if staged.published:
            raise
        raise BuildInterruptedError from error
    except MissingTaskError as missing:
        found = missing_task(program, missing.missing)
        undecided = found.code == "E503"
        finding = finding_of(found, subject=missing.missing.spec.archetype, inconclusive=undecided)
        raise BuildFailedError(finding) from missing
    except UndecidedError as error:
        raise BuildFailedError(undecided_finding(error)) from error
    except DisagreementError as error:
        raise BuildFailedError(disagreement_finding(error)) from error
    except OSError as error:
        notes = ["earlier files in the folder are as they were"] if existed else []
        raise BuildFailedError(finding_about("E620", cannot_write(folder, error), notes=notes)) from error


def _write(
    program: ProgramPlan,
    dataset: DatasetPlan,
    staged: StagedFolder,
    *,
    jobs: int,
    only: frozenset[str],
    advance: Callable[[], None],
) -> BuildResult:
    drops = Drops()
    seen: set[str] = set()
    files: dict[str, FileEntry] = {}
    splits: list[CardSplit] = []
    archetypes: dict[str, dict[str, int]] = {}
    example: TaskRecord | None = None
    check_lowering(program)
    with makers(program, dataset, jobs=jobs) as workers:
        for split in dataset.splits:
            file = staged.open(f"{split.name}.jsonl")
            tally = Tally()
            for made in make_split(workers, dataset, split, seen=seen, drops=drops, only=only):
                file.write(record_line(made.record))
                tally.add(made.record, made.meta)
                example = example or made.record
                advance()
            files[file.target.name] = file.entry()
            splits.append(CardSplit(split.name, file.target.name, file.entry(), tally))
            archetypes[split.name] = dict(tally.archetypes)
    card = staged.open(CARD_NAME)
    if example is not None:
        card.write(render_card(program, dataset, tuple(splits), example, package="gpu_train_debug"))
    files[CARD_NAME] = card.entry()
    manifest = make_manifest(
        dataset=dataset.name,
        version=dataset.version,
        seed=dataset.seed,
        files=files,
        archetypes=archetypes,
        sources=program.sources,
    )
    staged.open(MANIFEST_NAME).write(manifest_text(manifest, environment()))
    return BuildResult(_summary(staged.folder, splits, drops), drops)


def environment() -> Environment:
    """The versions of what compiles, for the part of the manifest that isn't hashed."""
    return Environment(
        compiler=_version("gpu-train-debug"),
        z3=_version("z3-solver"),
        python=platform.python_version(),
        git_commit=_git_commit(),
    )


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def _git_commit() -> str:
    """The commit of the compiler's own checkout; empty outside one."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def undecided_finding(error: UndecidedError) -> Finding:
    """E503, which says nothing against the task."""
    message = f"a proof of task `{error.subject}` ran out of budget"
    return finding_about("E503", message, subject=error.subject, inconclusive=True)


def disagreement_finding(error: DisagreementError) -> Finding:
    """E510, with the case saved below `failures/` where that can be written, and in the message where not."""
    subject = str(error.case["subject"])
    text = dump_case({"what": error.what, **error.case})
    path = FAILURES / f"{subject}.json"
    try:
        FAILURES.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
        notes = [f"the case is saved in {path}"]
    except OSError as failure:
        notes = [f"{path} can't be written ({failure.strerror}); the case: {text}"]
    return finding_about("E510", error.what, subject=subject, notes=notes)


def _summary(folder: Path, splits: list[CardSplit], drops: Drops) -> str:
    lines = [f"{split.file}: {split.entry.rows} tasks, {split.entry.bytes:,} bytes" for split in splits]
    total = sum(drops.made.values())
    dropped = sum(count.total() for count in drops.dropped.values())
    lines.append(f"{total} proved tasks in {folder}; {dropped} drawn worlds failed a proof and were dropped")
    if drops.repeats:
        lines.append(f"{drops.repeats} drawn worlds printed the same as an earlier task and were drawn again")
    for name, counts in sorted(drops.dropped.items()):
        if counts:
            made = drops.made[name]
            reasons = ", ".join(f"{reason} {count}" for reason, count in counts.most_common())
            lines.append(f"  {name}: {made} made, {counts.total()} dropped ({reasons})")
    return "\n".join(lines)
