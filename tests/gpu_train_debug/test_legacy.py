"""`load_environment`, for the older API and for the API v1.

No Verifiers before 0.4 is installed for the tests: stand-ins keep what they are given, so what is tested is what that
API would get, not that it takes it.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import gpu_train_debug
from gpu_train_debug.tasks import TaskRecord, TasksError

from .conftest import ROOT
from .verifiers_runs import needs_verifiers


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins for Verifiers before 0.4 and for `datasets`, which keep what they are given."""
    verifiers = ModuleType("verifiers")
    verifiers.SingleTurnEnv = SimpleNamespace
    verifiers.Rubric = SimpleNamespace
    datasets = ModuleType("datasets")
    datasets.Dataset = SimpleNamespace(from_list=list)
    monkeypatch.setitem(sys.modules, "verifiers", verifiers)
    monkeypatch.setitem(sys.modules, "datasets", datasets)


@pytest.mark.usefixtures("older")
def test_the_older_api_gets_the_same_tasks_and_scores(out: Path, rows: dict[str, list[TaskRecord]]) -> None:
    environment: Any = gpu_train_debug.load_environment("hard", data=str(out))
    assert environment.dataset == environment.eval_dataset
    assert [row["prompt"][0]["content"] for row in environment.dataset] == [row.prompt for row in rows["hard"]]
    scores = dict(zip((f.__name__ for f in environment.rubric.funcs), environment.rubric.funcs, strict=True))
    assert environment.rubric.weights == [1.0, 0.0, 0.0, 0.0]
    for row in environment.dataset:
        right = [{"role": "assistant", "content": row["answer"]}]
        found = {
            name: score(completion=right, answer=row["answer"], info=row["info"]) for name, score in scores.items()
        }
        assert found == {"rubric": 1.0, "exact": 1.0, "diagnosis": 0.5, "fix": 0.5}
        assert scores["rubric"](completion="?", answer=row["answer"]) == 0.0


@pytest.mark.usefixtures("older")
def test_an_impossible_choice_is_refused(out: Path) -> None:
    with pytest.raises(TasksError, match="no archetype `all_quit`"):
        gpu_train_debug.load_environment("test", data=out, archetypes=["all_quit"])


@pytest.mark.slow
@needs_verifiers
def test_the_api_v1_gets_its_own_environment(out: Path) -> None:
    code = (
        "import sys, gpu_train_debug;"
        "env = gpu_train_debug.load_environment('test', data=sys.argv[1], limit=2);"
        "print(type(env).__name__, *(task.key for task in env.taskset))"
    )
    command = [sys.executable, "-c", code, str(out)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    name, *keys = run.stdout.split()
    assert name == "DebugEnv"
    assert len(keys) == 2
    assert all(key.startswith("test-") for key in keys)


def test_a_name_that_the_package_lacks_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = gpu_train_debug.nothing


def test_the_package_offers_the_environment_exactly_where_verifiers_is_installed() -> None:
    names = {"DebugEnv", "DebugTaskset", "DirectChat"}
    assert names & set(gpu_train_debug.__all__) == (names if find_spec("verifiers") is not None else set())
