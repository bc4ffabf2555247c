"""Between which bounds every value of a system lies: possible divisions by zero, overflows, missing entries.

In: a checked system. Out: diagnostics, and answers to "can this condition hold?" for the lints. Intervals
decide most; where they leave a question open, all combinations of the variables that
the value depends on are tried, if they are few enough. What can't be shown to be right is an error: later stages
rely on it.

A division counts as reached wherever it stands, even in a branch of an `if` that isn't taken, and whatever is
required of worlds: those that a reader thinks of may break it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import attrs
import numpy as np

from dsl.analysis.growth import check_growth
from dsl.analysis.intervals import NO, YES, Interval, apply_interval, hull, union
from dsl.checked import (
    CheckedCase,
    CheckedProgram,
    CheckedSystem,
    Constant,
    Earlier,
    Operation,
    Printing,
    PrintingForm,
    RelationRef,
    TableRef,
    Typed,
    VariableRef,
    Within,
    expressions_of,
    walk_typed,
)
from dsl.diagnostics.collector import Collector
from dsl.evaluation import Evaluator, grid, grid_size
from dsl.operators import ArithmeticOp, DivisionOp, LogicOp
from dsl.source import Span
from dsl.value_types import FLAG, MAX_MAGNITUDE, Quantity, value_text
from gpu_train_debug.wording import listed

MAX_POINTS: Final = 100_000
"""How many combinations of values are tried out for one question."""

MAX_BOUND_WORK: Final = 100_000_000
"""How many values are computed for all questions of a system together."""

DIVISIONS: Final = (DivisionOp.FLOOR, DivisionOp.CEIL, ArithmeticOp.MOD)
"""Operators with a divisor, which must not be 0."""


def check_bounds(program: CheckedProgram, collector: Collector) -> dict[str, Bounds]:
    """Check the bounds of every expression of the program; gives the bounds of each system that is small enough."""
    found = {}
    for name, system in program.systems.items():
        if check_growth(system, collector):
            found[name] = Bounds(system, collector)
            found[name].check_system()
    for archetype in program.archetypes.values():
        if archetype.system in found:
            for condition in (*archetype.wheres, *archetype.hards, *archetype.tells):
                found[archetype.system].interval(condition.condition)
    for case in program.cases.values():
        if case.system in found:
            found[case.system].check_case(case)
    for dataset in program.datasets.values():
        for region in dataset.regions:
            if region.system in found:
                found[region.system].interval(region.condition)
    return found


@attrs.frozen(eq=False)
class _Place:
    """The world in which an expression is evaluated: that of `outer`, with `changes` on top.

    Attributes:
        intervals: Of the changed variables.
        relations: What has been found out in this world.
    """

    outer: _Place | None = None
    changes: tuple[tuple[str, Typed], ...] = ()
    intervals: Mapping[str, Interval] = attrs.field(factory=dict)
    relations: dict[str, Interval | None] = attrs.field(factory=dict)

    def written_out(self, expr: Typed) -> Typed:
        """`expr` as an expression of the unchanged world."""
        place: _Place | None = self
        while place is not None and place.changes:
            expr = Within(expr, place.changes, expr.type, span=expr.span)
            place = place.outer
        return expr


@attrs.frozen(eq=False)
class _Tried:
    """Values for every combination of some variables, one axis for each."""

    names: tuple[str, ...]
    values: np.ndarray[tuple[int, ...], np.dtype[np.object_]]


class Bounds:
    """Intervals of the expressions of one system; each finding is reported once."""

    def __init__(self, system: CheckedSystem, collector: Collector) -> None:
        self._system = system
        self._collector = collector
        self._relations = {relation.name: relation.value for relation in system.relations}
        self._domains = {variable.name: variable.domain for variable in system.variables}
        self._supports: dict[str, frozenset[str]] = {}
        self._known: dict[int, tuple[Typed, Interval | None]] = {}  # by identity; the expression keeps it valid
        self._work = MAX_BOUND_WORK
        self._world = _Place(intervals={name: hull(domain) for name, domain in self._domains.items()})

    def check_system(self) -> None:
        for variable in self._system.variables:
            self._check_printing(variable.printing, hull(variable.domain), variable.span)
        for relation in self._system.relations:
            self._check_printing(relation.printing, self.interval(relation.value), relation.span)
        for expr in expressions_of(self._system):
            self.interval(expr)
        for noise in self._system.noise_values:
            self._check_printing(noise.printing, hull(noise.domain), noise.span)
        for line in (line for event in self._system.events for line in event.lines):
            for attribute in line.attributes:
                self._check_printing(attribute.printing, self.interval(attribute.value), attribute.span)

    def check_case(self, case: CheckedCase) -> None:
        for condition in case.wheres:
            self.interval(condition.condition)
        for fact in case.facts:
            if fact.value is not None:
                self._check_printing(fact.printing, self.interval(fact.value), fact.span)

    def _check_printing(self, printing: PrintingForm | None, bounds: Interval | None, span: Span) -> None:
        """Rounding multiplies first; the product has to stay in range too."""
        if not isinstance(printing, Printing) or bounds is None:
            return
        largest = max(abs(bounds.low), abs(bounds.high))
        if 2 * largest * printing.numerator * 10**printing.decimals + printing.denominator > MAX_MAGNITUDE:
            self._collector.error(
                "E308",
                "the value may be too large to print with these decimals",
                span,
                f"it may reach {largest}, and its printed digits would then exceed 2^60",
            )

    def interval(self, expr: Typed) -> Interval | None:
        """The bounds of `expr` over all worlds; None after an error in it. Computed once for each expression."""
        if id(expr) not in self._known:
            self._known[id(expr)] = (expr, self._bounds(expr, self._world))
        return self._known[id(expr)][1]

    # -------------------------------------------------------------- intervals

    def _bounds(self, expr: Typed, place: _Place) -> Interval | None:
        match expr:
            case Constant(value=value):
                return Interval(value, value)
            case VariableRef(name=name):
                return place.intervals.get(name, self._world.intervals[name])
            case RelationRef(name=name):
                if place is self._world:
                    return self.interval(self._relations[name])
                if name not in place.relations:
                    place.relations[name] = self._bounds(self._relations[name], place)
                return place.relations[name]
            case Within(body=body, changes=changes):
                return self._within(body, changes, place)
            case Earlier(body=body):
                return self.interval(body)
            case TableRef():
                return self._entry(expr, place)
            case Operation():
                return self._operation(expr, place)

    def _within(self, body: Typed, changes: tuple[tuple[str, Typed], ...], place: _Place) -> Interval | None:
        new = {name: self._bounds(value, place) for name, value in changes}
        known = {name: interval for name, interval in new.items() if interval is not None}
        if len(known) < len(new):
            return None
        intervals = {**place.intervals, **known}
        return self._bounds(body, _Place(place, changes, intervals))

    def _operation(self, expr: Operation, place: _Place) -> Interval | None:
        found = [self._bounds(arg, place) for arg in expr.args]
        args = [arg for arg in found if arg is not None]
        if len(args) < len(found):
            return None
        if expr.op in DIVISIONS and 0 in args[1]:
            return self._division(expr, args, place)
        result = apply_interval(expr.op, args)
        if max(abs(result.low), abs(result.high)) <= MAX_MAGNITUDE:
            return result
        tried = self._tried(place.written_out(expr))
        if tried is not None:
            result = hull(tried.values.ravel().tolist())
        if max(abs(result.low), abs(result.high)) <= MAX_MAGNITUDE:
            return result
        far = result.high if abs(result.high) >= abs(result.low) else result.low
        self._collector.error(
            "E308",
            "this value may be out of range",
            expr.span,
            f"may reach {far}" if abs(far) < 10**30 else "may exceed 10^30 in size",
            notes=("every value must lie between -2^60 and 2^60",),
            helps=("use a larger unit, or smaller domains",),
        )
        return None

    def _division(self, expr: Operation, args: list[Interval], place: _Place) -> Interval | None:
        """A division whose divisor may be 0 as far as intervals tell."""
        divisor = place.written_out(expr.args[1])
        tried = self._tried(divisor)
        if tried is not None and not (tried.values == 0).any():
            values = hull(tried.values.ravel().tolist())
            sides = [Interval(values.low, min(values.high, -1)), Interval(max(values.low, 1), values.high)]
            results = [apply_interval(expr.op, [args[0], side]) for side in sides if side.low <= side.high]
            return results[0] if len(results) == 1 else union(results[0], results[1])
        self._collector.error(
            "E307",
            "the divisor may be 0",
            expr.args[1].span,
            "this may be 0",
            notes=(
                f"as far as is known, it is {args[1]}"
                if tried is None
                else f"it is {self._zero_where(tried, divisor)}",
            ),
            helps=("write `max(1, ...)`, or leave 0 out of the domain; an `if` around it isn't enough",),
        )
        return None

    def _entry(self, expr: TableRef, place: _Place) -> Interval | None:
        key = self._bounds(expr.key, place)
        if key is None:
            return None
        entries = dict(expr.entries)
        if not isinstance(expr.key.type, Quantity):
            return hull(list(entries.values()))
        tried = self._tried(place.written_out(expr.key))
        near = range(key.low, min(key.high, key.low + len(entries)) + 1)
        keys = list(near) if tried is None else sorted(set(tried.values.ravel().tolist()))
        missing = [value_text(value, expr.key.type) for value in keys if value not in entries]
        if missing:
            self._collector.error(
                "E312",
                f"`{expr.table}` has no entry for {listed(missing, limit=4)}",
                expr.key.span,
                "this key can have such a value",
                notes=(f"as far as is known, the key is {key}",),
            )
            return None
        return hull([entries[value] for value in keys])

    # -------------------------------------------------------------- trying out

    def support(self, expr: Typed) -> frozenset[str]:
        """The variables that `expr` depends on, through relations, in the world as it is.

        What looks back at an earlier state doesn't depend on this one.
        """
        match expr:
            case Constant():
                return frozenset()
            case VariableRef(name=name):
                return frozenset({name})
            case RelationRef(name=name):
                if name not in self._supports:
                    self._supports[name] = self.support(self._relations[name])
                return self._supports[name]
            case Operation(args=args):
                return frozenset().union(*(self.support(arg) for arg in args))
            case TableRef(key=key):
                return self.support(key)
            case Earlier():
                return frozenset()
            case Within(body=body, changes=changes):
                inside = self.support(body)
                outside = [self.support(value) for name, value in changes if name in inside]
                return (inside - {name for name, _ in changes}).union(*outside)

    def _tried(self, expr: Typed) -> _Tried | None:
        """The values of `expr` for all combinations of the variables it depends on; None if they are too many."""
        domains = {name: self._domains[name] for name in sorted(self.support(expr))}
        points = grid_size(domains)
        if points > MAX_POINTS or any(isinstance(node, Earlier) for node in walk_typed(expr)):
            return None
        work = points * self._size(expr)
        if work > self._work:
            return None
        self._work -= work
        try:
            values = Evaluator(grid(domains), self._relations).value(expr)
        except (ZeroDivisionError, KeyError):  # reported where it happens
            return None
        return _Tried(tuple(domains), np.asarray(values, dtype=object))

    def _size(self, expr: Typed) -> int:
        """Terms of `expr` and of the relations that it depends on."""
        size, seen, stack = 0, set[str](), [expr]
        while stack:
            for node in walk_typed(stack.pop()):
                size += 1
                if isinstance(node, RelationRef) and node.name not in seen:
                    seen.add(node.name)
                    stack.append(self._relations[node.name])
        return size

    def _zero_where(self, tried: _Tried, divisor: Typed) -> str:
        """The first combination for which a value that was tried is 0, in words."""
        zero = tried.values == 0
        index = np.unravel_index(int(np.argmax(zero.ravel())), zero.shape)
        names = []
        for name, place in () if zero.all() else zip(tried.names, index, strict=True):
            variable = self._system.variable(name)
            names.append(f"{name} = {value_text(variable.domain[int(place)], variable.type)}")
        names += [f"{name} = {value_text(value.value, value.type)}" for name, value in _fixed(divisor)]
        return f"0 where {', '.join(dict.fromkeys(names))}" if names else "always 0"

    # -------------------------------------------------------------- questions of the lints

    def never(self, *conditions: Typed) -> bool:
        """Whether it is sure that the conditions don't hold together in any world."""
        if any(self.interval(condition) == NO for condition in conditions):
            return True
        together = Operation(LogicOp.AND, conditions, FLAG, span=conditions[0].span)
        tried = self._tried(together)
        return tried is not None and not tried.values.astype(bool).any()

    def always(self, condition: Typed) -> bool:
        """Whether it is sure that the condition holds in every world."""
        if self.interval(condition) == YES:
            return True
        tried = self._tried(condition)
        return tried is not None and bool(tried.values.astype(bool).all())


def _fixed(expr: Typed) -> Iterator[tuple[str, Constant]]:
    """The names that have a known value in `expr` alone: set by a `with`, or bound around it."""
    for node in walk_typed(expr):
        if isinstance(node, Constant) and node.bound:
            yield node.bound, node
        elif isinstance(node, Within):
            yield from ((name, value) for name, value in node.changes if isinstance(value, Constant))
