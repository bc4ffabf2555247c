"""The second meaning of the answer: the cheapest repair. An enumeration, apart from the walk.

In: a document with its solution. Out: whether the fix is a repair in every world that fits, and
the repairs over the named fields that cost no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import attrs

from compiler.reader.answer.document import Document
from compiler.reader.answer.generate import ReadState
from compiler.reader.answer.ready import ReadyKeep, ReadySystem
from compiler.reader.answer.solve import Solution, fitting_worlds, hidden_values
from compiler.reader.answer.walk import Meter, walk_worlds
from compiler.reader.text.errors import TooMuchWorkError, UndefinedError
from compiler.reader.text.handbook import ReadField
from compiler.reader.text.limits import MAX_CASES
from compiler.reader.text.values import ReadValue


@attrs.frozen
class Rivals:
    """What the enumeration finds.

    Attributes:
        fields: The named fields, in rank order.
        tried: How many other repairs cost no more than the fix.
        rivals: Those that are repairs in every world that fits, cheapest first.
        failure: Why the fix itself fails in some world that fits; empty if it repairs them all.
    """

    fields: tuple[str, ...]
    tried: int
    rivals: tuple[Mapping[str, ReadValue], ...]
    failure: str


@attrs.frozen
class _Case:
    """A fitting world: its states at the start and when each rule fired, with that rule's keeps."""

    start: ReadState
    fired: tuple[tuple[ReadState, tuple[ReadyKeep, ...]], ...]
    named: frozenset[str]


def rivals(document: Document, solution: Solution, world: Mapping[str, ReadValue] | None = None) -> Rivals:
    """Compare the fix with every repair over the named fields that costs no more.

    Args:
        solution: A solution of `document` with an answer.
        world: Hidden values of the fitting world whose costs count; the first world found that has them.
            Names may be left out.

    Raises:
        ValueError: The solution has no answer, or no fitting world has the values of `world`.
        TooMuchWorkError: The enumeration passes the reader's limit.
    """
    if solution.answer is None:
        raise ValueError("a solution without an answer has no rivals")
    system = document.system
    meter = Meter()
    cases = _cases(document, meter)
    wanted = (world or {}).items()
    home = next((case for case in cases if wanted <= hidden_values(document, case.start).items()), None)
    if home is None:
        raise ValueError("the world does not print what the prompt prints")
    fix: dict[str, ReadValue] = solution.answer["fix"]
    tester = _Tester(system, meter)
    failure = next(filter(None, (tester.failure(case, fix) for case in cases)), "")
    named = frozenset[str]().union(*(case.named for case in cases))
    fields = tuple(field for field in system.editable if field.name in named)
    choosable = [field for field in fields if len(field.values) > 1]
    tried = 0
    found: list[Mapping[str, ReadValue]] = []
    for repair in _up_to(system, choosable, home.start, fix):
        tried += 1
        if tester.failure(home, repair):
            continue
        if not any(tester.failure(case, repair) for case in cases):
            found.append(repair)
    return Rivals(tuple(field.name for field in fields), tried, tuple(found), failure)


def _cases(document: Document, meter: Meter) -> list[_Case]:
    """Walk every fitting world and keep the states in which its rules fired."""
    system = document.system
    keeps = {rule.code: rule.keeps for rule in system.rules}
    cases: list[_Case] = []
    for starts in fitting_worlds(document):
        for _, group in walk_worlds(system, starts, meter):
            named = frozenset(field for step in group.steps for field, _ in step.settings)
            for start in group.starts:
                state = start
                fired: list[tuple[ReadState, tuple[ReadyKeep, ...]]] = []
                for step in group.steps:
                    fired.append((state, keeps[step.code]))
                    state = _changed(system, state, dict(step.settings))
                if len(cases) == MAX_CASES:
                    raise TooMuchWorkError
                cases.append(_Case(start, tuple(fired), named))
    return cases


def _changed(system: ReadySystem, state: ReadState, repair: Mapping[str, ReadValue]) -> ReadState:
    for name, value in repair.items():
        slot = system.slots[name]
        state = system.moves[slot](state, value)
    return state


def _up_to(
    system: ReadySystem, fields: Sequence[ReadField], start: ReadState, fix: Mapping[str, ReadValue]
) -> Iterator[dict[str, ReadValue]]:
    """List the assignments that change only `fields`, by rising cost, until the fix's turn comes.

    Cost compares the number of fields changed, then their ranks, then the places of the new
    values in the fields' lists.
    """
    for count in range(len(fix) + 1):
        for changed in combinations(fields, count):
            present = [start[system.slots[field.name]] for field in changed]
            choices = [
                [value for value in field.values if value != old] for field, old in zip(changed, present, strict=True)
            ]
            names = [field.name for field in changed]
            for values in product(*choices):
                repair = dict(zip(names, values, strict=True))
                if repair == fix:
                    return
                yield repair


class _Tester:
    """Tests repairs, cheap conditions first."""

    def __init__(self, system: ReadySystem, meter: Meter) -> None:
        self.system = system
        self.meter = meter

    def failure(self, case: _Case, repair: Mapping[str, ReadValue]) -> str:
        """Say why `repair` doesn't repair a world; empty if it does."""
        try:
            return self._failure(case, repair)
        except (UndefinedError, ZeroDivisionError):
            return "leaves a formula without a value"

    def _failure(self, case: _Case, repair: Mapping[str, ReadValue]) -> str:
        system = self.system
        state = _changed(system, case.start, repair)
        self.meter.spend(len(state))
        for keep in system.keeps:
            self.meter.spend(keep.value.work)
            if keep.broken(case.start, state):
                return f"changes {keep.name}"
        for old, keeps in case.fired:
            for keep in keeps:
                if keep.name in case.named:
                    continue
                self.meter.spend(keep.value.work)
                if keep.broken(old, state):
                    return f"does not keep {keep.name}"
        self.meter.spend(system.valid.work)
        if not system.valid.run(state):
            return "leaves no allowed run"
        self.meter.spend(system.sound.work)
        if not system.sound.run(state):
            return "leaves no sound run"
        for rule in system.rules:
            self.meter.spend(rule.guard.work)
            if rule.guard.run(state):
                return f"leaves {rule.code}"
        return ""
