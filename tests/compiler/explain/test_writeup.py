"""Write-ups of tasks: what they say of other repairs, and that they don't repeat themselves."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from compiler.dataset.lookup import find_task
from compiler.explain.words import ValueWords
from compiler.explain.writeup import explain_task
from compiler.plan import DatasetPlan, ProgramPlan
from compiler.splits import TaskSpec
from compiler.tasks.maker import MadeTask, TaskMaker
from solvers.counting.runners_up import runners_up
from solvers.evaluate import cost, is_repair, named_fields
from solvers.problem import Problem, RelationValue, Sort


def ids(folder: Path, uniqueness: str) -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.jsonl"))]
    records = [json.loads(line) for text in texts for line in text.split("\n")[:-1]]
    return [each["id"] for each in records if json.loads(each["meta"])["uniqueness"] == uniqueness]


def made(program: ProgramPlan, dataset: DatasetPlan, id_: str) -> tuple[MadeTask, TaskMaker]:
    split, archetype, index = id_.split("-")
    maker = TaskMaker(program, dataset, prove=False)
    task = maker.make(TaskSpec(split, archetype, int(index)))
    assert isinstance(task, MadeTask)
    return task, maker


def write_up(program: ProgramPlan, folder: Path, id_: str) -> str:
    found = find_task(program, folder, id_)
    return explain_task(program, found.dataset, found.record)


def repairs(problem: Problem, task: MadeTask) -> list[dict[str, int]]:
    """All repairs of the task's own world with as many of the named fields as the fix, by cost."""
    walk = task.proof.walk
    found = []
    for fields in itertools.combinations(named_fields(problem, *task.proof.walks), len(walk.fix)):
        for numbers in itertools.product(*(problem.variable(field).domain for field in fields)):
            repair = dict(zip(fields, numbers, strict=True))
            changed = sum(walk.start[field] != new for field, new in repair.items())
            if changed == len(walk.fix) and is_repair(problem, walk, repair):
                found.append(repair)
    return sorted(found, key=lambda repair: cost(problem, walk.start, repair))


@pytest.mark.parametrize("uniqueness", [pytest.param("any", marks=pytest.mark.slow), "preferred"])
def test_runners_up_are_the_dearer_repairs_of_the_same_size(
    program: ProgramPlan, dataset: DatasetPlan, compiled: Path, uniqueness: str
) -> None:
    alone = 0
    for id_ in ids(compiled, uniqueness)[:6]:
        task, maker = made(program, dataset, id_)
        system = maker.system(task.meta.system)
        others = list(runners_up(system.tables, task.proof)) if task.proof.walk.fix else []
        own = repairs(system.plan.problem, task) if task.proof.walk.fix else [{}]
        if task.proof.hidden_worlds == 1:
            alone += 1
            assert [dict(task.proof.walk.fix), *others] == own
        assert all(other in own[1:] for other in others)
        assert bool(others) == (uniqueness == "preferred")
    assert alone


def test_a_preferred_task_names_the_repairs_that_it_beats_and_why(
    program: ProgramPlan, dataset: DatasetPlan, compiled: Path
) -> None:
    (id_, *_) = [id_ for id_ in ids(compiled, "preferred") if "crowded_database" in id_]
    text = write_up(program, compiled, id_)
    task, _ = made(program, dataset, id_)
    pool = dict(task.proof.walk.fix)["pool"]
    assert re.search(
        rf"- `pool = \d+ connections`: for `pool`, {pool} connections comes before \d+ connections\n", text
    )


def test_reasons_of_cheaper_assignments_are_sentences(program: ProgramPlan, compiled: Path) -> None:
    (id_, *_) = [id_ for id_ in ids(compiled, "preferred") if "crowded_database" in id_]
    text = write_up(program, compiled, id_)
    assert "- no change at all: the run isn't sound; rule POOL_OVER_LIMIT fires\n" in text


def test_values_that_a_search_does_not_change_are_said_once(program: ProgramPlan, compiled: Path) -> None:
    (id_, *_) = [id_ for id_ in ids(compiled, "preferred") if "crowded_database" in id_]
    text = write_up(program, compiled, id_)
    heading, *tries = re.findall(r"^   - `pool`: .*|^     - .*", text, flags=re.MULTILINE)
    assert "that is `needed <= pool and opened <= server_limit`, with `needed` = " in heading
    assert len(tries) > 1
    assert all(
        re.fullmatch(r" +- \d+ connections: (fails|holds) \(`opened` = \d+ connections\)", each) for each in tries
    )


def test_a_flag_that_stays_settles_what_it_rests_on(program: ProgramPlan) -> None:
    plan = program.systems["service"]
    world = {variable.name: variable.domain[0] for variable in plan.problem.variables}
    worlds = [{**world, "pool": pool} for pool in (5, 80)]
    same, own = ValueWords(plan).contrast(RelationValue("pool_fits", Sort.BOOL), worlds)
    assert same.startswith("`needed` = ")
    assert [told[0] for told in own] == ["`pool` = 5 connections", "`pool` = 80 connections"]


@pytest.mark.slow
def test_every_task_of_a_dataset_has_a_write_up(program: ProgramPlan, compiled: Path) -> None:
    for uniqueness in ("any", "named", "preferred"):
        for id_ in ids(compiled, uniqueness)[:4]:
            assert write_up(program, compiled, id_).startswith(f"# {id_}\n")


def test_a_rule_that_fires_says_what_its_author_says(program: ProgramPlan, compiled: Path) -> None:
    """The sentence follows the guard of the fired rule, with its constant filled in; pages don't have it."""
    found = [find_task(program, compiled, id_) for id_ in ids(compiled, "preferred")]
    task = next(each for each in found if "CACHE_TOO_SMALL" in each.record.gold)
    text = explain_task(program, task.dataset, task.record)
    assert "   A full cache answers 950 permille of the requests.\n" in text
    assert "Reads go back to the replica by hand" not in text
    assert "A full cache" not in task.record.prompt
