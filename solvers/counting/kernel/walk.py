"""The walk of a world as routines: which codes it reports, if it gives a task.

In: a problem. Out: routines of a `Writer`; `walk` returns the codes as a mask (no bit for a healthy world), or
`NO_TASK`. The meaning is that of `evaluate.run_walk`.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from contextlib import ExitStack

from solvers.counting.expand import (
    before_name,
    conjuncts,
    expand,
    expand_guard,
    expand_guard_at_start,
    expand_looking_back,
    support,
)
from solvers.counting.kernel.scribe import Scribe
from solvers.counting.kernel.slots import WalkSlots
from solvers.counting.kernel.writer import Operand, Writer
from solvers.counting.tables import topological
from solvers.evaluate import tried_values
from solvers.problem import Alternative, Assign, Expr, Op, Pick, Problem, Sort

WALK = "walk"
"""The routine that walks a world."""
NO_TASK = -1
"""What `walk` returns for a world whose walk gives no task."""


def codes_in_order(problem: Problem) -> list[str]:
    """The codes of a problem; each has the bit of its place."""
    return list(dict.fromkeys(rule.code for rule in problem.rules))


def mask_of(problem: Problem, codes: Set[str]) -> int:
    """The mask of a set of codes."""
    return sum(1 << place for place, code in enumerate(codes_in_order(problem)) if code in codes)


class WalkRoutines:
    """Writes the routines of a problem's walks."""

    def __init__(self, writer: Writer, problem: Problem) -> None:
        self.writer = writer
        self.problem = problem
        self.slots = WalkSlots.of(problem)
        self.codes = codes_in_order(problem)

    def write(self) -> None:
        """Write them all."""
        self._walk()
        self._enter()
        for number, rule in enumerate(self.problem.rules):
            picks = {
                (alternative, place): f"pick_{number}_{alternative}_{place}"
                for alternative, each in enumerate(rule.alternatives)
                for place, item in enumerate(each.sets)
                if isinstance(item, Pick)
            }
            for (alternative, place), name in picks.items():
                self._pick(name, rule.alternatives[alternative], place)
            self._fire(number, picks)

    def reads(self) -> frozenset[str]:
        """The variables on which the end of a walk from a valid world depends."""
        problem = self.problem
        fields = {variable.name for variable in problem.editable}
        exprs = [expand(problem, problem.sound), *(expand_guard(problem, rule) for rule in problem.rules)]
        exprs += [part for part in conjuncts(expand(problem, problem.valid)) if support(part) & fields]
        for rule in problem.rules:
            for alternative in rule.alternatives:
                exprs += [_prescribed(problem, alternative, place) for place in range(len(alternative.sets))]
        plain = {before_name(variable.name): variable.name for variable in problem.variables}
        return frozenset(plain.get(name, name) for expr in exprs for name in support(expr)) | fields

    def _walk(self) -> None:
        """From the world itself: it is valid, or the caller doesn't ask."""
        problem, slots, writer = self.problem, self.slots, self.writer
        with writer.routine(WALK):
            scribe = Scribe(writer, slots.world)
            for number, rule in enumerate(problem.rules):
                with scribe.where(scribe.cell(expand_guard_at_start(problem, rule))):
                    for field, slot in slots.now.items():
                        writer.store(slot, writer.load(slots.world[field]))
                    for slot in (*slots.fired, slots.steps):
                        writer.store(slot, writer.constant(0))
                    writer.leave(writer.call(f"fire_{number}"))
            with scribe.where(scribe.cell(expand(problem, problem.sound))):
                writer.leave(writer.constant(0))
            writer.leave(writer.constant(NO_TASK))

    def _enter(self) -> None:
        """Go on from a state that a rule has just led to."""
        problem, slots, writer = self.problem, self.slots, self.writer
        printed = {before_name(field): slots.world[field] for field in slots.now}
        with writer.routine("enter"):
            scribe = Scribe(writer, slots.present | printed)
            for part in conjuncts(expand(problem, problem.valid)):
                with scribe.where(writer.apply(Op.NOT, [scribe.cell(part)])):
                    writer.leave(writer.constant(NO_TASK))
            for number, rule in enumerate(problem.rules):
                with scribe.where(scribe.cell(expand_guard(problem, rule))):
                    writer.leave(writer.call(f"fire_{number}"))
            with scribe.where(writer.apply(Op.NOT, [scribe.cell(expand(problem, problem.sound))])):
                writer.leave(writer.constant(NO_TASK))
            writer.leave(self._mask())

    def _mask(self) -> Operand:
        """The codes of the rules that have fired."""
        writer = self.writer
        parts = [writer.constant(0)]
        for place, code in enumerate(self.codes):
            rules = zip(self.slots.fired, self.problem.rules, strict=True)
            reported = writer.apply(Op.OR, [writer.load(slot, Sort.BOOL) for slot, rule in rules if rule.code == code])
            parts.append(writer.apply(Op.ITE, [reported, writer.constant(1 << place), writer.constant(0)]))
        return writer.apply(Op.ADD, parts)

    def _fire(self, number: int, picks: dict[tuple[int, int], str]) -> None:
        """Apply the first alternative of a rule that has a value."""
        slots, writer = self.slots, self.writer
        with writer.routine(f"fire_{number}"):
            scribe = Scribe(writer, {})
            with scribe.where(writer.load(slots.fired[number], Sort.BOOL)):
                writer.leave(writer.constant(NO_TASK))
            steps = writer.load(slots.steps)
            with scribe.where(writer.apply(Op.GE, [steps, writer.constant(self.problem.max_codes)])):
                writer.leave(writer.constant(NO_TASK))
            writer.store(slots.steps, writer.apply(Op.ADD, [steps, writer.constant(1)]))
            writer.store(slots.fired[number], writer.constant(1))
            for place, alternative in enumerate(self.problem.rules[number].alternatives):
                self._alternative(alternative, {of: name for (which, of), name in picks.items() if which == place})
            writer.leave(writer.constant(NO_TASK))

    def _alternative(self, alternative: Alternative, picks: dict[int, str]) -> None:
        """Make the sets of one alternative, and go on if all have a value; otherwise take them back."""
        slots, writer = self.slots, self.writer
        fields = [item.field for item in alternative.sets]
        for field in fields:
            writer.store(slots.before[field], writer.load(slots.now[field]))
        with ExitStack() as blocks:
            for place, item in enumerate(alternative.sets):
                if isinstance(item, Assign):
                    scribe = Scribe(writer, self._slots(alternative, place))
                    value = scribe.cell(_prescribed(self.problem, alternative, place))
                    domain = self.problem.variable(item.field).domain
                    within = [writer.apply(Op.EQ, [value, writer.constant(each)]) for each in domain]
                    blocks.enter_context(scribe.where(writer.apply(Op.OR, within)))
                    writer.store(slots.now[item.field], value)
                else:
                    found = writer.apply(Op.NE, [writer.call(picks[place]), writer.constant(0)])
                    blocks.enter_context(writer.if_(found))
            writer.leave(writer.call("enter"))
        for field in fields:
            writer.store(slots.now[field], writer.load(slots.before[field]))

    def _pick(self, name: str, alternative: Alternative, place: int) -> None:
        """Set a field to the first value with which the condition holds; 1 if there is one."""
        slots, writer = self.slots, self.writer
        item = alternative.sets[place]
        assert isinstance(item, Pick)
        tries = tried_values(self.problem.variable(item.field), item.direction)
        with writer.routine(name):
            scribe = Scribe(writer, self._slots(alternative, place))
            wanted = _prescribed(self.problem, alternative, place)
            for part in topological([wanted]):  # what all tries share
                if item.field not in support(part):
                    scribe.cell(part)
            with scribe.each(len(tries)) as turn:
                writer.store(slots.now[item.field], writer.element(tries, turn))
                with scribe.where(scribe.cell(wanted)):
                    writer.leave(writer.constant(1))

    def _slots(self, alternative: Alternative, place: int) -> dict[str, int]:
        """Where a set finds the present state, and that in which its rule fired."""
        fields = _differing(alternative, place)
        return self.slots.present | {before_name(field): self.slots.before[field] for field in fields}


def _differing(alternative: Alternative, place: int) -> Sequence[str]:
    """The fields in which the state that a set is computed in differs from that in which its rule fired."""
    return [item.field for item in alternative.sets[: place + 1]]


def _prescribed(problem: Problem, alternative: Alternative, place: int) -> Expr:
    item = alternative.sets[place]
    expr = item.value if isinstance(item, Assign) else item.where
    return expand_looking_back(problem, expr, _differing(alternative, place))
