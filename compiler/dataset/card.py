"""The dataset card: `README.md` beside the data files.

In: what was compiled, counts and one record as an example. Out: Markdown with the front matter that data
loaders read. Every number in it is counted from the records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import attrs

from compiler.dataset.manifest import FileEntry
from compiler.dataset.tally import Tally
from compiler.emit.templating import fill_template
from compiler.plan import DatasetPlan, ProgramPlan
from gpu_train_debug.jsontext import encode
from gpu_train_debug.tasks import RECORD_KEYS, TaskRecord
from solvers.outcome import Uniqueness

CARD_NAME = "README.md"

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@attrs.frozen
class CardSplit:
    """A split: its file and what its records count to."""

    name: str
    file: str
    entry: FileEntry
    tally: Tally


@attrs.frozen
class _ArchetypeRow:
    name: str
    title: str
    system: str
    tier: str
    counts: tuple[int, ...]  # by split


def render_card(
    program: ProgramPlan, dataset: DatasetPlan, splits: tuple[CardSplit, ...], example: TaskRecord, *, package: str
) -> str:
    """Write the card.

    Args:
        splits: In printing order.
        example: Shown whole.
        package: Import name of the package that has the grader.
    """
    rows = sum(split.tally.rows for split in splits)
    names = sorted({name for split in splits for name in split.tally.archetypes})
    archetypes = [_archetype_row(program, name, splits) for name in names]
    systems = [program.systems[name] for name in sorted({row.system for row in archetypes})]
    return fill_template(
        "card.md.j2",
        dataset=dataset,
        quoted_title=encode(dataset.title),
        keys=RECORD_KEYS,
        size=next((size for limit, size in _SIZES if rows < limit), "n>1M"),
        rows=rows,
        bytes=sum(split.entry.bytes for split in splits),
        checksum=_joint_checksum(splits),
        splits=splits,
        archetypes=archetypes,
        systems=systems,
        uniqueness=[kind.value for kind in Uniqueness],
        undecided=sum(split.tally.undecided for split in splits),
        interactions=sorted({size for split in splits for size in split.tally.interaction}),
        share=_share,
        example=example,
        package=package,
    )


def _archetype_row(program: ProgramPlan, name: str, splits: tuple[CardSplit, ...]) -> _ArchetypeRow:
    plan = program.archetypes[name]
    counts = tuple(split.tally.archetypes[name] for split in splits)
    return _ArchetypeRow(name, plan.title, plan.system, plan.tier, counts)


def _joint_checksum(splits: tuple[CardSplit, ...]) -> str:
    """One checksum over all data files. Loaders cache by the front matter, so a change must show there."""
    return hashlib.sha256("".join(split.entry.sha256 for split in splits).encode()).hexdigest()


def _share(counts: Mapping[object, int], key: object) -> str:
    """The share of `key` among `counts`, such as `37%`."""
    whole = sum(counts.values())
    return f"{100 * counts.get(key, 0) / whole:.0f}%" if whole else "0%"
