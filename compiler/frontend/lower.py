"""From a checked program to problems for the solvers, with all that is needed to print them.

In: a `CheckedProgram`. Out: a `ProgramPlan`. Total: what could go wrong was refused by the checks. Flags and
enumerations become integers with labels; constants lose their unit, which the printed form states once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from compiler.frontend.lower_expressions import (
    all_of,
    as_integer,
    lower_condition,
    lower_integer,
    lower_value,
    shown_amount,
    sort_of,
)
from compiler.plan import (
    ArchetypePlan,
    AttributePlan,
    CasePlan,
    DatasetPlan,
    Display,
    EventPlan,
    NoiseLinePlan,
    NoiseValuePlan,
    ProgramPlan,
    RegionPlan,
    RelationPlan,
    RulePlan,
    SplitPlan,
    SystemPlan,
    TablePlan,
    VariablePlan,
)
from dsl.checked import (
    CheckedArchetype,
    CheckedAssign,
    CheckedAttribute,
    CheckedCase,
    CheckedCondition,
    CheckedDataset,
    CheckedEvent,
    CheckedFact,
    CheckedKeep,
    CheckedNoiseLine,
    CheckedNoiseValue,
    CheckedPick,
    CheckedProgram,
    CheckedRelation,
    CheckedRule,
    CheckedSet,
    CheckedSystem,
    CheckedTable,
    CheckedVariable,
    ExactPrinting,
    Printing,
    PrintingForm,
)
from dsl.syntax.loader import Loaded
from dsl.value_types import Enumeration, Flag, Quantity, ValueType, unit_of
from solvers.outcome import WalkAnswer
from solvers.problem import (
    TRUE,
    Alternative,
    Apply,
    Assign,
    Const,
    Direction,
    Expr,
    Keep,
    Kind,
    Observation,
    Op,
    Pick,
    Problem,
    RelationValue,
    Rule,
    Sense,
    Var,
    Variable,
    conjunction,
)


def lower_program(checked: CheckedProgram, loaded: Loaded) -> ProgramPlan:
    """Lower everything, each part by name in sorted order."""
    return ProgramPlan(
        systems={name: _system(system) for name, system in checked.systems.items()},
        archetypes={
            name: _archetype(archetype, checked.systems[archetype.system])
            for name, archetype in checked.archetypes.items()
        },
        datasets={name: _dataset(dataset) for name, dataset in checked.datasets.items()},
        cases={name: _case(case) for name, case in checked.cases.items()},
        sources=dict(sorted(loaded.digests.items())),
    )


# ------------------------------------------------------------------ systems


def _system(system: CheckedSystem) -> SystemPlan:
    variables = tuple(_variable_plan(variable, system.singulars) for variable in system.variables)
    relations = tuple(_relation_plan(relation, system.singulars) for relation in system.relations)
    events = tuple(_event(event, system.singulars) for event in system.events)
    requires, sounds = _conditions(system.requires), _conditions(system.sounds)
    stated = _conditions(each for each in system.requires if each.stated)
    problem = Problem(
        name=system.name,
        variables=tuple(_variable(variable) for variable in system.variables),
        relations=tuple((relation.name, lower_value(relation.value)) for relation in system.relations),
        observations=(*_config(system, variables), *_profiler(system, relations), *_log(events)),
        rules=tuple(_rule(rule) for rule in system.rules),
        valid=conjunction(condition for _, condition in requires),
        sound=conjunction(condition for _, condition in sounds),
        stated=conjunction(condition for _, condition in stated),
        keeps=tuple(_keep(keep, binding=True) for keep in system.keeps),
    )
    return SystemPlan(
        name=system.name,
        title=system.title,
        problem=problem,
        variables=variables,
        relations=relations,
        events=events,
        rules=tuple(RulePlan(rule.name, rule.code, rule.title, rule.says) for rule in system.rules),
        tables=tuple(_table_plan(table) for table in system.tables),
        requires=requires,
        sounds=sounds,
        stated=stated,
        noise_lines=tuple(map(_noise_line, system.noise_lines)),
        noise_values=tuple(_noise_value(noise, system.singulars) for noise in system.noise_values),
        span=system.span,
        checked=system,
    )


def _conditions(conditions: Iterable[CheckedCondition]) -> tuple[tuple[str, Expr], ...]:
    """Conditions with the texts that people read."""
    return tuple((each.text, lower_condition(each.condition)) for each in conditions)


def _variable(variable: CheckedVariable) -> Variable:
    return Variable(
        name=variable.name,
        kind=Kind(variable.kind),
        domain=variable.domain,
        editable=variable.editable,
        preference=variable.preference,
    )


def _variable_plan(variable: CheckedVariable, singulars: Mapping[str, str]) -> VariablePlan:
    return VariablePlan(
        name=variable.name,
        text=variable.text,
        display=_display(variable.type, variable.printing, singulars),
        prefer=variable.prefer,
        unit=_own_unit(variable.type, variable.printing),
        group=variable.group,
        aliases=variable.aliases,
    )


def _relation_plan(relation: CheckedRelation, singulars: Mapping[str, str]) -> RelationPlan:
    return RelationPlan(
        name=relation.name,
        text=relation.text,
        unit=unit_of(relation.type),
        display=_display(relation.type, relation.printing, singulars) if relation.profiler else None,
        labels=_labels(relation.type),
        when=None if relation.condition is None else lower_condition(relation.condition),
    )


def _own_unit(type_: ValueType, printing: PrintingForm | None) -> str | None:
    """The unit of the value itself, where it is printed in another one or without it."""
    own = unit_of(type_)
    printed = own if printing is None else _printed_unit(printing)
    return None if printed == own else own


def _printed_unit(printing: PrintingForm) -> str:
    return "" if isinstance(printing, ExactPrinting) else printing.unit


def _table_plan(table: CheckedTable) -> TablePlan:
    return TablePlan(
        name=table.name,
        text=table.text,
        key_labels=_labels(table.key),
        value_unit=unit_of(table.value),
        entries=table.entries,
        value_labels=_labels(table.value),
    )


def _event(event: CheckedEvent, singulars: Mapping[str, str]) -> EventPlan:
    """An event. Where it is repeated, its own expressions have its index as a variable."""
    return EventPlan(
        name=event.name,
        text=event.text,
        condition=None if event.condition is None else lower_condition(event.condition),
        attributes=tuple(_attribute(attribute, singulars) for attribute in event.attributes),
        wordings=event.wordings,
        level=event.level,
        logger=event.logger,
        index=event.index,
        at=event.at,
        occurrences=tuple(_event(each, singulars) for each in event.occurrences),
        pace=None if event.pace is None else (lower_integer(event.pace[0]), lower_integer(event.pace[1])),
        before=event.before,
        placed=None if event.placed is None else lower_condition(event.placed),
    )


def _attribute(attribute: CheckedAttribute, singulars: Mapping[str, str]) -> AttributePlan:
    return AttributePlan(
        name=attribute.name,
        value=lower_value(attribute.value),
        display=_display(attribute.type, attribute.printing, singulars),
        unit=_own_unit(attribute.type, attribute.printing),
    )


def _config(system: CheckedSystem, plans: Iterable[VariablePlan]) -> Iterator[Observation]:
    """The config and the given values."""
    for variable, plan in zip(system.variables, plans, strict=True):
        if variable.kind != "hidden":
            yield Observation(variable.name, "config", shown_amount(Var(variable.name), plan.display))


def _profiler(system: CheckedSystem, plans: Iterable[RelationPlan]) -> Iterator[Observation]:
    """Each value; before one that isn't always there whether it is, and 0 where it isn't."""
    for relation, plan in zip(system.relations, plans, strict=True):
        if plan.display is None:
            continue
        value = shown_amount(as_integer(RelationValue(relation.name, sort_of(relation.type))), plan.display)
        if plan.when is not None:
            yield Observation(f"{relation.name}?", "profiler", as_integer(plan.when))
            value = Apply(Op.ITE, (plan.when, value, Const(0)))
        yield Observation(relation.name, "profiler", value)


def _log(events: Sequence[EventPlan]) -> Iterator[Observation]:
    """What tells the lines of each event, then whether it stands before the other one that it may stand before."""
    conditions = {event.name: event.condition for event in events}
    for event in events:
        for line in event.occurrences if event.index else (event,):
            yield from _line(line)
        if event.placed is not None:
            needed = (event.condition, conditions[event.before], event.placed)
            first = conjunction(each for each in needed if each is not None)
            yield Observation(f"{event.name}<{event.before}", "log", as_integer(first))


def _line(event: EventPlan) -> Iterator[Observation]:
    """Whether an event is there, then its attributes; those of an absent one are 0."""
    present = TRUE if event.condition is None else event.condition
    yield Observation(event.name, "log", as_integer(present))
    for attribute in event.attributes:
        value = shown_amount(as_integer(attribute.value), attribute.display)
        if event.condition is not None:
            value = Apply(Op.ITE, (event.condition, value, Const(0)))
        yield Observation(f"{event.name}.{attribute.name}", "log", value)


def _noise_value(noise: CheckedNoiseValue, singulars: Mapping[str, str]) -> NoiseValuePlan:
    return NoiseValuePlan(
        name=noise.name,
        channel=noise.channel,
        domain=noise.domain,
        display=_display(noise.type, noise.printing, singulars),
        after=noise.after,
        group=noise.group,
    )


def _noise_line(noise: CheckedNoiseLine) -> NoiseLinePlan:
    return NoiseLinePlan(noise.level, noise.logger, noise.often, noise.wordings, noise.after, noise.before)


def _rule(rule: CheckedRule) -> Rule:
    return Rule(
        name=rule.name,
        code=rule.code,
        guard=lower_condition(rule.guard),
        alternatives=tuple(Alternative(tuple(_set(item) for item in alternative)) for alternative in rule.alternatives),
        keeps=tuple(_keep(keep, binding=False) for keep in rule.keeps),
    )


def _set(item: CheckedSet) -> Assign | Pick:
    match item:
        case CheckedAssign(field=field, value=value):
            return Assign(field, lower_integer(value))
        case CheckedPick(field=field, by=by, where=where):
            return Pick(field, Direction(by.value), lower_condition(where))
    assert_never(item)


def _keep(keep: CheckedKeep, *, binding: bool) -> Keep:
    """A keep; a binding one holds even where a rule sets its field."""
    value: Expr = Var(keep.name) if keep.field else RelationValue(keep.name, sort_of(keep.type))
    return Keep(keep.name, value, Sense(keep.sense.value), keep.name if keep.field and not binding else None)


# ------------------------------------------------------------------ archetypes and datasets


def _archetype(archetype: CheckedArchetype, system: CheckedSystem) -> ArchetypePlan:
    return ArchetypePlan(
        name=archetype.name,
        title=archetype.title,
        system=archetype.system,
        faults=archetype.faults,
        codes=frozenset(system.rule(fault).code for fault in archetype.faults),
        tier=archetype.tier,
        where=all_of(archetype.wheres),
        hard=all_of(archetype.hards),
        parts=archetype.parts,
        tells=tuple(lower_condition(tell.condition) for tell in archetype.tells),
        likes=archetype.likes,
        like_spans=archetype.like_spans,
        span=archetype.span,
    )


def _case(case: CheckedCase) -> CasePlan:
    return CasePlan(
        name=case.name,
        system=case.system,
        source=case.source,
        text=case.text,
        facts=tuple((" ".join(fact.span.text.split()), _fact(fact)) for fact in case.facts),
        wheres=tuple(lower_condition(where.condition) for where in case.wheres),
        said=frozenset(fact.name for fact in case.facts),
        answers=tuple(WalkAnswer(frozenset(answer.codes), answer.fix) for answer in case.answers),
        checked=case,
    )


def _fact(fact: CheckedFact) -> Expr:
    """The condition that a fact is: that the run shows it, or doesn't, and how much it is."""
    shown = TRUE if fact.shown_if is None else lower_condition(fact.shown_if)
    if fact.absent:
        return Apply(Op.NOT, (shown,))
    if fact.value is None:
        return shown
    amount = shown_amount(lower_integer(fact.value), _display(fact.value.type, fact.printing, {}))
    return conjunction([*([] if shown is TRUE else [shown]), Apply(Op.EQ, (amount, Const(fact.amount)))])


def _dataset(dataset: CheckedDataset) -> DatasetPlan:
    return DatasetPlan(
        name=dataset.name,
        version=dataset.version,
        seed=dataset.seed,
        title=dataset.title,
        regions=tuple(
            RegionPlan(region.name, region.system, lower_condition(region.condition)) for region in dataset.regions
        ),
        splits=tuple(
            SplitPlan(
                name=split.name,
                count=split.count,
                boundary=split.boundary,
                avoid=split.avoid,
                within=split.within,
                interaction=split.interaction,
                uses=split.uses,
                unseen=split.unseen,
                margin=10 * split.margin,
                near=split.near,
                use_spans=split.use_spans,
            )
            for split in dataset.splits
        ),
    )


# ------------------------------------------------------------------ how values are printed


def _labels(type_: ValueType) -> dict[int, str] | None:
    """The word for each value; None for numbers."""
    match type_:
        case Flag():
            return {0: "false", 1: "true"}
        case Enumeration(members=members):
            return dict(enumerate(members))
        case Quantity():
            return None


def _display(type_: ValueType, printing: PrintingForm | None, singulars: Mapping[str, str]) -> Display:
    labels = _labels(type_)
    if labels is not None:
        return Display(labels=labels)
    match printing:
        case None:
            return Display(unit=unit_of(type_), singular=singulars.get(unit_of(type_), ""))
        case ExactPrinting(denominator=denominator, scientific=scientific):
            return Display(denominator=denominator, exact=True, scientific=scientific)
        case Printing():
            return Display(
                unit=printing.unit,
                numerator=printing.numerator,
                denominator=printing.denominator,
                decimals=printing.decimals,
                singular=singulars.get(printing.unit, ""),
            )
    assert_never(printing)
