"""Learners, and two ways to answer by them.

In: the golds of the rows to learn from, columns for them and for the rows to answer. Out: replies, as JSON texts. No
learner sees the runbook. All are seeded; with one thread they give the same replies each time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from compiler.baseline.features import FeatureColumns, Runs, numbers, related_numbers, words
from compiler.baseline.run import CHANNELS
from gpu_train_debug.grading.answer import read_gold

CHANNEL, WHOLE, RELATIONAL = "one channel", "the whole run", "relational"


@attrs.frozen
class Learner:
    """Features of some channels and what learns from them; aims are set for each `kind`."""

    name: str
    kind: str
    features: Callable[[Runs, Sequence[str]], FeatureColumns]
    channels: Sequence[str]
    model: Callable[[], Any]


_REGRESSION = partial(LogisticRegression, C=30, max_iter=5000)
_TREES = partial(ExtraTreesClassifier, 100, max_features=0.3, random_state=0)
_BOOSTING = partial(HistGradientBoostingClassifier, max_iter=60, min_samples_leaf=5, random_state=0)


def _neighbour() -> Any:
    return make_pipeline(StandardScaler(), KNeighborsClassifier(1))


LEARNERS = (
    Learner("text", WHOLE, words, CHANNELS, _REGRESSION),
    *(Learner(f"text: {channel}", CHANNEL, words, (channel,), _REGRESSION) for channel in CHANNELS),
    Learner("numbers, extra trees", WHOLE, numbers, CHANNELS, _TREES),
    Learner("numbers, boosting", WHOLE, numbers, CHANNELS, _BOOSTING),
    Learner("numbers, nearest neighbour", WHOLE, numbers, CHANNELS, _neighbour),
    *(Learner(f"numbers, extra trees: {channel}", CHANNEL, numbers, (channel,), _TREES) for channel in CHANNELS),
    Learner("relational, extra trees", RELATIONAL, related_numbers, CHANNELS, _TREES),
)


def answer_by_sets(learner: Learner, columns: Any, golds: Sequence[str], others: Any) -> list[str]:
    """A classifier of code sets; then one of fixes, which learns from the rows with that code set alone."""
    sets = [code_set(gold) for gold in golds]
    chosen = _classify(learner, columns, sets, others)
    replies = [""] * len(chosen)
    for codes in sorted(set(chosen)):
        known, asked = ([place for place, each in enumerate(those) if each == codes] for those in (sets, chosen))
        fixes = [json.dumps(dict(read_gold(golds[place]).fix), sort_keys=True) for place in known]
        for place, fix in zip(asked, _classify(learner, columns[known], fixes, others[asked]), strict=True):
            replies[place] = _reply(json.loads(codes), json.loads(fix))
    return replies


def answer_by_parts(learner: Learner, columns: Any, golds: Sequence[str], others: Any) -> list[str]:
    """A classifier for each code, there or not, and one for each field, its new value or that it stays.

    So it can name a pair that it has never seen. It names the likeliest code and any other that is likelier than not.
    """
    known = [read_gold(gold) for gold in golds]
    codes = sorted({code for gold in known for code in gold.codes})
    flags = ([code in gold.codes for gold in known] for code in codes)
    likely = np.column_stack([_likelihood(learner, columns, each, others) for each in flags])
    named = (likely > 0.5) | (likely == likely.max(axis=1, keepdims=True))
    fixes: list[dict[str, Any]] = [{} for _ in named]
    for field in sorted({field for gold in known for field in gold.fix}):
        values = [json.dumps(gold.fix.get(field)) for gold in known]  # null: it stays
        for fix, value in zip(fixes, _classify(learner, columns, values, others), strict=True):
            if value != "null":
                fix[field] = json.loads(value)
    return [_reply([codes[place] for place in np.flatnonzero(row)], fix) for row, fix in zip(named, fixes, strict=True)]


WAYS: Mapping[str, Callable[[Learner, Any, Sequence[str], Any], list[str]]] = {
    "sets": answer_by_sets,
    "parts": answer_by_parts,
}


def code_set(gold: str) -> str:
    """The codes of a gold as a JSON text, whatever their order.

    Raises:
        ValueError: The gold is malformed.
    """
    return json.dumps(sorted(read_gold(gold).codes))


def _reply(codes: Sequence[str], fix: Mapping[str, Any]) -> str:
    return json.dumps({"diagnosis": codes, "fix": fix})


def _classify(learner: Learner, columns: Any, labels: Sequence[str], others: Any) -> list[str]:
    if len(set(labels)) == 1:
        return [labels[0]] * others.shape[0]
    return [str(label) for label in learner.model().fit(columns, np.array(labels)).predict(others)]


def _likelihood(learner: Learner, columns: Any, flags: Sequence[bool], others: Any) -> Any:
    if all(flags):
        return np.ones(others.shape[0])
    return learner.model().fit(columns, np.array(flags)).predict_proba(others)[:, 1]
