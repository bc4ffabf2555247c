"""`gtd grade`: scores a file of answers against the tasks of an output folder.

In: a folder of splits, and lines of JSON: `{"id": ..., "completion": TEXT}`, or `completions` with a
list of texts. A task may have several lines; null is a reply that never came and counts as empty text;
other keys are ignored. Out: the means of each split and archetype over the tasks that have an answer, each
task being the mean of its samples.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import fsum
from pathlib import Path
from typing import Any

from gpu_train_debug.grading.answer import read_gold
from gpu_train_debug.grading.rubric import Grade, grade
from gpu_train_debug.input_errors import Flaw
from gpu_train_debug.jsonlines import objects_of
from gpu_train_debug.jsontext import encode
from gpu_train_debug.tables import plain_table
from gpu_train_debug.tasks import TaskRecord, TasksError, read_split, split_names

_HEAD = ("split", "archetype", "answered", "samples", "score", "exact", "diagnosis", "fix")
_LEGEND = "score is the mean out of 1; diagnosis and fix are the points out of 0.5 that it is the sum of"


@dataclass(frozen=True, slots=True)
class MeanScores:
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


@dataclass(frozen=True, slots=True)
class SplitScores:
    """The means of a split, and those of its archetypes by name."""

    total: MeanScores
    archetypes: Mapping[str, MeanScores]


@dataclass(frozen=True, slots=True)
class _Answered:
    """A task and the grades of its answers, which are added as they are read."""

    record: TaskRecord
    grades: list[Grade] = field(default_factory=list)


def grade_answers(folder: Path, lines: Iterable[bytes], name: str) -> dict[str, SplitScores]:
    """Score the answers in `lines`.

    Args:
        name: What messages call the file of the answers.

    Returns:
        By split, in the order of their names, those with an answer; archetypes likewise.

    Raises:
        TasksError: There are no tasks in `folder`, or a file can't be read or has another form.
    """
    splits = {split: dict(_tasks(split, folder)) for split in split_names(folder)}
    tasks = {id_: task for split in splits.values() for id_, task in split.items()}
    for place, id_, completions in _answers(lines, name):
        if id_ not in tasks:
            raise TasksError(f"there is no task `{id_}` in {folder}", place)
        task = tasks[id_]
        task.grades.extend(grade(completion, task.record.gold) for completion in completions)
    if not any(task.grades for task in tasks.values()):
        raise TasksError(f"there are no answers in {name}")
    scored = {split: _split_scores(list(found.values())) for split, found in splits.items()}
    return {split: scores for split, scores in scored.items() if scores.total.answered}


def render_scores(splits: Mapping[str, SplitScores]) -> str:
    """One line per split and archetype, plain text, columns aligned, and what the columns of points mean."""
    rows: list[tuple[str, ...]] = []
    for split, scores in splits.items():
        rows.append((split, "", *_cells(scores.total)))
        rows += (("", archetype, *_cells(part)) for archetype, part in scores.archetypes.items())
    return f"{plain_table(_HEAD, rows)}\n\n{_LEGEND}"


def scores_json(splits: Mapping[str, SplitScores]) -> str:
    """The numbers of `render_scores` in full, as JSON."""
    return encode(
        {
            split: {
                **asdict(scores.total),
                "archetypes": {archetype: asdict(part) for archetype, part in scores.archetypes.items()},
            }
            for split, scores in splits.items()
        },
        indent=2,
    )


def _tasks(split: str, folder: Path) -> Iterator[tuple[str, _Answered]]:
    for record in read_split(split, folder):
        try:
            read_gold(record.gold)
        except ValueError as error:
            raise TasksError(f"task `{record.id}` in {folder}: {error}") from error
        yield record.id, _Answered(record)


def _answers(lines: Iterable[bytes], name: str) -> Iterator[tuple[str, str, list[str]]]:
    """The place, the id and the completions of each line that isn't empty."""
    unmarked = (line if number else line.removeprefix(BOM_UTF8) for number, line in enumerate(lines))
    for place, value in objects_of(unmarked, name, lone_surrogates=True, skip_empty=True):
        if isinstance(value, Flaw):
            raise TasksError(value.message, place)
        try:
            yield place, *_answer(value)
        except ValueError as error:
            raise TasksError(str(error), place) from error


def _answer(value: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The id and the completions of a line.

    Raises:
        ValueError: It has another form.
    """
    if not isinstance(value.get("id"), str):
        raise ValueError("not an object with an `id`")
    if ("completion" in value) is ("completions" in value):
        raise ValueError("each line has either `completion` or `completions`: give one of them")
    completions = value["completions"] if "completions" in value else [value["completion"]]
    if not isinstance(completions, list) or not completions:
        raise ValueError("`completions` isn't a list of texts")
    if not all(completion is None or isinstance(completion, str) for completion in completions):
        raise ValueError("a completion is neither a text nor null")
    return value["id"], [completion or "" for completion in completions]


def _split_scores(tasks: Sequence[_Answered]) -> SplitScores:
    archetypes = sorted({task.record.archetype for task in tasks if task.grades})
    parts = {name: _means([task for task in tasks if task.record.archetype == name]) for name in archetypes}
    return SplitScores(_means(tasks), parts)


def _means(tasks: Sequence[_Answered]) -> MeanScores:
    answered = [task.grades for task in tasks if task.grades]

    def mean(part: str) -> float:
        means = [fsum(float(getattr(result, part)) for result in grades) / len(grades) for grades in answered]
        return fsum(means) / len(means) if means else 0.0

    return MeanScores(
        tasks=len(tasks),
        answered=len(answered),
        samples=sum(map(len, answered)),
        score=mean("score"),
        exact=mean("exact"),
        diagnosis=mean("diagnosis"),
        fix=mean("fix"),
    )


def _cells(scores: MeanScores) -> tuple[str, ...]:
    means = (scores.score, scores.exact, scores.diagnosis, scores.fix)
    return (f"{scores.answered}/{scores.tasks}", str(scores.samples), *(f"{mean:.3f}" for mean in means))
