"""The study plan: which arms are compared, on which tasks, and how.

In: TOML, or the same content from a frozen plan. Out: a `Plan`. What a plan leaves open is filled in from
the tasks and, without a frozen plan, from the archives (`complete_plan`). docs/study.md lists the keys.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gpu_train_debug.input_errors import Flaw, InputError, refuse, similar
from gpu_train_debug.study.inputs.generations import ARM
from gpu_train_debug.study.inputs.tasks import StudyTask

METRICS = ("exact", "score")
"""What can be averaged: exact answers, and the partial credit of the rubric."""

ALL = "*"
"""In place of the name of a split: all tasks of the study together."""


@dataclass(frozen=True, slots=True)
class Primary:
    """The comparisons that the conclusion rests on: one metric on some splits."""

    metric: str = "exact"
    splits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made; `stratify` resamples all tasks together within their splits."""

    resamples: int = 10_000
    seed: int = 2027
    confidence: float = 0.95
    stratify: bool = True


@dataclass(frozen=True, slots=True)
class Band:
    """Where the mean of a reference arm should lie, so that tasks are neither too easy nor too hard for it."""

    arm: str = ""
    metric: str = "score"
    low: float = 0.60
    high: float = 0.75


@dataclass(frozen=True, slots=True)
class Plan:
    """A study. Empty texts and tuples, and None, are left open.

    Attributes:
        comparisons: Pairs (arm, other), read as arm minus other.
        samples: Of each task, the same for all arms; None in a complete plan if nobody planned them and they differ.
        twins: Archetype of controls, to the archetypes of faults that it resembles.
        tasks: SHA-256 of the split files by name; only a frozen plan has them.
    """

    title: str = ""
    arms: tuple[str, ...] = ()
    reference: str = ""
    comparisons: tuple[tuple[str, str], ...] = ()
    splits: tuple[str, ...] = ()
    samples: int | None = None
    pass_at: tuple[int, ...] = ()
    group_sizes: tuple[int, ...] = ()
    primary: Primary = Primary()
    bootstrap: Bootstrap = Bootstrap()
    band: Band = Band()
    twins: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    tasks: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def read_plan(path: Path) -> Plan:
    """Read a plan in TOML.

    Raises:
        InputError: It isn't one.
    """
    return parse_plan(read_toml(path), str(path), draft=True)


def read_twins(path: Path) -> dict[str, tuple[str, ...]]:
    """Read a TOML file that holds nothing but twins.

    Raises:
        InputError: It isn't one.
    """
    return dict(parse_plan({"twins": read_toml(path)}, str(path), draft=True).twins)


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise refuse(f"can't read the file: {error.strerror}", str(path)) from error
    except UnicodeDecodeError as error:
        raise refuse(f"not UTF-8 at byte {error.start}", str(path)) from error
    except tomllib.TOMLDecodeError as error:
        raise refuse(f"not TOML: {error}", str(path)) from error


def plan_content(plan: Plan) -> dict[str, Any]:
    """The plan as JSON has it, keys in the order of `Plan`; `parse_plan` reads it back."""
    content = asdict(replace(plan, twins={}, tasks={}))
    content["comparisons"] = [list(pair) for pair in plan.comparisons]
    content["twins"] = {name: list(plan.twins[name]) for name in sorted(plan.twins)}
    content["tasks"] = dict(sorted(plan.tasks.items()))
    return {key: list(value) if isinstance(value, tuple) else value for key, value in content.items()} | {
        "primary": {"metric": plan.primary.metric, "splits": list(plan.primary.splits)}
    }


def complete_plan(plan: Plan, tasks: Sequence[StudyTask], arms: Mapping[str, int] = MappingProxyType({})) -> Plan:
    """Fill in what `plan` leaves open.

    Args:
        tasks: All tasks of the split files.
        arms: The arms of the archives and how many samples each has of a task, for a plan that doesn't say. If
            they differ, `samples` stays open, and what depends on it uses the smallest number.

    Raises:
        InputError: The plan names a split, an arm or an archetype that doesn't exist, or leaves open what
            nothing fills in.
    """
    known = tuple(dict.fromkeys(task.split for task in tasks))
    splits = plan.splits or known
    names = plan.arms or tuple(arms)
    if not names:
        raise refuse("the plan leaves open its arms", helps=('name them: arms = ["base", "tuned"]',))
    if plan.samples is None and not arms:
        raise refuse("the plan leaves open its samples", helps=("say how many each task has: samples = 8",))
    count = plan.samples or min(arms.values())
    reference = plan.reference or names[0]
    comparisons = plan.comparisons or tuple((arm, reference) for arm in names if arm != reference)
    whole = (ALL,) if len(splits) > 1 else splits
    full = replace(
        plan,
        arms=names,
        reference=reference,
        comparisons=comparisons,
        splits=splits,
        samples=plan.samples or (count if len(set(arms.values())) == 1 else None),
        pass_at=plan.pass_at or tuple(2**power for power in range(count.bit_length())),
        group_sizes=plan.group_sizes or ((count,) if count > 1 else ()),
        primary=replace(plan.primary, splits=plan.primary.splits or whole),
        band=replace(plan.band, arm=plan.band.arm or reference),
    )
    if flaws := _name_flaws(full, tasks, known, count):
        raise InputError(flaws)
    return full


def _name_flaws(plan: Plan, tasks: Sequence[StudyTask], known: Sequence[str], samples: int) -> list[Flaw]:
    """What the plan names and doesn't exist, or can't be done with `samples` samples of each task."""
    chosen = (ALL, *plan.splits) if len(plan.splits) > 1 else plan.splits
    controls = {task.archetype for task in tasks if task.control}
    others = {task.archetype for task in tasks if not task.control}
    named = [("split", name, known) for name in plan.splits]
    named += [("split of the study", name, chosen) for name in plan.primary.splits]
    named += [("arm", name, plan.arms) for name in (plan.reference, plan.band.arm)]
    named += [("arm", name, plan.arms) for pair in plan.comparisons for name in pair]
    flaws = [
        Flaw(f"the plan names {what} `{name}`, which doesn't exist", helps=similar(name, names))
        for what, name, names in dict.fromkeys((what, name, tuple(names)) for what, name, names in named)
        if name not in names
    ]
    for control, faulty in plan.twins.items():
        if control in others:
            flaws.append(Flaw(f"in `twins`, `{control}` has tasks with something to fix, so it isn't a control"))
        flaws += [Flaw(f"in `twins`, `{name}` is itself a control") for name in faulty if name in controls]
    flaws += [Flaw(f"pass@{k} needs at least {k} samples, there are {samples}") for k in plan.pass_at if k > samples]
    flaws += [
        Flaw(f"groups of {size} need at least {size} samples, there are {samples}")
        for size in plan.group_sizes
        if size > samples
    ]
    return flaws


def parse_plan(content: Mapping[str, Any], place: str, *, draft: bool) -> Plan:
    """Build a plan from the content of a TOML or JSON file.

    Args:
        draft: It may leave things open, and doesn't pin files.

    Raises:
        InputError: Keys that don't exist, values of the wrong form. The error carries all flaws.
    """
    reader = _Reader(place)
    keys = _PLAN if draft else {**_PLAN, "tasks": _digests}
    values = reader.read("", content, keys)
    for name, kind, parts in (
        ("primary", Primary, _PRIMARY),
        ("bootstrap", Bootstrap, _BOOTSTRAP),
        ("band", Band, _BAND),
    ):
        if name in values:
            values[name] = kind(**reader.read(f"{name}.", values[name], parts))
    if reader.flaws:
        raise InputError(reader.flaws)
    plan = Plan(**values)
    if plan.band.low >= plan.band.high:
        raise refuse("`band.low` isn't below `band.high`", place)
    return plan


class _WrongFormError(Exception):
    """What a value should be."""


class _Reader:
    """Reads tables, and gathers what is wrong with them."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.flaws: list[Flaw] = []

    def read(self, prefix: str, table: Mapping[str, Any], kinds: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
        values = {}
        for key, value in table.items():
            if key not in kinds:
                self.flaws.append(Flaw(f"there is no key `{prefix}{key}`", self.place, helps=similar(key, kinds)))
                continue
            try:
                values[key] = kinds[key](value)
            except _WrongFormError as error:
                self.flaws.append(Flaw(f"`{prefix}{key}` isn't {error}", self.place))
        return values


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise _WrongFormError(what)


def _text(value: Any) -> str:
    _require(isinstance(value, str) and "\n" not in value, "text on one line")
    return str(value)


def _arm(value: Any) -> str:
    _require(isinstance(value, str) and ARM.fullmatch(value) is not None, "the name of an arm")
    return str(value)


def _metric(value: Any) -> str:
    _require(value in METRICS, f"one of {', '.join(METRICS)}")
    return str(value)


def _texts(value: Any) -> tuple[str, ...]:
    listed = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    _require(listed and len(set(value)) == len(value), "a list of different texts")
    return tuple(value)


def _arms(value: Any) -> tuple[str, ...]:
    names = _texts(value)
    _require(bool(names) and all(ARM.fullmatch(name) for name in names), "a list of names of arms")
    return names


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    pairs = isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair) and pair[0] != pair[1]
        for pair in value
    )
    _require(
        pairs and len(set(map(frozenset, value))) == len(value), "a list of pairs of different arms, each pair once"
    )
    return tuple((first, second) for first, second in value)


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        _require(type(value) is int and low <= value <= high, f"a whole number between {low} and {high}")
        return int(value)

    return read


def _counts(low: int) -> Callable[[Any], tuple[int, ...]]:
    def read(value: Any) -> tuple[int, ...]:
        counts = isinstance(value, list) and all(type(item) is int and item >= low for item in value)
        _require(counts and sorted(set(value)) == value, f"a rising list of whole numbers from {low}")
        return tuple(value)

    return read


def _share(value: Any) -> float:
    _require(isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1, "between 0 and 1")
    return float(value)


def _flag(value: Any) -> bool:
    _require(isinstance(value, bool), "true or false")
    return bool(value)


def _table(value: Any) -> Mapping[str, Any]:
    _require(isinstance(value, dict), "a table")
    return dict(value)


def _twins(value: Any) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({name: _texts(names) for name, names in _table(value).items()})


def _digests(value: Any) -> Mapping[str, str]:
    return MappingProxyType({name: _text(digest) for name, digest in _table(value).items()})


_PLAN: Mapping[str, Callable[[Any], Any]] = {
    "title": _text,
    "arms": _arms,
    "reference": _arm,
    "comparisons": _pairs,
    "splits": _texts,
    "samples": _whole(1, 100_000),
    "pass_at": _counts(1),
    "group_sizes": _counts(2),
    "primary": _table,
    "bootstrap": _table,
    "band": _table,
    "twins": _twins,
}
_PRIMARY: Mapping[str, Callable[[Any], Any]] = {"metric": _metric, "splits": _texts}
_BOOTSTRAP: Mapping[str, Callable[[Any], Any]] = {
    "resamples": _whole(200, 100_000),
    "seed": _whole(0, 2**63 - 1),
    "confidence": _share,
    "stratify": _flag,
}
_BAND: Mapping[str, Callable[[Any], Any]] = {"arm": _arm, "metric": _metric, "low": _share, "high": _share}
