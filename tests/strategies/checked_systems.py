"""Random checked systems: what the checks could give, made without a text.

They use every checked form with no sense behind it. Divisors are never zero and table keys are always covered, as the
language guarantees; texts and places are empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
from hypothesis import strategies as st

from compiler.frontend.lower import lower_program
from compiler.plan import SystemPlan
from dsl.checked import (
    CheckedAssign,
    CheckedAttribute,
    CheckedCondition,
    CheckedEvent,
    CheckedKeep,
    CheckedPick,
    CheckedProgram,
    CheckedRelation,
    CheckedRule,
    CheckedSet,
    CheckedSystem,
    CheckedVariable,
    Constant,
    Earlier,
    ExactPrinting,
    Operation,
    Printing,
    PrintingForm,
    RelationRef,
    TableRef,
    Typed,
    VariableRef,
    Within,
    substituted,
)
from dsl.operators import (
    ArithmeticOp,
    ChoiceOp,
    CompareOp,
    DivisionOp,
    Function,
    KeepSense,
    LogicOp,
    Operator,
    PickBy,
    UnaryOp,
)
from dsl.source import Source, Span
from dsl.syntax.loader import Loaded
from dsl.value_types import FLAG, NUMBER, Enumeration, ValueType

COLOUR = Enumeration("Colour", ("red", "green", "dark-blue"))
TYPES: tuple[ValueType, ...] = (NUMBER, FLAG, COLOUR)
NOWHERE = Span(Source("random", ""), 0, 0)


def lowered_system(system: CheckedSystem) -> SystemPlan:
    program = CheckedProgram(systems={system.name: system}, archetypes={}, datasets={})
    return lower_program(program, Loaded({}, {}, {}, ())).systems[system.name]


@attrs.frozen
class Names:
    """What an expression may mention; `earlier` inside prescriptions and guards."""

    variables: Mapping[str, ValueType]
    relations: Mapping[str, ValueType] = {}
    bound: tuple[str, ...] = ()  # numbers, in repeated events
    earlier: bool = False


# ------------------------------------------------------------------ expressions


@st.composite
def typed_exprs(draw: st.DrawFn, names: Names, type_: ValueType, depth: int = 2) -> Typed:
    """An expression of the given type."""
    if depth == 0:
        return draw(_atoms(names, type_))
    shape = draw(st.sampled_from(("atom", "operation", "operation", "operation", "if", "with", "table", "before")))
    smaller = typed_exprs(names, type_, depth - 1)
    match shape:
        case "operation" if type_ == NUMBER:
            return draw(_arithmetic(names, depth))
        case "operation" if type_ == FLAG:
            return draw(_conditions(names, depth))
        case "if" | "operation":
            condition = draw(typed_exprs(names, FLAG, depth - 1))
            return _operation(ChoiceOp.IF, (condition, draw(smaller), draw(smaller)), type_)
        case "with":
            changed = draw(st.lists(st.sampled_from(sorted(names.variables)), min_size=1, max_size=2, unique=True))
            new = tuple((name, draw(typed_exprs(names, names.variables[name], depth - 1))) for name in changed)
            return Within(draw(smaller), new, type_, span=NOWHERE)
        case "table":
            return draw(_lookups(names, type_, depth))
        case "before" if names.earlier:
            return Earlier(draw(typed_exprs(attrs.evolve(names, earlier=False), type_, depth - 1)), type_, span=NOWHERE)
        case _:
            return draw(_atoms(names, type_))


def _atoms(names: Names, type_: ValueType) -> st.SearchStrategy[Typed]:
    made: list[Typed] = [
        VariableRef(name, type_, span=NOWHERE) for name, each in names.variables.items() if each == type_
    ]
    made += [VariableRef(name, type_, span=NOWHERE) for name in names.bound if type_ == NUMBER]
    made += [RelationRef(name, type_, span=NOWHERE) for name, each in names.relations.items() if each == type_]
    return st.one_of(_constants(type_), st.sampled_from(made)) if made else _constants(type_)


def _constants(type_: ValueType) -> st.SearchStrategy[Typed]:
    return st.integers(*_code_range(type_)).map(lambda value: Constant(value, type_, span=NOWHERE))


def _code_range(type_: ValueType) -> tuple[int, int]:
    return {NUMBER: (-9, 9), FLAG: (0, 1), COLOUR: (0, 2)}[type_]


@st.composite
def _arithmetic(draw: st.DrawFn, names: Names, depth: int) -> Typed:
    operators = (*ArithmeticOp, *DivisionOp, *Function, UnaryOp.NEGATE)
    op = draw(st.sampled_from(operators))
    smaller = typed_exprs(names, NUMBER, depth - 1)
    match op:
        case UnaryOp.NEGATE | Function.ABS:
            args: tuple[Typed, ...] = (draw(smaller),)
        case ArithmeticOp.MOD | DivisionOp.FLOOR | DivisionOp.CEIL:
            args = (draw(smaller), draw(_divisors(smaller)))
        case ArithmeticOp.SUBTRACT:
            args = (draw(smaller), draw(smaller))
        case _:
            args = tuple(draw(st.lists(smaller, min_size=1, max_size=3)))
    return _operation(op, args, NUMBER)


def _divisors(numbers: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    """Numbers that aren't zero."""
    known = st.sampled_from((1, 2, 3, 7, -1, -2, -5)).map(lambda value: Constant(value, NUMBER, span=NOWHERE))
    one = Constant(1, NUMBER, span=NOWHERE)
    return st.one_of(known, numbers.map(lambda expr: _operation(Function.MAX, (expr, one), NUMBER)))


@st.composite
def _conditions(draw: st.DrawFn, names: Names, depth: int) -> Typed:
    operators = (*CompareOp, *LogicOp, UnaryOp.NOT)
    op = draw(st.sampled_from(operators))
    match op:
        case CompareOp.EQUAL | CompareOp.UNEQUAL:
            type_ = draw(st.sampled_from(TYPES))
        case CompareOp():
            type_ = NUMBER
        case _:
            type_ = FLAG
    sides = typed_exprs(names, type_, depth - 1)
    count = 1 if op is UnaryOp.NOT else draw(st.integers(1, 3)) if op in (LogicOp.AND, LogicOp.OR) else 2
    return _operation(op, tuple(draw(sides) for _ in range(count)), FLAG)


@st.composite
def _lookups(draw: st.DrawFn, names: Names, type_: ValueType, depth: int) -> Typed:
    """An entry of a table; a key that is a number is brought into the table."""
    key_type = draw(st.sampled_from(TYPES))
    key = draw(typed_exprs(names, key_type, depth - 1))
    keys: Sequence[int] = range(_code_range(key_type)[1] + 1)
    if key_type == NUMBER:
        keys = range(4)
        key = _operation(ArithmeticOp.MOD, (key, Constant(4, NUMBER, span=NOWHERE)), NUMBER)
    values = st.integers(*_code_range(type_))
    return TableRef("table", tuple((at, draw(values)) for at in keys), key, type_, span=NOWHERE)


def _operation(op: Operator, args: tuple[Typed, ...], type_: ValueType) -> Operation:
    return Operation(op, args, type_, span=NOWHERE)


# ------------------------------------------------------------------ systems


@st.composite
def checked_systems(draw: st.DrawFn) -> CheckedSystem:
    """A system with all kinds of variables and with up to three rules."""
    variables = (
        draw(_variables("a", "config", NUMBER)),
        draw(_variables("b", "config", NUMBER)),
        draw(_variables("c", "config", COLOUR)),
        draw(_variables("f", "config", FLAG)),
        draw(_variables("g", "given", NUMBER)),
        draw(_variables("h", "hidden", NUMBER)),
        draw(_variables("s", "hidden", draw(st.sampled_from((FLAG, COLOUR))))),
    )
    names = Names({variable.name: variable.type for variable in variables})
    relations: list[CheckedRelation] = []
    for number in range(draw(st.integers(1, 4))):
        relation = draw(_relations(f"r{number}", names))
        relations.append(relation)
        names = attrs.evolve(names, relations={**names.relations, relation.name: relation.type})
    fields = [variable for variable in variables if variable.editable]
    return CheckedSystem(
        name="random",
        title="",
        variables=variables,
        relations=tuple(relations),
        events=draw(_logs(names)),
        tables=(),
        requires=tuple(draw(st.lists(_requires(names), max_size=2))),
        sounds=tuple(_condition(draw(typed_exprs(names, FLAG, 2))) for _ in range(draw(st.integers(0, 2)))),
        keeps=tuple(draw(st.lists(_keeps(names, ()), max_size=1))),
        rules=tuple(draw(_rules(number, names, fields)) for number in range(draw(st.integers(1, 3)))),
        span=NOWHERE,
    )


@st.composite
def _variables(draw: st.DrawFn, name: str, kind: str, type_: ValueType) -> CheckedVariable:
    low, high = _code_range(type_)
    values = st.integers(low if type_ != NUMBER else 0, high)
    domain = tuple(
        draw(st.lists(values, min_size=1 if name == "c" else 2, max_size=3 if type_ != FLAG else 2, unique=True))
    )
    editable = kind == "config" and (name == "a" or draw(st.sampled_from((True, True, False))))
    return CheckedVariable(
        name=name,
        kind=kind,
        type=type_,
        domain=domain,
        text="",
        editable=editable,
        preference=tuple(draw(st.permutations(domain))) if editable else (),
        prefer="",
        default=domain[0],
        printing=draw(_printings()) if kind == "given" else draw(_exact_printings()) if type_ == NUMBER else None,
        span=NOWHERE,
    )


def _printings() -> st.SearchStrategy[PrintingForm | None]:
    made = st.builds(Printing, st.just("u"), st.sampled_from((1, 3)), st.sampled_from((1, 2, 7)), st.integers(0, 2))
    return st.one_of(made, _exact_printings())


def _exact_printings() -> st.SearchStrategy[PrintingForm | None]:
    return st.one_of(st.none(), st.builds(ExactPrinting, st.sampled_from((1, 10, 1000)), st.booleans()))


@st.composite
def _relations(draw: st.DrawFn, name: str, names: Names) -> CheckedRelation:
    type_ = draw(st.sampled_from((NUMBER, NUMBER, FLAG, COLOUR)))
    value = draw(typed_exprs(names, type_))
    profiler = draw(st.booleans())
    printing = draw(_printings()) if profiler and type_ == NUMBER else None
    condition = draw(st.one_of(st.none(), typed_exprs(names, FLAG, 1))) if profiler else None
    return CheckedRelation(name, type_, value, "", profiler, printing, condition, span=NOWHERE)


@st.composite
def _logs(draw: st.DrawFn, names: Names) -> tuple[CheckedEvent, ...]:
    """Events, some of them repeated or placed before an earlier one."""
    log: list[CheckedEvent] = []
    for number in range(draw(st.integers(0, 3))):
        others = [event.name for event in log if not event.index and not event.before]
        if draw(st.integers(0, 3)) == 0:
            log.append(draw(_repeated_events(f"e{number}", names)))
        elif others and draw(st.booleans()):
            event, other = draw(_events(f"e{number}", names)), draw(st.sampled_from(others))
            log.append(attrs.evolve(event, before=other, placed=draw(typed_exprs(names, FLAG, 1))))
        else:
            log.append(draw(_events(f"e{number}", names)))
    return tuple(log)


@st.composite
def _repeated_events(draw: st.DrawFn, name: str, names: Names) -> CheckedEvent:
    at = tuple(draw(st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True)))
    event = draw(_events(name, names, index="k"))
    occurrences = []
    for value in at:
        number = Constant(value, NUMBER, span=NOWHERE)
        occurrences.append(
            attrs.evolve(
                event,
                name=f"{name}@{value}",
                condition=None if event.condition is None else substituted(event.condition, "k", number),
                attributes=tuple(
                    attrs.evolve(each, value=substituted(each.value, "k", number)) for each in event.attributes
                ),
            )
        )
    return attrs.evolve(event, index="k", at=at, occurrences=tuple(occurrences))


@st.composite
def _events(draw: st.DrawFn, name: str, names: Names, index: str = "") -> CheckedEvent:
    """An event; with an index, one whose expressions may mention that as a number."""
    attributes = []
    readable = names if not index else attrs.evolve(names, bound=(index,))
    for number in range(draw(st.integers(0, 2))):
        type_ = draw(st.sampled_from(TYPES))
        printing = draw(_printings()) if type_ == NUMBER else None
        attributes.append(
            CheckedAttribute(f"x{number}", type_, draw(typed_exprs(readable, type_, 2)), printing, span=NOWHERE)
        )
    condition = draw(st.one_of(st.none(), typed_exprs(readable, FLAG, 2)))
    return CheckedEvent(name, "", condition, tuple(attributes), ("said",), "info", name, span=NOWHERE)


@st.composite
def _requires(draw: st.DrawFn, names: Names) -> CheckedCondition:
    return attrs.evolve(_condition(draw(typed_exprs(names, FLAG, 1))), stated=draw(st.booleans()))


def _condition(expr: Typed) -> CheckedCondition:
    return CheckedCondition(expr, "", span=NOWHERE)


@st.composite
def _keeps(draw: st.DrawFn, names: Names, fields: Sequence[CheckedVariable]) -> CheckedKeep:
    kept = {**{field.name: field.type for field in fields}, **names.relations}
    name = draw(st.sampled_from(sorted(kept)))
    sense = draw(st.sampled_from(KeepSense)) if kept[name] == NUMBER else KeepSense.EQUAL
    return CheckedKeep(name, sense, name not in names.relations, kept[name], span=NOWHERE)


@st.composite
def _rules(draw: st.DrawFn, number: int, names: Names, fields: Sequence[CheckedVariable]) -> CheckedRule:
    alternatives = st.lists(_alternatives(attrs.evolve(names, earlier=True), fields), min_size=1, max_size=2)
    return CheckedRule(
        name=f"rule{number}",
        code=f"CODE{number}",
        title="",
        guard=draw(typed_exprs(attrs.evolve(names, earlier=True), FLAG)),
        alternatives=tuple(draw(alternatives)),
        keeps=tuple(draw(st.lists(_keeps(names, fields), max_size=2))),
        says="",
        span=NOWHERE,
    )


@st.composite
def _alternatives(draw: st.DrawFn, names: Names, fields: Sequence[CheckedVariable]) -> tuple[CheckedSet, ...]:
    sets: list[CheckedSet] = []
    for field in draw(st.lists(st.sampled_from(fields), min_size=1, max_size=2, unique=True)):
        if draw(st.booleans()):
            sets.append(CheckedAssign(field.name, draw(typed_exprs(names, field.type)), span=NOWHERE))
        else:
            by = draw(st.sampled_from(PickBy)) if field.type == NUMBER else PickBy.FIRST
            sets.append(CheckedPick(field.name, by, draw(typed_exprs(names, FLAG)), span=NOWHERE))
    return tuple(sets)
