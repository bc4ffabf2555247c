"""The results beside their aims, as Markdown and as data.

Most aims are upper bounds, for splits of these names: what a learner earns beyond them without the runbook is a
shortcut. The better of its ways to answer counts. The reader has to be right everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import attrs

from compiler.baseline.learners import CHANNEL, RELATIONAL, WHOLE, code_set
from compiler.baseline.measure import READER, BaselineTask, LearnerResult
from gpu_train_debug.tables import markdown_table

SCORE_AIMS: Mapping[str, Mapping[str, float]] = {
    "hard": {CHANNEL: 0.35, WHOLE: 0.45, RELATIONAL: 0.55},
    "ood": {CHANNEL: 0.35, WHOLE: 0.35, RELATIONAL: 0.45},
}
EXACT_AIMS: Mapping[str, float] = {"hard": 0.35, "ood": 0.15}
BASELINE_COLUMNS = ("learner", "right diagnoses", "score", "aim", "exact", "aim", "met")
LEGEND = """\
Learned from `{train}`. Right diagnoses: all codes and no other. Score and exact: by the grader. `constant` is the most
frequent gold of `{train}`, `by frequency` the mean over its golds. The reader uses the runbook; no other does.

Learners answer in two ways, before and behind the slash: a code set of `{train}` with a fix that goes with it, and part
by part, each code and each field by itself. The better one counts for the aims."""


@attrs.frozen
class Entry:
    """A learner on a split: a result for each way to answer, and the aims that there are."""

    learner: str
    split: str
    results: tuple[LearnerResult, ...]
    score_aim: float | None
    exact_aim: float | None
    met: bool | None


def make_entries(results: Sequence[LearnerResult]) -> list[Entry]:
    """Hold what belongs to one learner and one split against the aims; splits in the order of their names."""
    in_order = sorted(results, key=lambda result: result.split)
    groups = groupby(in_order, key=lambda result: (result.split, result.learner))
    return [_entry(learner, split, tuple(group)) for (split, learner), group in groups]


def _entry(learner: str, split: str, results: tuple[LearnerResult, ...]) -> Entry:
    score, exact = max(result.score for result in results), max(result.exact for result in results)
    if results[0].kind == READER:
        return Entry(learner, split, results, 1.0, 1.0, exact == 1)
    aims = SCORE_AIMS.get(split, {}).get(results[0].kind), EXACT_AIMS.get(split)
    checks = [value <= aim for value, aim in zip((score, exact), aims, strict=True) if aim is not None]
    return Entry(learner, split, results, *aims, all(checks) if checks else None)


def as_data(entries: Sequence[Entry], tasks: Sequence[BaselineTask], train: str) -> dict[str, Any]:
    """Everything that was measured; `seen` is the share of tasks whose code set occurs in `train`."""
    sets = [(task.split, (task.run.title, code_set(task.record.gold))) for task in tasks]
    known = {codes for split, codes in sets if split == train}
    splits = {}
    for split in sorted({split for split, _ in sets}):
        seen = [codes in known for each, codes in sets if each == split]
        splits[split] = {"tasks": len(seen), "seen": round(sum(seen) / len(seen), 6)}
    return {"train": train, "splits": splits, "results": [attrs.asdict(entry) for entry in entries]}


def as_markdown(entries: Sequence[Entry], tasks: Sequence[BaselineTask], train: str) -> str:
    """A table for each split."""
    sections = [LEGEND.format(train=train)]
    for split, counts in as_data(entries, tasks, train)["splits"].items():
        rows = [_cells(entry) for entry in entries if entry.split == split]
        sections.append(f"## {split}")
        sections.append(f"{counts['tasks']} tasks; the code sets of {counts['seen']:.0%} occur in `{train}`.")
        sections.append(markdown_table(BASELINE_COLUMNS, rows))
    return "\n\n".join(sections) + "\n"


def _cells(entry: Entry) -> tuple[str, ...]:
    def means(part: str) -> str:
        return " / ".join(f"{getattr(result, part):.3f}" for result in entry.results)

    aims = ["" if aim is None else f"{aim:.2f}" for aim in (entry.score_aim, entry.exact_aim)]
    met = {None: "", True: "yes", False: "no"}[entry.met]
    return entry.learner, means("diagnosis"), means("score"), aims[0], means("exact"), aims[1], met
