"""`gtd verify`: an emitted folder against the sources, trusting nothing that the files say of themselves.

In: a program plan and a folder. Out: findings. Each prompt is read by the independent reader; its evidence,
walk and gold are derived again, every proof is repeated, and the task is made again from its id and the
seed. Files are read line by line and lines checked by workers, so memory doesn't grow with their number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import attrs

from compiler.emit.card import CARD_NAME
from compiler.emit.jsonl import describe_file
from compiler.emit.manifest import MANIFEST_NAME, Manifest, read_manifest
from compiler.emit.record import Gold, Malformed, Meta, TaskRecord, evidence_hash, read_gold, read_meta, read_record
from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan, SystemPlan
from compiler.reader import ReadError, answer_json, read_prompt, solve
from compiler.reader.values import Value
from compiler.report import Finding, finding_about
from compiler.splits import Novelty, TaskSpec, regions_of, split_specs
from compiler.workbench import DisagreementError, System, UndecidedError, Workbench
from compiler.workers import worker_pool
from solvers.evaluate import observe
from solvers.exhaustive import check_world
from solvers.outcome import TaskProof, Verdict

CHUNK = 8  # lines that travel to a worker together
WINDOW = 4  # chunks in flight for each worker


class UnreadableFolderError(Exception):
    """The folder can't be read at all."""


@attrs.frozen
class Outcome:
    findings: tuple[Finding, ...]
    subjects: tuple[str, ...]
    summary: str


@attrs.frozen
class Line:
    """One line of a split's file; `text` has no line end."""

    path: str
    number: int
    split: str
    text: str


@attrs.frozen
class Checked:
    """What one line is, once checked: its spec and evidence where they could be derived."""

    line: Line
    findings: tuple[Finding, ...]
    spec: TaskSpec | None = None
    evidence: str | None = None
    codes: frozenset[str] = frozenset()
    regions: frozenset[str] = frozenset()


def count_rows(folder: Path) -> int:
    return sum(_read_rows(path) for path in sorted(folder.glob("*.jsonl")))


def _read_rows(path: Path) -> int:
    try:
        return describe_file(path).rows
    except OSError as error:
        raise UnreadableFolderError(f"cannot read {path}: {error.strerror}") from error


def verify_folder(
    program: ProgramPlan,
    folder: Path,
    *,
    jobs: int = 1,
    rebuild: bool = False,
    advance: Callable[[], None] = lambda: None,
) -> Outcome:
    """Verify the dataset in `folder`.

    Args:
        rebuild: Also compile it again and compare the bytes.
        advance: Called after each line.

    Raises:
        UnreadableFolderError: There is no such folder or no manifest in it.
    """
    manifest, findings = _read_manifest(program, folder)
    if manifest is None:
        return Outcome(tuple(findings), (), "no dataset to verify")
    dataset = attrs.evolve(program.datasets[manifest.dataset], seed=manifest.seed)
    findings += _check_sources(program, manifest)
    findings += _check_files(dataset, manifest, folder)
    across = _Across(dataset)
    with _checkers(program, dataset, jobs) as check_lines:
        for split in dataset.splits:
            path = folder / f"{split.name}.jsonl"
            lines = _lines(path, split.name) if path.is_file() else iter(())
            for checked in check_lines(lines):
                findings += checked.findings
                findings += across.add(checked)
                advance()
    findings += across.close(folder)
    if rebuild:
        findings += _rebuild(program, dataset, manifest, jobs)
    verdict = "clean" if not findings else f"{len(findings)} finding{'s' * (len(findings) != 1)}"
    summary = f"{across.rows} tasks in {len(dataset.splits)} splits: {verdict}"
    return Outcome(tuple(findings), tuple(f"{split.name}.jsonl" for split in dataset.splits), summary)


def _read_manifest(program: ProgramPlan, folder: Path) -> tuple[Manifest | None, list[Finding]]:
    path = folder / MANIFEST_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFolderError(f"cannot read {path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from error
    read = read_manifest(text)
    if isinstance(read, Malformed):
        return None, [finding_about("E614", "; ".join(read.reasons), path=str(path))]
    manifest, _ = read
    if manifest.dataset not in program.datasets:
        message = f"the sources declare no dataset `{manifest.dataset}`"
        return None, [finding_about("E608", message, path=str(path))]
    return manifest, []


def _check_sources(program: ProgramPlan, manifest: Manifest) -> Iterator[Finding]:
    """Compare the sources that the dataset rests on; other files may stand beside them."""
    for name in sorted(program.sources.keys() | manifest.sources.keys()):
        then, now = manifest.sources.get(name), program.sources.get(name)
        if then != now:
            how = "was added" if then is None else "was removed" if now is None else "was changed"
            helps = ["compile again, or check the sources out that the manifest names"]
            yield finding_about(
                "E608", f"source `{name}` {how} after the compile", path=name, subject=name, helps=helps
            )


def _check_files(dataset: DatasetPlan, manifest: Manifest, folder: Path) -> Iterator[Finding]:
    expected = {f"{split.name}.jsonl" for split in dataset.splits} | {CARD_NAME}
    for name in sorted(expected | manifest.files.keys() | {path.name for path in folder.glob("*.jsonl")}):
        path = folder / name
        if name not in manifest.files or name not in expected:
            yield finding_about("E602", f"`{name}` isn't a file of this dataset", path=str(path))
        elif not path.is_file():
            yield finding_about("E602", f"`{name}` is missing", path=str(path))
        elif (found := describe_file(path)) != manifest.files[name]:
            said = manifest.files[name]
            note = f"manifest: {said.rows} lines, {said.bytes} bytes, sha256 {said.sha256[:16]}..."
            here = f"file: {found.rows} lines, {found.bytes} bytes, sha256 {found.sha256[:16]}..."
            yield finding_about("E602", f"`{name}` isn't the file in the manifest", path=str(path), notes=[note, here])


def _lines(path: Path, split: str) -> Iterator[Line]:
    with path.open("rb") as file:
        for number, data in enumerate(file, start=1):
            text = data.decode("utf-8", errors="surrogateescape")
            yield Line(str(path), number, split, text.removesuffix("\n"))


class _Across:
    """What ties lines together: every task once, no evidence twice, and combinations that stay unseen."""

    def __init__(self, dataset: DatasetPlan) -> None:
        self.missing = {spec for split in dataset.splits for spec in split_specs(dataset, split)}
        self.seen: dict[str, str] = {}
        self.novelty = Novelty(dataset)
        self.rows = 0

    def add(self, checked: Checked) -> Iterator[Finding]:
        self.rows += 1
        line, spec = checked.line, checked.spec
        here = f"{line.path}:{line.number}" if spec is None else spec.id
        if spec is not None:
            if spec in self.missing:
                self.missing.remove(spec)
            else:
                message = f"task `{spec.id}` is there twice, or isn't one of the split"
                yield finding_about("E603", message, path=line.path, line=line.number, subject=spec.id)
            self.novelty.add(spec, checked.codes, checked.regions)
        if checked.evidence is not None:
            other = self.seen.setdefault(checked.evidence, f"{here} (line {line.number})")
            if other != f"{here} (line {line.number})":
                message = f"`{here}` prints the same evidence as {other}"
                yield finding_about("E606", message, path=line.path, line=line.number, subject=here)

    def close(self, folder: Path) -> Iterator[Finding]:
        for spec in sorted(self.missing):
            path = str(folder / f"{spec.split}.jsonl")
            yield finding_about("E603", f"task `{spec.id}` is missing", path=path, subject=spec.id)
        for spec, message in self.novelty.broken():
            path = str(folder / f"{spec.split}.jsonl")
            yield finding_about("E613", message, path=path, subject=spec.id)


# ------------------------------------------------------------------ lines, by workers


_CHECKER: LineChecker | None = None


def _start_worker(program: ProgramPlan, dataset: DatasetPlan) -> None:
    global _CHECKER
    _CHECKER = LineChecker(program, dataset)


def _check_in_worker(lines: tuple[Line, ...]) -> list[Checked]:
    assert _CHECKER is not None, "the worker was not started"
    return [_CHECKER.check(line) for line in lines]


@contextmanager
def _checkers(
    program: ProgramPlan, dataset: DatasetPlan, jobs: int
) -> Iterator[Callable[[Iterator[Line]], Iterator[Checked]]]:
    """A function that checks lines, in their order, with `jobs` worker processes (none for one job)."""
    if jobs <= 1:
        checker = LineChecker(program, dataset)
        yield lambda lines: map(checker.check, lines)
        return
    with worker_pool(jobs, _start_worker, (program, dataset)) as pool:
        yield lambda lines: _check_by_pool(pool, lines, WINDOW * jobs)


def _check_by_pool(pool: Executor, lines: Iterator[Line], window: int) -> Iterator[Checked]:
    waiting: deque[Future[list[Checked]]] = deque()
    while True:
        while len(waiting) < window and (chunk := tuple(islice(lines, CHUNK))):
            waiting.append(pool.submit(_check_in_worker, chunk))
        if not waiting:
            return
        yield from waiting.popleft().result()


class LineChecker:
    """Checks lines one by one; builds what a system needs once."""

    def __init__(self, program: ProgramPlan, dataset: DatasetPlan) -> None:
        self.program = program
        self.dataset = dataset
        self.splits: Mapping[str, SplitPlan] = {split.name: split for split in dataset.splits}
        self.workbench = Workbench(program, dataset)

    def check(self, line: Line) -> Checked:
        record = read_record(line.text)
        if isinstance(record, Malformed):
            message = "; ".join(record.reasons)
            return Checked(line, (finding_about("E601", message, path=line.path, line=line.number),))
        return _RecordCheck(self, line, record).run()


class _RecordCheck:
    """The check of one well-formed record."""

    def __init__(self, checker: LineChecker, line: Line, record: TaskRecord) -> None:
        self.checker = checker
        self.line = line
        self.record = record
        gold, meta = read_gold(record.gold), read_meta(record.meta)
        assert isinstance(gold, Gold)
        assert isinstance(meta, Meta)
        self.gold = gold
        self.meta = meta
        self.findings: list[Finding] = []
        number = int(record.id.rpartition("-")[2])
        self.spec = TaskSpec(record.split, record.archetype, number)

    def find(self, code: str, message: str, *notes: str) -> None:
        self.findings.append(
            finding_about(
                code, message, path=self.line.path, line=self.line.number, subject=self.record.id, notes=notes
            )
        )

    def run(self) -> Checked:
        if self.record.split != self.line.split:
            self.find("E607", f"the task says that it is of split `{self.record.split}`")
            return self.done()
        archetype = self.checker.program.archetypes.get(self.record.archetype)
        uses = dict(self.checker.splits[self.line.split].uses)
        if archetype is None or self.record.archetype not in uses:
            self.find("E607", f"split `{self.line.split}` has no archetype `{self.record.archetype}`")
            return self.done()
        values = self.read()
        if values is None:
            return self.done()
        system = self.checker.workbench.system(archetype.system)
        try:
            world = world_of(system.plan, values)
        except KeyError as error:
            self.find("E605", f"the prompt isn't one of system `{archetype.system}`: {error.args[0]}")
            return self.done()
        evidence = observe(system.plan.problem, world)
        name = evidence_hash(archetype.system, evidence)
        if name != self.meta.evidence:
            self.find("E605", "the numbers in the prompt aren't those that `meta.evidence` names")
        drawn = self.checker.workbench.candidate(self.spec, self.meta.draw)
        if drawn is not None and observe(system.plan.problem, drawn) == evidence:
            world = dict(drawn)  # the same evidence class: what is proved for one is proved for the other
        else:
            self.find("E609", "made again from its id and the seed, this is another task")
        proof = self.prove(system, world)
        if proof is not None and not self.findings:
            self.compare(world, proof)
        return self.done(name, regions_of(self.checker.program, self.checker.dataset, archetype.system, world))

    def done(self, evidence: str | None = None, regions: frozenset[str] = frozenset()) -> Checked:
        return Checked(self.line, tuple(self.findings), self.spec, evidence, frozenset(self.gold.codes), regions)

    def read(self) -> dict[str, Value] | None:
        """Let the reader answer the prompt alone and compare with the gold; gives one world that fits."""
        try:
            document = read_prompt(self.record.prompt)
        except ReadError as error:
            self.find("E605", f"the prompt can't be read: {error}")
            return None
        solution = solve(document)
        if solution.answer is None:
            self.find("E605", f"the prompt has no one answer: {solution.reason}", solution.detail)
            return None
        if (answer := answer_json(solution)) != self.record.gold:
            notes = (f"gold: {self.record.gold}", f"answer: {answer}")
            self.find("E604", "the gold isn't what the prompt and its runbook give", *notes)
        return {**document.values, **solution.walks[0].world}

    def prove(self, system: System, world: Mapping[str, int]) -> TaskProof | None:
        """Prove again; None where that fails."""
        proof = check_world(system.tables, world)
        if proof.verdict is not Verdict.UNIQUE:
            self.find("E611", f"the gold is {proof.verdict.value}: {proof.reason}")
            return None
        try:
            system.confirm(proof, self.record.id)
        except UndecidedError:
            self.find("E503", "a proof ran out of budget")
            return None
        except DisagreementError as error:
            self.find("E611", error.what)
            return None
        return proof

    def compare(self, world: Mapping[str, int], proof: TaskProof) -> None:
        """Everything else: written again, the record is this one, byte for byte."""
        record, meta = self.checker.workbench.record(self.spec, self.meta.draw, world, proof)
        if record.prompt != self.record.prompt:
            self.find("E605", "the text of the prompt isn't what the sources print")
        if record.gold != self.record.gold:
            self.find("E604", "the gold isn't written as the compiler writes it")
        names = [field.name for field in attrs.fields(Meta)]
        if wrong := [name for name in names if getattr(meta, name) != getattr(self.meta, name)]:
            self.find("E610", f"wrong in `meta`: {', '.join(wrong)}")


def world_of(system: SystemPlan, values: Mapping[str, Value]) -> dict[str, int]:
    """What the reader found, in the integers of the system's problem.

    Raises:
        KeyError: A variable is missing, or has a value that it can't have.
    """
    world: dict[str, int] = {}
    for plan in system.variables:
        if plan.name not in values:
            raise KeyError(f"`{plan.name}` isn't stated")
        found = values[plan.name]
        if plan.display.labels is None and type(found) is int:
            world[plan.name] = found
            continue
        word = found if isinstance(found, str) else str(found).lower()
        codes = {label: code for code, label in (plan.display.labels or {}).items()}
        if word not in codes:
            raise KeyError(f"`{plan.name}` has no value {word}")
        world[plan.name] = codes[word]
    for variable in system.problem.variables:
        if world[variable.name] not in variable.domain:
            raise KeyError(f"`{variable.name}` can't be {world[variable.name]}")
    return world


def _rebuild(program: ProgramPlan, dataset: DatasetPlan, manifest: Manifest, jobs: int) -> Iterator[Finding]:
    """Compile into a temporary folder and compare the checksums."""
    import tempfile

    from compiler.build import BuildFailedError, build_dataset

    with tempfile.TemporaryDirectory() as name:
        try:
            build_dataset(program, dataset, Path(name), jobs=jobs)
        except BuildFailedError as failure:
            yield from failure.findings
            return
        for file, entry in manifest.files.items():
            again = describe_file(Path(name) / file)
            if again != entry:
                yield finding_about("E612", f"compiling again gives another `{file}`", path=file)
