"""What each learner earns on each split, beside answers by frequency and the independent reader.

In: the rows of each split, and which split to learn from. Out: `LearnerResult`s. Each system has a model of its own;
the title of the prompt tells systems apart.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TypeAlias

import attrs
import numpy as np
from threadpoolctl import threadpool_limits

from compiler.baseline.learners import LEARNERS, WAYS, Learner, code_set
from compiler.baseline.run import Run, read_run
from compiler.reader import ReadError, answer_json, read_prompt, solve
from gpu_train_debug.grading.rubric import HALF, grade
from gpu_train_debug.tasks import TaskRecord

FIXED, READER = "fixed", "reader"


class BaselineError(Exception):
    """The rows can't be learned from or scored; the message says why."""


@attrs.frozen
class BaselineTask:
    """A task, and its prompt as read for the learners."""

    split: str  # whose file it stands in
    record: TaskRecord
    run: Run


@attrs.frozen
class LearnerResult:
    """Means over the tasks of a split.

    Attributes:
        kind: What the learner sees, or `FIXED`, or `READER`.
        way: How it answers, a key of `WAYS`; empty for what is no learner.
        diagnosis: Share of tasks with the whole code set right and no code more.
        exact: Share of tasks with full credit.
    """

    learner: str
    kind: str
    way: str
    split: str
    diagnosis: float
    score: float
    exact: float


Answers: TypeAlias = Callable[[Sequence[BaselineTask], Sequence[BaselineTask]], Iterable[Sequence[str]]]
"""From tasks to learn from and tasks to answer, of one system: for each of these its replies, equally likely."""


def baseline_tasks(splits: Mapping[str, Iterable[TaskRecord]], train: str) -> list[BaselineTask]:
    """Read the prompts of all splits.

    Raises:
        BaselineError: A prompt or gold has another form, or `train` has no task, or none of some system.
    """
    tasks = [_read_task(split, record) for split, records in splits.items() for record in records]
    titles = {task.run.title for task in tasks if task.split == train}
    if not titles:
        raise BaselineError(f"`{train}` has no tasks to learn from")
    for task in tasks:
        if task.run.title not in titles:
            raise BaselineError(f"`{task.split}` has tasks of `{task.run.title}`, and `{train}` has none to learn from")
    return tasks


def count_steps(tasks: Sequence[BaselineTask], learners: Sequence[Learner] = LEARNERS) -> int:
    """How often `measure` advances."""
    return len(list(_contestants(learners))) * len({task.run.title for task in tasks})


def measure(
    tasks: Sequence[BaselineTask],
    train: str,
    *,
    learners: Sequence[Learner] = LEARNERS,
    advance: Callable[[], None] = lambda: None,
) -> list[LearnerResult]:
    """Score every learner, in each way to answer by it, on every split. Takes one thread, so that it repeats."""
    results = []
    splits = list(dict.fromkeys(task.split for task in tasks))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes")  # few tasks have the same fix
        for name, kind, way, answers in _contestants(learners):
            marks: dict[str, list[tuple[float, ...]]] = {split: [] for split in splits}
            for title in sorted({task.run.title for task in tasks}):
                asked = [task for task in tasks if task.run.title == title]
                known = [task for task in asked if task.split == train]
                for task, replies in zip(asked, answers(known, asked), strict=True):
                    marks[task.split].append(_mean([_mark(reply, task.record.gold) for reply in replies]))
                advance()
            results += [LearnerResult(name, kind, way, split, *_mean(marks[split])) for split in splits]
    return results


def _contestants(learners: Sequence[Learner]) -> Iterator[tuple[str, str, str, Answers]]:
    """Name, kind and way of each, and how it answers."""
    yield "constant", FIXED, "", _most_frequent
    yield "by frequency", FIXED, "", lambda known, asked: [[task.record.gold for task in known]] * len(asked)
    for learner in learners:
        for way in WAYS:
            yield learner.name, learner.kind, way, partial(_learned, learner, way)
    yield "reader", READER, "", lambda known, asked: [[_read_and_solve(task.record.prompt)] for task in asked]


def _most_frequent(known: Sequence[BaselineTask], asked: Sequence[BaselineTask]) -> Iterable[Sequence[str]]:
    counts = Counter(task.record.gold for task in known)
    return [[min(counts, key=lambda gold: (-counts[gold], gold))]] * len(asked)


def _learned(
    learner: Learner, way: str, known: Sequence[BaselineTask], asked: Sequence[BaselineTask]
) -> Iterable[Sequence[str]]:
    runs = [task.run for task in known]
    columns = learner.features(runs, learner.channels)
    golds = [task.record.gold for task in known]
    replies = WAYS[way](learner, columns(runs), golds, columns([task.run for task in asked]))
    return [[reply] for reply in replies]


def _read_and_solve(prompt: str) -> str:
    try:
        return answer_json(solve(read_prompt(prompt)))
    except ReadError:
        return ""


def _read_task(split: str, record: TaskRecord) -> BaselineTask:
    try:
        code_set(record.gold)
        return BaselineTask(split, record, read_run(record.prompt))
    except ValueError as error:
        raise BaselineError(f"task `{record.id}` of `{split}`: {error}") from error


@lru_cache(maxsize=1 << 16)
def _mark(reply: str, gold: str) -> tuple[float, ...]:
    """Whether the diagnosis is right, the score, and whether all is."""
    found = grade(reply, gold)
    return float(found.diagnosis == HALF), found.score, float(found.exact)


def _mean(marks: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in np.mean(marks, axis=0))
