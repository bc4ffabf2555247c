"""What is to be proved about a task, as terms: evidence, walks, repairs and costs.

In: a `Problem`. Out: terms over named integers:

    NAME@0    a variable in the unrepaired world
    FIELD@1   what the first fired rule sets the field to, FIELD@2 the second, ...
    FIELD@r   a field in the repaired world
    NUMBER@e  an observation of the evidence, by its position

A caller may pass values for some of these names as `known`; the others stay open.

A *path* is the shape of a walk: the fired rules, all different, and the alternatives that they use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

import attrs

from solvers.outcome import Uniqueness, Walk
from solvers.problem import (
    Alternative,
    Assign,
    Direction,
    Expr,
    Keep,
    Kind,
    Pick,
    Problem,
    Rule,
    Sense,
    Var,
    Variable,
)
from solvers.proving.encode import Encoder, TermState
from solvers.proving.smtlib import BOOL, FALSE_TERM, TRUE_TERM, Term, TermPool, integer, symbol

NAMES_EXPLAINED = (
    "Names: x@0 is x in the unrepaired world, x@1 what the first fired rule sets it to, x@r x in a repaired world"
)

Path = tuple[tuple[int, int], ...]
FieldValues = Mapping[str, int]
NO_VALUES: FieldValues = {}


def path_of(walk: Walk) -> Path:
    return tuple((step.rule, step.alternative) for step in walk.steps)


def start_name(variable: str) -> str:
    return f"{variable}@0"


def set_name(field: str, step: int) -> str:
    return f"{field}@{step + 1}"


def repaired_name(field: str) -> str:
    return f"{field}@r"


def evidence_name(number: int) -> str:
    return f"{number}@e"


@attrs.frozen(eq=False)
class Route:
    """The states along a path: one for each fired rule, then the last."""

    path: Path
    states: tuple[TermState, ...]

    @property
    def start(self) -> TermState:
        return self.states[0]

    @property
    def final(self) -> TermState:
        return self.states[-1]


class Claims:
    """Builds the terms of one problem; parts that several claims share are built once.

    Attributes:
        free: The variables that worlds of the same evidence may disagree on.
        fixed: The others, in the order of the problem.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.encoder = Encoder(problem)
        self._variables = {variable.name: variable for variable in problem.variables}
        exact = {shown.value.name for shown in problem.observations if isinstance(shown.value, Var)}
        self.free = tuple(
            variable.name
            for variable in problem.variables
            if variable.kind is Kind.HIDDEN or (variable.kind is Kind.GIVEN and variable.name not in exact)
        )
        self.fixed = tuple(variable.name for variable in problem.variables if variable.name not in self.free)
        self._start = self._new_start(NO_VALUES)

    @property
    def pool(self) -> TermPool:
        return self.encoder.pool

    # ---- worlds and evidence -----------------------------------------------------------------------

    def start(self, known: FieldValues = NO_VALUES) -> TermState:
        """Return the unrepaired world."""
        if not known:
            return self._start
        return self._new_start(known)

    def _new_start(self, known: FieldValues) -> TermState:
        return TermState({name: _number(start_name(name), known) for name in self._variables}, label="0")

    def in_domains(self, state: TermState, names: Iterable[str]) -> Term:
        return self.pool.all_of(self.in_domain(state.values[name], name) for name in names)

    def in_domain(self, term: Term, name: str) -> Term:
        return self.pool.one_of(term, self._variables[name].domain)

    def valid(self, state: TermState) -> Term:
        return self.encoder.term(self.problem.valid, state)

    def stated(self, state: TermState) -> Term:
        return self.encoder.term(self.problem.stated, state)

    def same_evidence(self, state: TermState, known: FieldValues = NO_VALUES) -> Term:
        """Whether the world at `state` shows the evidence.

        Observations of fixed variables alone are left out: they are the same in every world of a class.
        """
        open_names = {start_name(name) for name in self.free}
        parts = []
        for number, observation in enumerate(self.problem.observations):
            shown = self.encoder.number(observation.value, state)
            if shown.symbols & open_names:
                parts.append(self.pool.equal(shown, _number(evidence_name(number), known)))
        return self.pool.all_of(parts)

    # ---- walks -------------------------------------------------------------------------------------

    def route(self, start: TermState, path: Path, known: FieldValues = NO_VALUES) -> Route:
        """Return the states along `path`."""
        states = [start]
        for step, (rule, number) in enumerate(path):
            fields = [item.field for item in self.problem.rules[rule].alternatives[number].sets]
            new = {field: _number(set_name(field, step), known) for field in fields}
            states.append(states[-1].entered(new, str(step + 1)))
        return Route(path, tuple(states))

    def takes_told_route(self, route: Route) -> Term:
        """Whether the walk that the page tells takes exactly this route and gives an answer.

        Its start satisfies what is stated.
        """
        return self._takes_route(route, self.problem.stated)

    def _takes_route(self, route: Route, exists: Expr) -> Term:
        """Whether the walk takes exactly this route and gives an answer, if every state on the way has to be one.

        The rules of a path differ, so none fires twice; and the fix isn't empty, since a rule fires at the
        start and none at the end.
        """
        parts: list[Term] = []
        rules = self.problem.rules
        for (number, used), state, after in zip(route.path, route.states, route.states[1:], strict=False):
            parts += [self._silent(route.start, state, number), self._guard(route.start, state, rules[number])]
            parts += [self.pool.negate(self._has_value(state, other)) for other in rules[number].alternatives[:used]]
            parts.append(self._sets_exactly(state, rules[number].alternatives[used], after))
            parts.append(self.encoder.term(exists, after))
        parts.append(self._silent(route.start, route.final, len(rules)))
        parts.append(self.encoder.term(self.problem.sound, route.final))
        return self.pool.all_of(parts)

    def takes_route_in_domains(self, route: Route) -> Term:
        """Whether the walk from a valid start takes this route and gives a task, each set within its field's domain."""
        return self.pool.all_of(
            (
                *(
                    self.in_domain(after.values[item.field], item.field)
                    for (rule, number), after in zip(route.path, route.states[1:], strict=True)
                    for item in self.problem.rules[rule].alternatives[number].sets
                ),
                self._takes_route(route, self.problem.valid),
            )
        )

    def _silent(self, start: TermState, state: TermState, count: int) -> Term:
        """Whether none of the first `count` rules fires in a state that came from `start`."""
        return self.pool.all_of(
            self.pool.negate(self._guard(start, state, rule)) for rule in self.problem.rules[:count]
        )

    def _guard(self, start: TermState, state: TermState, rule: Rule) -> Term:
        return self.encoder.term(rule.guard, state.looking_back(start))

    def _sets_exactly(self, fired_in: TermState, alternative: Alternative, after: TermState) -> Term:
        """Whether `alternative`, in the state in which its rule fired, sets what it has set in `after`."""
        parts: list[Term] = []
        state = fired_in
        for item in alternative.sets:
            chosen = after.values[item.field]
            match item:
                case Assign(value=value):
                    parts.append(self.pool.equal(chosen, self.encoder.number(value, state)))
                case Pick():
                    tries = _tries(self._variables[item.field], item.direction)
                    parts += [self._one_try(state, item, chosen, tries[: number + 1]) for number in range(len(tries))]
                case _:
                    assert_never(item)
            state = state.changed({item.field: chosen})
        return self.pool.all_of(parts)

    def _one_try(self, state: TermState, item: Pick, chosen: Term, tries: Sequence[int]) -> Term:
        """Whether the last of `tries` fits if it is the chosen value, and doesn't fit if the choice comes later."""
        tried = integer(tries[-1])
        fits = self._fits(state, item, tries[-1])
        return self.pool.all_of(
            (
                self.pool.implies(self.pool.equal(chosen, tried), fits),
                self.pool.any_of((self.pool.one_of(chosen, tries), self.pool.negate(fits))),
            )
        )

    def _has_value(self, fired_in: TermState, alternative: Alternative) -> Term:
        """Whether each set of `alternative` has a value in the state in which its rule fired."""
        parts: list[Term] = []
        state = fired_in
        for item in alternative.sets:
            match item:
                case Assign(value=value):
                    chosen = self.encoder.number(value, state)
                    parts.append(self.in_domain(chosen, item.field))
                case Pick():
                    *better, chosen_last = _tries(self._variables[item.field], item.direction)
                    chosen = integer(chosen_last)
                    fits = [self._fits(state, item, chosen_last)]
                    for tried in reversed(better):
                        fits.append(self._fits(state, item, tried))
                        chosen = self.pool.choose(fits[-1], integer(tried), chosen)
                    parts.append(self.pool.any_of(fits))
                case _:
                    assert_never(item)
            state = state.changed({item.field: chosen})
        return self.pool.all_of(parts)

    def _fits(self, state: TermState, item: Pick, tried: int) -> Term:
        return self.encoder.term(item.where, state.changed({item.field: integer(tried)}))

    # ---- repairs -----------------------------------------------------------------------------------

    def repaired(self, start: TermState, fields: Iterable[str], known: FieldValues = NO_VALUES) -> TermState:
        """Return the repaired world, in which `fields` have new values."""
        return start.entered({field: _number(repaired_name(field), known) for field in fields}, "r")

    def is_repair(self, route: Route, mended: TermState) -> Term:
        """Whether `mended`, a world inside the domains, is a repair of the world that walks `route`."""
        return self.pool.all_of(
            (
                self.valid(mended),
                self.encoder.term(self.problem.sound, mended),
                self._silent(route.start, mended, len(self.problem.rules)),
                self.keeps_hold(route, mended),
            )
        )

    def fix_mends(self, route: Route) -> Term:
        """Whether the net change of a told route, which is taken, is a repair of its start, if that is valid."""
        kept = self.keeps_hold(route, route.final)
        if self.problem.stated == self.problem.valid:  # the route has asked already
            return kept
        return self.pool.implies(self.valid(route.start), self.pool.all_of((self.valid(route.final), kept)))

    def keeps_hold(self, route: Route, mended: TermState) -> Term:
        """Whether the system's keeps and those of the fired rules hold in `mended`."""
        named = self.named_fields(route.path)
        parts = [self._kept(keep, route.start, mended) for keep in self.problem.keeps]
        for (rule, _), state in zip(route.path, route.states, strict=False):
            parts += [
                self._kept(keep, state, mended) for keep in self.problem.rules[rule].keeps if keep.field not in named
            ]
        return self.pool.all_of(parts)

    def _kept(self, keep: Keep, earlier: TermState, later: TermState) -> Term:
        old, new = self.encoder.number(keep.value, earlier), self.encoder.number(keep.value, later)
        match keep.sense:
            case Sense.EQUAL:
                return self.pool.equal(new, old)
            case Sense.NOT_ABOVE:
                return self.pool.apply("<=", (new, old), BOOL)
            case Sense.NOT_BELOW:
                return self.pool.apply(">=", (new, old), BOOL)
        assert_never(keep.sense)

    def named_fields(self, path: Path) -> tuple[str, ...]:
        """List the fields that the alternatives of `path` set, in field order."""
        named = {item.field for rule, number in path for item in self.problem.rules[rule].alternatives[number].sets}
        return tuple(name for name in self._variables if name in named)

    # ---- costs -------------------------------------------------------------------------------------

    def rival_cost(
        self, route: Route, mended: TermState, fields: Sequence[str], level: Uniqueness, changes: int
    ) -> Term:
        """Whether a change of `fields` differs from the net change of `route` and is cheap enough to be a rival.

        Args:
            fields: In field order. No other field differs in `mended` or along the route.
            changes: How many fields the route changes, net.
        """
        pool = self.pool
        old, fix, new = route.start.values, route.final.values, mended.values
        changed = [pool.negate(pool.equal(new[field], old[field])) for field in fields]
        few = self._at_most(changed, changes)
        if level is not Uniqueness.PREFERRED:
            return pool.all_of((few, pool.any_of(pool.negate(pool.equal(new[field], fix[field])) for field in fields)))
        cheaper = FALSE_TERM
        for field in reversed(fields):
            better = self._preferred(field, new[field], fix[field])
            cheaper = pool.choose(pool.equal(new[field], fix[field]), cheaper, better)
        for field, is_changed in zip(reversed(fields), reversed(changed), strict=True):
            fixed = pool.negate(pool.equal(fix[field], old[field]))
            cheaper = pool.choose(pool.equal(is_changed, fixed), cheaper, is_changed)
        return pool.all_of((few, pool.any_of((self._at_most(changed, changes - 1), cheaper))))

    def _at_most(self, flags: Sequence[Term], count: int) -> Term:
        """Whether at most `count` flags hold, as a chain of partial counts."""
        if count < 0:
            return FALSE_TERM
        reached = [FALSE_TERM] * (count + 1)  # reached[n]: more than n of the flags so far hold
        for flag in flags:
            for number in reversed(range(count + 1)):
                one_less = reached[number - 1] if number else TRUE_TERM
                reached[number] = self.pool.any_of((reached[number], self.pool.all_of((one_less, flag))))
        return self.pool.negate(reached[count])

    def _preferred(self, field: str, new: Term, old: Term) -> Term:
        """Whether the value `new` of `field` is preferred to `old`."""
        variable = self._variables[field]
        order = variable.preference or variable.domain
        if list(order) == sorted(order):
            return self.pool.apply("<", (new, old), BOOL)
        if list(order) == sorted(order, reverse=True):
            return self.pool.apply(">", (new, old), BOOL)
        return self.pool.any_of(
            self.pool.all_of((self.pool.equal(new, integer(value)), self.pool.one_of(old, order[place + 1 :])))
            for place, value in enumerate(order)
        )


def _number(name: str, known: FieldValues) -> Term:
    return integer(known[name]) if name in known else symbol(name)


def _tries(variable: Variable, direction: Direction) -> tuple[int, ...]:
    """List the values of a domain in the order in which a prescription tries them."""
    match direction:
        case Direction.LARGEST:
            return tuple(sorted(variable.domain, reverse=True))
        case Direction.SMALLEST:
            return tuple(sorted(variable.domain))
        case Direction.FIRST:
            return variable.preference or variable.domain
    assert_never(direction)
