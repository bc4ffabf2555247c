"""Make one task: draw a world, count, confirm, render it, read it back.

In: a program plan and a `TaskSpec`. Out: a `MadeTask`, or a `MissingTask` with counts of the worlds that were drawn
and dropped. A task depends on the sources, the seed and its own spec alone, so any task can be made without the
others. `TASK_STAGES` has the stages in their order; each takes a frozen value and gives the next. Counting decides
which worlds become tasks; Z3, the reference evaluator and the reader only confirm, and `DisagreementError` is raised
where they don't.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

import attrs

from compiler.emit.record import Meta, gold_json, make_record
from compiler.plan import ArchetypePlan, DatasetPlan, ProgramPlan, SplitPlan
from compiler.splits import TaskSpec, like_of, margin_range, split_condition
from compiler.tasks.tools import SystemTools, check_readable, check_sources
from gpu_train_debug.tasks import TaskRecord
from solvers.counting.interaction import Interaction
from solvers.evaluate import observe
from solvers.margins import walk_margin
from solvers.outcome import Assignment, TaskProof, Verdict
from solvers.problem import Expr
from solvers.sampling import Candidate, Exhausted, Stream, candidates, key_of

DROPS: Final = 400
"""How many candidate worlds of one spec may fail a proof before the spec is given up."""


@attrs.frozen
class DrawnWorld:
    """Candidate `draw` of a spec, counted from 0."""

    spec: TaskSpec
    draw: int
    world: Assignment


@attrs.frozen
class FlawedWorld:
    """A candidate that can't be the task. `flaw` is the claim that fails, a verdict, `margin` or `interaction`."""

    drawn: DrawnWorld
    proof: TaskProof
    flaw: str


@attrs.frozen
class ProvedWorld:
    """A candidate that may be the task, by counting everything; `margin` in permille."""

    drawn: DrawnWorld
    proof: TaskProof
    interaction: Interaction
    margin: int


@attrs.frozen
class RenderedTask:
    """A proved candidate as a record."""

    proved: ProvedWorld
    record: TaskRecord
    meta: Meta


TaskForm: TypeAlias = DrawnWorld | ProvedWorld | RenderedTask


@attrs.frozen
class StoppedTask:
    """What a stage produced. `dropped` counts by flaw the candidate worlds that came before and failed."""

    form: TaskForm
    dropped: Counter[str]


@attrs.frozen
class MadeTask:
    """A proved task. `dropped` counts by flaw the candidate worlds that came before it and failed."""

    rendered: RenderedTask
    dropped: Counter[str]

    @property
    def record(self) -> TaskRecord:
        return self.rendered.record

    @property
    def meta(self) -> Meta:
        return self.rendered.meta

    @property
    def proof(self) -> TaskProof:
        return self.rendered.proved.proof

    @property
    def world(self) -> Assignment:
        return self.rendered.proved.drawn.world


@attrs.frozen
class MissingTask:
    """No task could be made for the spec.

    Attributes:
        dropped: The candidates that failed, by flaw.
        exhausted: Why no more worlds were drawn; None if drawing could have gone on.
        failed: The proof of the first candidate whose answer isn't unique.
        repeated: How many proved worlds in a row printed the same as earlier tasks.
    """

    spec: TaskSpec
    reason: str
    dropped: Counter[str]
    exhausted: Exhausted | None
    failed: TaskProof | None = None
    repeated: int = 0


class TaskMaker:
    """Makes the tasks of a dataset; what a system needs is built once and used for all its tasks."""

    def __init__(self, program: ProgramPlan, dataset: DatasetPlan, *, prove: bool = True) -> None:
        self.program = program
        self.dataset = dataset
        self.stages = TASK_STAGES if prove else tuple(stage for stage in TASK_STAGES if not stage.confirms)
        self._splits = {split.name: split for split in dataset.splits}
        self._systems: dict[str, SystemTools] = {}

    def system(self, name: str) -> SystemTools:
        if name not in self._systems:
            self._systems[name] = SystemTools(self.program, name)
        return self._systems[name]

    def archetype(self, spec: TaskSpec) -> ArchetypePlan:
        return self.program.archetypes[spec.archetype]

    def system_of(self, spec: TaskSpec) -> SystemTools:
        return self.system(self.archetype(spec).system)

    def split(self, spec: TaskSpec) -> SplitPlan:
        return self._splits[spec.split]

    def condition(self, spec: TaskSpec) -> Expr:
        archetype = self.archetype(spec)
        like = like_of(archetype, spec.index)
        alike = None if like is None else self.program.archetypes[like]
        return split_condition(archetype, self.dataset, self.split(spec), alike)

    def make(self, spec: TaskSpec, *, start: int = 0) -> MadeTask | MissingTask:
        """Make the task from the first candidate, from number `start` on, that passes every stage.

        Raises:
            DisagreementError: Two procedures differ.
            UndecidedError: A proof ran out of budget.
        """
        result = self.stop_after(self.stages[-1].name, spec, start=start)
        if isinstance(result, MissingTask):
            return result
        assert isinstance(result.form, RenderedTask)
        return MadeTask(result.form, result.dropped)

    def stop_after(self, name: str, spec: TaskSpec, *, start: int = 0) -> StoppedTask | MissingTask:
        """Make the task up to the stage `name`, from the first candidate in which no stage up to it finds a flaw.

        Errors are those of `make`.

        Args:
            name: `draw`, or a stage of `TASK_STAGES`.
        """
        dropped: Counter[str] = Counter()
        failed: TaskProof | None = None
        for found in self.draw(spec):
            if isinstance(found, Exhausted):
                return MissingTask(spec, "no world", dropped, found, failed)
            if found.draw < start:
                continue
            if dropped.total() >= DROPS:
                return MissingTask(spec, "no proved world", dropped, None, failed)
            form = self._run_stages(found, name)
            if not isinstance(form, FlawedWorld):
                return StoppedTask(form, dropped)
            dropped[form.flaw] += 1
            if failed is None and form.proof.verdict is not Verdict.UNIQUE:
                failed = form.proof
        raise AssertionError("candidates end with Exhausted")

    def _run_stages(self, drawn: DrawnWorld, last: str) -> TaskForm | FlawedWorld:
        if last == "draw":
            return drawn
        form: TaskForm | FlawedWorld = drawn
        for stage in self.stages:
            form = stage.run(self, form)
            if isinstance(form, FlawedWorld) or stage.name == last:
                return form
        raise ValueError(f"there is no stage `{last}`")

    # ---------------------------------------------------------------- the stages

    def draw(self, spec: TaskSpec) -> Iterator[DrawnWorld | Exhausted]:
        """The candidate worlds of a spec in their order; ends after an `Exhausted`."""
        archetype = self.archetype(spec)
        key = key_of(self.dataset.seed, spec.archetype, spec.split, spec.index)
        tables = self.system_of(spec).tables
        for found in candidates(tables, self.condition(spec), archetype.codes, key):
            yield DrawnWorld(spec, found.number, found.world) if isinstance(found, Candidate) else found

    def first_candidates(self, spec: TaskSpec, draw: int) -> list[DrawnWorld]:
        """Candidates 0 to `draw`; fewer if the spec has fewer, none if no task is drawn as late as that."""
        if draw > DROPS + sum(split.count for split in self.dataset.splits):
            return []
        return [each for each in islice(self.draw(spec), draw + 1) if isinstance(each, DrawnWorld)]

    def candidate(self, spec: TaskSpec, draw: int) -> DrawnWorld | None:
        """Candidate `draw`, or None if the spec has no such candidate."""
        found = self.first_candidates(spec, draw)
        return found[draw] if draw < len(found) else None

    def count(self, drawn: DrawnWorld) -> ProvedWorld | FlawedWorld:
        """Decide by counting everything whether a world may be the task of its spec.

        Raises:
            DisagreementError: The reference evaluator denies what the tables found.
        """
        spec, system = drawn.spec, self.system_of(drawn.spec)
        proof = system.check(drawn.world, spec.id)
        if proof.verdict is not Verdict.UNIQUE:
            claim = proof.refutations[0].claim.value if proof.refutations else proof.verdict.value
            return FlawedWorld(drawn, proof, claim)
        margin = walk_margin(system.plan.problem, proof.walk)
        low, high = margin_range(spec, self.split(spec))
        if not low <= margin <= high:
            return FlawedWorld(drawn, proof, "margin")
        interaction = system.measure(drawn.world, spec.id)
        if interaction.interaction < self.split(spec).interaction:
            return FlawedWorld(drawn, proof, "interaction")
        return ProvedWorld(drawn, proof, interaction, margin)

    def confirm(self, proved: ProvedWorld) -> ProvedWorld:
        """Check what counting found with the reference evaluator and with Z3; errors as for `SystemTools.confirm`."""
        spec = proved.drawn.spec
        self.system_of(spec).confirm(proved.proof, spec.id)
        return proved

    def render(self, proved: ProvedWorld) -> RenderedTask:
        """Write a proved world as a record."""
        spec = proved.drawn.spec
        evidence = observe(self.system_of(spec).plan.problem, proved.drawn.world)
        meta = self.meta(proved, evidence)
        record = make_record(
            archetype=spec.archetype,
            split=spec.split,
            number=spec.index,
            prompt=self.prompt(spec, proved.drawn.draw, evidence),
            gold=self.gold(proved),
            meta=meta,
        )
        return RenderedTask(proved, record, meta)

    def gold(self, proved: ProvedWorld) -> str:
        """The answer, as the record has it."""
        return gold_json(self.system_of(proved.drawn.spec).plan, proved.proof.walk.answer)

    def meta(self, proved: ProvedWorld, evidence: Sequence[int]) -> Meta:
        """All that is known about the task; `evidence` is what its page shows."""
        spec, draw = proved.drawn.spec, proved.drawn.draw
        system = self.system_of(spec)
        return system.meta(self.archetype(spec), proved.proof, proved.interaction, proved.margin, draw, evidence)

    def prompt(self, spec: TaskSpec, draw: int, evidence: Sequence[int]) -> str:
        """The page that shows `evidence`, in the words of candidate `draw`."""
        wording = Stream(key_of(self.dataset.seed, spec.archetype, spec.split, spec.index, draw, "wording"))
        return self.system_of(spec).renderer.render(evidence, wording.choose)

    def read_back(self, task: RenderedTask) -> RenderedTask:
        """Let the independent reader answer the prompt, and hold what it read against the sources.

        Errors as for `check_readable` and `check_sources`.
        """
        world = task.proved.drawn.world
        document = check_readable(task.record, world)
        check_sources(self.system_of(task.proved.drawn.spec).plan, task.record, world, document)
        return task


@attrs.frozen
class TaskStage:
    """One step of a candidate on its way to a task.

    Attributes:
        run: From what the stage before gave to the next form, or to a `FlawedWorld`, which ends the way.
        confirms: Gives back what it took: another procedure must come to the same result.
    """

    name: str
    run: Callable[[TaskMaker, Any], TaskForm | FlawedWorld]
    confirms: bool = False


TASK_STAGES: Final = (
    TaskStage("count", TaskMaker.count),
    TaskStage("confirm", TaskMaker.confirm, confirms=True),
    TaskStage("render", TaskMaker.render),
    TaskStage("read back", TaskMaker.read_back, confirms=True),
)
