"""The Markdown report: the content of the JSON report as tables, with what each number means.

In: what `analyse` gives, and the names of the pictures. Out: text. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpu_train_debug.study.inputs.freeze import ALTERED, AMENDED, FROZEN, UNFROZEN
from gpu_train_debug.study.inputs.plan import ALL
from gpu_train_debug.study.statistics.band import INSIDE, MIXABLE, TOO_FEW
from gpu_train_debug.study.statistics.controls import BEYOND, CONTROL_OUTCOMES, FAULT_OUTCOMES
from gpu_train_debug.study.statistics.errors import ERROR_KINDS
from gpu_train_debug.study.statistics.resample import THIN
from gpu_train_debug.study.statistics.tabulate import Row, percent, pick
from gpu_train_debug.tables import markdown_table

THIN_MARK = "†"

_MOST_CONFUSIONS = 12

_METRIC = {"exact": "Exact answers", "score": "Partial credit"}
_OUTCOME = {
    "right": "right",
    "part": "part right",
    "wrong": "wrong code",
    "miss": "miss",
    "false_alarm": "false alarm",
    "none": "no diagnosis",
}


def render_markdown(content: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    """Render the report.

    Args:
        pictures: File name by `forest`, and by `confusion/ARM`; a picture without a name isn't shown.
    """
    plan = content["plan"]["content"]
    arms = [row["arm"] for row in content["inputs"]["arms"]]
    splits = list(dict.fromkeys(row["split"] for row in content["scores"]))
    sections = [
        f"# {_text(plan['title'] or 'Study report')}",
        _status(content["plan"]),
        _inputs(content),
        _means(content, arms, splits),
        _comparisons(content, pictures),
        _pass_rates(content, arms),
        _errors(content),
        _flat_groups(content),
        _calibration(content["calibration"]),
        _outcomes(content),
        _twins(content, arms),
        _confusions(content, pictures),
        _archetypes(content, arms, plan["splits"]),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def estimate(row: Row | None, form: Callable[[float], str] = "{:.3f}".format) -> str:
    """A value with its interval, marked if it rests on few tasks."""
    if row is None:
        return "-"
    value, low, high = row["value"], row["low"], row["high"]
    assert isinstance(value, float)
    if not isinstance(low, float) or not isinstance(high, float):
        return f"{form(value)} {THIN_MARK}"
    return f"{form(value)} [{form(low)}, {form(high)}]" + (f" {THIN_MARK}" if row["thin"] else "")


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _text(value: object) -> str:
    return str(value).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def _code(value: object) -> str:
    return f"`{_text(value)}`"


def _split(name: str) -> str:
    return "all" if name == ALL else _text(name)


def _first(rows: Sequence[Row], **keys: object) -> Row | None:
    found = pick(rows, **keys)
    return found[0] if found else None


def _status(section: Mapping[str, Any]) -> str:
    status, chain = section["status"], section["chain"]
    if status == UNFROZEN:
        lines = ["**The plan of this study was not frozen.** Read it as exploration."]
    elif status == ALTERED:
        lines = ["**The plan of this study was ALTERED after it was sealed.** Read it as exploration."]
    elif status == AMENDED:
        times = "once" if len(chain) == 2 else f"{len(chain) - 1} times"
        lines = [f"**The plan of this study was AMENDED** {times} since it was frozen as `{chain[0]['hash'][:16]}`."]
    else:
        lines = [f"The plan of this study was frozen as `{section['hash'][:16]}`."]
    if status in (FROZEN, AMENDED):
        if not section["expected"]:
            lines[0] += " The file agrees with its seal; only `--expect HASH` tells whether it is the published one."
        elif section["hash"].startswith(section["expected"]):
            since = "not changed since" if status == FROZEN else "no amendment is missing"
            lines[0] += f" It has the hash that was expected, `{section['expected']}`: {since}."
    for link in chain[1:]:
        lines.append(f"- amendment `{link['hash'][:16]}`: {_text(link['reason'])}")
        lines += (f"  - {_code(change)}" for change in link["changes"])
    if section["departures"]:
        lines.append("\n**This run departs from what was sealed:**\n")
        lines += (f"- {_text(departure)}" for departure in section["departures"])
    return "\n".join(lines)


def _inputs(content: Mapping[str, Any]) -> str:
    inputs, plan = content["inputs"], content["plan"]["content"]
    splits = markdown_table(
        ["split", "tasks", "of these controls"],
        ([_text(row["split"]), str(row["tasks"]), str(row["controls"])] for row in inputs["splits"]),
    )
    arms = markdown_table(
        ["arm", "samples of each task", "failed requests"],
        (
            [_text(row["arm"]), str(row["samples"]), f"{row['failed']} ({row['failed_share']:.1%})"]
            for row in inputs["arms"]
        ),
    )
    bootstrap = plan["bootstrap"]
    told = (
        f"Numbers in brackets are {percent(bootstrap['confidence'])} intervals from {bootstrap['resamples']} resamples "
        f"of the tasks (seed {bootstrap['seed']}); {THIN_MARK} marks those that rest on fewer than {THIN} tasks that "
        "differ from the most frequent value: they cover less than they claim."
    )
    notes = "\n".join(f"- {_text(note)}" for note in content["notes"])
    return "\n\n".join(part for part in ("## What went in", splits, arms, told, notes) if part)


def _means(content: Mapping[str, Any], arms: Sequence[str], splits: Sequence[str]) -> str:
    parts = ["## Means"]
    for metric, title in _METRIC.items():
        rows = pick(content["scores"], metric=metric, archetype=None)
        cells = ([_split(split), *(estimate(_first(rows, arm=arm, split=split)) for arm in arms)] for split in splits)
        parts += [f"### {title}", markdown_table(["split", *map(_text, arms)], cells)]
    return "\n\n".join(parts)


def _comparisons(content: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    rows = content["comparisons"]
    if not rows:
        return ""
    cells = (
        [
            f"{_text(row['arm'])} - {_text(row['other'])}",
            _split(row["split"]),
            row["metric"],
            estimate(row, _signed),
            f"{row['better']} / {row['worse']}",
            f"{row['p']:.4f}",
            "-" if row["adjusted"] is None else f"{row['adjusted']:.4f}",
        ]
        for row in rows
    )
    head = ["comparison", "split", "metric", "difference", "tasks better / worse", "p", "p adjusted (primary)"]
    told = (
        "Differences are paired: within each task first, then over tasks. `p` is of a sign-flip test. The adjusted "
        "value accounts for the number of primary comparisons; the others are exploratory."
    )
    picture = [f"![Differences between arms]({pictures['forest']})"] if "forest" in pictures else []
    return "\n\n".join(["## Arms compared", told, *picture, markdown_table(head, cells)])


def _pass_rates(content: Mapping[str, Any], arms: Sequence[str]) -> str:
    rows = content["pass_at_k"]
    keys = dict.fromkeys((row["split"], row["k"]) for row in rows)
    cells = (
        [_split(split), str(k), *(estimate(_first(rows, arm=arm, split=split, k=k)) for arm in arms)]
        for split, k in keys
    )
    told = "Chance that at least one of k samples is exactly right, unbiased. Partial credit doesn't count as a pass."
    return "\n\n".join(["## pass@k", told, markdown_table(["split", "k", *map(_text, arms)], cells)])


def _errors(content: Mapping[str, Any]) -> str:
    rows = content["errors"]
    if not rows:
        return ""
    keys = dict.fromkeys((row["arm"], row["split"]) for row in rows)
    names = ("agreement", *ERROR_KINDS)
    cells = (
        [_text(arm), _split(split), *(estimate(_first(rows, arm=arm, split=split, kind=kind)) for kind in names)]
        for arm, split in keys
    )
    told = (
        "`agreement` is the systematic share of the wrong answers: of all pairs of wrong answers to one task, those "
        "that are the same answer. The rest varies from sample to sample. It doesn't depend on the number of samples."
    )
    kinds = (
        "The other columns divide the samples that aren't exact by their task, and do depend on the number of "
        "samples. `same`: every sample gives one and the same wrong answer. `silent`: no sample has an answer. "
        "`scattered`: no sample is right, and they don't all give one answer. `unstable`: some samples are right."
    )
    head = ["arm", "split", "agreement (systematic)", *ERROR_KINDS]
    return "\n\n".join(["## Residual errors", told, kinds, markdown_table(head, cells)])


def _flat_groups(content: Mapping[str, Any]) -> str:
    rows = content["flat_groups"]
    if not rows:
        return ""
    keys = dict.fromkeys((row["arm"], row["split"], row["size"]) for row in rows)
    names = ("flat", "all_solved", "all_lost")
    cells = (
        [_text(arm), _split(split), str(size)]
        + [estimate(_first(rows, arm=arm, split=split, size=size, kind=kind)) for kind in names]
        for arm, split, size in keys
    )
    told = (
        "Share of groups of samples of one task that all have the same score, so that GRPO learns nothing from "
        "them; and those of them at the highest score and at zero."
    )
    head = ["arm", "split", "group size", "no variance", "all solved", "all at zero"]
    return "\n\n".join(["## Groups without variance", told, markdown_table(head, cells)])


def _calibration(section: Mapping[str, Any]) -> str:
    low, high = section["band"]
    parts = [
        "## Calibration band",
        f"Mean {section['metric']} of the reference arm {_code(section['arm'])} on each split, which should lie "
        f"between {low:.2f} and {high:.2f}.",
    ]
    for row in section["splits"]:
        split, mean = _split(row["split"]), row["mean"]
        outside = f"**{split}**: {mean:.3f}, {'below' if mean < low else 'above'} the band"
        reach = "mixing its tiers gives means from {:.3f} to {:.3f}".format(*row["reach"])
        if row["status"] == INSIDE:
            verdict = f"**{split}**: {mean:.3f}, inside the band."
        elif row["status"] == MIXABLE:
            verdict = (
                f"{outside}. The mix suggested below takes {row['suggested']} of the {row['tasks']} tasks and has a "
                f"mean of {row['expected']:.3f}."
            )
            if row["small"]:
                verdict += " Its mean says little with so few tasks, and controls may be lost: make more tasks."
        elif row["status"] == TOO_FEW:
            verdict = (
                f"{outside}. A mix would get into it ({reach}), but not with a whole number of so few tasks: make more."
            )
        else:
            verdict = f"{outside}, and no mix gets into it: {reach}."
        cells = (
            [
                _text(tier["tier"]) + (" (controls)" if tier["control"] else ""),
                str(tier["tasks"]),
                share(tier["mean"]),
                "-" if tier["suggested"] is None else str(tier["suggested"]),
            ]
            for tier in row["tiers"]
        )
        parts += [verdict, markdown_table(["tier", "tasks", "mean", "suggested tasks"], cells)]
    return "\n\n".join(parts)


def _outcomes(content: Mapping[str, Any]) -> str:
    rows = content["outcomes"]
    keys = dict.fromkeys((row["arm"], row["split"]) for row in rows)
    parts = [
        "## False alarms and misses",
        "Only the diagnosis counts here, and it is right where the grader gives it its whole half. A false alarm "
        "names a fault in a healthy run; a miss calls a faulty run healthy. Part right is on a healthy run a diagnosis "
        "that names no fault, but isn't the right one, on a faulty run one with some of the codes, or too many.",
    ]
    for on, names, title in (
        ("control", CONTROL_OUTCOMES, "On healthy runs"),
        ("fault", FAULT_OUTCOMES, "On faulty runs"),
    ):
        some = pick(rows, on=on)
        cells = [
            [_text(arm), _split(split), *(estimate(_first(some, arm=arm, split=split, outcome=name)) for name in names)]
            for arm, split in keys
            if pick(some, arm=arm, split=split)
        ]
        if cells:
            parts += [f"### {title}", markdown_table(["arm", "split", *(_OUTCOME[name] for name in names)], cells)]
    return "\n\n".join(parts)


def _twins(content: Mapping[str, Any], arms: Sequence[str]) -> str:
    rows = content["twins"]
    if not rows:
        return ""
    told = [
        "## Faults beside their twins",
        "Each fault with the healthy runs of its split that resemble it. `named` is how often one of the fault's codes "
        "is named on the fault, `on twins` how often on its twins; their difference, `separation`, is 0 for a model "
        "that can't tell them apart. `false alarm` is any fault named on the twins. There are too few tasks of each "
        "for intervals.",
    ]
    if not all(row["stated"] for row in rows):
        told.append(
            "Where the plan names no twin or the split has no task of it (*), the controls of the same system are used."
        )
    for arm in arms:
        cells = (
            [
                _split(row["split"]),
                _code(row["archetype"]),
                str(row["tasks"]),
                share(row["right"]),
                share(row["miss"]),
                share(row["named"]),
                (", ".join(map(_code, row["twins"])) if row["stated"] else "*") if row["twins"] else "none",
                str(row["twin_tasks"]),
                share(row["same_code"]),
                share(row["separation"]),
                share(row["false_alarm"]),
            ]
            for row in pick(rows, arm=arm)
        )
        head = [
            "split",
            "fault",
            "tasks",
            "right",
            "miss",
            "named",
            "twins",
            "tasks",
            "on twins",
            "separation",
            "false alarm",
        ]
        told += [f"### {_text(arm)}", markdown_table(head, cells)]
    return "\n\n".join(told)


def _confusions(content: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    parts = [
        "## Confusion of codes",
        "Rows are codes of golds, columns what was named. A missed code counts as what was named wrongly in its "
        "place, in equal parts if there are several. Shares are of the samples whose gold has the code, over all "
        "splits of the study.",
    ]
    for confusion in content["confusion"]:
        parts.append(f"### {_text(confusion['arm'])}")
        if name := pictures.get(f"confusion/{confusion['arm']}"):
            parts.append(f"![Confusion of codes, {_text(confusion['arm'])}]({name})")
        if cells := _most_confused(confusion):
            parts.append(markdown_table(["gold", "named instead", "samples", "share"], cells))
        else:
            parts.append("No code was confused.")
    return "\n\n".join(parts)


def _most_confused(confusion: Mapping[str, Any]) -> list[list[str]]:
    """The largest cells off the diagonal."""
    cells = [
        (count, row, column, sum(counts))
        for row, counts in zip(confusion["rows"], confusion["counts"], strict=True)
        for column, count in zip(confusion["columns"], counts, strict=True)
        if count and column != row and row != BEYOND
    ]
    cells.sort(key=lambda cell: -cell[0])
    return [
        [_code(row), _code(column), f"{count:.1f}".removesuffix(".0"), share(count / total)]
        for count, row, column, total in cells[:_MOST_CONFUSIONS]
    ]


def _archetypes(content: Mapping[str, Any], arms: Sequence[str], splits: Sequence[str]) -> str:
    parts = ["## Archetypes", "Exact answers, and in parentheses partial credit. The intervals are in the JSON report."]
    for split in splits:
        rows = [row for row in content["scores"] if row["split"] == split and "archetype" in row]
        names = dict.fromkeys(row["archetype"] for row in rows)
        cells = []
        for name in names:
            own = pick(rows, archetype=name)
            numbers = [
                "{} ({})".format(*(share(pick(own, arm=arm, metric=metric)[0]["value"]) for metric in _METRIC))
                for arm in arms
            ]
            cells.append([_code(name), str(own[0]["tasks"]), *numbers])
        parts += [f"### {_split(split)}", markdown_table(["archetype", "tasks", *map(_text, arms)], cells)]
    return "\n\n".join(parts)
