"""Tells and trees beside their aims, as Markdown and as data.

A split that was drawn fresh, `hard_seed7`, has the aims of the split that it is a draw of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from compiler.baseline.tells import Tell, TreeResult
from gpu_train_debug.tables import markdown_table

TELL_AIMS: Mapping[str, float] = {"hard": 0.6, "ood": 0.6, "test": 0.8, "train": 0.8}
"""The most that the best condition for any code may have as its F1, by split."""

SETS_AIM, CODES_AIM, TREE_SPLITS = 0.35, 0.45, ("hard", "ood")
"""The most that a tree over code sets, and trees for each code, may get right of these splits."""

TELL_LEGEND = """\
For each code the condition on one printed value, or on two of them, with the best F1 on `{train}`, scored on the split.
Always: F1 of saying yes to every task. A code without a task in the split isn't listed."""
TREE_LEGEND = """\
Trees of depth three over all printed values and the comparisons of two of them, learned from `{train}`: the share of
tasks whose code set is right."""


def frozen_name(split: str) -> str:
    """The split that a fresh one is a draw of; any other is itself."""
    return split.partition("_seed")[0]


def aim_of(split: str) -> float | None:
    return TELL_AIMS.get(frozen_name(split))


def worst_tells(tells: Sequence[Tell]) -> list[Tell]:
    """The tells of codes that a split has, by split and system, the best ones first."""
    found = [tell for tell in tells if tell.positives]
    return sorted(found, key=lambda tell: (tell.split, tell.system, -tell.f1, tell.code))


def broken_tell_aims(tells: Sequence[Tell], trees: Sequence[TreeResult]) -> list[str]:
    """What exceeds its aim, in words. A split of which there are fresh tasks is judged on these alone."""
    splits = [*(tell.split for tell in tells), *(tree.split for tree in trees)]
    drawn = {frozen_name(split) for split in splits if split != frozen_name(split)}
    broken = [
        f"`{tell.split}`: `{tell.condition}` gives {tell.code} away with an F1 of {tell.f1:.2f}, more than {aim:.2f}"
        for tell in worst_tells(tells)
        if tell.split not in drawn
        if (aim := aim_of(tell.split)) is not None and tell.f1 > aim
    ]
    for tree in trees:
        if frozen_name(tree.split) in TREE_SPLITS and tree.split not in drawn:
            for what, found, aim in (("one tree", tree.by_sets, SETS_AIM), ("trees", tree.by_codes, CODES_AIM)):
                if found > aim:
                    broken.append(f"`{tree.split}`, {tree.system}: {what} of depth three: {found:.2f} > {aim:.2f}")
    return broken


def tells_markdown(tells: Sequence[Tell], trees: Sequence[TreeResult], train: str) -> str:
    """A table of tells for each split, and one of trees."""
    sections = ["# Tells", TELL_LEGEND.format(train=train)]
    head = ("code", "condition", "tasks", "precision", "recall", "F1", "always", "aim", "met")
    for split, system in sorted({(tell.split, tell.system) for tell in tells}):
        rows = [_tell_row(tell) for tell in worst_tells(tells) if (tell.split, tell.system) == (split, system)]
        if rows:
            sections += [f"## {split}: {system}", markdown_table(head, rows)]
    rows = [_tree_row(tree) for tree in sorted(trees, key=lambda tree: (tree.split, tree.system))]
    sections += ["## Trees", TREE_LEGEND.format(train=train)]
    sections.append(markdown_table(("split", "system", "tasks", "one over sets", "one for each code"), rows))
    return "\n\n".join(sections) + "\n"


def tells_data(tells: Sequence[Tell], trees: Sequence[TreeResult]) -> dict[str, Any]:
    return {
        "tells": [attrs.asdict(tell) for tell in tells],
        "trees": [attrs.asdict(tree) for tree in trees],
        "broken": broken_tell_aims(tells, trees),
    }


def _tell_row(tell: Tell) -> tuple[str, ...]:
    aim = aim_of(tell.split)
    numbers = (f"{value:.2f}" for value in (tell.precision, tell.recall, tell.f1, tell.always))
    met = "" if aim is None else "yes" if tell.f1 <= aim else "no"
    share = f"{tell.positives} of {tell.tasks}"
    return (tell.code, f"`{tell.condition}`", share, *numbers, "" if aim is None else f"{aim:.2f}", met)


def _tree_row(tree: TreeResult) -> tuple[str, ...]:
    return (tree.split, tree.system, str(tree.tasks), f"{tree.by_sets:.2f}", f"{tree.by_codes:.2f}")
