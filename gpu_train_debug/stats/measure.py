"""What the tasks of a folder are like: lengths, answers, margins.

In: records. Out: numbers for each system and each split, as frozen values. Nothing but the records is looked at.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median

from gpu_train_debug.grading.answer import Gold, read_gold
from gpu_train_debug.jsontext import decode_object
from gpu_train_debug.stats.tokens import TokenCounter
from gpu_train_debug.tasks import TaskRecord, TasksError

RUN = "\n## Config\n"
"""Where the run of a page starts; what stands before it is the handbook."""

NEAR_MARGINS = (20, 100)
"""Between these, in permille, a task is decided narrowly."""

SETTING = re.compile(r'\s*(?:--)?"?(?:\w+\.)?(?P<name>\w+)"?(?:: | = | )(?P<value>[^\s{].*?),?')
"""A line of a config that gives a field its value, in any of the forms of a config; the head of a group is none."""

_PROFILER = "\n## Profiler\n"
"""What stands behind the config of a page."""

LOG = "\n## Log\n```text\n"
"""Where the log of a page starts; it ends before the next fence."""

FEWEST = 4
"""Fewer tasks of an archetype may have one answer by chance."""

_HEALTHY = "HEALTHY"


@dataclass(frozen=True, slots=True)
class PageLengths:
    """How long a system's pages are.

    Attributes:
        handbooks: How many different handbooks its tasks have: one, if all is well.
        handbook: Tokens of the longest handbook.
        run_median: Tokens of a run in the median; `run_most` at most.
        fields_fewest: Fields of the shortest config; `fields_most` of the longest.
        log_fewest: Lines of the shortest log; `log_most` of the longest.
    """

    system: str
    tasks: int
    handbooks: int
    handbook: int
    run_median: int
    run_most: int
    fields_fewest: int
    fields_most: int
    log_fewest: int
    log_most: int


@dataclass(frozen=True, slots=True)
class SplitAnswers:
    """The answers of a split.

    Attributes:
        codes: How many tasks have each code, most first.
        golds: How many tasks have each answer, most first.
        margins: Smallest margin of each task, in permille, ascending; of the tasks that tell it.
    """

    split: str
    tasks: int
    healthy: int
    pairs: int
    codes: Mapping[str, int]
    golds: Mapping[str, int]
    interaction: Mapping[int, int]
    uniqueness: Mapping[str, int]
    margins: Sequence[int]

    @property
    def fault_golds(self) -> dict[str, int]:
        """The answers of faults alone, and how many tasks have each."""
        return {gold: count for gold, count in self.golds.items() if f'"{_HEALTHY}"' not in gold}

    @property
    def near(self) -> int:
        """How many tasks are decided narrowly."""
        low, high = NEAR_MARGINS
        return sum(low <= margin <= high for margin in self.margins)


@dataclass(frozen=True, slots=True)
class TaskStats:
    """All of a folder: by system, by split, and the archetypes whose tasks all have one answer."""

    tokenizer: str
    pages: tuple[PageLengths, ...]
    splits: tuple[SplitAnswers, ...]
    single_gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Task:
    record: TaskRecord
    gold: Gold
    meta: Mapping[str, object]

    @property
    def healthy(self) -> bool:
        return self.gold.codes == (_HEALTHY,)


def measure_tasks(splits: Mapping[str, Iterable[TaskRecord]], counter: TokenCounter) -> TaskStats:
    """Measure the tasks of each split.

    Raises:
        TasksError: A record's gold or meta can't be read, or there is no task.
    """
    tasks = {split: [_read(record) for record in records] for split, records in splits.items()}
    everything = list(chain.from_iterable(tasks.values()))
    if not everything:
        raise TasksError("there are no tasks")
    systems: dict[str, list[str]] = defaultdict(list)
    for task in everything:
        systems[str(task.meta.get("system", "?"))].append(task.record.prompt)
    return TaskStats(
        counter.name,
        tuple(_lengths(system, pages, counter) for system, pages in sorted(systems.items())),
        tuple(_answers(split, found) for split, found in tasks.items() if found),
        _single_gold(everything),
    )


def _read(record: TaskRecord) -> _Task:
    try:
        return _Task(record, read_gold(record.gold), decode_object(record.meta))
    except ValueError as error:
        raise TasksError(f"task `{record.id}`: {error}") from error


def _lengths(system: str, pages: Sequence[str], counter: TokenCounter) -> PageLengths:
    parts = [page.partition(RUN) for page in pages]
    handbooks = sorted({handbook for handbook, _, _ in parts})
    runs = [counter.count(mark + run) for _, mark, run in parts]
    most = max(map(counter.count, handbooks))
    lines = [page.partition(LOG)[2].partition("\n```")[0].count("\n") + 1 for page in pages]
    fields = [sum(map(bool, map(SETTING.fullmatch, run.partition(_PROFILER)[0].splitlines()))) for _, _, run in parts]
    return PageLengths(
        system=system,
        tasks=len(pages),
        handbooks=len(handbooks),
        handbook=most,
        run_median=round(median(runs)),
        run_most=max(runs),
        fields_fewest=min(fields),
        fields_most=max(fields),
        log_fewest=min(lines),
        log_most=max(lines),
    )


def _answers(split: str, tasks: Sequence[_Task]) -> SplitAnswers:
    margins = [margin for task in tasks if isinstance(margin := task.meta.get("margin"), int)]
    return SplitAnswers(
        split=split,
        tasks=len(tasks),
        healthy=sum(task.healthy for task in tasks),
        pairs=sum(len(task.gold.codes) > 1 for task in tasks),
        codes=_counted(code for task in tasks for code in task.gold.codes if code != _HEALTHY),
        golds=_counted(task.record.gold for task in tasks),
        interaction=dict(sorted(Counter(_whole(task.meta.get("interaction")) for task in tasks).items())),
        uniqueness=_counted(str(task.meta.get("uniqueness", "?")) for task in tasks),
        margins=sorted(margins),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    """How often each occurs: most first, then by name."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _single_gold(tasks: Sequence[_Task]) -> tuple[str, ...]:
    """Archetypes of faults with at least `FEWEST` tasks, all of which have the same answer."""
    golds: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        if not task.healthy:
            golds[task.record.archetype].append(task.record.gold)
    return tuple(sorted(name for name, found in golds.items() if len(found) >= FEWEST and len(set(found)) == 1))
