"""Read the semantics tables: expressions, bindings and values, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, assert_never

import attrs

from solvers.problem import (
    Apply,
    Before,
    Const,
    Expr,
    Kind,
    Lookup,
    Op,
    Problem,
    RelationValue,
    Sort,
    Var,
    Variable,
    With,
)

FOLDER = Path(__file__).parent.parent / "semantics"


@attrs.frozen
class Case:
    """One line of a table; `problem` has its relations and one variable of each binding."""

    id: str
    problem: Problem
    expr: Expr
    bindings: Mapping[str, int]
    before: Mapping[str, int] | None
    value: int | bool


def cases() -> list[Case]:
    return [_case(table["section"], line) for table in _tables() for line in table["cases"]]


def _tables() -> list[dict[str, Any]]:
    return [tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml"))]


def _case(section: str, line: dict[str, Any]) -> Case:
    bindings: dict[str, int] = line.get("bindings", {})
    sorts: dict[str, Sort] = {}
    relations = []
    for name, definition in line.get("relations", {}).items():
        relations.append((name, read_expr(definition, sorts)))
        sorts[name] = relations[-1][1].sort
    before = {**bindings, **line["before"]} if "before" in line else None
    values = {name: sorted({value, before[name] if before else value}) for name, value in bindings.items()}
    return Case(
        id=f"{section}: {line['id']}",
        problem=Problem(
            name=section,
            variables=tuple(
                Variable(name, Kind.CONFIG, tuple(domain), True, tuple(domain)) for name, domain in values.items()
            ),
            relations=tuple(relations),
            observations=(),
            rules=(),
        ),
        expr=read_expr(line["expr"], sorts),
        bindings=bindings,
        before=before,
        value=line["value"],
    )


def read_expr(data: Any, sorts: Mapping[str, Sort]) -> Expr:
    """Build the expression that `data` writes; `sorts` are those of the relations."""
    match data:
        case bool() | int():
            return Const(data)
        case str():
            return Var(data)
        case ["rel", name]:
            return RelationValue(name, sorts[name])
        case ["lookup", entries, key]:
            return Lookup("table", tuple((k, v) for k, v in entries), read_expr(key, sorts))
        case ["with", body, changes]:
            new = tuple((name, read_expr(value, sorts)) for name, value in changes.items())
            return With(read_expr(body, sorts), new)
        case ["before", body]:
            return Before(read_expr(body, sorts))
        case [operator, *args]:
            return Apply(Op(operator), tuple(read_expr(arg, sorts) for arg in args))
        case _:
            raise ValueError(f"not an expression: {data!r}")


OPERANDS = Problem(
    name="operands",
    variables=(Variable("x", Kind.CONFIG, tuple(range(-4, 5))), Variable("y", Kind.CONFIG, (-3, -2, 1, 3))),
    relations=(),
    observations=(),
    rules=(),
)
"""Two integers, the second of which is never zero."""


def applied(op: Op) -> Apply:
    """Apply an operator to the variables of `OPERANDS`, or to conditions over them."""
    x, y = Var("x"), Var("y")
    positive, above = Apply(Op.LT, (Const(0), x)), Apply(Op.LT, (y, x))
    match op:
        case Op.NEG | Op.ABS:
            return Apply(op, (x,))
        case Op.NOT:
            return Apply(op, (above,))
        case Op.AND | Op.OR | Op.IMPLIES:
            return Apply(op, (positive, above))
        case Op.ITE:
            return Apply(op, (above, x, y))
        case Op.ADD | Op.SUB | Op.MUL | Op.FLOORDIV | Op.CEILDIV | Op.MOD | Op.MIN | Op.MAX:
            return Apply(op, (x, y))
        case Op.EQ | Op.NE | Op.LT | Op.LE | Op.GT | Op.GE:
            return Apply(op, (x, y))
    assert_never(op)
