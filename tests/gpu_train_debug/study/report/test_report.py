"""The report: its content, its text, its pictures, and that it comes out the same again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from strategies.bakery import task_row, write_rows, write_splits

from gpu_train_debug.files import write_whole
from gpu_train_debug.study.inputs.freeze import UNFROZEN, Seal
from gpu_train_debug.study.inputs.plan import Bootstrap, Plan, complete_plan
from gpu_train_debug.study.inputs.tasks import TaskSet, read_tasks
from gpu_train_debug.study.report.content import analyse
from gpu_train_debug.study.report.markdown import render_markdown
from gpu_train_debug.study.report.summary import mean_rows, mean_table
from gpu_train_debug.study.report.write import draw_pictures, report_json, write_report
from gpu_train_debug.study.simulate import Simulation, simulate_rows
from gpu_train_debug.study.statistics.score import score_archives
from gpu_train_debug.study.statistics.tabulate import pick

GOLDEN = Path(__file__).parent / "golden"
FAST = Bootstrap(resamples=400)


def content_of(paths: list[Path], task_set: TaskSet, plan: Plan | None = None) -> dict[str, Any]:
    plan = plan or Plan(title="Tuned | base", bootstrap=FAST, twins={"sticky_rye": ("wet_dough",)})
    scores = score_archives(paths, task_set, splits=plan.splits, arms=plan.arms, samples=plan.samples)
    full = complete_plan(plan, task_set.tasks, {arm.name: arm.samples for arm in scores.arms})
    content = analyse(scores, full, Seal(UNFROZEN), task_set)
    content["inputs"]["archives"] = {}
    return content


@pytest.fixture
def simulated(tmp_path: Path, task_set: TaskSet) -> Path:
    simulation = Simulation({"base": -0.5, "tuned": 1.0}, samples=4)
    return write_rows(tmp_path / "simulated.jsonl", simulate_rows(task_set.tasks, simulation))


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `content` is a copy of."""
    folder = tmp_path_factory.mktemp("analysed")
    tasks = read_tasks([write_splits(folder / "out", {"test": 2, "ood": 2})])
    simulation = Simulation({"base": -0.5, "tuned": 1.0}, samples=4)
    return content_of([write_rows(folder / "simulated.jsonl", simulate_rows(tasks.tasks, simulation))], tasks)


@pytest.fixture
def content(analysed: dict[str, Any]) -> dict[str, Any]:
    return deepcopy(analysed)


def test_json_matches_its_golden_file(content: dict[str, Any], golden: Callable[[str, Path], None]) -> None:
    golden(report_json(content), GOLDEN / "report.json")


def test_markdown_matches_its_golden_file(content: dict[str, Any], golden: Callable[[str, Path], None]) -> None:
    golden(render_markdown(content, {"forest": "forest.svg"}), GOLDEN / "report.md")


def test_order_of_rows_and_files_doesnt_matter(
    content: dict[str, Any], simulated: Path, task_set: TaskSet, tmp_path: Path
) -> None:
    rows = [json.loads(line) for line in simulated.read_text().splitlines()]
    random.Random(1).shuffle(rows)
    paths = [
        write_rows(tmp_path / f"{arm}.jsonl", [row for row in rows if row["arm"] == arm]) for arm in ("tuned", "base")
    ]
    assert report_json(content_of(paths, task_set)) == report_json(content)


@pytest.mark.slow
def test_order_of_tasks_in_their_files_doesnt_matter(
    content: dict[str, Any], simulated: Path, bakery: Path, task_set: TaskSet
) -> None:
    for path in bakery.iterdir():
        path.write_text("".join(sorted(path.read_text().splitlines(keepends=True), reverse=True)))
    again = content_of([simulated], read_tasks([bakery]))
    assert again.pop("inputs")["tasks"] != content["inputs"]["tasks"]
    assert all(again[key] == content[key] for key in again)


def test_another_split_changes_nothing_in_a_split(content: dict[str, Any], simulated: Path, task_set: TaskSet) -> None:
    alone = content_of([simulated], task_set, Plan(bootstrap=FAST, splits=("test",)))
    for section in ("scores", "comparisons", "pass_at_k", "errors", "flat_groups", "outcomes"):
        unadjusted = [{**row, "adjusted": None, "primary": None} for row in pick(content[section], split="test")]
        assert [{**row, "adjusted": None, "primary": None} for row in alone[section]] == unadjusted


def test_shares_add_up(content: dict[str, Any]) -> None:
    for arm in ("base", "tuned"):
        for split in ("*", "test", "ood"):
            kinds = pick(content["errors"], arm=arm, split=split)
            assert sum(row["value"] for row in kinds if row["kind"] != "agreement") == pytest.approx(1, abs=1e-5)
            for on in ("control", "fault"):
                outcomes = pick(content["outcomes"], arm=arm, split=split, on=on)
                assert sum(row["value"] for row in outcomes) == pytest.approx(1, abs=1e-5)


def test_pass_at_one_is_the_mean(content: dict[str, Any]) -> None:
    for row in pick(content["pass_at_k"], k=1):
        (mean,) = pick(content["scores"], arm=row["arm"], split=row["split"], metric="exact", archetype=None)
        assert (row["value"], row["low"], row["high"]) == (mean["value"], mean["low"], mean["high"])


def test_one_arm_is_described_without_comparisons(simulated: Path, task_set: TaskSet) -> None:
    content = content_of([simulated], task_set, Plan(arms=("base",), bootstrap=FAST))
    assert content["comparisons"] == []
    text = render_markdown(content, {})
    assert "## Arms compared" not in text
    assert "arms that the plan doesn't name were left out: tuned" in text


def test_one_sample_says_nothing_on_systematic_errors(simulated: Path, task_set: TaskSet) -> None:
    content = content_of([simulated], task_set, Plan(bootstrap=FAST, samples=1))
    assert (content["errors"], content["flat_groups"]) == ([], [])
    text = render_markdown(content, {})
    assert "## Residual errors" not in text
    assert "one sample of each task" in text


def test_arms_with_unlike_samples_are_noted(simulated: Path, task_set: TaskSet, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in simulated.read_text().splitlines()]
    path = write_rows(tmp_path / "unlike.jsonl", [row for row in rows if row["arm"] == "base" or row["sample"] < 2])
    content = content_of([path], task_set)
    assert any("differ in their numbers of samples" in note for note in content["notes"])
    assert content["plan"]["content"]["samples"] is None
    assert [(row["arm"], row["samples"]) for row in content["inputs"]["arms"]] == [("base", 4), ("tuned", 2)]


def test_tasks_without_controls_are_noted(tmp_path: Path) -> None:
    tasks = read_tasks(
        [write_rows(tmp_path / "test.jsonl", [task_row("cold_oven", "test", number) for number in range(3)])]
    )
    path = write_rows(tmp_path / "a.jsonl", simulate_rows(tasks.tasks, Simulation({"base": 0.0}, samples=2)))
    content = content_of([path], tasks, Plan(bootstrap=FAST))
    assert any("no controls" in note for note in content["notes"])
    assert all(row["on"] == "fault" for row in content["outcomes"])
    assert "| `cold_oven` | 3     |" in render_markdown(content, {})


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"status": "inside", "mean": 0.7}, "0.700, inside the band."),
        (
            {"status": "mix", "small": False},
            "0.545, below the band. The mix suggested below takes 4 of the 14 tasks and has",
        ),
        ({"small": True}, "Its mean says little with so few tasks"),
        (
            {"status": "too few tasks", "reach": [0.2, 0.9]},
            "A mix would get into it (mixing its tiers gives means from 0.2",
        ),
        (
            {"status": "out of reach", "mean": 0.9, "reach": [0.8, 1.0]},
            "0.900, above the band, and no mix gets into it: mixing",
        ),
    ],
    ids=["inside", "mix", "small mix", "too few tasks", "out of reach"],
)
def test_verdict_on_the_calibration_is_told(changed: dict[str, Any], text: str, content: dict[str, Any]) -> None:
    content["calibration"]["splits"][1].update(changed)
    assert text in render_markdown(content, {})


@pytest.mark.parametrize(
    ("confidence", "text"),
    [
        pytest.param(0.95, "95%", marks=pytest.mark.slow),
        pytest.param(0.975, "97.5%", marks=pytest.mark.slow),
        pytest.param(0.995, "99.5%", marks=pytest.mark.slow),
        pytest.param(0.9, "90%", marks=pytest.mark.slow),
        pytest.param(0.07, "7%", marks=pytest.mark.slow),
        (0.999999, "99.9999%"),
    ],
)
def test_confidence_is_told_in_all_its_digits(
    confidence: float, text: str, content: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    content["plan"]["content"]["bootstrap"]["confidence"] = confidence
    assert f"are {text} intervals" in render_markdown(content, {})
    from matplotlib.figure import Figure  # loaded for the pictures alone

    told: list[str] = []
    monkeypatch.setattr(Figure, "supxlabel", lambda _, label, **options: told.append(label))
    draw_pictures({**content, "confusion": []}, "svg")
    assert [label.partition(",")[0] for label in told] == [f"Lines are {text} intervals"]


def test_what_was_left_out_is_noted(simulated: Path, task_set: TaskSet) -> None:
    plan = Plan(bootstrap=FAST, samples=3, twins={"sticky_rye": ("no_such_fault",)})
    notes = content_of([simulated], task_set, plan)["notes"]
    assert "these arms have more samples than the 3 of each task that were used: base, tuned" in notes
    assert "`twins` names archetypes without a task here: no_such_fault" in notes


def test_names_cant_break_the_markdown(content: dict[str, Any]) -> None:
    text = render_markdown(content, {})
    assert text.startswith("# Tuned \\| base\n")
    for block in text.split("\n\n"):
        rows = block.splitlines()
        if rows[0].startswith("| "):
            assert len({row.replace("\\|", "").count("|") for row in rows}) == 1


@pytest.mark.slow
def test_pictures_are_whole_and_the_same_again(content: dict[str, Any]) -> None:
    drawn, again = (draw_pictures(content, "svg") for _ in range(2))
    assert drawn == again
    assert [name for name, _ in drawn.values()] == ["forest.svg", "confusion-1-base.svg", "confusion-2-tuned.svg"]
    for _, data in drawn.values():
        assert ElementTree.fromstring(data).tag.endswith("svg")


@pytest.mark.slow
def test_pictures_can_be_png(content: dict[str, Any]) -> None:
    for name, data in draw_pictures(content, "png").values():
        assert name.endswith(".png")
        assert data.startswith(b"\x89PNG")


def test_report_is_written_whole(content: dict[str, Any], tmp_path: Path) -> None:
    files = write_report(content, tmp_path / "new" / "study", pictures=None)
    assert sorted(path.name for path in files) == ["report.json", "report.md"]
    assert json.loads(files[-1].read_text()) == content
    assert names_in(tmp_path / "new" / "study") == ["report.json", "report.md"]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.slow
def test_pictures_of_an_earlier_report_are_removed(
    content: dict[str, Any], simulated: Path, task_set: TaskSet, tmp_path: Path
) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    own = ["confusion-matrix.svg", "confusion.svg", "forest.svg.txt", "my-forest.svg"]
    for name in own:
        (folder / name).write_text("not of a report")
    text = ["report.json", "report.md"]
    write_report(content, folder, pictures="svg")
    drawn = ["confusion-1-base.svg", "confusion-2-tuned.svg", "forest.svg"]
    assert names_in(folder) == sorted([*own, *text, *drawn])
    one = content_of([simulated], task_set, Plan(arms=("tuned",), bootstrap=FAST))
    write_report(one, folder, pictures="svg")
    assert names_in(folder) == sorted([*own, *text, "confusion-1-tuned.svg"])
    write_report(one, folder, pictures="png")
    assert names_in(folder) == sorted([*own, *text, "confusion-1-tuned.png"])
    write_report(one, folder, pictures=None)
    assert names_in(folder) == sorted([*own, *text])


def test_pictures_are_left_where_no_report_lies(content: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "forest.png").write_text("of trees")
    write_report(content, tmp_path / "study", pictures=None)
    assert names_in(tmp_path / "study") == ["forest.png", "report.json", "report.md"]


def test_link_is_kept_and_the_file_it_points_to_written(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link, target = tmp_path / "link", tmp_path / "elsewhere" / "target"
    link.symlink_to(target)
    for data in (b"made", b"replaced"):
        write_whole(link, data)
        assert (link.is_symlink(), target.read_bytes()) == (True, data)
    assert [path.name for path in target.parent.iterdir()] == ["target"]


def test_file_is_left_when_its_successor_cant_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"before")

    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError):
        write_whole(path, b"after")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("kept", b"before")]


def test_summary_has_a_line_for_each_arm_and_part(simulated: Path, task_set: TaskSet) -> None:
    scores = score_archives([simulated], task_set)
    by_split = mean_table(mean_rows(scores, FAST, "split"), "split").splitlines()
    assert by_split[0].split() == ["split", "tasks", "arm", "samples", "exact", "score"]
    assert len(by_split) == 1 + 3 * 2
    by_tier = mean_table(mean_rows(scores, FAST, "tier"), "tier").splitlines()
    assert len(by_tier) == 1 + 2 * 4 * 2
