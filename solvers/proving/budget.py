"""How much work a proof may cost.

A budget counts Z3's own steps (`rlimit`), never seconds: the same query on the same version then always
ends the same way, on any machine. A query that runs out is undecided, and an undecided query proves
nothing.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class Budget:
    """Bounds on one query.

    Attributes:
        rlimit: Z3 resource units for each query. Queries of a system with sixteen editable fields and ten
            rules take 3,000 as a rule and 100,000 at most; a second is worth one to two million.
        seed: For the solver's own choices; verdicts don't depend on it, the work may.
    """

    rlimit: int = 4_000_000
    seed: int = 0

    def __attrs_post_init__(self) -> None:
        if self.rlimit < 1:
            raise ValueError(f"a budget of {self.rlimit} units allows no work at all")
