"""`gtd verify`: an emitted folder against the sources, trusting nothing that the files say of themselves.

In: a program plan and a folder. Out: findings. Each prompt is read by the independent reader; its evidence,
walk and gold are derived again, every proof is repeated, and the task is made again from its id and the
seed. Files are read line by line and lines checked by workers (`verify.line`); of each line only short names
are kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs

from compiler.dataset.card import CARD_NAME, CardSplit, render_card
from compiler.dataset.manifest import MANIFEST_NAME, FileEntry, Manifest, read_manifest
from compiler.dataset.staging import describe_file
from compiler.dataset.tally import Tally
from compiler.emit.record import Malformed
from compiler.findings import Finding, finding_about
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.splits import split_specs
from compiler.tasks.tools import DisagreementError, check_lowering
from compiler.tasks.workers import crew
from compiler.verify.line import Checked, Line, LineChecker
from compiler.verify.novelty import Novelty
from gpu_train_debug.files import files_ending
from gpu_train_debug.tasks import TaskRecord
from gpu_train_debug.wording import counted, joined

_AGAIN = "compile the dataset again"
_RESTORE = f"restore it, or {_AGAIN}"
_SOURCES = "give the sources that it was compiled from, with --sources"


class UnreadableFolderError(Exception):
    """The folder can't be read at all."""


@attrs.frozen
class VerifyOutcome:
    findings: tuple[Finding, ...]
    subjects: tuple[str, ...]
    summary: str


def count_rows(folder: Path) -> int:
    """How many lines `verify_folder` will check.

    Raises:
        UnreadableFolderError: A file can't be read.
    """
    return sum(_count_lines(path) for path in files_ending(folder, ".jsonl") if _readable(path))


def _readable(path: Path) -> bool:
    """Whether it is a file that may be read; `_check_files` reports one that isn't."""
    return os.path.isfile(path) and os.access(path, os.R_OK)


def _count_lines(path: Path) -> int:
    try:
        with path.open("rb") as file:
            return sum(1 for _ in file)
    except OSError as error:
        raise UnreadableFolderError(f"can't read {path}: {error.strerror}") from error


def verify_folder(
    program: ProgramPlan,
    folder: Path,
    *,
    jobs: int = 1,
    rebuild: bool = False,
    advance: Callable[[], None] = lambda: None,
) -> VerifyOutcome:
    """Verify the dataset in `folder`.

    Args:
        rebuild: Also compile it again and compare the bytes.
        advance: Called after each line.

    Raises:
        UnreadableFolderError: There is no such folder or no manifest in it.
    """
    manifest, findings = _read_manifest(program, folder)
    if manifest is None:
        return VerifyOutcome(tuple(findings), (), "no dataset to verify")
    dataset = attrs.evolve(program.datasets[manifest.dataset], seed=manifest.seed)
    findings += _check_sources(program, manifest)
    findings += _check_lowering(program)
    entries = _describe_files(folder)
    findings += _check_files(dataset, manifest, folder, entries)
    across = _Across(program, dataset)
    with crew(_line_work, (program, dataset), jobs=jobs) as workers:
        for split in dataset.splits:
            path = folder / f"{split.name}.jsonl"
            lines = _lines(path, split.name) if _readable(path) else iter(())
            for checked in workers.each(lines):
                findings += checked.findings
                findings += across.add(checked)
                advance()
    findings += across.close(folder)
    findings += across.compare(manifest, folder, entries)
    if rebuild:
        findings += _rebuild(program, dataset, manifest, jobs)
    verdict = "clean" if not findings else counted(len(findings), "finding")
    summary = f"{across.rows} tasks in {len(dataset.splits)} splits: {verdict}"
    return VerifyOutcome(tuple(findings), tuple(f"{split.name}.jsonl" for split in dataset.splits), summary)


def _read_manifest(program: ProgramPlan, folder: Path) -> tuple[Manifest | None, list[Finding]]:
    path = folder / MANIFEST_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFolderError(f"can't read {path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from error
    read = read_manifest(text)
    if isinstance(read, Malformed):
        message = f"the manifest isn't valid: {'; '.join(read.reasons)}"
        return None, [finding_about("E614", message, path=str(path), helps=[_AGAIN])]
    manifest, _ = read
    if manifest.dataset not in program.datasets:
        message = f"the sources declare no dataset `{manifest.dataset}`"
        return None, [finding_about("E608", message, path=str(path), helps=[_SOURCES])]
    return manifest, []


def _check_sources(program: ProgramPlan, manifest: Manifest) -> Iterator[Finding]:
    """Compare the sources that the dataset was compiled from with those at hand."""
    for name in sorted(program.sources.keys() | manifest.sources.keys()):
        then, now = manifest.sources.get(name), program.sources.get(name)
        if then != now:
            how = "was added" if then is None else "was removed" if now is None else "was changed"
            yield finding_about(
                "E608",
                f"source `{name}` {how} after the compile",
                path=name,
                subject=name,
                helps=[f"{_AGAIN}, or {_SOURCES}"],
            )


def _check_lowering(program: ProgramPlan) -> Iterator[Finding]:
    try:
        check_lowering(program)
    except DisagreementError as error:
        yield finding_about("E510", error.what, subject=error.case["subject"], notes=[f"in {error.case['world']}"])


def _describe_files(folder: Path) -> dict[str, FileEntry]:
    """The splits in `folder` and its card, by file name; each is read once."""
    paths = [*files_ending(folder, ".jsonl"), folder / CARD_NAME]
    return {path.name: describe_file(path) for path in paths if _readable(path)}


def _check_files(
    dataset: DatasetPlan, manifest: Manifest, folder: Path, entries: Mapping[str, FileEntry]
) -> Iterator[Finding]:
    expected = {f"{split.name}.jsonl" for split in dataset.splits} | {CARD_NAME}
    there = {path.name for path in files_ending(folder, ".jsonl")}
    for name in sorted(expected | manifest.files.keys() | there):
        path = folder / name
        if name not in manifest.files or name not in expected:
            message = f"`{name}` isn't a file of this dataset"
            yield finding_about("E602", message, path=str(path), helps=[f"move it elsewhere, or {_AGAIN}"])
        elif name not in entries:
            wrong = "isn't a file that can be read" if os.path.lexists(path) else "is missing"
            yield finding_about("E602", f"`{name}` {wrong}", path=str(path), helps=[_RESTORE])
        elif (found := entries[name]) != (said := manifest.files[name]):
            note = f"manifest: {said.rows} lines, {said.bytes} bytes, sha256 {said.sha256[:16]}..."
            here = f"file: {found.rows} lines, {found.bytes} bytes, sha256 {found.sha256[:16]}..."
            yield finding_about(
                "E602",
                f"`{name}` isn't the file that the manifest describes",
                path=str(path),
                notes=[note, here],
                helps=[_RESTORE],
            )


def _lines(path: Path, split: str) -> Iterator[Line]:
    with path.open("rb") as file:
        for number, data in enumerate(file, start=1):
            text = data.decode("utf-8", errors="surrogateescape")
            yield Line(str(path), number, split, text.removesuffix("\n"))


class _Across:
    """What ties lines together, in their order: every task once and at its place, no evidence twice, no candidate
    passed over without need, combinations that stay unseen, and the counts in manifest and card.

    It keeps a short name for each task, no text.
    """

    def __init__(self, program: ProgramPlan, dataset: DatasetPlan) -> None:
        self.program = program
        self.dataset = dataset
        self.places = {
            spec: place for split in dataset.splits for place, spec in enumerate(split_specs(dataset, split))
        }
        self.missing = set(self.places)
        self.last: dict[str, int] = {}
        self.seen: dict[str, str] = {}
        self.novelty = Novelty(dataset)
        self.tallies = {split.name: Tally() for split in dataset.splits}
        self.example: TaskRecord | None = None
        self.rows = 0

    def add(self, checked: Checked) -> Iterator[Finding]:
        self.rows += 1
        line, spec = checked.line, checked.spec
        here = f"{line.path}:{line.number}" if spec is None else spec.id

        def find(code: str, message: str) -> Finding:
            return finding_about(code, message, path=line.path, line=line.number, subject=here)

        if spec is not None:
            if spec in self.missing:
                self.missing.remove(spec)
                if self.places[spec] < self.last.get(spec.split, -1):
                    yield find("E603", f"task `{spec.id}` isn't at its place in the split")
                self.last[spec.split] = self.places[spec]
            else:
                yield find("E603", f"task `{spec.id}` occurs twice, or doesn't belong to the split")
            self.novelty.add(spec, checked.codes, checked.regions)
        if checked.record is not None and checked.meta is not None:
            self.example = self.example or checked.record
            self.tallies[line.split].add(checked.record, checked.meta)
        if any(evidence not in self.seen for evidence in checked.earlier):
            yield find("E609", f"`{here}` passes over a candidate that could have been the task")
        if checked.evidence is not None:
            other = self.seen.setdefault(checked.evidence, f"{here} (line {line.number})")
            if other != f"{here} (line {line.number})":
                yield find("E606", f"`{here}` prints the same evidence as {other}")

    def close(self, folder: Path) -> Iterator[Finding]:
        for spec in sorted(self.missing):
            path = str(folder / f"{spec.split}.jsonl")
            yield finding_about("E603", f"task `{spec.id}` is missing", path=path, subject=spec.id)
        for spec, message in self.novelty.broken():
            path = str(folder / f"{spec.split}.jsonl")
            yield finding_about("E613", message, path=path, subject=spec.id)

    def compare(self, manifest: Manifest, folder: Path, entries: Mapping[str, FileEntry]) -> Iterator[Finding]:
        """Manifest and card against what the lines and the sources say."""
        counts = {name: dict(sorted(tally.archetypes.items())) for name, tally in self.tallies.items()}
        wrong = [
            name
            for name, said, found in (
                ("version", manifest.version, self.dataset.version),
                ("archetypes", manifest.archetypes, counts),
            )
            if said != found
        ]
        if wrong:
            message = f"these parts of the manifest aren't what the files and the sources give: {joined(wrong)}"
            yield finding_about("E614", message, path=str(folder / MANIFEST_NAME), helps=[_AGAIN])
        path = folder / CARD_NAME
        if self.example is None or CARD_NAME not in entries:
            return
        splits = tuple(
            CardSplit(name, f"{name}.jsonl", entries[f"{name}.jsonl"], tally)
            for name, tally in self.tallies.items()
            if f"{name}.jsonl" in entries
        )
        card = render_card(self.program, self.dataset, splits, self.example, package="gpu_train_debug")
        if path.read_bytes() != card.encode():
            yield finding_about(
                "E602", "the card isn't the one that belongs to these files", path=str(path), helps=[_AGAIN]
            )


def _line_work(program: ProgramPlan, dataset: DatasetPlan) -> Callable[[Line], Checked]:
    return LineChecker(program, dataset).check


def _rebuild(program: ProgramPlan, dataset: DatasetPlan, manifest: Manifest, jobs: int) -> Iterator[Finding]:
    """Compile into a temporary folder and compare the checksums."""
    import tempfile

    from compiler.dataset.build import BuildFailedError, build_dataset

    with tempfile.TemporaryDirectory() as name:
        try:
            build_dataset(program, dataset, Path(name), jobs=jobs)
        except BuildFailedError as failure:
            yield from failure.findings
            return
        for file, entry in manifest.files.items():
            again = Path(name) / file
            if not os.path.isfile(again) or describe_file(again) != entry:
                yield finding_about("E612", f"compiling again gives no such `{file}`", path=file)
