from __future__ import annotations

import attrs
import pytest
from strategies.firing import LEAKS

from compiler.emit.prompt.slice import ExplainedEvent, slice_of
from compiler.plan import EventPlan, SystemPlan
from solvers.problem import Apply, Const, Op, Var


def test_slice_has_what_rules_and_stated_conditions_read(kiln: SystemPlan) -> None:
    found = slice_of(kiln)
    assert found.relations == {"need", "spare", "finished", "phase", "peak"}
    assert found.defined == {"need", "spare", "finished", "phase"}
    assert found.variables == {"hold", "lid", "clay", "damp", "rated", "leak"}
    assert found.relevant == {"rated", "leak"}
    assert found.tables == {"melt", "stairs"}


def test_slice_explains_what_depends_on_a_relevant_quantity(kiln: SystemPlan) -> None:
    found = slice_of(kiln)
    assert found.values == {"need", "peak"}
    assert found.events == {
        "up": ExplainedEvent(attributes=frozenset({"rated"})),
        "step": ExplainedEvent(presence=True, attributes=frozenset({"power"})),
        "alarm": ExplainedEvent(presence=True, place=True),
    }


def test_what_is_explained_makes_more_relevant_until_nothing_is_left(kiln: SystemPlan) -> None:
    """`leak` shows together with `seal`, and `seal` in the presence of another line."""
    both = Apply(Op.AND, (LEAKS, Apply(Op.EQ, (Var("seal"), Const(1, "true")))))
    event = EventPlan("mixed", "", both, (), ("mixed",))
    found = slice_of(attrs.evolve(kiln, events=(*kiln.events, event)))
    assert "seal" in found.relevant
    assert found.events["mixed"] == ExplainedEvent(presence=True)
    assert found.events["smell"] == ExplainedEvent(presence=True)


def test_where_an_attribute_is_explained_so_is_when_its_line_is_there(kiln: SystemPlan) -> None:
    """The line says `rated` where `lid` and `rate`, which a config shows, allow it."""
    there = Apply(Op.AND, (Apply(Op.EQ, (Var("lid"), Const(1, "true"))), Apply(Op.GT, (Var("rate"), Const(30)))))
    up = next(event for event in kiln.events if event.name == "up")
    found = slice_of(attrs.evolve(kiln, events=(attrs.evolve(up, condition=there),)))
    assert found.events == {"up": ExplainedEvent(presence=True, attributes=frozenset({"rated"}))}
    assert "rate" in found.variables - found.relevant


def test_without_rules_and_stated_conditions_nothing_decides(kiln: SystemPlan) -> None:
    found = slice_of(attrs.evolve(kiln, stated=(), problem=attrs.evolve(kiln.problem, rules=())))
    assert not any((found.relations, found.variables, found.tables, found.values, found.events))


@pytest.mark.parametrize(
    ("explained", "truth"),
    [
        (ExplainedEvent(), False),
        (ExplainedEvent(presence=True), True),
        (ExplainedEvent(attributes=frozenset("a")), True),
        (ExplainedEvent(place=True), True),
    ],
)
def test_an_explained_event_is_true_when_something_of_it_is(explained: ExplainedEvent, *, truth: bool) -> None:
    assert bool(explained) is truth
