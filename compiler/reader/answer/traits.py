"""What evaluating a formula involves, and how the parts of a formula add up to it.

Sets of slots are bit masks; see `scope` for slots.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from compiler.reader.text.errors import ReadError
from compiler.reader.text.values import ReadKind


@attrs.frozen
class Traits:
    """What evaluating a formula in a state involves.

    Attributes:
        kind: Kind of the value.
        reads: Variables whose value in that state matters, through relations too.
        calls: Relations needed in that state, not counting those that they need.
        size: Operations in the formula itself.
        elsewhere: Operations in other states, below `with` and `before`.
        bits: Bound on the size of a number on the way.
        frames: Calls inside calls.
    """

    kind: ReadKind
    reads: int = 0
    calls: int = 0
    size: int = 1
    elsewhere: int = 0
    bits: int = 1
    frames: int = 1


def join_traits(kind: ReadKind, parts: Sequence[Traits], *, bits: int | None = None) -> Traits:
    """Combine the traits of operands that are evaluated in one state.

    Args:
        kind: Kind of the result.
        bits: Bound on its size; the largest of the parts' bounds if None.
    """
    reads = calls = 0
    for part in parts:
        reads |= part.reads
        calls |= part.calls
    return Traits(
        kind,
        reads,
        calls,
        size=1 + sum(part.size for part in parts),
        elsewhere=sum(part.elsewhere for part in parts),
        bits=max(part.bits for part in parts) if bits is None else bits,
        frames=max(part.frames for part in parts),
    )


def slots_of(mask: int) -> tuple[int, ...]:
    """List the members of a bit mask, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


def check_plain(line: int, unit: str, decimals: int) -> None:
    """Refuse a unit or decimals on what is not a number.

    Raises:
        ReadError: There is a unit, or there are decimals.
    """
    if unit or decimals:
        found = f"`{unit}`" if unit else f"{decimals} decimals"
        raise ReadError(line, "a unit and decimals only on numbers", f"{found} on a flag or word")
