"""Routines in plain Python: slow, and possible everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, assert_never

from solvers.counting.kernel.writer import Operand, multipliers
from solvers.problem import Op, Sort


class PythonWriter:
    """Writes each routine as a function of a list.

    The text holds names made here and numbers only.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0
        self._made = 0
        self._tables: dict[str, Any] = {}

    def functions(self) -> dict[str, Any]:
        """Compile what was written: a function for each routine, by name."""
        scope: dict[str, Any] = dict(self._tables)
        exec(compile("\n".join(self._lines), "<kernel>", "exec"), scope)
        return scope

    @contextmanager
    def routine(self, name: str) -> Iterator[None]:
        self._line(f"def {name}(s):")
        with self._block():
            yield
            self._line("return 0")

    def constant(self, value: int | bool) -> Operand:
        return Operand(f"({value})", Sort.BOOL if isinstance(value, bool) else Sort.INT)

    def load(self, slot: int, sort: Sort = Sort.INT) -> Operand:
        return self._new(f"s[{slot}]", sort)

    def load_from(self, slot: int, offset: Operand) -> Operand:
        return self._new(f"s[{slot} + {offset.text}]", Sort.INT)

    def store(self, slot: int, value: Operand) -> None:
        self._line(f"s[{slot}] = {value.text}")

    def store_to(self, slot: int, offset: Operand, value: Operand) -> None:
        self._line(f"s[{slot} + {offset.text}] = {value.text}")

    def hashed(self, values: Sequence[Operand], bits: int) -> Operand:
        terms = (f"{value.text} * {factor}" for value, factor in zip(values, multipliers(len(values)), strict=True))
        return self._new(f"({' + '.join(terms)} & {(1 << 64) - 1}) >> {64 - bits}", Sort.INT)

    def apply(self, op: Op, args: Sequence[Operand]) -> Operand:
        sort = args[1].sort if op is Op.ITE else _SORTS[op]
        return self._new(_text(op, [arg.text for arg in args]), sort)

    def lookup(self, entries: Sequence[tuple[int, int]], key: Operand) -> Operand:
        return self._new(f"{self._kept(dict(entries))}.get({key.text}, 0)", Sort.INT)

    def element(self, values: Sequence[int], place: Operand) -> Operand:
        return self._new(f"{self._kept(tuple(values))}[{place.text}]", Sort.INT)

    @contextmanager
    def loop(self, count: int) -> Iterator[Operand]:
        self._made += 1
        place = Operand(f"i{self._made}")
        self._line(f"for {place.text} in range({count}):")
        with self._block():
            yield place

    @contextmanager
    def if_(self, condition: Operand) -> Iterator[None]:
        self._line(f"if {condition.text}:")
        with self._block():
            yield

    def call(self, name: str) -> Operand:
        return self._new(f"{name}(s)", Sort.INT)

    def leave(self, value: Operand) -> None:
        self._line(f"return {value.text}")

    def _line(self, text: str) -> None:
        self._lines.append("    " * self._depth + text)

    @contextmanager
    def _block(self) -> Iterator[None]:
        self._depth += 1
        start = len(self._lines)
        yield
        if len(self._lines) == start:
            self._line("pass")
        self._depth -= 1

    def _new(self, text: str, sort: Sort) -> Operand:
        self._made += 1
        cell = Operand(f"t{self._made}", sort)
        self._line(f"{cell.text} = {text}")
        return cell

    def _kept(self, table: object) -> str:
        name = f"table{len(self._tables)}"
        self._tables[name] = table
        return name


_SORTS = dict.fromkeys(
    (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE, Op.AND, Op.OR, Op.NOT, Op.IMPLIES), Sort.BOOL
) | dict.fromkeys((Op.ADD, Op.SUB, Op.MUL, Op.NEG, Op.FLOORDIV, Op.CEILDIV, Op.MOD, Op.MIN, Op.MAX, Op.ABS), Sort.INT)


def _text(op: Op, args: Sequence[str]) -> str:
    match op:
        case Op.ADD | Op.SUB | Op.MUL | Op.EQ | Op.NE | Op.LT | Op.LE | Op.GT | Op.GE:
            return f" {op.value} ".join(args)
        case Op.AND:
            return " and ".join(args) or "True"
        case Op.OR:
            return " or ".join(args) or "False"
        case Op.NOT:
            return f"not {args[0]}"
        case Op.NEG:
            return f"-{args[0]}"
        case Op.ABS:
            return f"abs({args[0]})"
        case Op.FLOORDIV:
            return f"{args[0]} // {args[1]} if {args[1]} else 0"
        case Op.CEILDIV:
            return f"-(-{args[0]} // {args[1]}) if {args[1]} else 0"
        case Op.MOD:
            return f"{args[0]} % {args[1]} if {args[1]} else 0"
        case Op.MIN | Op.MAX:
            return f"{op.value}({', '.join(args)})" if len(args) > 1 else args[0]
        case Op.ITE:
            condition, then, other = args
            return f"{then} if {condition} else {other}"
        case Op.IMPLIES:
            return f"not {args[0]} or {args[1]}"
    assert_never(op)
