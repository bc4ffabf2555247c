"""How much work a proof may cost.

A budget counts Z3's own steps (`rlimit`), never seconds, so the same query on the same version of Z3 ends the
same way on every machine. A query that runs out of budget is undecided, and an undecided query proves nothing.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class Budget:
    """Bounds on one query.

    Attributes:
        rlimit: Z3 resource units for each query. Queries of a system with sixteen editable fields and ten
            rules usually take 3,000 and at most 100,000; Z3 does one to two million in a second.
        seed: For the solver's own choices. The work may depend on it; verdicts don't.
    """

    rlimit: int = 4_000_000
    seed: int = 0

    def __attrs_post_init__(self) -> None:
        if self.rlimit < 1:
            raise ValueError(f"a budget of {self.rlimit} units allows no work: give 1 or more")
