"""What an engineer would write about a task: the walk with its numbers, why no other repair is as good, and
what each channel alone leaves open.

In: a system plan, a world, its proof and its interaction. Out: Markdown text. Everything is computed by
plain evaluation of the world; no solver is asked.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping

import attrs

from compiler.explain.words import ValueWords
from compiler.plan import DatasetPlan, ProgramPlan, SystemPlan
from compiler.tasks.maker import TaskMaker
from compiler.tasks.redraw import redraw
from gpu_train_debug.tasks import TaskRecord
from solvers.counting.interaction import Interaction, Settling
from solvers.counting.runners_up import runners_up
from solvers.evaluate import cost, failing, named_fields, run_walk, told_walk, value
from solvers.outcome import Assignment, Step, TaskProof, Walk
from solvers.problem import Alternative, Assign, Const, Expr, Kind, Pick

_SETTLING = {
    Settling.YES: "nothing; no other diagnosis shows the same here",
    Settling.UNDECIDED: "not decided: the search for another diagnosis that shows the same here had to stop",
}

SHOWN_RIVALS = 12  # cheaper repairs that are written out one by one


@attrs.frozen
class Case:
    """A task to write about.

    Attributes:
        others: Repairs as small as the fix that cost more, cheapest first; the first few are enough.
    """

    title: str
    plan: SystemPlan
    proof: TaskProof
    interaction: Interaction
    others: tuple[Assignment, ...] = ()


def explain_case(case: Case) -> str:
    """The whole write-up; ends with a line feed."""
    writer = _WriteUp(case)
    parts = [
        f"# {case.title}",
        writer.opening(),
        *writer.walk(),
        *writer.rivals(),
        *writer.channels(),
    ]
    return "\n\n".join(parts) + "\n"


def explain_task(program: ProgramPlan, dataset: DatasetPlan, record: TaskRecord) -> str:
    """The write-up of a task, whose world is drawn again from its id.

    Args:
        dataset: With the seed of the task.

    Raises:
        OtherSourcesError: The sources don't give this task.
    """
    maker = TaskMaker(program, dataset)
    drawn = redraw(maker, record)
    system = maker.system_of(drawn.spec)
    proof = system.check(drawn.world, record.id)
    others = tuple(itertools.islice(runners_up(system.tables, proof), SHOWN_RIVALS + 1))
    return explain_case(Case(record.id, system.plan, proof, system.measure(drawn.world, record.id), others))


def _reason(failing: str) -> str:
    """A reason of `failing` as part of a sentence."""
    kept = failing.removeprefix("keep ")
    if kept != failing:
        return f"the keep of `{kept}` is broken"
    return {"unsound": "the run isn't sound", "invalid": "the run isn't valid"}.get(failing, failing)


class _WriteUp(ValueWords):
    """The parts of the write-up of one task."""

    def __init__(self, case: Case) -> None:
        super().__init__(case.plan)
        self.proof = case.proof
        self.interaction = case.interaction
        self.others = case.others
        self.told: set[Expr] = set()

    # ---------------------------------------------------------------- the walk

    def opening(self) -> str:
        walk = self.proof.walk
        answer = " and ".join(walk.codes) if walk.codes else "HEALTHY"
        fix = self.assignment(dict(walk.fix)) if walk.fix else "nothing to change"
        lines = [f"**Answer: {answer}; {fix}.**"]
        hidden = {v.name: walk.start[v.name] for v in self.problem.of_kind(Kind.HIDDEN)}
        if hidden:
            count = self.proof.hidden_worlds
            fits = "No other values print" if count == 1 else f"In all, {count} such assignments print"
            same = "" if count == 1 else ", with the same answer"
            lines.append(f"Hidden, in this run: {self.assignment(hidden)}. {fits} the same evidence{same}.")
        if walk.masked:
            lines.append(f"Masked (holds at the start, gone when its turn comes): {', '.join(walk.masked)}.")
        if walk.unmasked:
            lines.append(f"Unmasked (holds only after an earlier fix): {', '.join(walk.unmasked)}.")
        return "\n\n".join(lines)

    def walk(self) -> Iterator[str]:
        walk = self.proof.walk
        yield "## The walk"
        for number, step in enumerate(walk.steps, start=1):
            yield self.step(number, step)
        quiet = "No rule fires" if not walk.steps else "Then no rule fires"
        yield f"{quiet}, and the run is sound:"
        yield "\n".join(
            f"- {text or 'sound'}: {self.stated(condition)}, with {self.numbers([self.behind(condition)], walk.final)}"
            for text, condition in self.plan.sounds or (("", self.problem.sound),)
        )

    def stated(self, condition: Expr) -> str:
        """A condition; a flag with its definition where it is mentioned first."""
        behind = self.behind(condition)
        if behind == condition or condition in self.told:
            return self.formula(condition)
        self.told.add(condition)
        return f"{self.formula(condition)}, that is {self.formula(behind)}"

    def step(self, number: int, step: Step) -> str:
        rule = self.problem.rules[step.rule]
        rank = step.rule + 1
        earlier = {0: "", 1: "Rule 1 doesn't fire. ", 2: "Rules 1 and 2 don't fire. "}
        passed = earlier.get(step.rule, f"Rules 1 to {step.rule} don't fire. ")
        lines = [
            f"{number}. {passed}Rule {rank}, **{rule.code}**, fires: {self.formula(rule.guard, earlier='printed')}",
            f"   with {self.guard_numbers(rule.guard, step.before)}.",
        ]
        if says := self.plan.rules[step.rule].says:
            lines.append(f"   {says}")
        for index, alternative in enumerate(rule.alternatives[: step.alternative + 1]):
            used = index == step.alternative
            if len(rule.alternatives) > 1:
                lines.append(f"   Alternative {index + 1} {'has a value' if used else 'has no value'}:")
            if all(isinstance(item, Assign) and isinstance(item.value, Const) for item in alternative.sets):
                continue
            lines += [f"   {line}" for line in self.prescription(alternative, step.before)]
        lines.append(f"   So {self.assignment(step.sets)}.")
        return "\n".join(lines)

    def guard_numbers(self, guard: Expr, state: Assignment) -> str:
        """The value of everything that a guard reads."""
        return self.numbers([self.behind(guard)], state, before=self.proof.walk.start, earlier="printed")

    def prescription(self, alternative: Alternative, fired_in: Assignment) -> Iterator[str]:
        """How each set of an alternative finds its value, trying the values as the runbook says."""
        state = dict(fired_in)
        for item in alternative.sets:
            match item:
                case Assign(field=field, value=expr):
                    found = int(value(self.problem, expr, state, before=fired_in))
                    allowed = found in self.problem.variable(field).domain
                    text = self.variable(field, found) if allowed else f"{found}, which isn't an allowed value"
                    yield f"- `{field}` = {self.formula(expr)} = {text}"
                    if not allowed:
                        return
                    state[field] = found
                case Pick(field=field, direction=direction, where=where):
                    tries = [{**state, field: candidate} for candidate in self.tries(item)]
                    holds = [bool(value(self.problem, where, tried, before=fired_in)) for tried in tries]
                    tries = tries[: holds.index(True) + 1 if any(holds) else len(tries)]
                    same, own = self.contrast(where, tries, before=fired_in)
                    given = f", with {same}" if same else ""
                    yield f"- `{field}`: {direction.value} value where {self.stated(where)}{given}"
                    for tried, told, right in zip(tries, own, holds, strict=False):
                        chosen = self.variable(field, tried[field])
                        mine = "; ".join(text for text in told if text != f"`{field}` = {chosen}")
                        yield f"  - {chosen}: {'holds' if right else 'fails'}{f' ({mine})' if mine else ''}"
                    if not any(holds):
                        return
                    state[field] = tries[-1][field]

    # ---------------------------------------------------------------- rivals

    def rivals(self) -> Iterator[str]:
        walk = self.proof.walk
        if not walk.fix:
            return
        yield "## Why no other repair is as good"
        assert self.proof.uniqueness is not None
        strength = {
            "any": "No repair over all editable fields changes as few fields.",
            "named": "No repair over the fields that the fired rules set changes as few fields.",
            "preferred": "Other repairs over the named fields change as few of them, but ranks or preferences put "
            "this one first.",
        }
        yield strength[self.proof.uniqueness.value]
        if self.others:
            shown = [f"- {self.assignment(other)}: {self.loses(walk, other)}" for other in self.others[:SHOWN_RIVALS]]
            yield "\n".join([*shown, "- and more"] if len(self.others) > SHOWN_RIVALS else shown)
        gold = cost(self.problem, walk.start, dict(walk.fix))
        tried = [rival for rival in self.cheaper(walk) if cost(self.problem, walk.start, rival) <= gold]
        lines: list[str] = []
        left = Counter[str]()
        for rival in sorted(tried, key=lambda r: cost(self.problem, walk.start, r)):
            reasons = self.reasons(walk, rival)
            if len(lines) < SHOWN_RIVALS:
                change = self.assignment(rival) if rival else "no change at all"
                lines.append(f"- {change}: {'; '.join(reasons)}")
            else:
                left[reasons[0]] += 1
        if left:
            rest = ", ".join(f"{count} fail because {reason}" for reason, count in left.most_common())
            lines.append(f"- and {sum(left.values())} more: {rest}")
        fields = ", ".join(f"`{name}`" for name in named_fields(self.problem, walk, *self.proof.walks))
        if len(tried) == 1:
            yield f"Over the named fields ({fields}) there is one assignment that costs no more, and it fails:"
        else:
            yield f"Over the named fields ({fields}) there are {len(tried)} assignments that cost no more. Each fails:"
        yield "\n".join(lines)

    def loses(self, walk: Walk, other: Assignment) -> str:
        """Why a repair of as many changes costs more than the fix: by the first thing that differs."""
        fix = dict(walk.fix)
        ranks = {variable.name: rank for rank, variable in enumerate(self.problem.of_kind(Kind.CONFIG), start=1)}
        for mine, theirs in zip(sorted(fix, key=ranks.__getitem__), sorted(other, key=ranks.__getitem__), strict=True):
            if mine != theirs:
                return f"changes `{theirs}`, field {ranks[theirs]}, where the fix changes `{mine}`, field {ranks[mine]}"
        changed = next(name for name in sorted(fix, key=ranks.__getitem__) if fix[name] != other[name])
        better, worse = (self.variable(changed, values[changed]) for values in (fix, other))
        return f"for `{changed}`, {better} comes before {worse}"

    def cheaper(self, walk: Walk) -> Iterator[dict[str, int]]:
        """Every other assignment to at most as many of the named fields as the fix changes."""
        fix = dict(walk.fix)
        names = named_fields(self.problem, walk, *self.proof.walks)
        for size in range(len(fix) + 1):
            for fields in itertools.combinations(names, size):
                options = [
                    [number for number in self.problem.variable(name).domain if number != walk.start[name]]
                    for name in fields
                ]
                for numbers in itertools.product(*options):
                    rival = dict(zip(fields, numbers, strict=True))
                    if rival != fix:
                        yield rival

    def reasons(self, walk: Walk, rival: Mapping[str, int]) -> tuple[str, ...]:
        """Why it fails in this world, or in another one that prints the same."""
        here = failing(self.problem, walk, rival)
        if here:
            return tuple(map(_reason, here))
        for world in self.proof.rival_worlds:
            elsewhere = failing(self.problem, told_walk(self.problem, world), rival)
            if elsewhere:
                hidden = {v.name: world[v.name] for v in self.problem.of_kind(Kind.HIDDEN)}
                return tuple(
                    f"{_reason(reason)} if {self.assignment(hidden)}, which prints the same" for reason in elsewhere
                )
        raise AssertionError("a proved task has no rival")

    # ---------------------------------------------------------------- channels

    def channels(self) -> Iterator[str]:
        yield "## What each channel alone leaves open"
        lines = []
        for channel in self.problem.channels:
            witness = self.interaction.witness((channel,))
            if witness is None:
                lines.append(f"- {channel}: {_SETTLING[self.interaction.settled[channel,]]}")
                continue
            other = run_walk(self.problem, witness)
            codes = " and ".join(other.codes) if other.codes else "HEALTHY"
            changed = {
                variable.name: witness[variable.name]
                for variable in self.problem.variables
                if witness[variable.name] != self.proof.walk.start[variable.name]
            }
            lines.append(f"- {channel}: it could as well be {codes}, with {self.assignment(changed)}")
        yield "\n".join(lines)
        yield f"The smallest number of channels that settles the diagnosis: {self.interaction.interaction}."
