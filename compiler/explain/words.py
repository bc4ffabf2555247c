"""Values of one system in words, for write-ups of a task.

In: a system plan, and worlds. Out: pieces of Markdown: formulas in backticks, numbers in the unit in which
the system computes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from compiler.emit.prompt.formula import formula
from compiler.emit.prompt.vocabulary import vocabulary_of
from compiler.plan import SystemPlan
from solvers.evaluate import relations, value
from solvers.outcome import Assignment
from solvers.problem import Before, Direction, Expr, Pick, RelationValue, Sort, Var, With, children


class ValueWords:
    """Values of one system in words."""

    def __init__(self, plan: SystemPlan) -> None:
        self.plan = plan
        self.problem = plan.problem
        self.variables = {variable.name: variable for variable in plan.variables}
        self.definitions = dict(self.problem.relations)
        self.units = {relation.name: relation.unit for relation in plan.relations}
        self.labels = {relation.name: relation.labels for relation in plan.relations}
        self.names = vocabulary_of(plan)

    def variable(self, name: str, number: int) -> str:
        """A value in the unit of the domain, which need not be the printed one."""
        plan = self.variables[name]
        if plan.display.labels is not None:
            return plan.display.labels[number]
        return f"{number} {plan.display.unit if plan.unit is None else plan.unit}".strip()

    def answer(self, codes: Sequence[str], fix: Sequence[tuple[str, int]]) -> str:
        """An answer in words, such as "`CODE` with `field = 3`"."""
        return f"{' and '.join(codes) or 'HEALTHY'} with {self.assignment(dict(fix)) or 'nothing changed'}"

    def assignment(self, values: Mapping[str, int]) -> str:
        return ", ".join(f"`{name} = {self.variable(name, number)}`" for name, number in values.items())

    def numbers(
        self,
        exprs: Iterable[Expr],
        world: Assignment,
        *,
        before: Assignment | None = None,
        earlier: str = "before",
    ) -> str:
        """The value of everything that the expressions read, in the order of mention; `earlier` as for `formula`."""
        known = relations(self.problem, world)
        texts = dict.fromkeys(self.atom(node, world, known, before, earlier) for expr in exprs for node in atoms(expr))
        return "; ".join(texts)

    def contrast(
        self, expr: Expr, worlds: Sequence[Assignment], *, before: Assignment | None = None
    ) -> tuple[str, list[tuple[str, ...]]]:
        """The values that decide the truth of `expr`: those that are the same in all worlds, and each world's own.

        Flags that differ are followed into their definitions; those that are the same in all worlds aren't.
        """
        known = [relations(self.problem, world) for world in worlds]
        same: dict[str, None] = {}
        own: list[dict[str, None]] = [{} for _ in worlds]

        def visit(part: Expr) -> None:
            for node in atoms(part):
                texts = [
                    self.plain_atom(node, world, values, before) for world, values in zip(worlds, known, strict=True)
                ]
                if len(set(texts)) == 1:
                    same[texts[0]] = None
                    continue
                for told, text in zip(own, texts, strict=True):
                    told[text] = None
                if isinstance(node, RelationValue) and node.sort is Sort.BOOL:
                    visit(self.definitions[node.name])

        visit(self.behind(expr))
        return "; ".join(same), [tuple(told) for told in own]

    def behind(self, expr: Expr) -> Expr:
        """What a flag is defined by; any other expression itself."""
        return self.definitions[expr.name] if isinstance(expr, RelationValue) and expr.sort is Sort.BOOL else expr

    def atom(
        self,
        node: Var | RelationValue | With | Before,
        world: Assignment,
        known: Mapping[str, int | bool],
        before: Assignment | None,
        earlier: str,
    ) -> str:
        """One value; a flag comes with the values that decide it."""
        text = self.plain_atom(node, world, known, before, earlier)
        if not isinstance(node, RelationValue) or node.sort is not Sort.BOOL:
            return text
        return f"{text} ({self.numbers([self.definitions[node.name]], world)})"

    def plain_atom(
        self,
        node: Var | RelationValue | With | Before,
        world: Assignment,
        known: Mapping[str, int | bool],
        before: Assignment | None,
        earlier: str = "before",
    ) -> str:
        """One value alone."""
        if isinstance(node, Var):
            return f"`{node.name}` = {self.variable(node.name, world[node.name])}"
        found = known[node.name] if isinstance(node, RelationValue) else value(self.problem, node, world, before=before)
        text = self.formula(node, earlier=earlier)
        if isinstance(found, bool):
            return f"{text} is {'true' if found else 'false'}"
        name = relation_name(node)
        labels = self.labels.get(name)
        return f"{text} = {labels[found] if labels is not None else self.with_unit(found, name)}"

    def with_unit(self, number: int, name: str) -> str:
        """A value of a relation, or of what is said about it."""
        return f"{number} {self.units.get(name, '')}".strip()

    def formula(self, expr: Expr, *, earlier: str = "before") -> str:
        """A formula; `earlier` is what it calls a look back, as on the page: `printed` in a guard."""
        return f"`{formula(expr, self.names, earlier=earlier)}`"

    def tries(self, pick: Pick) -> list[int]:
        """The values of a field in the order in which a pick tries them."""
        variable = self.problem.variable(pick.field)
        match pick.direction:
            case Direction.LARGEST:
                return sorted(variable.domain, reverse=True)
            case Direction.SMALLEST:
                return sorted(variable.domain)
            case Direction.FIRST:
                return list(variable.preference)


def atoms(expr: Expr) -> Iterator[Var | RelationValue | With | Before]:
    """What an expression reads, without looking into relations and interventions."""
    if isinstance(expr, Var | RelationValue | With | Before):
        yield expr
        return
    for child in children(expr):
        yield from atoms(child)


def relation_name(expr: Expr) -> str:
    """The relation or variable that an intervention or a look back is about; empty if it is a formula."""
    match expr:
        case RelationValue(name=name) | Var(name=name):
            return name
        case With(body=body) | Before(body=body):
            return relation_name(body)
    return ""
