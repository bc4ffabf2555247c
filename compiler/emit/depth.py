"""How long a task's reasoning is: the longest derivation from printed quantities to the gold.

In: a system once, then walks. Out: the length of the longest path in a graph whose nodes are quantities in
the states of the walk. Printed quantities and unprinted variables are sources; a relation depends on what
its formula uses; a rule that fired on its condition; a set field on its prescription and its rule; the gold on
the last rule and the fields that were set. What a change touches is a new node, derived from the changed
fields, even if the unchanged one was printed. For a healthy run the gold depends on `sound` and every
rule's condition. The length depends on the rules and alternatives used only.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import networkx as nx

from compiler.plan import SystemPlan
from solvers.outcome import Walk
from solvers.problem import Alternative, Assign, Before, Expr, Pick, RelationValue, Var, With, children, walk_expr

_RulePath = tuple[tuple[int, int], ...]  # (rule, alternative) of each step


@attrs.frozen(eq=False)
class _State:
    """A state of a walk, or the run of a `with`: its parent with other values of some variables."""

    parent: _State | None
    changed: dict[str, int]  # variable -> its node
    relations: dict[str, int] = attrs.field(factory=dict)  # nodes made so far


class Depths:
    """Depths of one system's walks; each path through the runbook is measured once."""

    def __init__(self, system: SystemPlan) -> None:
        self.system = system
        self.definitions = dict(system.problem.relations)
        self.shown = _shown_relations(system)
        self.depends_on: dict[str, frozenset[str]] = {}  # relation -> the variables it depends on
        for name, expr in system.problem.relations:
            self.depends_on[name] = self._variables(expr)
        self._known: dict[_RulePath, int] = {}

    def of(self, walk: Walk) -> int:
        """The depth of the gold of `walk`."""
        path = tuple((step.rule, step.alternative) for step in walk.steps)
        if path not in self._known:
            self._known[path] = _Derivation(self).depth(path)
        return self._known[path]

    def _variables(self, expr: Expr) -> frozenset[str]:
        """The variables on which `expr` may depend; those that a `with` fixes count too."""
        found: set[str] = set()
        for node in walk_expr(expr):
            if isinstance(node, Var):
                found.add(node.name)
            elif isinstance(node, RelationValue):
                found |= self.depends_on[node.name]
        return frozenset(found)


def _shown_relations(system: SystemPlan) -> frozenset[str]:
    """Relations that every prompt prints: in the profiler, or in an event that always happens."""
    profiler = {plan.name for plan in system.relations if plan.display is not None and plan.when is None}
    log = {
        attribute.value.name
        for event in system.events
        if event.condition is None
        for attribute in event.attributes
        if isinstance(attribute.value, RelationValue)
    }
    return frozenset(profiler | log)


class _Derivation:
    """The graph of one walk, grown from its first state on."""

    def __init__(self, depths: Depths) -> None:
        self.depths = depths
        self.graph: nx.DiGraph[int] = nx.DiGraph()

    def depth(self, path: _RulePath) -> int:
        problem = self.depths.system.problem
        sources = {variable.name: self.node(()) for variable in problem.variables}
        state = _State(None, sources)
        if path:
            ends: set[int] = set()
            start = state
            for number, alternative in path:
                rule = problem.rules[number]
                fired = self.node(self.uses(rule.guard, state, start))
                state, sets = self.prescribe(rule.alternatives[alternative], state, fired)
                ends |= {fired, *sets}
        else:
            ends = {self.node(self.uses(rule.guard, state, state)) for rule in problem.rules}
            ends |= self.uses(problem.sound, state, state)
        self.node(ends)
        return int(nx.dag_longest_path_length(self.graph))

    def node(self, reasons: Iterable[int]) -> int:
        """Add a node that is derived from `reasons`."""
        number = len(self.graph)
        self.graph.add_node(number)
        self.graph.add_edges_from((reason, number) for reason in reasons)
        return number

    def prescribe(self, alternative: Alternative, before: _State, fired: int) -> tuple[_State, list[int]]:
        """Add the sets of `alternative`; gives the state after them and their nodes."""
        state = before
        nodes = []
        for item in alternative.sets:
            match item:
                case Assign(field=field, value=value):
                    reasons = self.uses(value, state, before)
                case Pick(field=field, where=where):
                    tried = _State(state, {field: self.node(())})
                    reasons = self.uses(where, tried, before)
            nodes.append(self.node({fired, *reasons}))
            state = _State(state, {field: nodes[-1]})
        return state, nodes

    def uses(self, expr: Expr, state: _State, before: _State) -> set[int]:
        """The nodes on which the value of `expr` in `state` depends."""
        match expr:
            case Var(name=name):
                return {self.variable(name, state)}
            case RelationValue(name=name):
                return {self.relation(name, state)}
            case With(body=body, changes=changes):
                news = {name: self.node(self.uses(new, state, before)) for name, new in changes}
                return self.uses(body, _State(state, news), before)
            case Before(body=body):
                return self.uses(body, before, before)
        return {node for child in children(expr) for node in self.uses(child, state, before)}

    def variable(self, name: str, state: _State) -> int:
        while name not in state.changed and state.parent is not None:
            state = state.parent
        return state.changed[name]

    def relation(self, name: str, state: _State) -> int:
        touched = self.depths.depends_on[name]
        while state.parent is not None and touched.isdisjoint(state.changed):
            state = state.parent
        if name not in state.relations:
            if state.parent is None and name in self.depths.shown:
                state.relations[name] = self.node(())
            else:
                state.relations[name] = self.node(self.uses(self.depths.definitions[name], state, state))
        return state.relations[name]
