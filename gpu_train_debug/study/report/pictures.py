"""Pictures of the report: a forest plot of the arms, a heat map of confused codes.

In: rows of the JSON report. Out: SVG or PNG bytes. Figures are made without global state, and nothing in
the SVG depends on the time or on the machine but the version of Matplotlib.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gpu_train_debug.study.inputs.plan import ALL, METRICS
from gpu_train_debug.study.statistics.controls import BEYOND
from gpu_train_debug.study.statistics.tabulate import percent

_TITLES = {"exact": "exact answers", "score": "partial credit"}
_COLOURS = ("#1b6ca8", "#b5541c", "#2f7d4f", "#7b4fa3", "#8a6d1d", "#5a6570")
_MOST_NUMBERS = 60  # codes up to which the cells of a heat map carry numbers
_LEAST_SHARE = 0.005  # that a cell shows as a number


def draw_forest(rows: Sequence[Mapping[str, Any]], confidence: float, kind: str) -> bytes:
    """Draw the differences of all comparisons: a panel for each metric, a line for each comparison and split.

    Args:
        confidence: Of the intervals.
        kind: `svg` or `png`.
    """
    places: dict[tuple[str, str, str], float] = {}
    titles: dict[tuple[str, str], float] = {}
    place = 0.0
    for pair in dict.fromkeys((row["arm"], row["other"]) for row in rows):
        titles[pair] = place
        for split in dict.fromkeys(row["split"] for row in rows):
            place -= 1
            places[*pair, split] = place
        place -= 1.4
    figure = Figure(figsize=(12, 1.4 + 0.28 * (1 - place)), layout="constrained")
    panels = figure.subplots(1, len(METRICS), sharey=True)
    for panel, metric in zip(panels, METRICS, strict=True):
        _draw_panel(panel, [row for row in rows if row["metric"] == metric], places, list(titles))
        panel.set_xlabel(f"difference in {_TITLES[metric]}")
    names = [f"{_short(arm)} minus {_short(other)}" for arm, other in titles]
    splits = ["all splits" if split == ALL else split for _, _, split in places]
    panels[0].set_yticks([*titles.values(), *places.values()], [*names, *splits])
    for number, label in enumerate(panels[0].get_yticklabels()[: len(titles)]):
        label.set(weight="bold", color=_COLOURS[number % len(_COLOURS)])
    panels[0].set_ylim(place + 0.9, 0.6)
    figure.supxlabel(
        f"Lines are {percent(confidence)} intervals, dotted where few tasks differ; "
        "filled squares are primary comparisons.",
        fontsize=8,
        color="#555555",
    )
    return _bytes(figure, kind)


def _draw_panel(
    panel: Axes, rows: Sequence[Mapping[str, Any]], places: Mapping[Any, float], pairs: Sequence[tuple[str, str]]
) -> None:
    panel.axvline(0, color="#444444", linewidth=0.8)
    panel.grid(axis="x", color="#e4e4e4", linewidth=0.7)
    panel.set_axisbelow(True)
    for row in rows:
        place = places[row["arm"], row["other"], row["split"]]
        colour = _COLOURS[pairs.index((row["arm"], row["other"])) % len(_COLOURS)]
        if row["low"] is not None:
            style = ":" if row["thin"] else "-"
            panel.plot([row["low"], row["high"]], [place, place], style, color=colour, linewidth=1.8)
        filled = colour if row["primary"] else "white"
        panel.plot([row["value"]], [place], marker="s", markersize=6, color=colour, markerfacecolor=filled)
        interval = "" if row["low"] is None else f"  [{row['low']:+.2f}, {row['high']:+.2f}]"
        panel.annotate(
            f"{row['value']:+.2f}{interval}",
            (1, place),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            annotation_clip=False,
        )
    for side in ("top", "right", "left"):
        panel.spines[side].set_visible(False)
    panel.tick_params(axis="y", length=0)
    ends = [row[key] for row in rows for key in ("low", "high", "value") if row[key] is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    margin = 0.06 * max(high - low, 0.02)
    panel.set_xlim(low - margin, high + margin)
    panel.locator_params(axis="x", nbins=6)


def draw_confusion(confusion: Mapping[str, Any], kind: str) -> bytes:
    """Draw the confusion of one arm: rows are codes of golds, each scaled to 1; columns what was named.

    Args:
        kind: `svg` or `png`.
    """
    kept = [index for index, row in enumerate(confusion["rows"]) if row != BEYOND and sum(confusion["counts"][index])]
    rows = [confusion["rows"][index] for index in kept]
    columns = list(confusion["columns"])
    shares = [[count / sum(confusion["counts"][index]) for count in confusion["counts"][index]] for index in kept]
    width, height = 0.42 * len(columns), 0.42 * len(rows)
    figure = Figure(figsize=(width + 5.2, height + 4.2), layout="constrained")
    panel = figure.subplots()
    image = panel.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="equal")
    panel.set_xticks(range(len(columns)), columns, rotation=90, fontsize=8)
    panel.set_yticks(range(len(rows)), rows, fontsize=8)
    panel.set_xlabel("named")
    panel.set_ylabel("gold")
    title = f"{_short(confusion['arm'])}: which code is named for which gold"
    panel.set_title(f"{title}\npercent of the samples whose gold has the code", fontsize=10)
    panel.set_xticks([column + 0.5 for column in range(len(columns) - 1)], minor=True)
    panel.set_yticks([row + 0.5 for row in range(len(rows) - 1)], minor=True)
    panel.grid(which="minor", color="#e4e4e4", linewidth=0.6)
    panel.tick_params(which="both", length=0)
    if len(rows) <= _MOST_NUMBERS:
        for row, line in enumerate(shares):
            for column, value in enumerate(line):
                if value >= _LEAST_SHARE:
                    colour = "white" if value > 0.55 else "#222222"
                    panel.text(column, row, f"{100 * value:.0f}", ha="center", va="center", fontsize=7, color=colour)
    figure.colorbar(image, ax=panel, fraction=0.03, pad=0.02, format=lambda value, _: f"{100 * value:.0f}")
    return _bytes(figure, kind)


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:18] + "..." + name[-19:]


def _bytes(figure: Figure, kind: str) -> bytes:
    target = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with mpl.rc_context({"svg.hashsalt": "study", "svg.fonttype": "path", "text.parse_math": False}):
        figure.savefig(target, format=kind, dpi=150, metadata=metadata)
    return target.getvalue()
