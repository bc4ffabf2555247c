"""`gtd grade`: scores a file of answers against the tasks of an output folder.

In: a folder of splits, and lines of JSON: `{"id": ..., "completion": TEXT}`, or `completions` with a
list of texts. A task may have several lines; null is a reply that never came and counts as empty text;
other keys are let be. Out: the means of each split and archetype over the tasks that have an answer, each
task being the mean of its samples.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from pathlib import Path

import attrs

from compiler.emit.record import Malformed, read_record
from gpu_train_debug.grading.rubric import Grade, grade
from gpu_train_debug.jsonlines import decode_object
from gpu_train_debug.tasks import TasksError, split_names


class UnreadableError(Exception):
    """The tasks or the answers can't be read."""


@attrs.frozen
class Scores:
    """Means over the answered tasks of a split or archetype.

    Attributes:
        tasks: How many tasks there are.
        answered: How many of them have an answer, at least one.
        samples: How many answers these have together.
    """

    tasks: int
    answered: int
    samples: int
    score: float
    exact: float
    diagnosis: float
    fix: float


@attrs.frozen
class SplitScores:
    total: Scores
    archetypes: Mapping[str, Scores]


@attrs.frozen
class _Task:
    archetype: str
    gold: str
    grades: list[Grade]


def grade_answers(folder: Path, lines: Iterable[bytes], name: str) -> dict[str, SplitScores]:
    """Score the answers in `lines`.

    Args:
        name: What messages call the file of the answers.

    Returns:
        By split, in the order of their names, those with an answer; archetypes likewise.

    Raises:
        UnreadableError: There are no tasks in `folder`, or a file can't be read or isn't of the form.
    """
    try:
        splits = {split: dict(_read_tasks(folder / f"{split}.jsonl")) for split in split_names(folder)}
    except TasksError as error:
        raise UnreadableError(str(error)) from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                id_, completions = _read_line(line)
                task = next((tasks[id_] for tasks in splits.values() if id_ in tasks), None)
                if task is None:
                    raise ValueError(f"there is no task `{id_}` in {folder}")
            except ValueError as error:
                raise UnreadableError(f"{name}:{number}: {error}") from error
            task.grades.extend(grade(completion, task.gold) for completion in completions)
    if not any(task.grades for tasks in splits.values() for task in tasks.values()):
        raise UnreadableError(f"there are no answers in {name}")
    scored = {split: _split_scores(list(tasks.values())) for split, tasks in splits.items()}
    return {split: scores for split, scores in scored.items() if scores.total.answered}


def render_scores(splits: Mapping[str, SplitScores]) -> str:
    """One line per split and archetype, plain text, columns aligned."""
    rows: list[tuple[str, ...]] = [("split", "archetype", "answered", "samples", "score", "exact", "diagnosis", "fix")]
    for split, scores in splits.items():
        rows.append((split, "", *_cells(scores.total)))
        rows += (("", archetype, *_cells(part)) for archetype, part in scores.archetypes.items())
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def scores_json(splits: Mapping[str, SplitScores]) -> str:
    return json.dumps(
        {
            split: {
                **attrs.asdict(scores.total),
                "archetypes": {archetype: attrs.asdict(part) for archetype, part in scores.archetypes.items()},
            }
            for split, scores in splits.items()
        },
        indent=2,
    )


def _read_tasks(path: Path) -> Iterator[tuple[str, _Task]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                record = read_record(line)
                if isinstance(record, Malformed):
                    raise UnreadableError(f"{path}:{number}: {'; '.join(record.reasons)}")
                yield record.id, _Task(record.archetype, record.gold, [])
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(f"cannot read {path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from error


def _read_line(line: bytes) -> tuple[str, list[str]]:
    """The id and the completions of a line.

    Raises:
        ValueError: It has another form.
    """
    try:
        value = decode_object(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    if not isinstance(value.get("id"), str):
        raise ValueError("not an object with an `id`")
    if ("completion" in value) is ("completions" in value):
        raise ValueError("neither `completion` nor `completions`, or both")
    completions = value["completions"] if "completions" in value else [value["completion"]]
    if not isinstance(completions, list) or not completions:
        raise ValueError("`completions` is not a list of texts")
    if not all(completion is None or isinstance(completion, str) for completion in completions):
        raise ValueError("a completion is neither a text nor null")
    return value["id"], [completion or "" for completion in completions]


def _split_scores(tasks: Sequence[_Task]) -> SplitScores:
    archetypes = sorted({task.archetype for task in tasks if task.grades})
    parts = {name: _scores([task for task in tasks if task.archetype == name]) for name in archetypes}
    return SplitScores(_scores(tasks), parts)


def _scores(tasks: Sequence[_Task]) -> Scores:
    answered = [task.grades for task in tasks if task.grades]

    def mean(part: str) -> float:
        means = [fsum(float(getattr(result, part)) for result in grades) / len(grades) for grades in answered]
        return fsum(means) / len(means) if means else 0.0

    return Scores(
        tasks=len(tasks),
        answered=len(answered),
        samples=sum(map(len, answered)),
        score=mean("score"),
        exact=mean("exact"),
        diagnosis=mean("diagnosis"),
        fix=mean("fix"),
    )


def _cells(scores: Scores) -> tuple[str, ...]:
    means = (scores.score, scores.exact, scores.diagnosis, scores.fix)
    return (f"{scores.answered}/{scores.tasks}", str(scores.samples), *(f"{mean:.3f}" for mean in means))
