"""The check of one emitted line: read, answered, derived, proved and made again.

In: a line of a split's file. Out: what is wrong with it, and what the checks across lines need. The page is read by the
independent reader and compared with what the sources print for the task's id; nothing that the record says of itself
is believed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import attrs

from compiler.emit.prompt.text import number_text
from compiler.emit.record import HEALTHY, Malformed, Meta, evidence_hash, read_meta, read_record
from compiler.findings import Finding, finding_about
from compiler.plan import DatasetPlan, ProgramPlan, SplitPlan, SystemPlan
from compiler.reader import Document, ReadError, answer_json, read_prompt, solve
from compiler.splits import TaskSpec, regions_of
from compiler.tasks.maker import DrawnWorld, FlawedWorld, ProvedWorld, TaskMaker
from compiler.tasks.tools import DisagreementError, SystemTools, UndecidedError, check_sources
from gpu_train_debug.grading.answer import read_gold
from gpu_train_debug.tasks import TaskRecord
from solvers.evaluate import observe, value
from solvers.outcome import Verdict
from solvers.problem import Kind


@attrs.frozen
class Line:
    """One line of a split's file; `text` has no line end, and a lone surrogate for each byte that isn't UTF-8."""

    path: str
    number: int
    split: str
    text: str


@attrs.frozen
class Checked:
    """What one line is, once checked: its spec and evidence where they could be derived."""

    line: Line
    findings: tuple[Finding, ...]
    record: TaskRecord | None = None
    meta: Meta | None = None
    spec: TaskSpec | None = None
    evidence: str | None = None
    codes: frozenset[str] = frozenset()
    regions: frozenset[str] = frozenset()
    earlier: tuple[str, ...] = ()  # evidence of the candidates before it that could have been the task


class LineChecker:
    """Checks lines one by one; what a system needs is built once."""

    def __init__(self, program: ProgramPlan, dataset: DatasetPlan) -> None:
        self.program = program
        self.dataset = dataset
        self.splits: Mapping[str, SplitPlan] = {split.name: split for split in dataset.splits}
        self.maker = TaskMaker(program, dataset)

    def check(self, line: Line) -> Checked:
        record = read_record(line.text)
        if isinstance(record, Malformed):
            message = _not_utf8(line.text) or "; ".join(record.reasons)
            return Checked(line, (finding_about("E601", message, path=line.path, line=line.number),))
        return _RecordCheck(self, line, record).run()


def _not_utf8(text: str) -> str:
    """Where the bytes of a line stop being UTF-8, in words; empty if they don't."""
    try:
        text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start} of the line"
    return ""


class _RecordCheck:
    """The check of one well-formed record."""

    def __init__(self, checker: LineChecker, line: Line, record: TaskRecord) -> None:
        self.checker = checker
        self.line = line
        self.record = record
        meta = read_meta(record.meta)
        assert isinstance(meta, Meta)
        self.gold = read_gold(record.gold)
        self.meta = meta
        self.findings: list[Finding] = []
        self.spec = TaskSpec.of(record)

    def find(self, code: str, message: str, *notes: str, inconclusive: bool = False) -> None:
        self.findings.append(
            finding_about(
                code,
                message,
                path=self.line.path,
                line=self.line.number,
                subject=self.record.id,
                notes=notes,
                inconclusive=inconclusive,
            )
        )

    def run(self) -> Checked:
        if self.record.split != self.line.split:
            self.find("E607", f"the task says that it belongs to split `{self.record.split}`")
            return self.done()
        archetype = self.checker.program.archetypes.get(self.record.archetype)
        uses = dict(self.checker.splits[self.line.split].uses)
        if archetype is None or self.record.archetype not in uses:
            self.find("E607", f"split `{self.line.split}` has no archetype `{self.record.archetype}`")
            return self.done()
        document = self.read()
        if document is None:
            return self.done()
        system = self.checker.maker.system(archetype.system)
        candidates = self.checker.maker.first_candidates(self.spec, self.meta.draw)
        if self.meta.draw >= len(candidates):
            self.find("E609", "the id and the seed give no task from so late a draw")
            return self.foreign(system, document)
        drawn = candidates[self.meta.draw]
        evidence = observe(system.plan.problem, drawn.world)
        name = evidence_hash(archetype.system, evidence)
        if self.checker.maker.prompt(self.spec, self.meta.draw, evidence) != self.record.prompt:
            if name == self.meta.evidence:
                self.find("E605", "the text of the page isn't what the sources print")
            else:
                self.find("E609", "the id and the seed give another task")
            return self.foreign(system, document)
        proved = self.prove(drawn)
        if proved is not None and not self.findings:
            self.compare(proved, evidence, document)
        return self.done(
            evidence=name,
            regions=regions_of(self.checker.program, self.checker.dataset, archetype.system, drawn.world),
            earlier=tuple(self.possible(system, candidates[:-1])),
        )

    def foreign(self, system: SystemTools, document: Document) -> Checked:
        """What is known of a page that isn't the one of its id: what its config says."""
        world = config_of(system.plan, document)
        regions: set[str] = set()
        for region in self.checker.dataset.regions:
            with suppress(KeyError):  # it asks for a value that no page prints
                if region.system == system.plan.name and value(system.plan.problem, region.condition, world):
                    regions.add(region.name)
        return self.done(evidence=self.meta.evidence, regions=frozenset(regions))

    def possible(self, system: SystemTools, candidates: Sequence[DrawnWorld]) -> Iterator[str]:
        """The evidence of the candidates that could have been the task, unless another task had it already."""
        for drawn in candidates:
            if isinstance(self.checker.maker.count(drawn), ProvedWorld):
                yield evidence_hash(system.plan.name, observe(system.plan.problem, drawn.world))

    def done(
        self, evidence: str | None = None, regions: frozenset[str] = frozenset(), earlier: tuple[str, ...] = ()
    ) -> Checked:
        codes = frozenset(self.gold.codes) - {HEALTHY}
        findings = tuple(self.findings)
        return Checked(self.line, findings, self.record, self.meta, self.spec, evidence, codes, regions, earlier)

    def read(self) -> Document | None:
        """Let the reader answer the page alone and compare with the gold."""
        try:
            document = read_prompt(self.record.prompt)
        except ReadError as error:
            self.find("E605", f"the page can't be read: {error}")
            return None
        solution = solve(document)
        if solution.answer is None:
            self.find("E605", f"the page has no single answer: {solution.reason}", solution.detail)
            return None
        if (answer := answer_json(solution)) != self.record.gold:
            notes = (f"gold: {self.record.gold}", f"answer: {answer}")
            self.find("E604", "the gold isn't what the page and its runbook give", *notes)
        return document

    def prove(self, drawn: DrawnWorld) -> ProvedWorld | None:
        """Prove again; None where that fails."""
        counted = self.checker.maker.count(drawn)
        if isinstance(counted, FlawedWorld):
            self.refuse(counted)
            return None
        try:
            return self.checker.maker.confirm(counted)
        except UndecidedError:
            self.find("E503", "a proof ran out of budget", inconclusive=True)
        except DisagreementError as error:
            self.find("E611", error.what)
        return None

    def refuse(self, flawed: FlawedWorld) -> None:
        """Say why the world can't be a task of its split."""
        match flawed.proof.verdict:
            case Verdict.INCONCLUSIVE:
                self.find("E503", f"counting can't decide it: {flawed.proof.reason}", inconclusive=True)
            case Verdict.UNIQUE if flawed.flaw == "margin":
                self.find("E607", "the walk is decided by another margin than the split asks for")
            case Verdict.UNIQUE:
                self.find("E607", "the diagnosis takes fewer channels than the split asks for")
            case _:
                self.find("E611", f"the gold is {flawed.proof.verdict.value}: it isn't {flawed.flaw}")

    def compare(self, proved: ProvedWorld, evidence: Sequence[int], document: Document) -> None:
        """Everything but the page: made again, gold and meta are these, and the sources mean what they say."""
        maker = self.checker.maker
        if maker.gold(proved) != self.record.gold:
            self.find("E604", "the gold isn't written as the compiler writes it")
        meta = maker.meta(proved, evidence)
        names = [field.name for field in attrs.fields(Meta)]
        if wrong := [name for name in names if getattr(meta, name) != getattr(self.meta, name)]:
            self.find("E610", f"wrong in `meta`: {', '.join(wrong)}")
        try:
            check_sources(maker.system_of(self.spec).plan, self.record, proved.drawn.world, document)
        except DisagreementError as error:
            self.find("E611", error.what)


def config_of(system: SystemPlan, document: Document) -> dict[str, int]:
    """The config of a page in the integers of the system's problem; what has no value there is left out."""
    displays = {plan.name: plan.display for plan in system.variables}
    world: dict[str, int] = {}
    for variable in system.problem.variables:
        display = displays[variable.name]
        texts = {number_text(display, display.shown(each)): each for each in variable.domain}
        if (said := document.evidence.get(variable.name)) in texts and variable.kind is not Kind.HIDDEN:
            world[variable.name] = texts[said]
    return world
