"""What generated routines are made of, whatever language they are written in.

A routine works on one row of integers, the *state*, and returns an integer. It is written step by step through a
`Writer`, which turns each step into text of its language at once. Values that a step makes are `Operand`s: they may be
used in the rest of the block that made them and in the blocks within it, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import attrs

from solvers.problem import Op, Sort


@attrs.frozen
class Operand:
    """A value in a routine: how the language names it, and whether it is an integer or a truth value."""

    text: str
    sort: Sort = Sort.INT


class Writer(Protocol):
    """Writes routines; each method is one step of the routine that is open."""

    def routine(self, name: str) -> AbstractContextManager[None]:
        """Open a routine. Where its steps end without `leave`, it returns 0."""
        ...

    def constant(self, value: int | bool) -> Operand: ...

    def load(self, slot: int, sort: Sort = Sort.INT) -> Operand:
        """Read a slot of the state."""
        ...

    def load_from(self, slot: int, offset: Operand) -> Operand:
        """Read the slot that lies `offset` behind one."""
        ...

    def store(self, slot: int, value: Operand) -> None:
        """Write a slot; truth values become 1 and 0."""
        ...

    def store_to(self, slot: int, offset: Operand, value: Operand) -> None:
        """Write the slot that lies `offset` behind one."""
        ...

    def hashed(self, values: Sequence[Operand], bits: int) -> Operand:
        """A number of so many bits that depends on integers, the same in every language."""
        ...

    def apply(self, op: Op, args: Sequence[Operand]) -> Operand:
        """Apply an operator. Division by zero gives some integer: it happens in branches that don't count."""
        ...

    def lookup(self, entries: Sequence[tuple[int, int]], key: Operand) -> Operand:
        """The entry under a key; some integer for a key without one.

        Raises:
            TooWideError: The keys lie too far apart for this language.
        """
        ...

    def element(self, values: Sequence[int], place: Operand) -> Operand:
        """One of some constants, by its place."""
        ...

    def loop(self, count: int) -> AbstractContextManager[Operand]:
        """Repeat a block for 0 .. count - 1, which is the cell."""
        ...

    def if_(self, condition: Operand) -> AbstractContextManager[None]:
        """A block for where a condition holds."""
        ...

    def call(self, name: str) -> Operand:
        """Run another routine on the same state; what it returns."""
        ...

    def leave(self, value: Operand) -> None:
        """Return from the routine."""
        ...


def multipliers(count: int) -> list[int]:
    """What `hashed` multiplies its values by: odd numbers of 64 bits."""
    found = [0x9E37_79B9_7F4A_7C15]
    while len(found) < count:
        found.append(found[-1] * 0xD134_2543_DE82_EF95 + 2 & 0xFFFF_FFFF_FFFF_FFFF | 1)
    return found[:count]


class TooWideError(Exception):
    """Something is too large for a language; the arguments describe it."""
