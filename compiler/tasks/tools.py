"""What the stages of a task need of its system, built once: tables, provers, the fixed text of its prompts.

In: a system plan. Out: proofs, interactions and meta data of its worlds. Procedures that must agree and don't raise
`DisagreementError`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from compiler.emit.depth import Depths
from compiler.emit.prompt.render import Renderer
from compiler.emit.record import UNSETTLED, Meta, evidence_hash
from compiler.plan import ArchetypePlan, ProgramPlan, SystemPlan
from compiler.reader import Document, ReadError, answer_json, read_prompt, solve
from compiler.tasks.confirm import confirm_task
from compiler.tasks.lowering import lowering_denied
from gpu_train_debug.grading.answer import read_gold
from gpu_train_debug.tasks import TaskRecord
from gpu_train_debug.user_cache import cache_name, keep_cached, load_cached
from solvers.counting.exhaustive import WitnessError, check_world
from solvers.counting.interaction import Interaction, Settling, Witnesses
from solvers.counting.tables import Tables
from solvers.evaluate import run_walk
from solvers.outcome import Assignment, TaskProof, Verdict
from solvers.proving.prove import Prover, UnconfirmedModelError


class DisagreementError(Exception):
    """Two procedures differ about one task: a bug. `case` is JSON-ready and holds all that repeats it."""

    def __init__(self, what: str, case: dict[str, Any]) -> None:
        super().__init__(what, case)
        self.what = what
        self.case = case


class UndecidedError(Exception):
    """Z3 ran out of its budget on a claim that counting proves."""

    def __init__(self, subject: str) -> None:
        super().__init__(subject)
        self.subject = subject


_SETTLING: Final[Mapping[Settling, bool | str]] = {
    Settling.YES: True,
    Settling.NO: False,
    Settling.UNDECIDED: UNSETTLED,
}


class KernelStore:
    """Keeps kernels in the user's cache."""

    def load(self, *made_from: bytes) -> bytes | None:
        return load_cached(cache_name("kernel", *made_from))

    def keep(self, content: bytes, *made_from: bytes) -> None:
        keep_cached(cache_name("kernel", *made_from), content)


class SystemTools:
    """What is built once for a system."""

    def __init__(self, program: ProgramPlan, name: str) -> None:
        self.plan = program.systems[name]
        self.tables = Tables(self.plan.problem)
        self.renderer = Renderer(self.plan)
        self.depths = Depths(self.plan)

    @cached_property
    def witnesses(self) -> Witnesses:
        return Witnesses(self.tables, store=KernelStore())

    @cached_property
    def prover(self) -> Prover:
        return Prover(self.plan.problem)

    def meta(
        self,
        archetype: ArchetypePlan,
        proof: TaskProof,
        interaction: Interaction,
        margin: int,
        draw: int,
        evidence: Sequence[int],
    ) -> Meta:
        """All that is known about a proved task."""
        walk = proof.walk
        assert proof.uniqueness is not None
        return Meta(
            tier=archetype.tier,
            interaction=interaction.interaction,
            uniqueness=proof.uniqueness.value,
            depth=self.depths.of(walk),
            margin=margin,
            system=self.plan.name,
            rules=tuple(self.plan.problem.rules[step.rule].name for step in walk.steps),
            faults=tuple(sorted(archetype.codes)),
            masked=walk.masked,
            unmasked=walk.unmasked,
            channels={"+".join(channels): _SETTLING[found] for channels, found in interaction.settled.items()},
            draw=draw,
            evidence=evidence_hash(self.plan.name, evidence),
        )

    def check(self, world: Assignment, subject: str) -> TaskProof:
        """`check_world`, with a denied witness as a disagreement."""
        try:
            return check_world(self.tables, world)
        except WitnessError as error:
            raise _denied("a witness", error, world, subject) from error

    def measure(self, world: Assignment, subject: str) -> Interaction:
        """The interaction, with a denied witness as a disagreement."""
        try:
            return self.witnesses.measure(world)
        except WitnessError as error:
            raise _denied("a witness of P4", error, world, subject) from error

    def confirm(self, proof: TaskProof, subject: str) -> None:
        """Check the exhaustive verdict with the reference evaluator and with Z3.

        Raises:
            DisagreementError: One of them gives another verdict.
            UndecidedError: Z3 ran out of budget.
        """
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


def _denied(what: str, error: WitnessError, world: Assignment, subject: str) -> DisagreementError:
    return DisagreementError(
        f"the tables and the reference evaluator differ on {what}",
        {"subject": subject, "world": dict(world), "witness": [repr(each) for each in error.args]},
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


def check_readable(record: TaskRecord, world: Assignment) -> Document:
    """P5: the independent reader, given the prompt alone, gives the gold. Returns what it read.

    Raises:
        DisagreementError: It gives another answer, or refuses the prompt.
    """
    case = {"subject": record.id, "world": dict(world), "gold": record.gold, "prompt": record.prompt}
    try:
        document = read_prompt(record.prompt)
        answer = answer_json(solve(document))
    except ReadError as error:
        raise DisagreementError(f"the reader refuses the prompt: {error}", {**case, "answer": ""}) from error
    if answer != record.gold:
        raise DisagreementError(
            "the reader of the prompt gives another answer than the gold", {**case, "answer": answer}
        )
    return document


def check_sources(system: SystemPlan, record: TaskRecord, world: Assignment, document: Document) -> None:
    """Hold a task against its sources, by plain interpretation.

    Raises:
        DisagreementError: The sources mean something else.
    """
    assert system.checked is not None, "the plan of a task comes from sources"
    denied = confirm_task(system.checked, world, document, read_gold(record.gold))
    if denied:
        raise DisagreementError(
            f"the sources deny the task: {denied[0]}",
            {"subject": record.id, "world": dict(world), "denied": denied, "prompt": record.prompt},
        )


def check_lowering(program: ProgramPlan) -> None:
    """Hold each system that a problem was lowered from against that problem.

    Raises:
        DisagreementError: The sources mean something else.
    """
    for system in program.systems.values():
        for world, denied in lowering_denied(system):
            raise DisagreementError(
                f"the sources deny the lowered problem: {denied}", {"subject": system.name, "world": dict(world)}
            )


def dump_case(case: dict[str, Any]) -> str:
    return json.dumps(case, indent=2, ensure_ascii=False, sort_keys=True)
