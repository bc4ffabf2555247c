"""Make one task: draw a world, prove its gold three ways, render it, read it back.

In: a program plan and a `TaskSpec`. Out: a `Made` task or `Missing`, with counts of the worlds that were
drawn and dropped. A task depends on the sources, the seed and its own spec alone: any one can be made
without the others. The exhaustive check decides which worlds become tasks; Z3, the reference evaluator and
the reader only confirm, and `DisagreementError` is raised where they don't.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import attrs

from compiler.emit.depth import Depths
from compiler.emit.prompt.render import Renderer
from compiler.emit.record import Meta, TaskRecord, evidence_hash, gold_json, make_record
from compiler.plan import ArchetypePlan, DatasetPlan, ProgramPlan, SplitPlan
from compiler.reader import ReadError, answer_json, read_prompt, solve
from compiler.splits import TaskSpec, split_condition
from solvers.counting.exhaustive import WitnessError, check_world
from solvers.counting.interaction import Interaction, Witnesses
from solvers.counting.tables import Tables
from solvers.evaluate import observe, run_walk
from solvers.outcome import Assignment, TaskProof, Verdict
from solvers.problem import Expr
from solvers.proving.prove import Prover, UnconfirmedModelError
from solvers.sampling import Candidate, Exhausted, Stream, candidates, key_of

DROPS = 400  # candidate worlds of one spec that may fail a proof before it is given up


class DisagreementError(Exception):
    """Two procedures differ about one task: a bug. `case` is JSON-ready and holds all that repeats it."""

    def __init__(self, what: str, case: dict[str, Any]) -> None:
        super().__init__(what, case)
        self.what = what
        self.case = case


class UndecidedError(Exception):
    """Z3 ran out of its budget on a claim that the exhaustive check holds true."""

    def __init__(self, subject: str) -> None:
        super().__init__(subject)
        self.subject = subject


@attrs.frozen
class Made:
    """A proved task. `dropped` counts by reason the candidate worlds that came before it and failed."""

    spec: TaskSpec
    record: TaskRecord
    meta: Meta
    world: Assignment
    proof: TaskProof
    interaction: Interaction
    dropped: Counter[str]


@attrs.frozen
class Missing:
    """No task could be made for the spec; `dropped` counts the candidates, `exhausted` the draws."""

    spec: TaskSpec
    reason: str
    dropped: Counter[str]
    exhausted: Exhausted | None
    failed: TaskProof | None = None
    repeated: int = 0  # proved worlds in a row that printed the same as earlier tasks


@attrs.frozen
class Judgement:
    """What counting says of a candidate world; `flaw` is why it can't be the task, empty if it can."""

    proof: TaskProof
    interaction: Interaction | None
    flaw: str


class TaskMaker:
    """Everything that is built once and used for many tasks of a program: tables, provers, fixed texts."""

    def __init__(self, program: ProgramPlan, dataset: DatasetPlan, *, prove: bool = True) -> None:
        self.program = program
        self.dataset = dataset
        self.prove = prove
        self._splits = {split.name: split for split in dataset.splits}
        self._systems: dict[str, SystemTools] = {}

    def system(self, name: str) -> SystemTools:
        if name not in self._systems:
            self._systems[name] = SystemTools(self.program, name)
        return self._systems[name]

    def archetype(self, spec: TaskSpec) -> ArchetypePlan:
        return self.program.archetypes[spec.archetype]

    def split(self, spec: TaskSpec) -> SplitPlan:
        return self._splits[spec.split]

    def condition(self, spec: TaskSpec) -> Expr:
        return split_condition(self.archetype(spec), self.dataset, self.split(spec))

    def candidates(self, spec: TaskSpec) -> Iterator[Candidate | Exhausted]:
        """The worlds of a spec in drawing order; ends after an `Exhausted`."""
        archetype = self.archetype(spec)
        key = key_of(self.dataset.seed, spec.archetype, spec.split, spec.index)
        return candidates(self.system(archetype.system).tables, self.condition(spec), archetype.codes, key)

    def first_candidates(self, spec: TaskSpec, draw: int) -> list[Assignment]:
        """The worlds of candidates 0 to `draw`; fewer if the spec has fewer, none if no task can be that far."""
        if draw > DROPS + sum(split.count for split in self.dataset.splits):
            return []
        found = (each for each in self.candidates(spec))
        return [each.world for each in islice(found, draw + 1) if isinstance(each, Candidate)]

    def candidate(self, spec: TaskSpec, draw: int) -> Assignment | None:
        """The world of candidate `draw`, or None if the spec has no such candidate."""
        worlds = self.first_candidates(spec, draw)
        return worlds[draw] if draw < len(worlds) else None

    def judge(self, spec: TaskSpec, world: Assignment) -> Judgement:
        """Whether `world` may be the task of `spec`, by counting everything."""
        system = self.system(self.archetype(spec).system)
        proof = system.check(world, spec.id)
        if proof.verdict is not Verdict.UNIQUE:
            claim = proof.refutations[0].claim.value if proof.refutations else proof.verdict.value
            return Judgement(proof, None, claim)
        interaction = system.measure(world, spec.id)
        few = interaction.interaction < self.split(spec).interaction
        return Judgement(proof, interaction, "interaction" if few else "")

    def make(self, spec: TaskSpec, *, start: int = 0) -> Made | Missing:
        """Make the task from the first candidate, from number `start` on, that passes every proof.

        Raises:
            DisagreementError: Two procedures differ.
            UndecidedError: A proof ran out of budget.
        """
        dropped: Counter[str] = Counter()
        failed: TaskProof | None = None
        system = self.system(self.archetype(spec).system)
        for found in self.candidates(spec):
            if isinstance(found, Exhausted):
                return Missing(spec, "no world", dropped, found, failed)
            if found.number < start:
                continue
            if dropped.total() >= DROPS:
                return Missing(spec, "no proved world", dropped, None, failed)
            judged = self.judge(spec, found.world)
            if judged.flaw:
                dropped[judged.flaw] += 1
                if judged.interaction is None:
                    failed = failed or judged.proof
                continue
            if self.prove:
                system.confirm(judged.proof, spec.id)
            record, meta = self.record(spec, found.number, found.world, judged.proof, judged.interaction)
            if self.prove:
                check_readable(record, found.world)
            assert judged.interaction is not None
            return Made(spec, record, meta, found.world, judged.proof, judged.interaction, dropped)
        raise AssertionError("candidates end with Exhausted")

    def prompt(self, spec: TaskSpec, draw: int, evidence: Sequence[int]) -> str:
        """The page that shows `evidence`, in the words of candidate `draw`."""
        wording = Stream(key_of(self.dataset.seed, spec.archetype, spec.split, spec.index, draw, "wording"))
        return self.system(self.archetype(spec).system).renderer.render(evidence, wording.choose)

    def record(
        self,
        spec: TaskSpec,
        draw: int,
        world: Assignment,
        proof: TaskProof,
        interaction: Interaction | None = None,
    ) -> tuple[TaskRecord, Meta]:
        """Render a proved world; the interaction is measured if it isn't given."""
        archetype = self.archetype(spec)
        system = self.system(archetype.system)
        interaction = interaction or system.measure(world, spec.id)
        evidence = observe(system.plan.problem, world)
        prompt = self.prompt(spec, draw, evidence)
        meta = system.meta(archetype, proof, interaction, draw, evidence)
        record = make_record(
            archetype=archetype.name,
            split=spec.split,
            number=spec.index,
            prompt=prompt,
            gold=gold_json(system.plan, proof.walk.answer),
            meta=meta,
        )
        return record, meta


class SystemTools:
    """What is built once for a system."""

    def __init__(self, program: ProgramPlan, name: str) -> None:
        self.plan = program.systems[name]
        self.tables = Tables(self.plan.problem)
        self.witnesses = Witnesses(self.tables)
        self.renderer = Renderer(self.plan)
        self.depths = Depths(self.plan)
        self._prover: Prover | None = None

    @property
    def prover(self) -> Prover:
        if self._prover is None:
            self._prover = Prover(self.plan.problem)
        return self._prover

    def meta(
        self, archetype: ArchetypePlan, proof: TaskProof, interaction: Interaction, draw: int, evidence: Sequence[int]
    ) -> Meta:
        """All that is known about a proved task."""
        walk = proof.walk
        assert proof.uniqueness is not None
        return Meta(
            tier=archetype.tier,
            interaction=interaction.interaction,
            uniqueness=proof.uniqueness.value,
            depth=self.depths.of(walk),
            system=self.plan.name,
            rules=tuple(self.plan.problem.rules[step.rule].name for step in walk.steps),
            faults=tuple(sorted(archetype.codes)),
            masked=walk.masked,
            unmasked=walk.unmasked,
            channels={"+".join(channels): determined for channels, determined in interaction.determined.items()},
            draw=draw,
            evidence=evidence_hash(self.plan.name, evidence),
        )

    def check(self, world: Assignment, subject: str) -> TaskProof:
        """`check_world`, with a denied witness as a disagreement."""
        try:
            return check_world(self.tables, world)
        except WitnessError as error:
            raise DisagreementError(
                "the tables and the reference evaluator differ on a witness",
                {"subject": subject, "world": dict(world), "witness": [repr(each) for each in error.args]},
            ) from error

    def measure(self, world: Assignment, subject: str) -> Interaction:
        """The interaction, with a denied witness as a disagreement."""
        try:
            return self.witnesses.measure(world)
        except WitnessError as error:
            raise DisagreementError(
                "the tables and the reference evaluator differ on a witness of P4",
                {"subject": subject, "world": dict(world), "witness": [repr(each) for each in error.args]},
            ) from error

    def confirm(self, proof: TaskProof, subject: str) -> None:
        """Check the exhaustive verdict with the reference evaluator and with Z3."""
        world = proof.walk.start
        reference = run_walk(self.plan.problem, world)
        if reference != proof.walk:
            raise DisagreementError(
                "the tables and the reference evaluator walk differently",
                {"subject": subject, "world": dict(world), "reference": repr(reference), "tables": repr(proof.walk)},
            )
        verdict = ask(self.prover, proof, subject).verdict
        if verdict is Verdict.INCONCLUSIVE:
            raise UndecidedError(subject)
        if verdict is not Verdict.UNIQUE:
            raise DisagreementError(
                f"counting says unique, Z3 says {verdict.value}",
                {"subject": subject, "world": dict(world), "counted": repr(proof)},
            )


def ask(prover: Prover, proof: TaskProof, subject: str) -> TaskProof:
    """Z3's own verdict on what `proof` claims.

    Raises:
        DisagreementError: Z3 found something that plain evaluation denies.
    """
    try:
        return prover.prove(proof)
    except UnconfirmedModelError as error:
        raise DisagreementError(
            str(error), {"subject": subject, "world": dict(proof.walk.start), "query": error.case}
        ) from error


def check_readable(record: TaskRecord, world: Assignment) -> None:
    """P5: the independent reader, given the prompt alone, gives the gold."""
    try:
        answer = answer_json(solve(read_prompt(record.prompt)))
        what = "the reader of the prompt gives another answer than the gold"
    except ReadError as error:
        answer = ""
        what = f"the reader refuses the prompt: {error}"
    if answer != record.gold:
        raise DisagreementError(
            what,
            {
                "subject": record.id,
                "world": dict(world),
                "gold": record.gold,
                "answer": answer,
                "prompt": record.prompt,
            },
        )


def dump_case(case: dict[str, Any]) -> str:
    return json.dumps(case, indent=2, ensure_ascii=False, sort_keys=True)
