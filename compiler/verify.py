"""`gtd verify`: an emitted folder against the sources, trusting nothing that the files say of themselves.

In: a program plan and a folder. Out: findings. Each prompt is read by the independent reader; its evidence,
walk and gold are derived again, every proof is repeated, and the task is made again from its id and the
seed. Files are read line by line and lines checked by workers, so memory doesn't grow with their number.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import attrs

from compiler.emit.card import CARD_NAME
from compiler.emit.jsonl import describe_file
from compiler.emit.manifest import MANIFEST_NAME, Manifest, read_manifest
from compiler.emit.record import Gold, Malformed, Meta, TaskRecord, evidence_hash, read_gold, read_meta, read_record
from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan, SystemPlan
from compiler.reader import ReadError, Solution, answer_json, read_prompt
from compiler.reader import solve as solve_document
from compiler.report import Finding, finding_about
from compiler.splits import TaskSpec, split_specs
from compiler.workbench import Disagreement, Made, Undecided, Workbench
from solvers.evaluate import observe
from solvers.exhaustive import check_world
from solvers.outcome import Verdict
from solvers.problem import Kind

CHUNK = 8  # lines that travel to a worker together
WINDOW = 4  # chunks in flight for each worker


class Unreadable(Exception):
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
        raise Unreadable(f"cannot read {path}: {error.strerror}") from error


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
        Unreadable: There is no such folder or no manifest in it.
    """
    manifest, findings = _read_manifest(program, folder)
    if manifest is None:
        return Outcome(tuple(findings), (), "no dataset to verify")
    dataset = attrs.evolve(program.datasets[manifest.dataset], seed=manifest.seed)
    findings += _check_sources(program, manifest)
    findings += _check_files(dataset, manifest, folder)
    seen: dict[str, str] = {}
    counts: dict[str, int] = {}
    for split in dataset.splits:
        specs = set(split_specs(dataset, split))
        path = folder / f"{split.name}.jsonl"
        if not path.is_file():
            continue
        for checked in _checked_lines(program, dataset, _lines(path, split.name), jobs):
            findings += checked.findings
            findings += _across(checked, specs, seen, path)
            counts[split.name] = counts.get(split.name, 0) + 1
            advance()
        findings += [
            finding_about("E603", f"task `{spec.id}` is missing", path=str(path), subject=spec.id)
            for spec in sorted(specs)
        ]
    if rebuild:
        findings += _rebuild(program, dataset, manifest, jobs)
    rows = sum(counts.values())
    summary = f"{rows} tasks in {len(counts)} splits: {'clean' if not findings else f'{len(findings)} findings'}"
    return Outcome(tuple(findings), tuple(f"{name}.jsonl" for name in counts), summary)


def _read_manifest(program: ProgramPlan, folder: Path) -> tuple[Manifest | None, list[Finding]]:
    path = folder / MANIFEST_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"cannot read {path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from error
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
            yield finding_about("E608", f"source `{name}` {how} after the compile", path=name, subject=name, helps=helps)


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


def _across(checked: Checked, specs: set[TaskSpec], seen: dict[str, str], path: Path) -> Iterator[Finding]:
    """What ties lines together; takes the line's spec out of `specs` and puts its evidence into `seen`."""
    line = checked.line
    if checked.spec is not None:
        if checked.spec in specs:
            specs.remove(checked.spec)
        else:
            message = f"task `{checked.spec.id}` is there twice, or isn't one of the split"
            yield finding_about("E603", message, path=str(path), line=line.number, subject=checked.spec.id)
    if checked.evidence is not None:
        here = checked.spec.id if checked.spec is not None else f"{line.path}:{line.number}"
        if (other := seen.setdefault(checked.evidence, here)) != here:
            message = f"`{here}` prints the same evidence as `{other}`"
            yield finding_about("E606", message, path=str(path), line=line.number, subject=here)


# ------------------------------------------------------------------ lines, by workers


_CHECKER: LineChecker | None = None


def _start_worker(program: ProgramPlan, dataset: DatasetPlan) -> None:
    global _CHECKER
    _CHECKER = LineChecker(program, dataset)


def _check_in_worker(lines: tuple[Line, ...]) -> list[Checked]:
    assert _CHECKER is not None, "the worker was not started"
    return [_CHECKER.check(line) for line in lines]


def _checked_lines(
    program: ProgramPlan, dataset: DatasetPlan, lines: Iterator[Line], jobs: int
) -> Iterator[Checked]:
    if jobs <= 1:
        checker = LineChecker(program, dataset)
        for line in lines:
            yield checker.check(line)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker, initargs=(program, dataset)) as pool:
        waiting: deque[Future[list[Checked]]] = deque()
        while True:
            while len(waiting) < WINDOW * jobs and (chunk := _take(lines, CHUNK)):
                waiting.append(pool.submit(_check_in_worker, chunk))
            if not waiting:
                return
            yield from waiting.popleft().result()


def _take(lines: Iterator[Line], count: int) -> tuple[Line, ...]:
    return tuple(line for _, line in zip(range(count), lines, strict=False))


class LineChecker:
    """Checks lines one by one; builds what a system needs once."""

    def __init__(self, program: ProgramPlan, dataset: DatasetPlan) -> None:
        self.program = program
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

    def done(self, evidence: str | None = None) -> Checked:
        return Checked(self.line, tuple(self.findings), self.spec, evidence, frozenset(self.gold.codes))

    def run(self) -> Checked:
        if self.record.split != self.line.split:
            self.find("E607", f"the task says that it is of split `{self.record.split}`")
            return self.done()
        archetype = self.checker.program.archetypes.get(self.record.archetype)
        uses = dict(self.checker.splits[self.line.split].uses)
        if archetype is None or self.record.archetype not in uses:
            self.find("E607", f"split `{self.line.split}` has no archetype `{self.record.archetype}`")
            return self.done()
        solution = self.solution()
        if solution is None:
            return self.done()
        system = self.checker.program.systems[archetype.system]
        try:
            world = world_of(system, solution)
        except KeyError as error:
            self.find("E605", f"the prompt isn't one of system `{system.name}`: {error.args[0]}")
            return self.done()
        evidence = evidence_hash(system.name, observe(system.problem, world))
        if evidence != self.meta.evidence:
            self.find("E605", "the numbers in the prompt aren't those that `meta.evidence` names")
        self.prove(world)
        self.make_again()
        return self.done(evidence)

    def solution(self) -> Solution | None:
        """The reader's answer to the prompt alone, compared with the gold."""
        try:
            solution = solve_document(read_prompt(self.record.prompt))
        except ReadError as error:
            self.find("E605", f"the prompt can't be read: {error}")
            return None
        if solution.answer is None:
            self.find("E605", f"the prompt has no one answer: {solution.reason}")
            return None
        if (answer := answer_json(solution)) != self.record.gold:
            self.find("E604", "the gold isn't what the prompt and its runbook give", f"gold: {self.record.gold}", f"answer: {answer}")
        return solution

    def prove(self, world: Mapping[str, int]) -> None:
        system = self.checker.workbench.system(self.checker.program.archetypes[self.record.archetype].system)
        proof = check_world(system.tables, world)
        if proof.verdict is not Verdict.UNIQUE:
            self.find("E611", f"the gold is {proof.verdict.value}: {proof.reason}")
            return
        try:
            system.confirm(proof, self.record.id)
        except Undecided:
            self.find("E503", "a proof ran out of budget")
        except Disagreement as error:
            self.find("E611", error.what)

    def make_again(self) -> None:
        """Everything else: made again from its id, the task is this one, byte for byte."""
        world = self.checker.workbench.candidate(self.spec, self.meta.draw)
        again = None if world is None else self.checker.workbench.remake(self.spec, self.meta.draw, world)
        if not isinstance(again, Made):
            self.find("E609", f"the seed gives no task for candidate {self.meta.draw} of `{self.record.id}`")
            return
        if again.record == self.record or self.findings:
            return
        if again.record.prompt != self.record.prompt:
            same = again.meta.evidence == self.meta.evidence
            if same:
                self.find("E605", "the text of the prompt isn't what the sources print")
            else:
                self.find("E609", "made again from its id and the seed, this is another task")
        elif again.record.gold != self.record.gold:
            self.find("E604", "the gold isn't written as the compiler writes it")
        else:
            wrong = [field.name for field in attrs.fields(Meta) if getattr(again.meta, field.name) != getattr(self.meta, field.name)]
            self.find("E610", f"wrong in `meta`: {', '.join(wrong)}")


def world_of(system: SystemPlan, solution: Solution) -> dict[str, int]:
    """The reader's first fitting world in the integers of the system's problem.

    Raises:
        KeyError: A variable or a word that the system doesn't have.
    """
    world: dict[str, int] = {}
    for plan in system.variables:
        if plan.name not in solution.world:
            raise KeyError(f"`{plan.name}` isn't stated")
        found = solution.world[plan.name]
        if plan.display.labels is None:
            world[plan.name] = int(found)
            continue
        word = ("false", "true")[found] if isinstance(found, bool) else found
        codes = {label: code for code, label in plan.display.labels.items()}
        if word not in codes:
            raise KeyError(f"`{plan.name}` has no value {word}")
        world[plan.name] = codes[str(word)]
    for variable in system.problem.of_kind(Kind.CONFIG):
        if world[variable.name] not in variable.domain:
            raise KeyError(f"`{variable.name}` can't be {world[variable.name]}")
    return world


def _rebuild(program: ProgramPlan, dataset: DatasetPlan, manifest: Manifest, jobs: int) -> Iterator[Finding]:
    """Compile into a temporary folder and compare the checksums."""
    import tempfile

    from compiler.build import BuildFailed, build_dataset

    with tempfile.TemporaryDirectory() as name:
        try:
            build_dataset(program, dataset, Path(name), jobs=jobs)
        except BuildFailed as failure:
            yield from failure.findings
            return
        for file, entry in manifest.files.items():
            again = describe_file(Path(name) / file)
            if again != entry:
                yield finding_about("E612", f"compiling again gives another `{file}`", path=file)
