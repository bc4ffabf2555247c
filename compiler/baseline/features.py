"""What a learner sees of a run: each channel as text or as numbers.

In: runs. Out: a function from runs to columns, fitted to those it learns from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer

from compiler.baseline.run import CHANNELS, Run

MOST_RELATED = 32
"""Of more numbers, those with the most different values are related to each other."""

_ATTRIBUTE = re.compile(r"(?<![\w.])(\w+)=(\S*[^\s.,;:)])")
_NUMBER = re.compile(r"(?P<number>[+-]?\d+(?:\.\d+)?(?:e-?\d+)?) ?(?P<unit>[^\d\s.]\S*)?")

Runs: TypeAlias = Sequence[Run]
FeatureColumns: TypeAlias = Callable[[Runs], Any]
"""Gives a row of numbers for each run, always in the same columns."""


def words(runs: Runs, channels: Sequence[str]) -> FeatureColumns:
    """TF-IDF of words and of up to three in a row, so that `name = value` is one of them."""

    def texts(runs: Runs) -> list[str]:
        return ["".join(f"{channel}\n{run.channels[channel]}\n" for channel in channels) for run in runs]

    vectorizer = TfidfVectorizer(token_pattern=r"[^\s(),=]+", ngram_range=(1, 3), sublinear_tf=True)
    vectorizer.fit(texts(runs))
    return lambda runs: vectorizer.transform(texts(runs))


def numbers(runs: Runs, channels: Sequence[str]) -> FeatureColumns:
    """Printed numbers; 1 or 0 for each word that a name has as its value, and for each line that a logger has."""
    return _plain(runs, channels)[0]


def printed_values(runs: Runs) -> dict[str, list[float | str | None]]:
    """Every printed value by its name, in all channels: a number, a word, or None where a run doesn't print it."""
    found = [dict(_values(run, CHANNELS)) for run in runs]
    names = sorted({name for values in found for name in values} - {"run"})
    return {name.strip(): [values.get(name) for values in found] for name in names}


def related_numbers(runs: Runs, channels: Sequence[str]) -> FeatureColumns:
    """The same, with the ratio, difference and product of each two numbers, of those that vary most."""
    plain, names = _plain(runs, channels)
    variety = {place: len(np.unique(column)) for place, column in enumerate(plain(runs).T) if _is_number(names[place])}
    most = sorted(sorted(variety, key=lambda place: -variety[place])[:MOST_RELATED])
    left, right = np.array(list(combinations(most, 2)), dtype=int).reshape(-1, 2).T

    def related(runs: Runs) -> Any:
        columns = plain(runs)
        a, b = columns[:, left], columns[:, right]
        ratios = np.divide(a, b, out=np.zeros_like(a), where=b != 0)
        return np.hstack([columns, ratios, a - b, a * b])

    return related


def _plain(runs: Runs, channels: Sequence[str]) -> tuple[FeatureColumns, Sequence[str]]:
    """Numbers as columns, and the names of these."""
    vectorizer = DictVectorizer(sparse=False)
    vectorizer.fit([dict(_values(run, channels)) for run in runs])
    return lambda runs: vectorizer.transform([dict(_values(run, channels)) for run in runs]), vectorizer.feature_names_


def _values(run: Run, channels: Sequence[str]) -> Iterator[tuple[str, float | str]]:
    yield "run", 1.0  # so that there is a column even where a channel prints nothing
    for channel in channels:
        seen: Counter[str] = Counter()
        for line in run.channels[channel].splitlines():
            if channel != "log":
                name, _, text = line.partition(" = ")
                yield _value(name, text)
                continue
            logger, _, text = line.partition(": ")
            seen[logger] += 1
            tag = logger if seen[logger] == 1 else f"{logger}#{seen[logger]}"
            yield tag, 1.0
            for name, value in _ATTRIBUTE.findall(text):
                yield _value(f"{tag}.{name}", value)


def _value(name: str, text: str) -> tuple[str, float | str]:
    """A number under its name and unit; a word, of which the vectorizer makes the column `name=word`."""
    found = _NUMBER.fullmatch(text)
    return (name, text) if found is None else (f"{name} {found['unit'] or ''}", float(found["number"]))


def _is_number(column: str) -> bool:
    return " " in column and "=" not in column
