"""What is wrong with an input of a study: the message, its place, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpu_train_debug.wording import did_you_mean

FAULTS_SHOWN = 20
"""How many faults of one input are told; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        message: Lower case, without a full stop.
        place: `path` or `path:line`; empty if the fault lies with no file.
        notes: Facts.
        helps: What to do.
    """

    message: str
    place: str = ""
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()

    def text(self) -> str:
        rows = [f"error: {self.message}"]
        if self.place:
            rows.append(f"  --> {self.place}")
        rows += (f"   = note: {note}" for note in self.notes)
        rows += (f"   = help: {text}" for text in self.helps)
        return "\n".join(rows)


class StudyError(Exception):
    """An input can't be used. Carries at least one fault."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(faults[0].message)
        self.faults = tuple(faults)

    def __str__(self) -> str:
        rows = [fault.text() for fault in self.faults[:FAULTS_SHOWN]]
        if len(self.faults) > FAULTS_SHOWN:
            rows.append(f"and {len(self.faults) - FAULTS_SHOWN} more")
        return "\n".join(rows)


def refuse(message: str, place: str = "", *, notes: tuple[str, ...] = (), helps: tuple[str, ...] = ()) -> StudyError:
    """Make an error of one fault."""
    return StudyError([Fault(message, place, notes, helps)])


def similar(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """At most one help text that names what `name` may have meant."""
    question = did_you_mean(name, names)
    return (question,) if question else ()
