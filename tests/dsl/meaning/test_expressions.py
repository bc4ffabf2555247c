"""Plain interpretation of expressions: the semantics tables, and what a text means once it is checked."""

from __future__ import annotations

from typing import Any

import pytest
from strategies.checked_systems import NOWHERE
from strategies.programs import checked_text
from strategies.semantics import Case, cases

from dsl.checked import (
    CheckedRelation,
    CheckedSystem,
    CheckedVariable,
    Constant,
    Earlier,
    Operation,
    RelationRef,
    TableRef,
    Typed,
    VariableRef,
    Within,
)
from dsl.meaning.expressions import RunState, domain_values, holds, interpret, plain_world
from dsl.operators import OPERATORS, ChoiceOp, DivisionOp, Operator
from dsl.value_types import FLAG, NUMBER, ValueType
from solvers.problem import Apply, Before, Const, Expr, Lookup, RelationValue, Sort, Var, With

OPERATOR: dict[str, Operator] = {
    **{op.value: op for op in OPERATORS},
    "floordiv": DivisionOp.FLOOR,
    "ceildiv": DivisionOp.CEIL,
    "ite": ChoiceOp.IF,
}
TYPE_OF: dict[Sort, ValueType] = {Sort.INT: NUMBER, Sort.BOOL: FLAG}


def typed(expr: Expr) -> Typed:
    """The checked form of a problem's expression over numbers and flags."""
    type_ = TYPE_OF[expr.sort]
    match expr:
        case Const(value=value):
            return Constant(int(value), type_, span=NOWHERE)
        case Var(name=name):
            return VariableRef(name, type_, span=NOWHERE)
        case RelationValue(name=name):
            return RelationRef(name, type_, span=NOWHERE)
        case Apply(op=op, args=args):
            return Operation(OPERATOR[op.value], tuple(map(typed, args)), type_, span=NOWHERE)
        case Lookup(table=table, entries=entries, key=key):
            return TableRef(table, entries, typed(key), type_, span=NOWHERE)
        case With(body=body, changes=changes):
            return Within(typed(body), tuple((name, typed(new)) for name, new in changes), type_, span=NOWHERE)
        case Before(body=body):
            return Earlier(typed(body), type_, span=NOWHERE)


def system_of(case: Case) -> CheckedSystem:
    variables = (
        CheckedVariable(name, "config", NUMBER, (value,), "", True, (value,), "", value, None, span=NOWHERE)
        for name, value in case.bindings.items()
    )
    relations = (
        CheckedRelation(name, TYPE_OF[value.sort], typed(value), "", False, None, span=NOWHERE)
        for name, value in case.problem.relations
    )
    nothing: Any = ()
    return CheckedSystem("case", "", tuple(variables), tuple(relations), *[nothing] * 6, span=NOWHERE)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_semantics_table(case: Case) -> None:
    system = system_of(case)
    before = None if case.before is None else RunState(system, case.before)
    found = interpret(typed(case.expr), RunState(system, case.bindings), before)
    assert (type(found), found) == (type(case.value), case.value)


PROGRAM = """
unit ms
unit s = 1000 ms
enum Plan { small, large, "extra-large" }
table worth: Plan -> ms { small: 1, large: 2 s, "extra-large": 3 } "worth"
table busy: bool -> Plan { false: small, true: "extra-large" } "busy"
system s "S" {
  config { a: int in 1..3 "a"  plan: Plan "plan" prefer listed  on: bool "on"  t: ms in {-1500, 1500} "t" }
  given { long: s in {2} "long" }
  let at_most = t to s up
  let at_least = t to s down
  let exact = long to ms
  let plain = number(t) + 1
  let given_unit = a as ms
  let looked_up = worth[plan]
  let word = busy[on]
  let summed = sum(k in {1, 2}: k * a)
  let counted = count(x in plan: worth[x] > 2 ms)
  let some = any(x in a: x > 2)
  let throughout = all(x in a: x > a)
  let member = plan in {large, "extra-large"}
  let exchanged = (a - number(t)) with (a = a + 1, t = a as ms)
  let literal = 1 s + 1 ms
  let same = word == plan
  let differs = on != (a == 1)
}
"""

RELATIONS = {
    "at_most": -1,
    "at_least": -2,
    "exact": 2000,
    "plain": -1499,
    "given_unit": 2,
    "looked_up": 2000,
    "word": "extra-large",
    "summed": 6,
    "counted": 2,
    "some": True,
    "throughout": False,
    "member": True,
    "exchanged": 1,
    "literal": 1001,
    "same": False,
    "differs": True,
}


def test_relations_of_a_text() -> None:
    """Conversions, quantifiers, tables and `with`, in numbers of the relation's unit, flags and words."""
    system = checked_text(PROGRAM).systems["s"]
    run = RunState(system, {"a": 2, "plan": "large", "on": True, "t": -1500, "long": 2})
    found = {name: run.relation(name) for name in RELATIONS}
    assert [(type(value), value) for value in found.values()] == [(type(value), value) for value in RELATIONS.values()]


def test_world_is_written_in_words() -> None:
    system = checked_text(PROGRAM).systems["s"]
    assert plain_world(system, {"a": 1, "plan": 2, "on": 0, "t": 1500, "long": 2}) == {
        "a": 1,
        "plan": "extra-large",
        "on": False,
        "t": 1500,
        "long": 2,
    }
    assert domain_values(system.variable("plan")) == ("small", "large", "extra-large")


def test_before_has_no_meaning_outside_a_prescription() -> None:
    system = checked_text(PROGRAM).systems["s"]
    expr = Earlier(VariableRef("on", FLAG, span=NOWHERE), FLAG, span=NOWHERE)
    now, fired = (RunState(system, {"on": on}) for on in (True, False))
    assert not holds(expr, now, fired)
    with pytest.raises(ValueError, match="prescription"):
        holds(expr, now)
