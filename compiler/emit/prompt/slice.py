"""What decides the answers of a system, and so has to be on its page.

In: a system. Out: the relations that a page defines, the variables and tables that it names, and the printed things
that it explains. Everything that a rule or a stated condition reads is needed, directly or through relations; a hidden
variable among it is relevant. A printed thing is explained if what it shows depends on a relevant variable; then all
that it depends on is needed too, and the hidden variables in that are relevant. Nothing else can change an answer: what
isn't explained depends on none of the relevant variables. With an attribute the page explains when its line is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from compiler.emit.prompt.text import is_rounded
from compiler.plan import EventPlan, SystemPlan
from solvers.problem import Expr, Kind, Lookup, RelationValue, Var, With, prescribed, walk_expr


@attrs.frozen
class ExplainedEvent:
    """What a page explains of a log event.

    Attributes:
        presence: Whether the line is there.
        attributes: Names of attributes.
        place: Whether it stands before the other event's line.
    """

    presence: bool = False
    attributes: frozenset[str] = frozenset()
    place: bool = False

    def __bool__(self) -> bool:
        return self.presence or bool(self.attributes) or self.place


@attrs.frozen
class Slice:
    """What decides the answers of a system.

    Attributes:
        relations: Names of the needed relations.
        defined: Those of them that another formula of the page reads; the rest is read off the profiler only.
        variables: Names of the needed variables; a variable that only a `with` sets is one.
        relevant: Those of them whose value a page doesn't give: hidden ones, and facts that are printed rounded.
        tables: Names of the needed tables.
        values: Names of the explained profiler values.
        events: What is explained of each event, by name; events without an explained part aren't here.
    """

    relations: frozenset[str]
    defined: frozenset[str]
    variables: frozenset[str]
    relevant: frozenset[str]
    tables: frozenset[str]
    values: frozenset[str]
    events: dict[str, ExplainedEvent]


def slice_of(system: SystemPlan) -> Slice:
    """Find what decides the answers of `system`."""
    return _Slicer(system).slice()


def open_variables(system: SystemPlan) -> frozenset[str]:
    """Name the variables whose value a page doesn't give."""
    return frozenset(_Slicer(system).open)


def answering_variables(system: SystemPlan) -> frozenset[str]:
    """Name the open variables on which an answer may depend; what only a stated condition reads isn't among them."""
    return _Slicer(system).answering_variables()


def variables_behind(system: SystemPlan, exprs: Iterable[Expr]) -> frozenset[str]:
    """Name the variables that some expressions read or set, directly or through relations."""
    return frozenset(_Slicer(system).depends(exprs))


@attrs.frozen
class _Shown:
    """One printed thing: the event and the part of it, or a profiler value without one; and what it shows.

    Attributes:
        there: When an attribute's line is there.
    """

    name: str
    part: str
    exprs: tuple[Expr, ...]
    there: tuple[Expr, ...] = ()


_VALUE, _PRESENCE, _PLACE = "value", "presence", "place"


@attrs.frozen(eq=False)
class _Reached:
    """What formulas read, directly and through relations."""

    relations: set[str] = attrs.field(factory=set)
    read: set[str] = attrs.field(factory=set)
    variables: set[str] = attrs.field(factory=set)
    tables: set[str] = attrs.field(factory=set)


class _Slicer:
    def __init__(self, system: SystemPlan) -> None:
        self.system = system
        self.definitions = dict(system.problem.relations)
        rounded = {plan.name for plan in system.variables if is_rounded(plan.display)}
        self.open = {each.name for each in system.problem.variables if each.kind is Kind.HIDDEN or each.name in rounded}

    def slice(self) -> Slice:
        reached = _Reached()
        self.reach(self.deciding(), reached)
        waiting = list(self.shown())
        explained: list[_Shown] = []
        while news := [shown for shown in waiting if self.depends(shown.exprs) & reached.variables & self.open]:
            waiting = [shown for shown in waiting if shown not in news]
            explained += news
            for shown in news:
                self.reach(shown.exprs, reached, named=shown.part != _VALUE)
                self.reach(shown.there, reached)
        return Slice(
            relations=frozenset(reached.relations),
            defined=frozenset(reached.read),
            variables=frozenset(reached.variables),
            relevant=frozenset(reached.variables & self.open),
            tables=frozenset(reached.tables),
            values=frozenset(shown.name for shown in explained if shown.part == _VALUE),
            events=self.events(explained),
        )

    def answering_variables(self) -> frozenset[str]:
        """What is read by rules, by what a repair has to keep true, and by what tells of these."""
        problem = self.system.problem
        changing = {variable.name for variable in problem.editable}
        conditions = [condition for _, condition in (*self.system.requires, *self.system.stated)]
        judging = [each for each in conditions if self.depends((each,)) & changing]
        kept = [keep.value for keep in (*problem.keeps, *(keep for rule in problem.rules for keep in rule.keeps))]
        found = self.depends((*self.read_by_rules(), problem.sound, *kept, *judging))
        links = [self.depends((each,)) for each in conditions]
        links += [self.depends((*shown.exprs, *shown.there)) for shown in self.shown()]
        while news := [link for link in links if link & found & self.open and not link <= found]:
            found = found.union(*news)
        return frozenset(found & self.open)

    def read_by_rules(self) -> Iterator[Expr]:
        for rule in self.system.problem.rules:
            yield rule.guard
            yield from prescribed(rule)

    def deciding(self) -> Iterator[Expr]:
        """Everything that a rule or a stated condition reads."""
        yield from self.read_by_rules()
        yield from (condition for _, condition in self.system.stated)

    def shown(self) -> Iterator[_Shown]:
        """All printed things whose value isn't that of a config field."""
        for relation in self.system.relations:
            if relation.display is not None:
                own: Expr = RelationValue(relation.name)
                yield _Shown(relation.name, _VALUE, (own,) if relation.when is None else (own, relation.when))
        for event in self.system.events:
            yield from _shown_parts(event)

    def depends(self, exprs: Iterable[Expr]) -> set[str]:
        reached = _Reached()
        self.reach(exprs, reached)
        return reached.variables

    def reach(self, exprs: Iterable[Expr], reached: _Reached, *, named: bool = True) -> None:
        """Add what `exprs` read; without `named`, a relation that stands alone isn't counted as read."""
        for expr in exprs:
            if isinstance(expr, RelationValue) and not named:
                self.relation(expr.name, reached)
                continue
            for node in walk_expr(expr):
                match node:
                    case Var(name=name):
                        reached.variables.add(name)
                    case With(changes=changes):
                        reached.variables.update(name for name, _ in changes)
                    case Lookup(table=table):
                        reached.tables.add(table)
                    case RelationValue(name=name):
                        reached.read.add(name)
                        self.relation(name, reached)

    def relation(self, name: str, reached: _Reached) -> None:
        if name not in reached.relations:
            reached.relations.add(name)
            self.reach((self.definitions[name],), reached)

    def events(self, explained: Iterable[_Shown]) -> dict[str, ExplainedEvent]:
        found: dict[str, ExplainedEvent] = {}
        for shown in explained:
            if shown.part == _VALUE:
                continue
            event = found.get(shown.name, ExplainedEvent())
            match shown.part:
                case "presence":
                    found[shown.name] = attrs.evolve(event, presence=True)
                case "place":
                    found[shown.name] = attrs.evolve(event, place=True)
                case attribute:
                    name = attribute.removeprefix(".")
                    attributes = event.attributes | {name}
                    found[shown.name] = attrs.evolve(event, attributes=attributes, presence=bool(shown.there))
        return found


def _shown_parts(event: EventPlan) -> Iterator[_Shown]:
    """The parts of an event; a repeated one has them at each of its values."""
    lines = event.occurrences or (event,)
    conditions = tuple(line.condition for line in lines if line.condition is not None)
    if conditions:
        yield _Shown(event.name, _PRESENCE, conditions)
    for number, attribute in enumerate(event.attributes):
        values = tuple(line.attributes[number].value for line in lines)
        yield _Shown(event.name, f".{attribute.name}", values, conditions)
    if event.placed is not None:
        yield _Shown(event.name, _PLACE, (event.placed,))
