"""Which variables decide an answer once something is known of the worlds in question.

In: conditions that hold where all walks start, and variables of which the value is known there. Out: the names of the
variables on which the walks may still depend. What is known stays true on a walk as long as no rule that may fire sets
a variable of it; a rule whose guard then comes to false never fires.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from solvers.counting import fold
from solvers.counting.expand import before_name, conjuncts, expand, expand_looking_back, support
from solvers.problem import Apply, Const, Expr, Lookup, Op, Problem, Rule, Var, children, prescribed


def deciding_variables(problem: Problem, holding: Sequence[Expr], fixed: Mapping[str, int]) -> frozenset[str]:
    """Name the variables on which walks may depend.

    Args:
        holding: Pure conditions that hold in every world.
        fixed: The value of each variable that has the same in every world.
    """
    changed: frozenset[str] = frozenset()
    while True:
        known = _Known(problem, holding, fixed, changed)
        live = [rule for rule in problem.rules if known.guard(rule) is not fold.constant(False)]
        more = changed.union(*(fields_of(rule) for rule in live))
        if more == changed:
            break
        changed = more
    exprs = [known.now(expand(problem, whole)) for whole in (problem.valid, problem.sound)]
    exprs += [known.guard(rule) for rule in live]
    exprs += [known.prescription(expr) for rule in live for expr in prescribed(rule)]
    read = frozenset[str]().union(*map(support, exprs))
    names = frozenset(variable.name for variable in problem.variables)
    return (read & names) | changed | frozenset(name for name in names if before_name(name) in read)


def fields_of(rule: Rule) -> frozenset[str]:
    """The fields that a rule may set."""
    return frozenset(item.field for alternative in rule.alternatives for item in alternative.sets)


class _Known:
    """What is known of every state of a walk on which only the variables `changed` may change."""

    def __init__(
        self, problem: Problem, holding: Iterable[Expr], fixed: Mapping[str, int], changed: frozenset[str]
    ) -> None:
        self.problem = problem
        self.changed = changed
        self.editable = frozenset(variable.name for variable in problem.editable)
        values = {name: value for name, value in fixed.items() if name not in changed}
        earlier = {before_name(name): value for name, value in fixed.items()}
        self.values = {name: fold.constant(value) for name, value in (values | earlier).items()}
        self.parts: dict[int, Expr] = {}
        for part in (part for whole in holding for part in conjuncts(whole)):
            if support(part).isdisjoint(changed):
                self.parts[id(part)] = fold.constant(True)
                if isinstance(part, Apply) and part.op is Op.NOT:
                    self.parts[id(part.args[0])] = fold.constant(False)

    def guard(self, rule: Rule) -> Expr:
        return self.now(expand_looking_back(self.problem, rule.guard, self.changed))

    def prescription(self, expr: Expr) -> Expr:
        """What is read by a prescription, whose fields are tried one after the other."""
        return self.now(expand_looking_back(self.problem, expr, self.editable))

    def now(self, expr: Expr) -> Expr:
        """A pure expression, simplified by what is known. Not recursive, since expressions may be deep."""
        done: dict[int, Expr] = dict(self.parts)
        stack = [expr]
        while stack:
            node = stack[-1]
            if id(node) in done:
                stack.pop()
            elif missing := [part for part in children(node) if id(part) not in done]:
                stack.extend(missing)
            else:
                done[id(node)] = self._rebuilt(stack.pop(), done)
        return done[id(expr)]

    def _rebuilt(self, node: Expr, done: Mapping[int, Expr]) -> Expr:
        match node:
            case Var(name=name):
                return self.values.get(name, node)
            case Apply(op=op, args=args):
                return fold.apply(op, tuple(done[id(arg)] for arg in args))
            case Lookup(table=table, entries=entries, key=key):
                return fold.lookup(table, entries, done[id(key)])
            case Const():
                return node
            case _:
                raise ValueError(f"not a pure expression: {node}")
