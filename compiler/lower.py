"""From a checked program to problems for the solvers, with all that is needed to print them.

In: a `CheckedProgram`. Out: a `ProgramPlan`. Total: what could go wrong was refused by the checks. Flags and
enumerations become integers with labels; constants lose their unit, which the printed form states once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import gcd
from typing import Final, assert_never

from compiler.plan import (
    ArchetypePlan,
    AttributePlan,
    DatasetPlan,
    Display,
    EventPlan,
    ProgramPlan,
    RegionPlan,
    RelationPlan,
    RulePlan,
    SplitPlan,
    SystemPlan,
    TablePlan,
    VariablePlan,
)
from compiler.simplify import simplified
from dsl.checked import (
    CheckedArchetype,
    CheckedAssign,
    CheckedAttribute,
    CheckedCondition,
    CheckedDataset,
    CheckedEvent,
    CheckedKeep,
    CheckedPick,
    CheckedProgram,
    CheckedRelation,
    CheckedRule,
    CheckedSet,
    CheckedSystem,
    CheckedTable,
    CheckedVariable,
    Constant,
    Earlier,
    Operation,
    Printing,
    RelationRef,
    TableRef,
    Typed,
    VariableRef,
    Within,
)
from dsl.domains import Enumeration, Flag, Quantity, ValueType, unit_of
from dsl.loader import Loaded
from solvers.problem import (
    TRUE,
    Alternative,
    Apply,
    Assign,
    Before,
    Const,
    Direction,
    Expr,
    Keep,
    Kind,
    Lookup,
    Observation,
    Op,
    Pick,
    Problem,
    Rel,
    Rule,
    Sense,
    Sort,
    Var,
    Variable,
    With,
)

_OPS: Final = {
    "+": Op.ADD,
    "-": Op.SUB,
    "*": Op.MUL,
    "neg": Op.NEG,
    "floor": Op.FLOORDIV,
    "ceil": Op.CEILDIV,
    "mod": Op.MOD,
    "min": Op.MIN,
    "max": Op.MAX,
    "abs": Op.ABS,
    "if": Op.ITE,
    "==": Op.EQ,
    "!=": Op.NE,
    "<": Op.LT,
    "<=": Op.LE,
    ">": Op.GT,
    ">=": Op.GE,
    "and": Op.AND,
    "or": Op.OR,
    "not": Op.NOT,
    "implies": Op.IMPLIES,
}

ON, OFF = Const(1, "true"), Const(0, "false")


def lower_program(checked: CheckedProgram, loaded: Loaded) -> ProgramPlan:
    """Lower everything, each part by name in sorted order."""
    return ProgramPlan(
        systems={name: _system(system) for name, system in checked.systems.items()},
        archetypes={
            name: _archetype(archetype, checked.systems[archetype.system])
            for name, archetype in checked.archetypes.items()
        },
        datasets={name: _dataset(dataset, checked.systems) for name, dataset in checked.datasets.items()},
        sources=dict(sorted(loaded.digests.items())),
    )


# ------------------------------------------------------------------ expressions


def lower_condition(expr: Typed) -> Expr:
    """An expression of truth values, as one."""
    return _condition(simplified(expr))


def lower_integer(expr: Typed) -> Expr:
    """Any expression as an integer: flags are 0 and 1, members of enumerations their codes."""
    return _integer(simplified(expr))


def lower_value(expr: Typed) -> Expr:
    """An expression in the sort of its type."""
    return _value(simplified(expr))


def _condition(expr: Typed) -> Expr:
    match expr:
        case Constant(value=value):
            return Const(bool(value))
        case VariableRef(name=name):
            return Apply(Op.EQ, (Var(name), ON))
        case TableRef():
            return Apply(Op.EQ, (_lookup(expr), ON))
        case _:
            return _shared(expr)


def _integer(expr: Typed) -> Expr:
    match expr:
        case Constant():
            return _constant(expr.value, expr.type)
        case VariableRef(name=name):
            return Var(name)
        case TableRef():
            return _lookup(expr)
        case _:
            value = _shared(expr)
            return Apply(Op.ITE, (value, ON, OFF)) if value.sort is Sort.BOOL else value


def _value(expr: Typed) -> Expr:
    return _condition(expr) if isinstance(expr.type, Flag) else _integer(expr)


def _shared(expr: Typed) -> Expr:
    """What doesn't hang on the sort that is asked for."""
    match expr:
        case RelationRef(name=name, type=type_):
            return Rel(name, _sort(type_))
        case Operation(op="==" | "!=" as op, args=(left, right)) if isinstance(left.type, Flag):
            return _flags_equal(op, left, right)
        case Operation(op=op, args=args):
            return Apply(_OPS[op], tuple(_value(arg) for arg in args))
        case Within(body=body, changes=changes):
            return With(_value(body), tuple((name, _integer(new)) for name, new in changes))
        case Earlier(body=body):
            return Before(_value(body))
        case Constant() | VariableRef() | TableRef():
            return _value(expr)
    assert_never(expr)


def _flags_equal(op: str, left: Typed, right: Typed) -> Expr:
    """Comparisons of flags: those with a constant or between variables stay comparisons of integers."""
    simple = all(isinstance(side, Constant | VariableRef) for side in (left, right))
    side = _integer if simple else _condition
    return Apply(_OPS[op], (side(left), side(right)))


def _lookup(expr: TableRef) -> Expr:
    return Lookup(expr.table, expr.entries, _integer(expr.key))


def all_of(conditions: Iterable[CheckedCondition]) -> Expr:
    return conjunction(lower_condition(each.condition) for each in conditions)


def conjunction(conditions: Iterable[Expr]) -> Expr:
    """All of `conditions`; true if there is none."""
    found = tuple(conditions)
    if len(found) <= 1:
        return found[0] if found else TRUE
    return Apply(Op.AND, found)


def _sort(type_: ValueType) -> Sort:
    return Sort.BOOL if isinstance(type_, Flag) else Sort.INT


def _constant(value: int, type_: ValueType) -> Const:
    match type_:
        case Flag():
            return ON if value else OFF
        case Enumeration(members=members):
            return Const(value, members[value])
        case Quantity():
            return Const(value)


def _labels(type_: ValueType) -> dict[int, str] | None:
    """The word for each value; None for numbers."""
    match type_:
        case Flag():
            return {0: "false", 1: "true"}
        case Enumeration(members=members):
            return dict(enumerate(members))
        case Quantity():
            return None


def _display(type_: ValueType, printing: Printing | None) -> Display:
    labels = _labels(type_)
    if labels is not None:
        return Display(labels=labels)
    if printing is None:
        return Display(unit=unit_of(type_))
    return Display(
        unit=printing.unit,
        numerator=printing.numerator,
        denominator=printing.denominator,
        decimals=printing.decimals,
    )


def shown(value: Expr, display: Display) -> Expr:
    """The integer in the evidence for `value`, as `Display.shown` computes it."""
    above = display.numerator * 10**display.decimals
    common = gcd(above, display.denominator)
    above, below = above // common, display.denominator // common
    if below == 1:
        return value if above == 1 else Apply(Op.MUL, (value, Const(above)))
    half, factor, divisor = (below // 2, above, below) if below % 2 == 0 else (below, 2 * above, 2 * below)
    scaled = value if factor == 1 else Apply(Op.MUL, (value, Const(factor)))
    return Apply(Op.FLOORDIV, (Apply(Op.ADD, (scaled, Const(half))), Const(divisor)))


# ------------------------------------------------------------------ systems


def _system(system: CheckedSystem) -> SystemPlan:
    events = tuple(_event(event) for event in system.events)
    relations = tuple((relation.name, lower_value(relation.value)) for relation in system.relations)
    problem = Problem(
        name=system.name,
        variables=tuple(_variable(variable) for variable in system.variables),
        relations=relations,
        observations=tuple(_observations(system, events)),
        rules=tuple(_rule(rule) for rule in system.rules),
        valid=all_of(system.requires),
        sound=all_of(system.sounds),
        keeps=tuple(_keep(keep, binding=True) for keep in system.keeps),
    )
    return SystemPlan(
        name=system.name,
        title=system.title,
        problem=problem,
        variables=tuple(_variable_plan(variable) for variable in system.variables),
        relations=tuple(_relation_plan(relation) for relation in system.relations),
        events=events,
        rules=tuple(RulePlan(rule.name, rule.code, rule.title, rule.says) for rule in system.rules),
        tables=tuple(_table_plan(table) for table in system.tables),
        requires=tuple((each.text, lower_condition(each.condition)) for each in system.requires),
        sounds=tuple((each.text, lower_condition(each.condition)) for each in system.sounds),
        span=system.span,
    )


def _variable(variable: CheckedVariable) -> Variable:
    return Variable(
        name=variable.name,
        kind=Kind(variable.kind),
        domain=variable.domain,
        editable=variable.editable,
        preference=variable.preference,
    )


def _variable_plan(variable: CheckedVariable) -> VariablePlan:
    return VariablePlan(
        name=variable.name,
        text=variable.text,
        display=_display(variable.type, variable.printing),
        prefer=variable.prefer,
        unit=_own_unit(variable.type, variable.printing),
    )


def _relation_plan(relation: CheckedRelation) -> RelationPlan:
    return RelationPlan(
        name=relation.name,
        text=relation.text,
        unit=unit_of(relation.type),
        display=_display(relation.type, relation.printing) if relation.profiler else None,
        labels=_labels(relation.type),
    )


def _own_unit(type_: ValueType, printing: Printing | None) -> str | None:
    """The unit of the value itself, where it is printed in another one."""
    own = unit_of(type_)
    return None if printing is None or printing.unit == own else own


def _table_plan(table: CheckedTable) -> TablePlan:
    return TablePlan(
        name=table.name,
        text=table.text,
        key_labels=_labels(table.key),
        value_unit=unit_of(table.value),
        entries=table.entries,
        value_labels=_labels(table.value),
    )


def _event(event: CheckedEvent) -> EventPlan:
    return EventPlan(
        name=event.name,
        text=event.text,
        condition=None if event.condition is None else lower_condition(event.condition),
        attributes=tuple(_attribute(attribute) for attribute in event.attributes),
        wordings=event.wordings,
    )


def _attribute(attribute: CheckedAttribute) -> AttributePlan:
    return AttributePlan(
        name=attribute.name,
        value=lower_value(attribute.value),
        display=_display(attribute.type, attribute.printing),
        unit=_own_unit(attribute.type, attribute.printing),
    )


def _observations(system: CheckedSystem, events: Iterable[EventPlan]) -> Iterator[Observation]:
    """Everything that is printed of a world: config and given values, profiler values, the log."""
    for variable in system.variables:
        if variable.kind != "hidden":
            display = _display(variable.type, variable.printing)
            yield Observation(variable.name, "config", shown(Var(variable.name), display))
    for relation in system.relations:
        if relation.profiler:
            value = _as_integer(Rel(relation.name, _sort(relation.type)))
            yield Observation(relation.name, "profiler", shown(value, _display(relation.type, relation.printing)))
    for event in events:
        present = TRUE if event.condition is None else event.condition
        yield Observation(event.name, "log", _as_integer(present))
        for attribute in event.attributes:
            value = shown(_as_integer(attribute.value), attribute.display)
            if event.condition is not None:
                value = Apply(Op.ITE, (event.condition, value, Const(0)))
            yield Observation(f"{event.name}.{attribute.name}", "log", value)


def _as_integer(expr: Expr) -> Expr:
    if isinstance(expr, Const):
        return expr if expr.sort is Sort.INT else (ON if expr.value else OFF)
    return Apply(Op.ITE, (expr, ON, OFF)) if expr.sort is Sort.BOOL else expr


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
        case CheckedPick(field=field, direction=direction, where=where):
            return Pick(field, Direction(direction), lower_condition(where))
    assert_never(item)


def _keep(keep: CheckedKeep, *, binding: bool) -> Keep:
    """A keep; a binding one holds even where a rule sets its field."""
    value: Expr = Var(keep.name) if keep.field else Rel(keep.name, _sort(keep.type))
    return Keep(keep.name, value, Sense(keep.sense), keep.name if keep.field and not binding else None)


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
        span=archetype.span,
    )


def _dataset(dataset: CheckedDataset, systems: Mapping[str, CheckedSystem]) -> DatasetPlan:
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
            )
            for split in dataset.splits
        ),
    )
