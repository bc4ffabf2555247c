"""The LALR automaton of the grammar without trees: which terminals may follow what was read.

Lark's own parser tells the same only by copying the trees it has built, and it has already reduced some
of them when it meets a token that doesn't fit. Here a token that doesn't fit changes nothing.
"""

from __future__ import annotations

import functools
from typing import Any

from lark.parsers.lalr_analysis import Shift

from dsl.syntax.parse_tables import language


@functools.cache
def _table() -> Any:
    """Take the table out of Lark: states to (symbol to (action, next state or rule))."""
    return language().parse_interactive(start="module").parser_state.parse_conf.parse_table


class Machine:
    """A stack of parser states; a new one stands before the first token of a module."""

    def __init__(self, states: tuple[int, ...] = ()) -> None:
        self.states: tuple[int, ...] = states or (_table().start_states["module"],)

    def _after(self, states: tuple[int, ...], terminal: str) -> tuple[int, ...] | None:
        """Give the stack after one more terminal, None if it doesn't fit."""
        actions, end = _table().states, _table().end_states["module"]
        stack = list(states)
        while True:
            entry = actions[stack[-1]].get(terminal)
            if entry is None:
                return None
            action, target = entry
            if action is Shift:
                return (*stack, target)
            del stack[len(stack) - len(target.expansion) :]
            stack.append(actions[stack[-1]][target.origin.name][1])
            if terminal == "$END" and stack[-1] == end:
                return tuple(stack)

    def _after_all(self, terminals: tuple[str, ...]) -> tuple[int, ...] | None:
        states: tuple[int, ...] | None = self.states
        for terminal in terminals:
            if states is None:
                return None
            states = self._after(states, terminal)
        return states

    def fits(self, *terminals: str) -> bool:
        return self._after_all(terminals) is not None

    def feed(self, *terminals: str) -> bool:
        """Read terminals if all of them fit; else change nothing and give False."""
        states = self._after_all(terminals)
        if states is not None:
            self.states = states
        return states is not None

    def accepted(self) -> frozenset[str]:
        """Give all terminals that fit now; `$END` is the end of the file."""
        candidates = _table().states[self.states[-1]]
        return frozenset(name for name in candidates if name.isupper() and self.fits(name))

    def cut_back(self, terminal: str, *, to_start: bool) -> bool:
        """Forget the least that makes `terminal` fit, or with `to_start` the most; False if nothing does."""
        sizes = range(1, len(self.states)) if to_start else range(len(self.states) - 1, 0, -1)
        for size in sizes:
            if self._after(self.states[:size], terminal) is not None:
                self.states = self.states[:size]
                return True
        return False
