from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest
from strategies.glazing import make_program

from compiler.dataset.card import CardSplit, render_card
from compiler.dataset.staging import StagedFile, StagedFolder
from compiler.dataset.tally import Tally
from compiler.emit.prompt.render import Renderer
from compiler.emit.record import Meta, make_record, record_line
from compiler.plan import ProgramPlan
from gpu_train_debug.tasks import TaskRecord
from solvers.evaluate import observe

META = Meta("computed", 2, "any", 6, 34, "bakery", ("overload",), ("OVERLOADED",), (), (), {"log": False}, 0, "0" * 32)
WELL = attrs.evolve(META, tier="healthy", interaction=1, rules=(), faults=())
FAULT, NONE = '{"diagnosis": "OVERLOADED", "fix": {"batch": 4}}', '{"diagnosis": "HEALTHY", "fix": {}}'
WORLD = {
    "batch": 8, "rounds": 2, "glaze": 1, "fan": 1, "tray": 512, "ovens": 1, "rated": 2440, "loss": 0, "drift": 1,
}  # fmt: skip


def records(program: ProgramPlan) -> dict[str, list[tuple[TaskRecord, Meta]]]:
    system = program.systems["bakery"]
    prompt = Renderer(system).render(observe(system.problem, WORLD), lambda _: 0)

    def task(split: str, archetype: str, number: int) -> tuple[TaskRecord, Meta]:
        gold, meta = (NONE, WELL) if archetype == "all_well" else (FAULT, META)
        meta = attrs.evolve(meta, masked=("FAN_OFF",) if number == 2 else ())
        record = make_record(archetype=archetype, split=split, number=number, prompt=prompt, gold=gold, meta=meta)
        return record, meta

    return {
        "train": [task("train", "too_much", number) for number in range(3)] + [task("train", "all_well", 0)],
        "test": [task("test", "too_much", 0)],
    }


@pytest.fixture
def program() -> ProgramPlan:
    return make_program()


@pytest.fixture
def splits(program: ProgramPlan, tmp_path: Path) -> tuple[CardSplit, ...]:
    """The splits, written to `tmp_path`."""
    made = []
    with StagedFolder(tmp_path) as staged:
        for name, tasks in records(program).items():
            file: StagedFile = staged.open(f"{name}.jsonl")
            tally = Tally()
            for record, meta in tasks:
                file.write(record_line(record))
                tally.add(record, meta)
            made.append(CardSplit(name, f"{name}.jsonl", file.entry(), tally))
        staged.publish()
    return tuple(made)


@pytest.fixture
def card(program: ProgramPlan, splits: tuple[CardSplit, ...]) -> str:
    example, _ = records(program)["train"][0]
    return render_card(program, program.datasets["loaves"], splits, example, package="bakehouse")


def test_front_matter_names_every_split_with_its_size(card: str, splits: tuple[CardSplit, ...]) -> None:
    front = card.split("---\n")[1]
    assert front.startswith("license: mit\n")
    assert 'pretty_name: "Loaves: a \\"test\\""\n' in front
    for split in splits:
        assert f"  - split: {split.name}\n    path: {split.file}\n" in front
        assert (
            f"  - name: {split.name}\n    num_bytes: {split.entry.bytes}\n    num_examples: {split.entry.rows}\n"
            in front
        )
    assert "size_categories:\n- n<1K\n" in front


def test_card_counts_what_the_records_say(card: str) -> None:
    assert "| train | `train.jsonl` | 4 | 1 | 0 | 1 | 0 |\n" in card
    assert "| test | `test.jsonl` | 1 | 0 | 0 | 0 | 0 |\n" in card
    assert (
        "| archetype | what goes wrong | system | tier | train | test |\n| --- | --- | --- | --- | ---: | ---: |\n"
        in card
    )
    assert "| all_well | nothing is wrong | bakery | healthy | 1 | 0 |\n" in card
    assert "| split | any | named | preferred |\n| --- | ---: | ---: | ---: |\n| train | 100% | 0% | 0% |\n" in card
    assert "| split | 1 | 2 |\n| --- | ---: | ---: |\n| train | 25% | 75% |\n| test | 0% | 100% |\n" in card


def test_card_shows_licence_grading_and_a_whole_example(card: str, program: ProgramPlan) -> None:
    record, _ = records(program)["train"][0]
    assert f"~~~text\n{record.prompt}~~~\n" in card
    assert f"`train-too_much-000`, with the answer `{FAULT}`:" in card
    assert "from bakehouse import grade\n" in card
    assert card.endswith("## Licence\n\nMIT.\n")
    assert "\n\n\n" not in card


def test_share_is_zero_when_a_split_is_empty(program: ProgramPlan, splits: tuple[CardSplit, ...]) -> None:
    example, _ = records(program)["train"][0]
    empty = attrs.evolve(splits[1], tally=Tally())
    card = render_card(program, program.datasets["loaves"], (splits[0], empty), example, package="bakehouse")
    assert "| test | 0% | 0% | 0% |\n" in card


@pytest.mark.slow
def test_datasets_library_loads_every_split_when_it_is_installed(
    card: str, tmp_path: Path, program: ProgramPlan
) -> None:
    datasets = pytest.importorskip("datasets")
    (tmp_path / "README.md").write_text(card)
    loaded = datasets.load_dataset(str(tmp_path), cache_dir=str(tmp_path / "cache"))
    assert {name: len(rows) for name, rows in loaded.items()} == {"train": 4, "test": 1}
    assert json.loads(loaded["train"][0]["gold"])["diagnosis"] == "OVERLOADED"


def test_front_matter_changes_when_only_a_checksum_does(program: ProgramPlan, splits: tuple[CardSplit, ...]) -> None:
    example, _ = records(program)["train"][0]
    other = attrs.evolve(splits[0], entry=attrs.evolve(splits[0].entry, sha256="0" * 64))
    cards = {
        render_card(program, program.datasets["loaves"], (first, splits[1]), example, package="bakehouse")
        for first in (splits[0], other)
    }
    assert len({card.split("---\n")[1] for card in cards}) == 2
