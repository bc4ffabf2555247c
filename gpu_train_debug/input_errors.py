"""What is wrong with a file that a user gave: the message, the place, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gpu_train_debug.wording import counted, did_you_mean

FLAWS_SHOWN = 20
"""How many different flaws of one input are printed; the others are only counted."""

PLACES_SHOWN = 3
"""How many further places of one flaw are printed."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that is wrong.

    Attributes:
        message: Lower case, without a full stop.
        place: `path` or `path:line`; empty if it concerns no single file.
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


class InputError(Exception):
    """An input can't be used. Carries at least one flaw."""

    def __init__(self, flaws: Sequence[Flaw]) -> None:
        super().__init__(flaws[0].message)
        self.flaws = tuple(flaws)

    def __str__(self) -> str:
        """Every flaw with its place; flaws that differ in their place alone are one, with the first places."""
        places: dict[Flaw, list[str]] = {}
        for flaw in self.flaws:
            places.setdefault(replace(flaw, place=""), []).append(flaw.place)
        rows = [_with_places(flaw, found).text() for flaw, found in islice(places.items(), FLAWS_SHOWN)]
        if len(places) > FLAWS_SHOWN:
            rows.append(f"and {len(places) - FLAWS_SHOWN} more")
        return "\n".join(rows)


def _with_places(flaw: Flaw, places: Sequence[str]) -> Flaw:
    first, *others = places
    if not others:
        return replace(flaw, place=first)
    named = ", ".join(others[:PLACES_SHOWN]) + (", ..." if len(others) > PLACES_SHOWN else "")
    note = f"the same is wrong in {counted(len(others), 'more place')}: {named}"
    return replace(flaw, place=first, notes=(*flaw.notes, note))


def refuse(message: str, place: str = "", *, notes: tuple[str, ...] = (), helps: tuple[str, ...] = ()) -> InputError:
    """Make an error of one flaw."""
    return InputError([Flaw(message, place, notes, helps)])


def similar(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """At most one help text, with the names that `name` may have been meant as."""
    question = did_you_mean(name, names)
    return (question,) if question else ()
