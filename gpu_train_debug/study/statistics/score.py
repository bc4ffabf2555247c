"""Scores of every sample, and what it answered.

In: split files and archives. Out: for each arm arrays of shape (tasks, samples), the tasks in the order of
the split files. Scores are those of `grade`; `exact` is its exact match.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gpu_train_debug.grading.answer import Answer, read_answer
from gpu_train_debug.grading.rubric import HALF, grade
from gpu_train_debug.input_errors import refuse, similar
from gpu_train_debug.jsontext import without_surrogates
from gpu_train_debug.study.inputs.generations import Archive, read_archive
from gpu_train_debug.study.inputs.tasks import StudyTask, TaskSet
from gpu_train_debug.study.statistics.resample import Floats


@dataclass(frozen=True, slots=True)
class Reply:
    """One scored sample.

    Attributes:
        diagnosed: The diagnosis earns its whole half: it names each code of the gold once, and nothing else.
        codes: Different codes that the diagnosis names, sorted; None if it names none.
        answer: A hash of what it answers, whatever its order or layout; None without an answer.
        failed: The request failed, so there is nothing to score.
    """

    score: float
    exact: bool
    diagnosed: bool
    codes: tuple[str, ...] | None
    answer: str | None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ArmScores:
    """One arm: `replies` by task and sample, and their numbers as arrays of shape (tasks, samples)."""

    name: str
    replies: tuple[tuple[Reply, ...], ...]
    score: Floats
    exact: Floats

    @property
    def samples(self) -> int:
        return int(self.score.shape[1])

    @property
    def failed(self) -> npt.NDArray[np.intp]:
        """How many requests failed, by task."""
        return np.array([sum(reply.failed for reply in row) for row in self.replies], dtype=np.intp)

    def metric(self, name: str) -> Floats:
        return self.exact if name == "exact" else self.score


@dataclass(frozen=True, slots=True)
class Scores:
    """All arms on the same tasks; `dropped`, `cut` and `digests` as in `Archive`."""

    tasks: tuple[StudyTask, ...]
    arms: tuple[ArmScores, ...]
    dropped: tuple[str, ...]
    cut: tuple[str, ...]
    digests: dict[str, str]

    def arm(self, name: str) -> ArmScores:
        return next(arm for arm in self.arms if arm.name == name)


def score_reply(completion: str | None, task: StudyTask) -> Reply:
    """Grade one completion; None is a request that failed."""
    if completion is None:
        return replace(score_reply("", task), failed=True)
    result = grade(completion, task.gold)
    answer = read_answer(completion)
    if not isinstance(answer, Answer):
        return Reply(result.score, result.exact, diagnosed=False, codes=None, answer=None)
    codes = sorted({code for code in answer.diagnosis or () if isinstance(code, str)})
    return Reply(result.score, result.exact, result.diagnosis == HALF, tuple(codes) or None, _one_form(answer))


def score_archives(
    paths: Sequence[Path],
    task_set: TaskSet,
    *,
    splits: Sequence[str] = (),
    arms: Sequence[str] = (),
    samples: int | None = None,
) -> Scores:
    """Read and score archives on the tasks of `splits`, or all.

    Raises:
        InputError: An archive is refused, or there is no such split.
    """
    chosen = choose_tasks(task_set, splits)
    skip = frozenset(task.id for task in task_set.tasks) - {task.id for task in chosen}
    archive: Archive[Reply] = read_archive(paths, chosen, score_reply, skip=skip, arms=arms, samples=samples)
    return Scores(
        tasks=chosen,
        arms=tuple(scored_arm(name, replies) for name, replies in archive.arms.items()),
        dropped=archive.dropped,
        cut=archive.cut,
        digests=dict(archive.digests),
    )


def choose_tasks(task_set: TaskSet, splits: Sequence[str]) -> tuple[StudyTask, ...]:
    """The tasks of `splits` in this order, or of all; by id within a split.

    Raises:
        InputError: There is no such split.
    """
    for split in splits:
        if split not in task_set.splits:
            raise refuse(f"there is no split `{split}` in the split files", helps=similar(split, task_set.splits))
    order = {split: place for place, split in enumerate(splits or task_set.splits)}
    chosen = [task for task in task_set.tasks if task.split in order]
    return tuple(sorted(chosen, key=lambda task: (order[task.split], task.id)))


def scored_arm(name: str, replies: tuple[tuple[Reply, ...], ...]) -> ArmScores:
    return ArmScores(
        name=name,
        replies=replies,
        score=np.array([[reply.score for reply in row] for row in replies], dtype=np.float64),
        exact=np.array([[reply.exact for reply in row] for row in replies], dtype=np.float64),
    )


def score_rows(scores: Scores) -> Iterator[dict[str, object]]:
    """What `gtd study score -o` writes: a row for each sample, numbered from 0 in the order used."""
    for arm in scores.arms:
        for task, row in zip(scores.tasks, arm.replies, strict=True):
            for number, reply in enumerate(row):
                yield {
                    "id": task.id,
                    "arm": arm.name,
                    "sample": number,
                    "score": round(reply.score, 6),
                    "exact": reply.exact,
                    "codes": [without_surrogates(code) for code in reply.codes or ()],
                    "failed": reply.failed,
                }


def failure_notes(scores: Scores) -> list[str]:
    """Say which arms have requests that failed, one text for each."""
    notes = []
    for arm in scores.arms:
        failed = int(arm.failed.sum())
        if failed == arm.score.size:
            notes.append(f"ALL {failed} REQUESTS OF ARM {arm.name} FAILED: its zeros say nothing about it")
        elif failed:
            share = failed / arm.score.size
            notes.append(f"{failed} of {arm.score.size} requests of arm {arm.name} failed ({share:.1%}) and score 0")
    return notes


def _one_form(answer: Answer) -> str:
    """The answer with codes and fields in one order; `repr` keeps true, 1 and "1" apart."""
    codes = sorted(repr(code) for code in answer.diagnosis or ())
    fix = None if answer.fix is None else {field: repr(value) for field, value in answer.fix.items()}
    text = json.dumps([codes, fix, sorted(answer.beside)], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
