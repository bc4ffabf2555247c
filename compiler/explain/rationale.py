"""The walk of a task in words, as a reader of the prompt could write it: reasoning to train on.

In: a proved task. Out: Markdown text that ends before the answer. Every number comes from the worlds that
print the same evidence and take the same path as the task's own; where they differ, the text says what the
number may be, so it never tells what the prompt doesn't settle. No solver is asked.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping

import attrs
import numpy as np

from compiler.emit.record import gold_json
from compiler.explain.words import ValueWords, atoms, relation_name
from compiler.plan import DatasetPlan, ProgramPlan, SystemPlan
from compiler.tasks.maker import TaskMaker
from compiler.tasks.redraw import OtherSourcesError, redraw
from gpu_train_debug.tasks import TaskRecord
from solvers.counting.evidence import evidence_class
from solvers.counting.expand import before_state
from solvers.counting.tables import Array, BatchState, Tables
from solvers.counting.walks import select_worlds, walk_batch
from solvers.evaluate import observe, run_walk
from solvers.outcome import Assignment
from solvers.problem import Alternative, Apply, Assign, Expr, Kind, Op, Pick, RelationValue, Sort, Var, With

MOST_LISTED = 4
"""Different values that are listed one by one; more are given as a range."""


class Rationales:
    """Writes rationales for the tasks of one dataset, each made again from its id.

    Args:
        dataset: With the seed of the tasks.
    """

    def __init__(self, program: ProgramPlan, dataset: DatasetPlan) -> None:
        self._maker = TaskMaker(program, dataset, prove=False)

    def of(self, record: TaskRecord) -> str:
        """The rationale of a task.

        Raises:
            OtherSourcesError: The sources don't give this task.
        """
        task = redraw(self._maker, record)
        system = self._maker.system_of(task.spec)
        evidence = observe(system.plan.problem, task.world)
        gold = gold_json(system.plan, run_walk(system.plan.problem, task.world).answer)
        if (self._maker.prompt(task.spec, task.draw, evidence), gold) != (record.prompt, record.gold):
            raise OtherSourcesError(record.id)
        return write_rationale(system.plan, system.tables, task.world)


def write_rationale(plan: SystemPlan, tables: Tables, world: Assignment) -> str:
    """Write the walk of `world`, which has a unique answer; ends with a line feed."""
    return "\n".join(_RationaleWriter(plan, tables).walk(_shared_path_of(tables, world))) + "\n"


@attrs.frozen
class _Step:
    """A fired rule: the state in which it did, and what it sets, in all worlds of a path."""

    rule: int
    alternative: int
    before: BatchState
    sets: Assignment


@attrs.frozen
class _SharedPath:
    """The worlds with one evidence whose walks fire the same rules and set the same values.

    Attributes:
        alone: There are no other worlds with this evidence.
    """

    start: BatchState
    steps: tuple[_Step, ...]
    alone: bool


def _shared_path_of(tables: Tables, world: Assignment) -> _SharedPath:
    state, size = evidence_class(tables, world)
    for group in walk_batch(tables.told, state, size):
        everywhere = np.ones(len(group.rows), dtype=bool)
        here = everywhere.copy()
        for name, cell in group.start.items():
            here &= np.equal(cell, world[name])
        if not here.any():
            continue
        steps = []
        alike = everywhere.copy()
        for step in group.steps:
            sets = {name: int(np.broadcast_to(cell, here.shape)[here][0]) for name, cell in step.sets.items()}
            for name, cell in step.sets.items():
                alike &= np.equal(cell, sets[name])
            steps.append((step, sets))
        return _SharedPath(
            select_worlds(group.start, alike),
            tuple(_Step(step.rule, step.alternative, select_worlds(step.before, alike), sets) for step, sets in steps),
            int(alike.sum()) == size,
        )
    raise AssertionError("a world is in its own evidence class")


@attrs.frozen
class _Scene:
    """A state, in all worlds of a path, and the earlier one that the expressions at hand look back at.

    Attributes:
        look_back: What formulas call that: `before` in a prescription, `printed` in a guard, as on the page.
        told: Relations whose truth has been explained in this state.
    """

    state: BatchState
    earlier: BatchState
    look_back: str = "before"
    told: set[str] = attrs.field(factory=set)

    def after(self, changes: Mapping[str, Array | int]) -> _Scene:
        cells = {name: cell if isinstance(cell, int) or cell.ndim else int(cell) for name, cell in changes.items()}
        return _Scene({**self.state, **cells}, self.earlier, self.look_back)


class _RationaleWriter(ValueWords):
    """Sentences about one path, on which every guard and condition has one truth value."""

    def __init__(self, plan: SystemPlan, tables: Tables) -> None:
        super().__init__(plan)
        self.tables = tables

    def walk(self, path: _SharedPath) -> Iterator[str]:
        scene = _Scene(path.start, path.start)
        if hidden := [Var(variable.name) for variable in self.problem.of_kind(Kind.HIDDEN)]:
            rest = "" if path.alone else " Other values fit as well; by another path they lead to the same answer."
            yield f"The hidden quantities, by what is printed: {self.values(hidden, scene)}.{rest}"
        unprinted = [RelationValue(relation.name) for relation in self.plan.relations if relation.display is None]
        if unprinted:
            yield f"From the relations: {self.values(unprinted, scene)}."
        for number, step in enumerate(path.steps, start=1):
            yield f"\nPass {number} through the runbook."
            yield from self.fired(step, path.start)
            scene = _Scene({**step.before, **step.sets}, step.before)
            if changed := self.changed(scene):
                yield f"Now {self.values(changed, scene)}."
        yield f"\nPass {len(path.steps) + 1} through the runbook."
        yield from self.quiet(len(self.problem.rules), attrs.evolve(scene, earlier=path.start, look_back="printed"))
        sounds = [condition for _, condition in self.plan.sounds] or [self.problem.sound]
        yield f"No rule fires. The run is sound: {'; '.join(self.because(each, True, scene) for each in sounds)}."
        yield self.result(path, scene.state)

    def result(self, path: _SharedPath, final: BatchState) -> str:
        if not path.steps:
            return "So the run is healthy, and nothing is to be changed."
        codes = " and ".join(self.problem.rules[step.rule].code for step in path.steps)
        changes = []
        for field in self.problem.editable:
            before, after = path.start[field.name], final[field.name]
            if isinstance(before, int) and isinstance(after, int) and before != after:  # all worlds agree on fields
                old, new = self.variable(field.name, before), self.variable(field.name, after)
                changes.append(f"`{field.name}` from {old} to {new}")
        return f"Reported: {codes}. Changed in all: {', '.join(changes)}."

    # ---------------------------------------------------------------- rules

    def quiet(self, rules: int, scene: _Scene) -> Iterator[str]:
        """Why the first `rules` rules don't fire."""
        for rank, rule in enumerate(self.problem.rules[:rules], start=1):
            yield f"- Rule {rank}, {rule.code}, doesn't fire: {self.because(rule.guard, False, scene)}."

    def fired(self, step: _Step, start: BatchState) -> Iterator[str]:
        scene = _Scene(step.before, start, "printed")
        rule = self.problem.rules[step.rule]
        yield from self.quiet(step.rule, scene)
        yield f"- Rule {step.rule + 1}, {rule.code}, fires: {self.because(rule.guard, True, scene)}."
        scene = attrs.evolve(scene, earlier=step.before, look_back="before")
        for index, alternative in enumerate(rule.alternatives[: step.alternative + 1]):
            if len(rule.alternatives) > 1:
                yield f"  Alternative {index + 1} {'has no' if index < step.alternative else 'has a'} value:"
            yield from self.prescription(alternative, scene)

    def prescription(self, alternative: Alternative, scene: _Scene) -> Iterator[str]:
        """How each set finds its value; ends at one that has none in some world."""
        for item in alternative.sets:
            match item:
                case Assign(field=field, value=expr):
                    found = self.evaluate(expr, scene)
                    listed = np.isin(found, self.problem.variable(field).domain)
                    tail = (
                        ""
                        if listed.all()
                        else ", which isn't listed"
                        if not listed.any()
                        else ", which need not be listed"
                    )
                    yield f"  - `{field}`: {self.formula(expr)} = {self.spread(Var(field), found)}{tail}"
                    if tail:
                        return
                    scene = scene.after({field: found})
                case Pick(field=field, direction=direction, where=where):
                    yield f"  - `{field}`: {direction.value} value where {self.formula(where)}"
                    chosen = yield from self.tried(item, scene)
                    if chosen is None:
                        return
                    scene = scene.after({field: chosen})

    def tried(self, pick: Pick, scene: _Scene) -> Generator[str, None, int | None]:
        """The values that a pick tries, up to the first that holds in some world; it is returned if it does in all."""
        for candidate in self.tries(pick):
            there = scene.after({pick.field: candidate})
            holds = self.evaluate(pick.where, there)
            value = self.variable(pick.field, candidate)
            if holds.all():
                yield f"    - {value} holds: {self.because(pick.where, True, there)}"
                return candidate
            if holds.any():
                yield f"    - {value} holds or fails by what isn't printed"
                return None
            yield f"    - {value} fails: {self.because(pick.where, False, there)}"
        return None

    # ---------------------------------------------------------------- reasons

    def because(self, expr: Expr, truth: bool, scene: _Scene) -> str:
        """Why a condition has the truth value that it has: the parts that decide it, with their numbers."""
        match expr:
            case Apply(op=Op.NOT, args=(body,)):
                return self.because(body, not truth, scene)
            case Apply(op=Op.IMPLIES, args=(premise, conclusion)):
                parts = (Apply(Op.NOT, (premise,)), conclusion)
                return self.because(Apply(Op.OR, parts), truth, scene)
            case Apply(op=Op.AND | Op.OR as op, args=parts):
                if truth is (op is Op.AND):
                    return "; ".join(dict.fromkeys(self.because(part, truth, scene) for part in parts))
                for part in parts:
                    if bool(np.all(self.evaluate(part, scene) == truth)):
                        return self.because(part, truth, scene)
            case RelationValue(name=name, sort=Sort.BOOL):
                verdict = f"`{name}` is {'true' if truth else 'false'}"
                if name in scene.told:
                    return verdict
                scene.told.add(name)
                return f"{verdict} ({self.because(self.definitions[name], truth, scene)})"
            case With(body=body, changes=changes):
                new = {name: self.evaluate(value, scene) for name, value in changes}
                names = ", ".join(f"{name} = {self.spread(Var(name), cell)}" for name, cell in new.items())
                return f"with `{names}` {self.because(body, truth, scene.after(new))}"
        verdict = f"{self.formula(expr, earlier=scene.look_back)} is {'true' if truth else 'false'}"
        return f"{verdict} ({self.values(atoms(expr), scene)})"

    # ---------------------------------------------------------------- numbers

    def values(self, exprs: Iterable[Expr], scene: _Scene) -> str:
        """What expressions come to, each once."""
        return "; ".join(dict.fromkeys(self.value(expr, scene) for expr in exprs))

    def value(self, expr: Expr, scene: _Scene) -> str:
        return f"{self.formula(expr, earlier=scene.look_back)} = {self.spread(expr, self.evaluate(expr, scene))}"

    def changed(self, scene: _Scene) -> list[Expr]:
        """The relations that a step changed in some world."""
        found: list[Expr] = []
        for name in self.definitions:
            now, then = (self.tables.evaluate([RelationValue(name)], at)[0] for at in (scene.state, scene.earlier))
            if np.any(now != then):
                found.append(RelationValue(name))
        return found

    def evaluate(self, expr: Expr, scene: _Scene) -> Array:
        earlier = before_state(scene.earlier, scene.earlier)
        return self.tables.evaluate([expr], {**scene.state, **earlier})[0]

    def spread(self, expr: Expr, found: Array) -> str:
        """The different values in `found`, which are of `expr` or of the field that it names."""
        numbers = np.unique(found).tolist()
        name = relation_name(expr)
        if isinstance(numbers[0], bool):
            words = ["true" if number else "false" for number in numbers]
        elif name in self.variables:
            words = [self.variable(name, number) for number in numbers]
        elif (labels := self.labels.get(name)) is not None:
            words = [labels[number] for number in numbers]
        else:
            words = [f"{number} {self.units.get(name, '')}".strip() for number in numbers]
        if len(words) > MOST_LISTED:
            return f"{words[0]} to {words[-1]}"
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
