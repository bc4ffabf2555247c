"""Faults planted in what the lowering gives: a problem that differs from the one that the sources mean."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from solvers.problem import (
    Alternative,
    Apply,
    Before,
    Const,
    Expr,
    Keep,
    Kind,
    Lookup,
    Op,
    Pick,
    Problem,
    Sense,
    With,
    children,
)

Rewrite = Callable[[Expr], Expr]


def rewritten(expr: Expr, change: Rewrite) -> Expr:
    """`expr` with `change` made to each part, the innermost first."""
    parts = tuple(rewritten(part, change) for part in children(expr))
    match expr:
        case Apply(op=op):
            return change(Apply(op, parts))
        case Lookup(table=table, entries=entries):
            return change(Lookup(table, entries, parts[0]))
        case With(changes=changes):
            names = [name for name, _ in changes]
            return change(With(parts[0], tuple(zip(names, parts[1:], strict=True))))
        case Before():
            return change(Before(parts[0]))
        case _:
            return change(expr)


def everywhere(change: Rewrite) -> Callable[[Problem], Problem]:
    """A fault in the lowering of expressions."""

    def alternative(old: Alternative) -> Alternative:
        return Alternative(
            tuple(
                attrs.evolve(item, where=rewritten(item.where, change))
                if isinstance(item, Pick)
                else attrs.evolve(item, value=rewritten(item.value, change))
                for item in old.sets
            )
        )

    def planted(problem: Problem) -> Problem:
        return attrs.evolve(
            problem,
            relations=tuple((name, rewritten(value, change)) for name, value in problem.relations),
            observations=tuple(
                attrs.evolve(each, value=rewritten(each.value, change)) for each in problem.observations
            ),
            valid=rewritten(problem.valid, change),
            stated=rewritten(problem.stated, change),
            sound=rewritten(problem.sound, change),
            rules=tuple(
                attrs.evolve(
                    rule,
                    guard=rewritten(rule.guard, change),
                    alternatives=tuple(alternative(each) for each in rule.alternatives),
                )
                for rule in problem.rules
            ),
        )

    return planted


def operator(wrong: Op, right: Op) -> Callable[[Problem], Problem]:
    return everywhere(
        lambda expr: attrs.evolve(expr, op=wrong) if isinstance(expr, Apply) and expr.op is right else expr
    )


def one_after_the_other(expr: Expr) -> Expr:
    """`with (a = x, b = y)` as if it were `with (b = y) with (a = x)`."""
    if not isinstance(expr, With):
        return expr
    body = expr.body
    for each in reversed(expr.changes):
        body = With(body, (each,))
    return body


def without_before(expr: Expr) -> Expr:
    return expr.body if isinstance(expr, Before) else expr


def next_entry(expr: Expr) -> Expr:
    """Each key of a table with the value of the next one."""
    if not isinstance(expr, Lookup):
        return expr
    values = [value for _, value in expr.entries]
    shifted = zip(expr.entries, (*values[1:], values[0]), strict=True)
    return attrs.evolve(expr, entries=tuple((key, value) for (key, _), value in shifted))


def rounded_down(expr: Expr) -> Expr:
    """What is printed, without the half that rounding half up adds."""
    match expr:
        case Apply(op=Op.FLOORDIV, args=(Apply(op=Op.ADD, args=(value, Const())), divisor)):
            return Apply(Op.FLOORDIV, (value, divisor))
    return expr


def in_evidence(change: Rewrite) -> Callable[[Problem], Problem]:
    return lambda problem: attrs.evolve(
        problem,
        observations=tuple(attrs.evolve(each, value=rewritten(each.value, change)) for each in problem.observations),
    )


def without_rule_keeps(problem: Problem) -> Problem:
    return attrs.evolve(problem, rules=tuple(attrs.evolve(rule, keeps=()) for rule in problem.rules))


def keeps(change: Callable[[Keep], Keep]) -> Callable[[Problem], Problem]:
    return lambda problem: attrs.evolve(
        problem,
        keeps=tuple(change(keep) for keep in problem.keeps),
        rules=tuple(attrs.evolve(rule, keeps=tuple(map(change, rule.keeps))) for rule in problem.rules),
    )


def without_last_hidden_value(problem: Problem) -> Problem:
    return attrs.evolve(
        problem,
        variables=tuple(
            attrs.evolve(each, domain=each.domain[:-1]) if each.kind is Kind.HIDDEN else each
            for each in problem.variables
        ),
    )


def worst_first(problem: Problem) -> Problem:
    turned = tuple(attrs.evolve(each, preference=each.preference[::-1]) for each in problem.variables)
    return attrs.evolve(problem, variables=turned)


def first_alternatives(problem: Problem) -> Problem:
    cut = tuple(attrs.evolve(rule, alternatives=rule.alternatives[:1]) for rule in problem.rules)
    return attrs.evolve(problem, rules=cut)


def other_end(problem: Problem) -> Problem:
    """`largest` where the source says `smallest`, and the other way round."""
    picks = {"largest": "smallest", "smallest": "largest", "first": "first"}

    def alternative(old: Alternative) -> Alternative:
        turned = (
            attrs.evolve(item, direction=type(item.direction)(picks[item.direction.value]))
            if isinstance(item, Pick)
            else item
            for item in old.sets
        )
        return Alternative(tuple(turned))

    return attrs.evolve(
        problem,
        rules=tuple(
            attrs.evolve(rule, alternatives=tuple(map(alternative, rule.alternatives))) for rule in problem.rules
        ),
    )


def everywhere_present(problem: Problem) -> Problem:
    """Values of the profiler that are there in every run."""
    changed = tuple(
        attrs.evolve(each, value=each.value.args[1])
        if each.channel == "profiler" and isinstance(each.value, Apply) and each.value.op is Op.ITE
        else each
        for each in problem.observations
    )
    return attrs.evolve(problem, observations=changed)


def always_last(problem: Problem) -> Problem:
    """Events that never stand before others."""
    changed = tuple(attrs.evolve(each, value=Const(0)) if "<" in each.name else each for each in problem.observations)
    return attrs.evolve(problem, observations=changed)


def first_occurrences(problem: Problem) -> Problem:
    """Repeated events whose lines all show what the first one shows."""
    first: dict[str, Expr] = {}
    changed = []
    for each in problem.observations:
        event, at, line = each.name.partition("@")
        key = f"{event}.{line.partition('.')[2]}"
        changed.append(attrs.evolve(each, value=first.setdefault(key, each.value)) if at else each)
    return attrs.evolve(problem, observations=tuple(changed))


FAULTS: dict[str, Callable[[Problem], Problem]] = {
    "ceil as floor": operator(Op.FLOORDIV, Op.CEILDIV),
    "floor as ceil": operator(Op.CEILDIV, Op.FLOORDIV),
    "< as <=": operator(Op.LE, Op.LT),
    "> as >=": operator(Op.GE, Op.GT),
    "<= as <": operator(Op.LT, Op.LE),
    ">= as >": operator(Op.GT, Op.GE),
    "and as or": operator(Op.OR, Op.AND),
    "implies as its converse": everywhere(
        lambda expr: Apply(Op.IMPLIES, expr.args[::-1]) if isinstance(expr, Apply) and expr.op is Op.IMPLIES else expr
    ),
    "with, one change after the other": everywhere(one_after_the_other),
    "before left out": everywhere(without_before),
    "tables shifted": everywhere(next_entry),
    "printed numbers rounded down": in_evidence(rounded_down),
    "keeps of rules left out": without_rule_keeps,
    "keeps of the system left out": lambda problem: attrs.evolve(problem, keeps=()),
    "keeps in any sense as equal": keeps(lambda keep: attrs.evolve(keep, sense=Sense.EQUAL)),
    "keeps of fields bind always": keeps(lambda keep: attrs.evolve(keep, field=None)),
    "last hidden value left out": without_last_hidden_value,
    "preference turned round": worst_first,
    "alternatives left out": first_alternatives,
    "largest as smallest": other_end,
    "conditions of profiler values left out": everywhere_present,
    "places of events left out": always_last,
    "lines of repeated events alike": first_occurrences,
    "rules in another order": lambda problem: attrs.evolve(problem, rules=problem.rules[::-1]),
    "requires left out": lambda problem: attrs.evolve(problem, valid=Const(True)),
    "stated left out": lambda problem: attrs.evolve(problem, stated=Const(True)),
    "sounds left out": lambda problem: attrs.evolve(problem, sound=Const(True)),
    "last observation left out": lambda problem: attrs.evolve(problem, observations=problem.observations[:-1]),
}
