"""The whole analysis: from scored arms and a plan to the content of the JSON report.

Every table is a list of rows, each with the keys that name it (`arm`, `split`, ...) and its numbers, in a
fixed order. Equal inputs give equal bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpu_train_debug.study.inputs.freeze import Seal
from gpu_train_debug.study.inputs.plan import METRICS, Plan, plan_content
from gpu_train_debug.study.inputs.tasks import TaskSet
from gpu_train_debug.study.statistics.band import calibrate, tiers_of
from gpu_train_debug.study.statistics.controls import (
    CONTROL_OUTCOMES,
    FAULT_OUTCOMES,
    code_order,
    confuse,
    healthy_codes,
    naming_rates,
    outcome_rates,
    pair_twins,
)
from gpu_train_debug.study.statistics.errors import ERROR_KINDS, agreeing_pairs, error_counts, flat_groups
from gpu_train_debug.study.statistics.paired import compare_arms, task_means
from gpu_train_debug.study.statistics.passk import pass_rates
from gpu_train_debug.study.statistics.scopes import TaskScope, part_scopes, whole_scopes
from gpu_train_debug.study.statistics.score import ArmScores, Scores, failure_notes
from gpu_train_debug.study.statistics.tabulate import Columns, Row, estimate_row, rounded

SCHEMA = 3
"""Changes with any change to the keys of the report or to what they hold."""


def analyse(scores: Scores, plan: Plan, seal: Seal, task_set: TaskSet) -> dict[str, Any]:
    """Give the content of the report.

    Args:
        plan: Complete, and for the arms and splits of `scores`.
    """
    whole = whole_scopes(scores.tasks, plan.bootstrap)
    content = {
        "schema": SCHEMA,
        "plan": _plan_section(plan, seal),
        "inputs": {
            "tasks": task_set.digests_for(plan.splits),
            "archives": scores.digests,
            "splits": [_split_row(scores, split) for split in plan.splits],
            "arms": [_arm_row(arm) for arm in scores.arms],
        },
        "notes": _notes(scores, plan),
        "scores": _scores(scores, [*whole, *part_scopes(scores.tasks, plan.bootstrap, "archetype")]),
        "comparisons": _comparisons(scores, whole, plan),
        "pass_at_k": _pass_rates(scores, whole, plan),
        "errors": _errors(scores, whole),
        "flat_groups": _flat_groups(scores, whole, plan),
        "calibration": _calibration(scores, plan),
        "outcomes": _outcomes(scores, whole),
        "twins": _twins(scores, plan),
        "confusion": _confusion(scores),
    }
    result: dict[str, Any] = rounded(content)
    return result


def _plan_section(plan: Plan, seal: Seal) -> dict[str, Any]:
    return {
        "status": seal.status,
        "hash": seal.hash,
        "expected": seal.expected,
        "chain": [{"hash": link.hash, "reason": link.reason, "changes": list(link.changes)} for link in seal.links],
        "departures": list(seal.departures),
        "content": plan_content(plan),
    }


def _split_row(scores: Scores, split: str) -> Row:
    inside = [task for task in scores.tasks if task.split == split]
    return {"split": split, "tasks": len(inside), "controls": sum(task.control for task in inside)}


def _arm_row(arm: ArmScores) -> Row:
    failed = int(arm.failed.sum())
    return {"arm": arm.name, "samples": arm.samples, "failed": failed, "failed_share": failed / arm.score.size}


def _notes(scores: Scores, plan: Plan) -> list[str]:
    notes = failure_notes(scores)
    if scores.dropped:
        notes.append(f"arms that the plan doesn't name were left out: {', '.join(scores.dropped)}")
    if scores.cut:
        notes.append(
            f"these arms have more samples than the {plan.samples} of each task that were used: {', '.join(scores.cut)}"
        )
    if len({arm.samples for arm in scores.arms}) > 1:
        notes.append(
            "the arms differ in their numbers of samples: means, pass@k and agreement can be compared, "
            "the kinds of tasks with errors can't"
        )
    if any(arm.samples == 1 for arm in scores.arms):
        notes.append("one sample of each task can't show systematic errors or groups")
    primary = len(plan.comparisons) * len(plan.primary.splits)
    shown = len(plan.comparisons) * len(METRICS) * (len(plan.splits) + (len(plan.splits) > 1))
    if primary:
        notes.append(
            f"{shown} comparisons are shown; the p-values of the primary ones ({primary}) are adjusted for their "
            "number (Holm); intervals and other p-values aren't adjusted"
        )
    known = {task.archetype for task in scores.tasks}
    if absent := sorted({name for twin, faults in plan.twins.items() for name in (twin, *faults)} - known):
        notes.append(f"`twins` names archetypes without a task here: {', '.join(absent)}")
    if not any(task.control for task in scores.tasks):
        notes.append("there are no controls among the tasks, so misses can't be told from wrong codes")
    return notes


def _scores(scores: Scores, scopes: Sequence[TaskScope]) -> list[Row]:
    columns = Columns()
    for arm in scores.arms:
        for metric in METRICS:
            columns.add({"arm": arm.name, "metric": metric}, task_means(arm.metric(metric)))
    return columns.rows(scopes)


def _comparisons(scores: Scores, scopes: Sequence[TaskScope], plan: Plan) -> list[Row]:
    return [
        {
            "arm": found.arm,
            "other": found.other,
            "metric": found.metric,
            "split": found.split,
            **estimate_row(found.difference),
            "better": found.better,
            "worse": found.worse,
            "p": found.p,
            "primary": found.primary,
            "adjusted": found.adjusted,
        }
        for found in compare_arms(scores, scopes, plan)
    ]


def _pass_rates(scores: Scores, scopes: Sequence[TaskScope], plan: Plan) -> list[Row]:
    columns = Columns()
    for arm in scores.arms:
        ks = tuple(k for k in plan.pass_at if k <= arm.samples)
        for k, rates in zip(ks, pass_rates(arm, ks).T, strict=True):
            columns.add({"arm": arm.name, "k": k}, rates)
    return columns.rows(scopes)


def _errors(scores: Scores, scopes: Sequence[TaskScope]) -> list[Row]:
    """`agreement`, of pairs of wrong answers those that agree; and the shares of errors by the kind of their task."""
    columns = Columns()
    for arm in scores.arms:
        if arm.samples > 1:
            columns.add({"arm": arm.name, "kind": "agreement"}, *agreeing_pairs(arm))
            counts, errors = error_counts(arm)
            for kind, column in zip(ERROR_KINDS, counts.T, strict=True):
                columns.add({"arm": arm.name, "kind": kind}, column, errors[:, 0])
    return columns.rows(scopes)


def _flat_groups(scores: Scores, scopes: Sequence[TaskScope], plan: Plan) -> list[Row]:
    columns = Columns()
    for arm in scores.arms:
        for size in plan.group_sizes:
            if size <= arm.samples:
                chances = flat_groups(arm, size)
                for name, column in zip(("flat", "all_solved", "all_lost"), chances.T, strict=True):
                    columns.add({"arm": arm.name, "size": size, "kind": name}, column)
    return columns.rows(scopes)


def _calibration(scores: Scores, plan: Plan) -> dict[str, Any]:
    means = task_means(scores.arm(plan.band.arm).metric(plan.band.metric))
    rows: list[Row] = []
    for split in plan.splits:
        inside = np.array([row for row, task in enumerate(scores.tasks) if task.split == split])
        tasks = [scores.tasks[row] for row in inside]
        tiers = tiers_of([task.tier for task in tasks], [task.control for task in tasks], means[inside])
        found = calibrate(tiers, plan.band)
        rows.append(
            {
                "split": split,
                "status": found.status,
                "mean": found.mean,
                "expected": found.expected,
                "reach": list(found.reach),
                "tasks": len(inside),
                "suggested": sum(found.counts) if found.counts else None,
                "small": found.small,
                "tiers": [
                    {
                        "tier": tier.name,
                        "tasks": tier.tasks,
                        "mean": tier.mean,
                        "control": tier.control,
                        "suggested": found.counts[place] if found.counts else None,
                    }
                    for place, tier in enumerate(found.tiers)
                ],
            }
        )
    return {"arm": plan.band.arm, "metric": plan.band.metric, "band": [plan.band.low, plan.band.high], "splits": rows}


def _outcomes(scores: Scores, scopes: Sequence[TaskScope]) -> list[Row]:
    healthy = healthy_codes(scores.tasks)
    controls = np.array([task.control for task in scores.tasks], dtype=np.float64)
    columns = Columns()
    for arm in scores.arms:
        for on, names, says in (("control", CONTROL_OUTCOMES, controls), ("fault", FAULT_OUTCOMES, 1 - controls)):
            rates = outcome_rates(arm, scores.tasks, healthy, control=on == "control")
            for name, column in zip(names, rates.T, strict=True):
                columns.add({"arm": arm.name, "on": on, "outcome": name}, column, says)
    return columns.rows(scopes)


def _twins(scores: Scores, plan: Plan) -> list[Row]:
    """For each arm, split and archetype of faults: how often it is right and missed, and what happens on its twins."""
    healthy = healthy_codes(scores.tasks)
    rows: list[Row] = []
    pairings = pair_twins(scores.tasks, plan.twins)
    for arm in scores.arms:
        on_faults = outcome_rates(arm, scores.tasks, healthy, control=False)
        on_controls = outcome_rates(arm, scores.tasks, healthy, control=True)
        for pairing in pairings:
            own, beside = list(pairing.rows), list(pairing.twin_rows)
            same_code = naming_rates(arm, pairing.codes)
            right = float(on_faults[own, FAULT_OUTCOMES.index("right")].mean())
            alike = float(same_code[beside].mean()) if beside else None
            rows.append(
                {
                    "arm": arm.name,
                    "split": pairing.split,
                    "archetype": pairing.archetype,
                    "codes": list(pairing.codes),
                    "tasks": len(own),
                    "right": right,
                    "miss": float(on_faults[own, FAULT_OUTCOMES.index("miss")].mean()),
                    "twins": list(pairing.twins),
                    "stated": pairing.stated,
                    "twin_tasks": len(beside),
                    "false_alarm": float(on_controls[beside, CONTROL_OUTCOMES.index("false_alarm")].mean())
                    if beside
                    else None,
                    "same_code": alike,
                    "named": float(same_code[own].mean()),
                    "separation": float(same_code[own].mean()) - alike if alike is not None else None,
                }
            )
    return rows


def _confusion(scores: Scores) -> list[dict[str, Any]]:
    codes = code_order(scores.tasks)
    found = []
    for arm in scores.arms:
        confusion = confuse(arm, scores.tasks, codes)
        found.append(
            {
                "arm": arm.name,
                "rows": list(confusion.rows),
                "columns": list(confusion.columns),
                "counts": confusion.counts.tolist(),
            }
        )
    return found
