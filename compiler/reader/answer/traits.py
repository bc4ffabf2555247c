"""What evaluating a formula involves, and how the parts of a formula add up to it.

Sets of slots are bit masks; see `scope` for slots.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from compiler.reader.text.errors import ReadError
from compiler.reader.text.values import ReadDisplay, ReadKind


@attrs.frozen
class Traits:
    """What evaluating a formula in a state involves.

    Attributes:
        kind: Kind of the value.
        reads: Variables whose value in that state matters, through relations too.
        earlier: Variables whose value in the earlier state matters that the formula looks back at.
        calls: Relations needed in that state, not counting those that they need.
        size: Operations in the formula itself.
        elsewhere: Operations in other states, below `with` and `before`.
        bits: Bound on the size of a number on the way.
        frames: Calls inside calls.
    """

    kind: ReadKind
    reads: int = 0
    earlier: int = 0
    calls: int = 0
    size: int = 1
    elsewhere: int = 0
    bits: int = 1
    frames: int = 1

    @property
    def variables(self) -> int:
        """All variables that matter, as hidden ones are the same in every state of a walk."""
        return self.reads | self.earlier


def join_traits(kind: ReadKind, parts: Sequence[Traits], *, bits: int | None = None) -> Traits:
    """Combine the traits of operands that are evaluated in one state.

    Args:
        kind: Kind of the result.
        bits: Bound on its size; the largest of the parts' bounds if None.
    """
    reads = earlier = calls = 0
    for part in parts:
        reads |= part.reads
        earlier |= part.earlier
        calls |= part.calls
    return Traits(
        kind,
        reads,
        earlier,
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


def check_plain(line: int, display: ReadDisplay) -> None:
    """Refuse a unit or decimals on what is not a number.

    Raises:
        ReadError: There is a unit, or there are decimals.
    """
    if not display.plain or display.unit:
        found = f"`{display.unit}`" if display.unit else "a note on decimals"
        raise ReadError(line, "a unit and decimals only on numbers", f"{found} on a flag or word")
