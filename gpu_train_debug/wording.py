"""Phrases that messages share: names in a row, a count with its noun, the names that may have been meant.

Nothing but the standard library, and nothing of the project: every package may import it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MOST_NAMED = 5
"""How many of the known names `suggestion` lists if none of them is close."""


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 task`, `2 tasks`; `plural` for a noun that doesn't simply take an s."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def joined(texts: Iterable[str], *, last: str = "and") -> str:
    """`a, b and c`; empty without a text. `last` stands before the last one."""
    *others, end = [*texts] or [""]
    return f"{', '.join(others)} {last} {end}" if others else end


def listed(names: Iterable[str], *, last: str = "and", limit: int = 8) -> str:
    """The names in backticks; those beyond `limit` are only counted. `last` stands before the last one."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > limit:
        return f"{', '.join(quoted[:limit])} and {len(quoted) - limit} more"
    return joined(quoted, last=last)


def did_you_mean(name: str, candidates: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> str:
    """A question that offers the candidates closest to `name`, closest first; empty if none is close.

    Capitals make no difference.

    Args:
        most: How many candidates are offered.
        cutoff: How alike they must be, from 0 to 1, as in `difflib`.
    """
    spellings: dict[str, str] = {}
    for candidate in sorted(set(candidates)):
        spellings.setdefault(candidate.lower(), candidate)
    close = get_close_matches(name.lower(), list(spellings), n=most, cutoff=cutoff)
    return f"did you mean {listed((spellings[match] for match in close), last='or')}?" if close else ""


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the closest known ones, or some if none is close.

    Starts with a semicolon; empty if nothing is known.
    """
    names = sorted(set(known))
    if question := did_you_mean(name, names):
        return f"; {question}"
    return f"; known: {listed(names, limit=MOST_NAMED)}" if names else ""
