"""Golden files, the compiled second domain, and Hypothesis profiles, for all tests.

A property gets 10 examples in the quick check (`-m "not slow"`), 25 otherwise, and 200 in CI, there always the same;
`HYPOTHESIS_PROFILE` overrides that. Costly ones get two fifths of it: see `strategies.effort`.
"""

from __future__ import annotations

import difflib
import gc
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings
from strategies.incidents import INCIDENTS

if TYPE_CHECKING:
    from compiler.plan import DatasetPlan, ProgramPlan

IN_CI = bool(os.environ.get("CI"))

settings.register_profile("dev", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "ci",
    max_examples=200,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(  # for tests/mutation: what fails isn't made smaller, and no chance is involved
    "mutants",
    settings.get_profile("dev"),
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    report_multiple_bugs=False,
)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci" if IN_CI else "dev")
settings.load_profile(PROFILE)
settings.register_profile("quick", settings.get_profile(PROFILE), max_examples=10)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files (not in CI)")


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(20_000, 20, 20)  # the usual ones cost a fifth of the time
    # Shells start what runs in the background deaf to Ctrl-C, and processes inherit that; tests of Ctrl-C need ears.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("markexpr") == "not slow" and "HYPOTHESIS_PROFILE" not in os.environ:
        settings.load_profile("quick")
    if config.getoption("--update-golden") and IN_CI:
        raise pytest.UsageError("--update-golden doesn't run in CI: review golden files as code")


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over what stays to the end."""
    gc.freeze()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, Path], None]:
    """Compare a text with a golden file; with `--update-golden`, write it instead."""
    update = request.config.getoption("--update-golden")

    def compare(actual: str, path: Path) -> None:
        if update:
            path.write_text(actual, encoding="utf-8", newline="\n")
            return
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        if actual != expected:
            rows = difflib.unified_diff(expected.splitlines(), actual.splitlines(), str(path), "actual", lineterm="")
            pytest.fail("\n".join(rows) or "the texts differ in their line ends", pytrace=False)

    return compare


@pytest.fixture(scope="session")
def program() -> ProgramPlan:
    """The small second domain. The compiler is loaded here, since many tests don't need it."""
    from compiler.frontend.run import run_frontend

    plan = run_frontend([INCIDENTS]).plan
    assert plan is not None
    return plan


@pytest.fixture(scope="session")
def dataset(program: ProgramPlan) -> DatasetPlan:
    return program.datasets["incidents"]


@pytest.fixture(scope="session")
def compiled(program: ProgramPlan, dataset: DatasetPlan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset as `gtd compile` writes it. Read only."""
    from compiler.dataset.build import build_dataset

    folder = tmp_path_factory.mktemp("compiled") / "out"
    build_dataset(program, dataset, folder, jobs=1)
    return folder
