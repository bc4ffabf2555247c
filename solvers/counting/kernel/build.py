"""The kernel of a problem: its walks and searches as routines, on a machine.

In: the tables of a problem, perhaps something that keeps what was built. Out: a `Kernel`. Which machine it has changes
no result.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
from collections.abc import Mapping
from importlib import resources
from typing import Any, Protocol

import attrs

from solvers.counting.kernel.channels import Channels, channel_sets
from solvers.counting.kernel.machine import LlvmMachine, PythonMachine, Runner, machine_code, machine_version
from solvers.counting.kernel.search import SearchPlan, SearchRoutines
from solvers.counting.kernel.slots import SearchSlots
from solvers.counting.kernel.walk import WALK, WalkRoutines
from solvers.counting.kernel.writer import TooWideError, Writer
from solvers.counting.tables import Tables

KERNEL_VARIABLE = "GTD_KERNEL"
"""The environment variable that chooses the machine: `llvm`, `python`, or, if it isn't set, the best one there is."""


class Store(Protocol):
    """Keeps what was built from one process to the next, and what it was built from."""

    def load(self, *made_from: bytes) -> bytes | None: ...

    def keep(self, content: bytes, *made_from: bytes) -> None: ...


@attrs.frozen(eq=False)
class Kernel:
    """The routines of a problem.

    Attributes:
        plans: Of each set of channels but that of all: how to search for worlds that show the same in it.
        slots: Where routines find their numbers.
    """

    plans: Mapping[Channels, SearchPlan]
    slots: SearchSlots
    machine: Runner


def build_kernel(tables: Tables, store: Store | None = None) -> Kernel:
    """Build the kernel of a problem, or load it."""
    wanted = os.environ.get(KERNEL_VARIABLE, "")
    if wanted != "python":
        try:
            return _compiled(tables, store)
        except (ModuleNotFoundError, TooWideError):
            if wanted:
                raise
    return interpreted_kernel(tables)


def interpreted_kernel(tables: Tables) -> Kernel:
    """Build the kernel of a problem for the machine that needs no library."""
    written = _Written(tables)
    machine = PythonMachine(written.write)
    return Kernel(written.plans, written.slots, machine)


def _compiled(tables: Tables, store: Store | None) -> Kernel:
    made_from = (machine_version().encode(), _own_sources(), pickle.dumps(tables.problem, protocol=5))
    content = None if store is None else store.load(*made_from)
    if content is None:
        written = _Written(tables)
        code = machine_code(written.write)
        content = pickle.dumps((written.plans, written.slots, code), protocol=5)
        if store is not None:
            store.keep(content, *made_from)
    plans, slots, code = pickle.loads(content)
    return Kernel(plans, slots, LlvmMachine(code, [WALK, *(plan.name for plan in plans.values())]))


class _Written:
    """What is known of the routines once they are written."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.plans: dict[Channels, SearchPlan] = {}
        self.slots: Any = None

    def write(self, writer: Writer) -> None:
        problem = self.tables.problem
        walks = WalkRoutines(writer, problem)
        walks.write()
        searches = SearchRoutines(writer, walks, self.tables)
        for number, chosen in enumerate(channel_sets(problem.channels)):
            if len(chosen) < len(problem.channels):
                self.plans[chosen] = searches.write(chosen, f"search_{number}")
        self.slots = searches.slots


@functools.cache
def _own_sources() -> bytes:
    """A hash of the modules that decide what is written."""
    digest = hashlib.sha256()
    for package in ("solvers", "solvers.counting", "solvers.counting.kernel"):
        for path in sorted(resources.files(package).iterdir(), key=lambda path: path.name):
            if path.name.endswith(".py"):
                digest.update(path.read_bytes())
    return digest.digest()
