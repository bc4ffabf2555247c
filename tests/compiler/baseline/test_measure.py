"""`gtd baseline` on small made datasets, of which one knows what can be learned from them."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from strategies.prompt_texts import prompt as reader_prompt
from strategies.prompt_texts import run_part

from compiler.cli.app import main
from gpu_train_debug.tasks import TaskRecord

pytest.importorskip("sklearn", reason="scikit-learn isn't installed: it comes with the extra `baselines`")

from compiler.baseline.features import numbers, related_numbers, words
from compiler.baseline.learners import LEARNERS
from compiler.baseline.measure import BaselineError, LearnerResult, baseline_tasks, count_steps, measure
from compiler.baseline.report import as_data, as_markdown, make_entries
from compiler.baseline.run import CHANNELS, read_run

Maker = Callable[[random.Random], TaskRecord]

META = '{"tier": "computed", "evidence": "0"}'


def row(
    gold: object, *, config: str = "", profiler: str = "", log: str = "", title: str = "Pump", split: str = "train"
) -> TaskRecord:
    prompt = f"# {title}\nText.\n\n" + run_part(config, profiler, log)
    return TaskRecord(f"{split}-x-000", "x", split, prompt, gold if isinstance(gold, str) else json.dumps(gold), META)


def answer(*codes: str, **fix: object) -> dict[str, object]:
    return {"diagnosis": codes[0] if len(codes) == 1 else list(codes), "fix": fix}


def draws(make: Maker, train: int = 80, test: int = 80) -> dict[str, list[TaskRecord]]:
    rng = random.Random(1)
    return {"train": [make(rng) for _ in range(train)], "test": [make(rng) for _ in range(test)]}


def found(rows: Mapping[str, Iterable[TaskRecord]], *names: str) -> dict[tuple[str, str], LearnerResult]:
    """What the named learners, and those that are none, earn on `test`, by name and way."""
    learners = [learner for learner in LEARNERS if learner.name in names]
    results = measure(baseline_tasks(rows, "train"), "train", learners=learners)
    return {(result.learner, result.way): result for result in results if result.split == "test"}


def keyword_row(rng: random.Random) -> TaskRecord:
    """Only a word of the log tells."""
    dry = rng.random() < 0.5
    return row(
        answer("DRY", water="on") if dry else answer("BLOCKED", filter=2),
        config=f"speed = {rng.randint(1, 9)}",
        log=f"note: the pump {'runs dry' if dry else 'is blocked'} at={rng.randint(1, 9)}s",
    )


def product_row(rng: random.Random) -> TaskRecord:
    """Only a product of two numbers tells; either alone hardly does."""
    wide, high = 2 ** rng.uniform(0, 6), 2 ** rng.uniform(0, 6)
    large = wide * high > 64
    return row(
        answer("LARGE" if large else "SMALL", size=1), config=f"wide = {wide:.2f}", profiler=f"high {high:.2f} m"
    )


def test_text_learns_a_keyword_from_the_channel_that_has_it() -> None:
    results = found(draws(keyword_row), "text", "text: log", "text: config")
    for name in ("text", "text: log"):
        for way in ("sets", "parts"):
            assert results[name, way].exact >= 0.95
    assert results["text: config", "sets"].diagnosis <= 0.7


@pytest.mark.slow
def test_relations_tell_what_plain_numbers_do_not() -> None:
    results = found(draws(product_row), "numbers, extra trees", "relational, extra trees")
    plain, related = results["numbers, extra trees", "sets"], results["relational, extra trees", "sets"]
    assert related.diagnosis >= 0.97
    assert plain.diagnosis < related.diagnosis


@pytest.mark.slow
def test_one_channel_of_two_is_not_enough_for_a_product() -> None:
    results = found(draws(product_row), "numbers, extra trees: config", "relational, extra trees")
    assert results["numbers, extra trees: config", "sets"].score < results["relational, extra trees", "sets"].score


def test_the_constant_has_the_share_of_the_majority_and_frequency_the_sum_of_squares() -> None:
    golds = [answer("A", f=1)] * 6 + [answer("B", f=2)] * 3 + [answer("B", f=3)]
    rows = {"train": [row(gold) for gold in golds], "test": [row(gold) for gold in golds]}
    results = found(rows)
    assert results["constant", ""].exact == 0.6
    assert results["constant", ""].diagnosis == 0.6
    assert results["by frequency", ""].exact == pytest.approx(0.6**2 + 0.3**2 + 0.1**2)
    assert results["by frequency", ""].diagnosis == pytest.approx(0.6**2 + 0.4**2)


def test_a_pair_that_was_never_seen_is_named_part_by_part_alone() -> None:
    def run(first: bool, second: bool) -> str:
        return f"first = {first}\nsecond = {second}"

    alone = [
        row(answer("A", f=1), config=run(True, False)),
        row(answer("B", g=2), config=run(False, True)),
        row(answer("HEALTHY"), config=run(False, False)),
    ]
    rows = {"train": alone * 20, "test": [row(answer("A", "B", f=1, g=2), config=run(True, True))]}
    results = found(rows, "text")
    assert results["text", "sets"].diagnosis == 0
    assert results["text", "parts"].exact == 1


def test_each_system_has_a_model_of_its_own() -> None:
    def either(rng: random.Random) -> TaskRecord:
        title, wide = rng.choice(["Pump", "Mill"]), rng.choice(["yes", "no"])
        return row(answer("A" if (title == "Pump") is (wide == "yes") else "B"), config=f"wide = {wide}", title=title)

    results = found(draws(either), "numbers, nearest neighbour")
    assert results["numbers, nearest neighbour", "sets"].exact == 1
    assert results["numbers, nearest neighbour", "parts"].exact == 1


@pytest.mark.slow
def test_measuring_again_gives_the_same_and_advances_as_often_as_said() -> None:
    tasks = baseline_tasks(draws(keyword_row, 30, 10), "train")
    steps: list[None] = []
    first = measure(tasks, "train", advance=lambda: steps.append(None))
    assert measure(tasks, "train") == first
    assert len(steps) == count_steps(tasks)


def test_numbers_are_settings_and_attributes_and_lines() -> None:
    runs = [
        read_run(row(answer("A"), config=config, profiler="peak -6.4 GiB | last n/a", log=log).prompt)
        for config, log in [
            ("mode = fast\nsize = 8e-2", "up: it is up at=3s, ok=true.\nup: again at=4s"),
            ("mode = slow\nsize = 9", "down: x"),
        ]
    ]
    first, second = numbers(runs, CHANNELS)(runs)
    # columns by name: down, last=n/a, mode=fast, mode=slow, "peak GiB", run, "size ",
    # up, up#2, "up#2.at s", "up.at s", up.ok=true
    assert first.tolist() == [0, 1, 1, 0, -6.4, 1, 0.08, 1, 1, 4, 3, 1]
    assert second.tolist() == [1, 1, 0, 1, -6.4, 1, 9, 0, 0, 0, 0, 0]
    assert numbers(runs, ["profiler"])(runs).shape == (2, 3)


def test_run_is_the_same_in_every_form_of_the_config() -> None:
    """`text` and `words` can't learn from the form, nor from times and ranks."""
    configs = {
        "text": 'mode = fast\nrest.size = 8\nrest.place = "a b"',
        "yaml": 'mode: fast\nrest:\n  size: 8\n  place: "a b"',
        "toml": 'mode = "fast"\n[rest]\nsize = 8\nplace = "a b"',
        "json": '{\n  "mode": "fast",\n  "rest": {\n    "size": 8,\n    "place": "a b"\n  }\n}',
        "sh": '--mode fast\n--rest.size 8\n--rest.place "a b"',
    }
    channels = {"config": "mode = fast\nsize = 8\nplace = a b", "profiler": "peak = 3 GiB", "log": "up: x\nup: y"}
    for form, config in configs.items():
        prompt = "# Pump\nText.\n\n" + run_part(config, "peak 3 GiB", "up: x\nup: y", form=form)
        assert read_run(prompt).channels == channels


def test_relations_are_bounded_and_know_no_infinity() -> None:
    few = [read_run(row(answer("A"), config=f"a = 6\nb = {b}").prompt) for b in (0, 3)]
    assert related_numbers(few, CHANNELS)(few)[:, 3:].tolist() == [[0, 6, 0], [2, 3, 18]]
    config = "\n".join(f"n{place} = {place}" for place in range(100))
    many = [read_run(row(answer("A"), config=config).prompt)]
    assert related_numbers(many, CHANNELS)(many).shape == (1, 101 + 3 * (32 * 31 // 2))


@pytest.mark.parametrize("features", [words, numbers, related_numbers])
def test_a_channel_that_prints_nothing_has_a_column(features: Callable[..., Callable[..., object]]) -> None:
    runs = [read_run(row(answer("A")).prompt)]
    assert features(runs, ["log"])(runs).shape == (1, 1)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param({"train": [], "test": []}, "`train` has no tasks", id="empty"),
        pytest.param(
            {"train": [row(answer("A"))], "test": [row(answer("A"), title="Mill")]},
            "`test` has tasks of `Mill`",
            id="system",
        ),
        pytest.param({"train": [row("{}")]}, "task `train-x-000` of `train`: the gold", id="gold"),
        pytest.param(
            {"train": [TaskRecord("a", "x", "train", "# Pump\n\n## Config\n", "{}", META)]},
            "task `a` of `train`: ",
            id="prompt",
        ),
    ],
)
def test_rows_that_cannot_be_used_are_refused(rows: dict[str, list[TaskRecord]], message: str) -> None:
    with pytest.raises(BaselineError, match=message):
        baseline_tasks(rows, "train")


def test_a_prompt_without_its_sections_is_refused() -> None:
    with pytest.raises(ValueError, match="sections Config, Profiler and Log"):
        read_run("# Pump\n\n## Config\na = 1\n\n## Log\n")


def test_aims_hold_for_the_better_way_and_only_where_there_are_any() -> None:
    def result(split: str, kind: str, way: str, score: float, exact: float = 0.0) -> LearnerResult:
        return LearnerResult(f"{kind} learner", kind, way, split, 0.0, score, exact)

    results = [
        result("hard", "one channel", "sets", 0.35, 0.35),
        result("hard", "one channel", "parts", 0.2),
        result("hard", "the whole run", "sets", 0.3),
        result("hard", "the whole run", "parts", 0.46),
        result("ood", "fixed", "", 0.9, 0.16),
        result("test", "relational", "sets", 1.0, 1.0),
        result("test", "reader", "", 0.99, 0.98),
    ]
    assert [entry.met for entry in make_entries(results)] == [True, False, False, None, False]
    tasks = baseline_tasks({split: [row(answer("A"))] for split in ("hard", "ood", "test")}, "test")
    lines = as_markdown(make_entries(results), tasks, "test").splitlines()
    assert "1 tasks; the code sets of 100% occur in `test`." in lines
    whole = next(line for line in lines if line.startswith("| the whole run"))
    assert [cell.strip() for cell in whole.split("|")[3:-1]] == ["0.300 / 0.460", "0.45", "0.000 / 0.000", "0.35", "no"]
    assert as_data(make_entries(results), tasks, "test")["splits"]["hard"] == {"tasks": 1, "seen": 1.0}


READABLE = {
    "memory-one_code": answer("ACT_PEAK_OVER_BUDGET", micro_batch=4, grad_accum=2),
    "memory-alternative": answer("ACT_PEAK_OVER_BUDGET", recompute="selective"),
    "memory-healthy": answer("HEALTHY"),
    "pump-low_flow": answer("LOW_FLOW", "GAIN_HIGH", speed=2, gain=1e-4),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Splits of prompts that the reader can read."""
    (tmp_path / "out").mkdir()
    write_split(tmp_path / "out", "train", READABLE)
    write_split(tmp_path / "out", "test", {"memory-one_code": READABLE["memory-one_code"]})
    return tmp_path / "out"


def write_split(folder: Path, split: str, golds: Mapping[str, object]) -> None:
    lines = [
        {
            "id": name,
            "archetype": "x",
            "split": split,
            "prompt": reader_prompt(name),
            "gold": json.dumps(gold),
            "meta": META,
        }
        for name, gold in golds.items()
    ]
    (folder / f"{split}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def run(arguments: Sequence[object]) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(["baseline", *map(str, arguments)])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


@pytest.mark.slow
def test_the_command_prints_tables_and_writes_them_and_the_numbers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written, numbers_ = folder.parent / "tables.md", folder.parent / "numbers.json"
    assert run(["--tasks", folder, "-o", written, "--json-out", numbers_]) == 0
    printed = capsys.readouterr().out
    assert written.read_text(encoding="utf-8") == printed
    assert "| reader " in printed
    data = json.loads(numbers_.read_text(encoding="utf-8"))
    assert data["splits"]["train"]["tasks"] == len(READABLE)
    reader = [entry for entry in data["results"] if entry["learner"] == "reader"]
    assert [entry["results"][0]["score"] for entry in reader] == [1.0, 1.0]
    assert all(entry["met"] for entry in reader)


@pytest.mark.slow
def test_the_command_has_status_1_where_the_reader_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_split(folder, "test", {"memory-one_code": answer("HEALTHY")})
    assert run(["--tasks", folder]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--train", "training"], "there is no split `training` in", id="train"),
        pytest.param(["--tasks", "nowhere"], "there are no compiled tasks in nowhere", id="folder"),
    ],
)
def test_the_command_has_status_2_for_splits_that_are_not_there(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--tasks", folder, *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"\xff\n", b"{}\n"])
def test_the_command_has_status_2_for_files_that_are_no_splits(
    content: bytes, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "test.jsonl").write_bytes(content)
    assert run(["--tasks", folder]) == 2
    printed = capsys.readouterr().err
    assert "error: not a task" in printed
    assert "test.jsonl:1\n" in printed


def test_the_command_has_status_2_without_the_extra(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith(("compiler.baseline.", "sklearn."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert run(["--tasks", folder]) == 2
    assert "pip install 'gpu-train-debug[baselines]'" in capsys.readouterr().err
