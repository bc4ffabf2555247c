"""The search for a world that shows the same in some channels and has other codes, for each set of channels.

In: a problem, a set of channels. Out: routines that try the values of one variable after the other, test every demand
as soon as its variables have values, and walk the worlds that are left. So a search that ends without a world has
shown that there is none. `order` says which variables come first; a variable that neither a demand nor a walk reads
keeps its value.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from solvers.counting.kernel.demands import Demands, shown_name
from solvers.counting.kernel.levels import LevelRoutines
from solvers.counting.kernel.order import search_order
from solvers.counting.kernel.slots import SearchSlots
from solvers.counting.kernel.walk import WalkRoutines
from solvers.counting.kernel.writer import Writer
from solvers.counting.tables import Tables
from solvers.streams import key_of


@attrs.frozen(eq=False)
class SearchPlan:
    """How to search for one set of channels.

    Attributes:
        name: Of the routine that searches.
        order: The variables that are tried, in order.
    """

    name: str
    order: tuple[str, ...]


class SearchRoutines:
    """Writes the routines of the searches of one problem, for one set of channels after the other."""

    def __init__(self, writer: Writer, walks: WalkRoutines, tables: Tables) -> None:
        self.writer = writer
        self.problem = tables.problem
        self.demands = Demands(tables)
        self.walked = walks.reads()
        self.slots = SearchSlots(self.problem, walks.slots)
        shown = {shown_name(number): slot for number, slot in enumerate(self.slots.shown)}
        self.variables = walks.slots.world | shown

    def write(self, channels: Sequence[str], name: str) -> SearchPlan:
        """Write the search for worlds that show the same in `channels`."""
        demands, exact = self.demands.of(channels)
        sizes = {variable.name: len(variable.domain) for variable in self.problem.variables}
        order = search_order(sizes, demands, self.walked - exact, key_of("order", self.problem.name, name))
        LevelRoutines(self.writer, self.slots, self.variables, name, order, demands, self.walked).write()
        return SearchPlan(name, tuple(order))
