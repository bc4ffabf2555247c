"""Verification: clean on what compile writes; finds each kind of change, also where checksums were mended."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import attrs
import pytest
from strategies.effort import slow_but
from strategies.incidents import INCIDENTS

from compiler.dataset.manifest import Environment, manifest_text, read_manifest
from compiler.dataset.staging import describe_file
from compiler.frontend.run import run_frontend
from compiler.plan import ProgramPlan
from compiler.splits import TaskSpec
from compiler.tasks.maker import ProvedWorld, TaskMaker
from compiler.verify.folder import UnreadableFolderError, count_rows, verify_folder

Record = dict[str, Any]
Change = Callable[[list[Record]], None]


def read(folder: Path, split: str) -> list[Record]:
    return [json.loads(line) for line in (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()]


def write(folder: Path, split: str, records: list[Record]) -> None:
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    (folder / f"{split}.jsonl").write_text("".join(lines), encoding="utf-8")


def mend(folder: Path) -> None:
    """Write the manifest anew, so that all checksums fit what is there now."""
    read_back = read_manifest((folder / "manifest.json").read_text())
    assert isinstance(read_back, tuple)
    manifest, environment = read_back
    files = {name: describe_file(folder / name) for name in manifest.files}
    (folder / "manifest.json").write_text(manifest_text(attrs.evolve(manifest, files=files), environment))


def codes(program: ProgramPlan, folder: Path) -> set[str]:
    return {finding.code for finding in verify_folder(program, folder).findings}


def change_gold(records: list[Record]) -> None:
    record = next(record for record in records if json.loads(record["gold"])["fix"].get("cache"))
    gold = json.loads(record["gold"])
    gold["fix"]["cache"] = 512 if gold["fix"]["cache"] != 512 else 2048
    record["gold"] = json.dumps(gold)


def change_diagnosis(records: list[Record]) -> None:
    record = next(record for record in records if "STALE_READS" in record["gold"])
    record["gold"] = record["gold"].replace("STALE_READS", "POOL_STARVED")


def edit(records: list[Record], pattern: str, new: Callable[[re.Match[str]], str]) -> None:
    """Replace what `pattern` finds first on the first page, by something else."""
    old = records[0]["prompt"]
    records[0]["prompt"] = re.sub(pattern, new, old, count=1, flags=re.MULTILINE)
    assert records[0]["prompt"] != old


def change_number(records: list[Record]) -> None:
    edit(records, r"^hits (\d+) permille", lambda found: f"hits {int(found[1]) - 1} permille")


def change_config(records: list[Record]) -> None:
    edit(records, r"(\bretries\W+)(\d)$", lambda found: found[1] + ("1" if found[2] == "0" else "0"))


def change_rule_text(records: list[Record]) -> None:
    for record in records:
        record["prompt"] = record["prompt"].replace("needed > pool", "needed >= pool")


def change_wording(records: list[Record]) -> None:
    edit(records, r"(?<= query_log: ).*(?=slow=)|(?<= database_up: ).*(?=limit=)", lambda _: "the database says ")


def change_noise(records: list[Record]) -> None:
    edit(records, r"\[rank\d\]", lambda found: "[rank1]" if found[0] != "[rank1]" else "[rank0]")


def change_meta(records: list[Record]) -> None:
    meta = json.loads(records[0]["meta"])
    meta["depth"] += 1
    records[0]["meta"] = json.dumps(meta)


def change_draw(records: list[Record]) -> None:
    meta = json.loads(records[0]["meta"])
    meta["draw"] += 1
    records[0]["meta"] = json.dumps(meta)


def change_gold_to_a_huge_number(records: list[Record]) -> None:
    gold = json.loads(records[0]["gold"])
    gold["fix"] = dict.fromkeys(gold["fix"] or ["pool"], 10**400)
    records[0]["gold"] = json.dumps(gold)


def change_meta_to_huge_numbers(records: list[Record]) -> None:
    huge = dict.fromkeys(("interaction", "depth", "margin"), 10**400)
    records[0]["meta"] = json.dumps(json.loads(records[0]["meta"]) | huge)


def change_draw_to_a_huge_number(records: list[Record]) -> None:
    records[0]["meta"] = json.dumps(json.loads(records[0]["meta"]) | {"draw": 10**400})


def repeat(records: list[Record]) -> None:
    same = next(r for r in records[1:] if r["archetype"] == records[0]["archetype"])
    id_ = same["id"]
    same.update(records[0], id=id_)


def drop(records: list[Record]) -> None:
    del records[3]


def add(records: list[Record]) -> None:
    records.append(dict(records[0]))


def swap_keys(records: list[Record]) -> None:
    records[0]["gold"], records[0]["meta"] = records[0]["meta"], records[0]["gold"]


CHANGES: dict[str, tuple[Change, set[str]]] = {
    "an edited gold": (change_gold, {"E604"}),
    "another diagnosis": (change_diagnosis, {"E604"}),
    "an edited number": (change_number, {"E605"}),
    "an edited config value": (change_config, {"E605"}),
    "an edited rule": (change_rule_text, {"E605"}),
    "another wording": (change_wording, {"E605"}),
    "another rank": (change_noise, {"E605"}),
    "wrong meta data": (change_meta, {"E610"}),
    "another draw": (change_draw, {"E609"}),
    "a repeated task": (repeat, {"E606", "E609"}),
    "a missing line": (drop, {"E603"}),
    "a surplus line": (add, {"E603", "E606"}),
    "keys in disorder": (swap_keys, {"E601", "E603"}),
    "a huge number in a gold": (change_gold_to_a_huge_number, {"E601", "E603"}),
    "huge numbers in the meta data": (change_meta_to_huge_numbers, {"E610"}),
    "a huge draw": (change_draw_to_a_huge_number, {"E609"}),
}


def test_what_compile_writes_is_clean(program: ProgramPlan, compiled: Path) -> None:
    outcome = verify_folder(program, compiled)
    assert outcome.findings == ()
    assert outcome.summary == "24 tasks in 4 splits: clean"


@pytest.mark.slow
def test_workers_find_the_same(program: ProgramPlan, copied: Path) -> None:
    records = read(copied, "train")
    change_gold(records)
    write(copied, "train", records)
    assert verify_folder(program, copied, jobs=2) == verify_folder(program, copied, jobs=1)


@pytest.mark.parametrize("name", slow_but(CHANGES, "an edited gold"))
def test_a_change_is_found_by_its_checksum(program: ProgramPlan, copied: Path, name: str) -> None:
    change, _ = CHANGES[name]
    records = read(copied, "train")
    change(records)
    write(copied, "train", records)
    assert "E602" in codes(program, copied)


@pytest.mark.parametrize("name", slow_but(CHANGES, "another diagnosis"))
def test_a_change_is_found_where_the_checksums_were_mended(program: ProgramPlan, copied: Path, name: str) -> None:
    change, expected = CHANGES[name]
    records = read(copied, "train")
    change(records)
    write(copied, "train", records)
    mend(copied)
    findings = verify_folder(program, copied).findings
    assert {finding.code for finding in findings if finding.path.endswith("train.jsonl")} == expected


@pytest.mark.slow
@pytest.mark.parametrize("relabel", [False, True], ids=["as it is", "with id and split edited"])
def test_a_task_moved_to_another_split_is_found(program: ProgramPlan, copied: Path, relabel: bool) -> None:
    train, test = read(copied, "train"), read(copied, "test")
    place = next(i for i, record in enumerate(train) if record["archetype"] == "small_cache")
    other = next(i for i, record in enumerate(test) if record["archetype"] == "small_cache")
    moved = train[place]
    if relabel:
        moved = {**moved, "id": test[other]["id"], "split": "test"}
    test[other] = moved
    write(copied, "test", test)
    mend(copied)
    found = codes(program, copied)
    assert {"E607" if not relabel else "E609"} <= found
    assert "E606" in found or not relabel


@pytest.mark.slow
def test_a_changed_source_is_found(program: ProgramPlan, compiled: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(INCIDENTS, tmp_path / "sources"))
    path = folder / "service.arch"
    path.write_text(path.read_text() + "# a remark\n")
    changed = run_frontend([folder]).plan
    assert changed is not None
    (finding,) = verify_folder(changed, compiled).findings
    assert (finding.code, finding.subject) == ("E608", "service.arch")


@pytest.mark.slow
def test_a_changed_guard_is_found_in_the_tasks_too(program: ProgramPlan, compiled: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(INCIDENTS, tmp_path / "sources"))
    path = folder / "service.arch"
    assert "when needed > pool and" in path.read_text()
    path.write_text(path.read_text().replace("when needed > pool and", "when needed >= pool and"))
    changed = run_frontend([folder], lints=False).plan
    assert changed is not None
    assert {"E608", "E605"} <= codes(changed, compiled)


@pytest.mark.slow
def test_a_missing_or_foreign_file_is_found(program: ProgramPlan, copied: Path) -> None:
    (copied / "test.jsonl").rename(copied / "extra.jsonl")
    findings = verify_folder(program, copied).findings
    assert [f.code for f in findings if "extra.jsonl" in f.message] == ["E602"]
    assert sum(f.code == "E603" for f in findings) == 4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["test.jsonl", "README.md", "extra.jsonl"])
def test_a_folder_in_the_place_of_a_file_is_found_with_all_else(program: ProgramPlan, copied: Path, name: str) -> None:
    (copied / name).unlink(missing_ok=True)
    (copied / name).mkdir()
    train = read(copied, "train")
    change_diagnosis(train)
    write(copied, "train", train)
    assert count_rows(copied) == sum(len(read(copied, path.stem)) for path in copied.glob("*.jsonl") if path.is_file())
    findings = verify_folder(program, copied).findings
    said = "isn't a file of this dataset" if name == "extra.jsonl" else "isn't a file that can be read"
    assert [f.message for f in findings if f.path.endswith(name) and f.code == "E602"] == [f"`{name}` {said}"]
    assert "E604" in {finding.code for finding in findings}


@pytest.mark.slow
@pytest.mark.parametrize(("data", "at"), [(b"\xff\n", 0), ("{ü".encode() + b"\xff\n", 3)])
def test_a_line_that_is_not_utf_8_is_told_with_its_place(
    program: ProgramPlan, copied: Path, data: bytes, at: int
) -> None:
    with (copied / "train.jsonl").open("ab") as file:
        file.write(data)
    (finding,) = (finding for finding in verify_folder(program, copied).findings if finding.code == "E601")
    assert finding.message == f"not UTF-8 at byte {at} of the line"


def test_an_edited_manifest_is_found(program: ProgramPlan, copied: Path) -> None:
    path = copied / "manifest.json"
    path.write_text(path.read_text().replace('"seed": 11', '"seed": 12'))
    assert codes(program, copied) == {"E614"}


@pytest.mark.slow
def test_another_seed_in_a_mended_manifest_is_found(program: ProgramPlan, copied: Path) -> None:
    read_back = read_manifest((copied / "manifest.json").read_text())
    assert isinstance(read_back, tuple)
    (copied / "manifest.json").write_text(manifest_text(attrs.evolve(read_back[0], seed=12), Environment()))
    assert "E609" in codes(program, copied)


@pytest.mark.slow
def test_a_pair_that_is_not_new_to_its_split_is_found(program: ProgramPlan, compiled: Path, copied: Path) -> None:
    ood = read(copied, "ood")
    pair = next(record for record in ood if record["archetype"] == "cache_then_crowded")
    train = read(copied, "train")
    train[0] = {**pair, "id": train[0]["id"], "split": "train", "archetype": train[0]["archetype"]}
    write(copied, "train", train)
    mend(copied)
    assert "E613" in codes(program, copied)


def test_a_folder_without_a_manifest_cannot_be_verified(program: ProgramPlan, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFolderError):
        verify_folder(program, tmp_path)


def rendered(program: ProgramPlan, id_: str, draw: int) -> Record:
    """A later candidate of a task, rendered just as if it were the task."""
    split, archetype, number = id_.split("-")
    maker = TaskMaker(program, program.datasets["incidents"])
    spec = TaskSpec(split, archetype, int(number))
    drawn = maker.candidate(spec, draw)
    assert drawn is not None
    system = maker.system_of(spec)
    proved = ProvedWorld(drawn, system.check(drawn.world, id_), system.measure(drawn.world, id_), 0)
    return asdict(maker.render(proved).record)


@pytest.mark.slow
def test_a_task_that_passes_over_candidates_is_found(program: ProgramPlan, copied: Path) -> None:
    train = read(copied, "train")
    place = next(i for i, record in enumerate(train) if record["archetype"] == "stale_reads")
    train[place] = rendered(program, train[place]["id"], 5)
    write(copied, "train", train)
    mend(copied)
    assert "E609" in codes(program, copied)


@pytest.mark.slow
def test_a_task_with_too_little_interaction_for_its_split_is_found(program: ProgramPlan, copied: Path) -> None:
    hard = read(copied, "hard")
    place = next(i for i, record in enumerate(hard) if record["archetype"] == "small_cache")
    easy = (rendered(program, hard[place]["id"], draw) for draw in range(60))
    hard[place] = next(record for record in easy if json.loads(record["meta"])["interaction"] == 1)
    write(copied, "hard", hard)
    mend(copied)
    assert "E607" in codes(program, copied)


@pytest.mark.slow
def test_a_draw_that_no_task_can_have_is_refused_at_once(program: ProgramPlan, copied: Path) -> None:
    train = read(copied, "train")
    train[0]["meta"] = json.dumps({**json.loads(train[0]["meta"]), "draw": 10**12})
    write(copied, "train", train)
    mend(copied)
    assert "E609" in codes(program, copied)


@pytest.mark.slow
def test_lines_in_another_order_are_found(program: ProgramPlan, copied: Path) -> None:
    write(copied, "train", read(copied, "train")[::-1])
    mend(copied)
    assert "E603" in codes(program, copied)


@pytest.mark.slow
def test_a_rewritten_card_is_found(program: ProgramPlan, copied: Path) -> None:
    (copied / "README.md").write_text("# Another card\n")
    mend(copied)
    assert codes(program, copied) == {"E602"}


@pytest.mark.slow
def test_made_up_counts_in_a_mended_manifest_are_found(program: ProgramPlan, copied: Path) -> None:
    read_back = read_manifest((copied / "manifest.json").read_text())
    assert isinstance(read_back, tuple)
    changed = attrs.evolve(read_back[0], version="99.9", archetypes={"train": {"made_up": 999}})
    (copied / "manifest.json").write_text(manifest_text(changed, Environment()))
    (finding,) = verify_folder(program, copied).findings
    assert (finding.code, finding.message) == (
        "E614",
        "these parts of the manifest aren't what the files and the sources give: version and archetypes",
    )


@pytest.mark.slow
def test_an_id_with_thousands_of_digits_is_refused(program: ProgramPlan, copied: Path) -> None:
    train = read(copied, "train")
    train[0]["id"] = f"train-{train[0]['archetype']}-{'9' * 5000}"
    write(copied, "train", train)
    mend(copied)
    assert "E601" in codes(program, copied)
