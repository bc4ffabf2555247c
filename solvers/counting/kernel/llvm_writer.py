"""Routines as machine code, through LLVM: fast, where llvmlite is installed.

Integers have 64 bits. The language bounds every value by 2**60; what overflows in a branch that doesn't count wraps
around and is thrown away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import assert_never

from solvers.counting.kernel.writer import Operand, TooWideError, multipliers
from solvers.problem import Op, Sort

WIDEST_TABLE = 1 << 14
"""Widest range of keys for which a lookup table is stored, with holes."""

MOST = 1 << 61
"""Largest constant: sums and products of what a program computes stay below, and so do masks of codes."""

_TYPES = {Sort.INT: "i64", Sort.BOOL: "i1"}
_COMPARISONS = {Op.EQ: "eq", Op.NE: "ne", Op.LT: "slt", Op.LE: "sle", Op.GT: "sgt", Op.GE: "sge"}

PRELUDE = """\
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.abs.i64(i64, i1)

define internal i64 @floordiv(i64 %a, i64 %b) alwaysinline {
  %zero = icmp eq i64 %b, 0
  %minus = icmp eq i64 %b, -1
  %odd = or i1 %zero, %minus
  %d = select i1 %odd, i64 1, i64 %b
  %q = sdiv i64 %a, %d
  %p = mul i64 %q, %d
  %r = sub i64 %a, %p
  %rest = icmp ne i64 %r, 0
  %signs = xor i64 %r, %d
  %apart = icmp slt i64 %signs, 0
  %down = and i1 %rest, %apart
  %one = zext i1 %down to i64
  %f = sub i64 %q, %one
  %n = sub i64 0, %a
  %m = select i1 %minus, i64 %n, i64 %f
  ret i64 %m
}

define internal i64 @floormod(i64 %a, i64 %b) alwaysinline {
  %q = call i64 @floordiv(i64 %a, i64 %b)
  %p = mul i64 %q, %b
  %r = sub i64 %a, %p
  ret i64 %r
}
"""


class LlvmWriter:
    """Writes each routine as a function of a pointer, in LLVM's text form."""

    def __init__(self) -> None:
        self._globals: list[str] = []
        self._lines: list[str] = []
        self._tables: dict[tuple[int, ...], str] = {}
        self._made = 0
        self._block = ""
        self._open = False
        self.names: list[str] = []

    def text(self) -> str:
        """What was written so far."""
        return "\n".join([PRELUDE, *self._globals, *self._lines, ""])

    @contextmanager
    def routine(self, name: str) -> Iterator[None]:
        self.names.append(name)
        self._lines.append(f"define i64 @{name}(ptr noalias %s) {{")
        self._start("entry")
        yield
        self.leave(self.constant(0))
        self._lines.append("}")

    def constant(self, value: int | bool) -> Operand:
        if abs(value) > MOST:
            raise TooWideError(f"the number {value} is beyond {MOST}")
        return Operand(str(value).lower(), Sort.BOOL if isinstance(value, bool) else Sort.INT)

    def load(self, slot: int, sort: Sort = Sort.INT) -> Operand:
        found = self._new(f"load i64, ptr {self._place(str(slot))}")
        return found if sort is Sort.INT else self._new(f"icmp ne i64 {found.text}, 0", sort)

    def load_from(self, slot: int, offset: Operand) -> Operand:
        place = self._new(f"add i64 {slot}, {offset.text}")
        return self._new(f"load i64, ptr {self._place(place.text)}")

    def store(self, slot: int, value: Operand) -> None:
        self._line(f"store i64 {self._integer(value).text}, ptr {self._place(str(slot))}")

    def store_to(self, slot: int, offset: Operand, value: Operand) -> None:
        place = self._new(f"add i64 {slot}, {offset.text}")
        self._line(f"store i64 {self._integer(value).text}, ptr {self._place(place.text)}")

    def hashed(self, values: Sequence[Operand], bits: int) -> Operand:
        total = self.constant(0)
        for value, factor in zip(values, multipliers(len(values)), strict=True):
            term = self._new(f"mul i64 {value.text}, {factor}")
            total = self._new(f"add i64 {total.text}, {term.text}")
        return self._new(f"lshr i64 {total.text}, {64 - bits}")

    def apply(self, op: Op, args: Sequence[Operand]) -> Operand:
        texts = [arg.text for arg in args]
        match op:
            case Op.ADD:
                return self._chain("add i64 {}, {}", args, Sort.INT)
            case Op.MUL:
                return self._chain("mul i64 {}, {}", args, Sort.INT)
            case Op.AND:
                return self._chain("and i1 {}, {}", args, Sort.BOOL) if args else self.constant(True)
            case Op.OR:
                return self._chain("or i1 {}, {}", args, Sort.BOOL) if args else self.constant(False)
            case Op.MIN:
                return self._chain("call i64 @llvm.smin.i64(i64 {}, i64 {})", args, Sort.INT)
            case Op.MAX:
                return self._chain("call i64 @llvm.smax.i64(i64 {}, i64 {})", args, Sort.INT)
            case Op.SUB:
                return self._new(f"sub i64 {texts[0]}, {texts[1]}")
            case Op.NEG:
                return self._new(f"sub i64 0, {texts[0]}")
            case Op.ABS:
                return self._new(f"call i64 @llvm.abs.i64(i64 {texts[0]}, i1 false)")
            case Op.FLOORDIV:
                return self._floordiv(*texts)
            case Op.CEILDIV:
                opposite = self._new(f"sub i64 0, {texts[0]}")
                return self._new(f"sub i64 0, {self._floordiv(opposite.text, texts[1]).text}")
            case Op.MOD:
                return self._new(f"call i64 @floormod(i64 {texts[0]}, i64 {texts[1]})")
            case Op.EQ | Op.NE | Op.LT | Op.LE | Op.GT | Op.GE:
                of = _TYPES[args[0].sort]
                return self._new(f"icmp {_COMPARISONS[op]} {of} {texts[0]}, {texts[1]}", Sort.BOOL)
            case Op.NOT:
                return self._new(f"xor i1 {texts[0]}, true", Sort.BOOL)
            case Op.IMPLIES:
                return self._new(f"select i1 {texts[0]}, i1 {texts[1]}, i1 true", Sort.BOOL)
            case Op.ITE:
                of = _TYPES[args[1].sort]
                return self._new(f"select i1 {texts[0]}, {of} {texts[1]}, {of} {texts[2]}", args[1].sort)
        assert_never(op)

    def lookup(self, entries: Sequence[tuple[int, int]], key: Operand) -> Operand:
        known = dict(entries)
        first, span = min(known), max(known) - min(known) + 1
        if span > WIDEST_TABLE:
            raise TooWideError(f"keys of a table span {span} integers, more than {WIDEST_TABLE}")
        place = self._new(f"sub i64 {key.text}, {first}")
        within = self._new(f"call i64 @llvm.umin.i64(i64 {place.text}, i64 {span - 1})")
        return self.element([known.get(first + step, 0) for step in range(span)], within)

    def element(self, values: Sequence[int], place: Operand) -> Operand:
        stored = tuple(values)
        if stored not in self._tables:
            self._tables[stored] = f"@table{len(self._tables)}"
            items = ", ".join(f"i64 {value}" for value in stored)
            self._globals.append(
                f"{self._tables[stored]} = private unnamed_addr constant [{len(stored)} x i64] [{items}]"
            )
        where = self._new(f"getelementptr i64, ptr {self._tables[stored]}, i64 {place.text}")
        return self._new(f"load i64, ptr {where.text}")

    @contextmanager
    def loop(self, count: int) -> Iterator[Operand]:
        self._made += 1
        body, again, after = (f"{part}{self._made}" for part in ("body", "again", "after"))
        place, following = Operand(f"%i{self._made}"), f"%n{self._made}"
        before = self._block
        self._jump(f"br label %{body}")
        self._start(body)
        self._line(f"{place.text} = phi i64 [ 0, %{before} ], [ {following}, %{again} ]")
        yield place
        self._jump(f"br label %{again}")
        self._start(again)
        self._line(f"{following} = add i64 {place.text}, 1")
        more = self._new(f"icmp slt i64 {following}, {count}", Sort.BOOL)
        self._jump(f"br i1 {more.text}, label %{body}, label %{after}")
        self._start(after)

    @contextmanager
    def if_(self, condition: Operand) -> Iterator[None]:
        self._made += 1
        then, after = f"then{self._made}", f"after{self._made}"
        self._jump(f"br i1 {condition.text}, label %{then}, label %{after}")
        self._start(then)
        yield
        self._jump(f"br label %{after}")
        self._start(after)

    def call(self, name: str) -> Operand:
        return self._new(f"call i64 @{name}(ptr %s)")

    def leave(self, value: Operand) -> None:
        self._jump(f"ret i64 {self._integer(value).text}")

    def _integer(self, value: Operand) -> Operand:
        return value if value.sort is Sort.INT else self._new(f"zext i1 {value.text} to i64")

    def _floordiv(self, dividend: str, divisor: str) -> Operand:
        return self._new(f"call i64 @floordiv(i64 {dividend}, i64 {divisor})")

    def _chain(self, template: str, args: Sequence[Operand], sort: Sort) -> Operand:
        joined = args[0]
        for arg in args[1:]:
            joined = self._new(template.format(joined.text, arg.text), sort)
        return joined

    def _place(self, slot: str) -> str:
        return self._new(f"getelementptr i64, ptr %s, i64 {slot}").text

    def _new(self, text: str, sort: Sort = Sort.INT) -> Operand:
        self._made += 1
        cell = Operand(f"%t{self._made}", sort)
        self._line(f"{cell.text} = {text}")
        return cell

    def _line(self, text: str) -> None:
        if self._open:
            self._lines.append("  " + text)

    def _jump(self, text: str) -> None:
        """End the block that is open, if one is: what follows a `leave` is never reached."""
        self._line(text)
        self._open = False

    def _start(self, name: str) -> None:
        self._lines.append(f"{name}:")
        self._block, self._open = name, True
