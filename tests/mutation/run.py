"""Mutation runs: change one place of a module, run the tests that belong to it, see whether one fails.

    PYTHONPATH=tests python -m mutation.run claims prove --count 12     a sample of each module
    PYTHONPATH=tests python -m mutation.run --only claims:17 claims:40  these mutants again

In: names of modules in `solvers/` and of the grader. Out: a line for each mutant, and `mutants/report.json`.
Which mutants a sample holds depends on the seed, the module's text and the count alone. Work is done in copies
of the tree, so nothing here changes; only the quick tests run. A mutant that survives may still be the same program:
docs/mutation.md explains those of the last run.

Exit status 2 if the tests of a module fail without any mutant, or a name is unknown; else 0.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np  # noqa: F401  # loaded once, for all runs
import pytest
import z3  # noqa: F401  # loaded once, for all runs
from mutation.mutants import Mutant, mutants

ROOT = Path(__file__).parents[2]
COPIED = ("solvers", "gpu_train_debug", "tests", "pyproject.toml")
SOLVERS, GRADER = "solvers", "gpu_train_debug/grading"
MEMORY = 6 << 30
"""Bytes of address space that a mutant may take."""

GRADER_TESTS = {  # what belongs to a module of the grader, the tests that tell most about it first
    "answer": ("answer", "rubric", "properties"),
    "rubric": ("rubric", "properties"),
    "scan": ("scan", "answer", "properties"),
}
SOLVER_TESTS = {  # in tests/solvers
    "blocks": ("blocks", "fitting", "sampling"),
    "claims": ("claims", "prove", "faults"),
    "demands": ("demands", "interaction"),
    "encode": ("encode", "claims", "prove"),
    "engine": ("prove", "smtlib"),
    "evaluate": ("evaluate", "faults"),
    "evidence": ("limits", "exhaustive", "faults"),
    "exhaustive": ("exhaustive", "faults", "limits"),
    "expand": ("expand", "tables"),
    "fold": ("fold", "expand", "tables"),
    "interaction": ("interaction", "agreement"),
    "levels": ("levels", "interaction"),
    "llvm_writer": ("machine", "walk"),
    "pool": ("pool", "interaction"),
    "prove": ("prove", "faults", "smtlib", "agreement"),
    "python_writer": ("machine", "walk"),
    "queries": ("prove", "faults", "agreement"),
    "repairs": ("rivals", "limits", "faults", "exhaustive"),
    "rivals": ("rivals", "limits", "faults", "exhaustive"),
    "sampling": ("sampling",),
    "scribe": ("scribe", "walk", "interaction"),
    "smtlib": ("smtlib", "encode", "prove"),
    "streams": ("streams", "sampling"),
    "tables": ("tables", "walks"),
    "walk": ("walk", "interaction"),
    "walks": ("walks", "limits", "faults"),
}


def file_of(module: str) -> str:
    """The path of a module, from the root."""
    if module in GRADER_TESTS:
        return f"{GRADER}/{module}.py"
    (path,) = (ROOT / SOLVERS).rglob(f"{module}.py")
    return path.relative_to(ROOT).as_posix()


def _tests(folder: str, names: Iterable[str]) -> tuple[str, ...]:
    """The paths of the tests called so below a folder, in the order of the names."""
    return tuple(next((ROOT / folder).rglob(f"test_{name}.py")).relative_to(ROOT).as_posix() for name in names)


TESTS = {module: _tests("tests/solvers", names) for module, names in SOLVER_TESTS.items()} | {
    module: _tests("tests/gpu_train_debug/grading", names) for module, names in GRADER_TESTS.items()
}


@attrs.frozen
class Result:
    mutant: Mutant
    outcome: str
    test: str
    seconds: float
    shown: str


class Workshop:
    """Copies of the tree, one for each job; each run of tests is a fork of this process, which has loaded what is slow.

    The results come in the order in which runs end.
    """

    def __init__(self, folder: Path, jobs: int) -> None:
        self.free: list[Path] = []
        self.busy: dict[int, _Job] = {}
        for number in range(jobs):
            copy = folder / str(number)
            copy.mkdir()
            for name in COPIED:
                if (ROOT / name).is_dir():
                    shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "data"))
                else:
                    shutil.copy(ROOT / name, copy)
            self.free.append(copy)

    def test(self, texts: Iterable[tuple[str, bytes, float | None]]) -> Iterator[tuple[int, str, str, float]]:
        """Run the tests of modules that have these texts, within limits of time.

        Yields:
            The place among `texts`, the outcome, the test that failed, and how long it took.
        """
        waiting = enumerate(texts)
        try:
            while True:
                while self.free and (given := next(waiting, None)) is not None:
                    place, (module, text, limit) = given
                    job = _Job(place, self.free.pop(), module, text, limit)
                    self.busy[job.start()] = job
                if not self.busy:
                    return
                for process, job in list(self.busy.items()):
                    ended, status = os.waitpid(process, os.WNOHANG)
                    if ended or job.is_late():
                        if not ended:
                            os.killpg(process, signal.SIGKILL)
                            os.waitpid(process, 0)
                        del self.busy[process]
                        self.free.append(job.copy)
                        yield job.place, *job.end(status if ended else None)
                time.sleep(0.02)
        finally:
            for process in self.busy:
                os.killpg(process, signal.SIGKILL)


@attrs.define
class _Job:
    """One run of the tests of a module in a copy of the tree."""

    place: int
    copy: Path
    module: str
    text: bytes
    limit: float | None
    started: float = 0.0

    @property
    def path(self) -> Path:
        return self.copy / file_of(self.module)

    @property
    def log(self) -> Path:
        return self.copy / "log"

    def start(self) -> int:
        """Fork: the process that runs the tests."""
        self.path.write_bytes(self.text)
        self.started = time.monotonic()
        process = os.fork()
        if process:
            return process
        status: int = pytest.ExitCode.INTERNAL_ERROR
        try:
            os.setsid()
            os.chdir(self.copy)
            os.environ["HYPOTHESIS_PROFILE"] = "mutants"
            sys.dont_write_bytecode = True
            log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1)
            os.dup2(log, 2)
            options = ["-xq", "-m", "not slow", "-p", "no:cacheprovider", "--assert=plain"]
            status = pytest.main([*options, *TESTS[self.module]])
            sys.stdout.flush()
        finally:
            os._exit(status)

    def is_late(self) -> bool:
        return self.limit is not None and time.monotonic() - self.started > self.limit

    def end(self, status: int | None) -> tuple[str, str, float]:
        self.path.write_bytes((ROOT / file_of(self.module)).read_bytes())
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        failed = [line.split()[1] for line in lines if line.startswith(("FAILED ", "ERROR "))]
        outcome = {None: "timeout", 0: "survived"}.get(status, "killed")
        return outcome, failed[0] if failed else "", time.monotonic() - self.started


def run(chosen: Sequence[Mutant], sources: dict[str, bytes], jobs: int) -> Iterator[Result]:
    """Try mutants; the time limit is that of the unchanged module, three times, and half a minute.

    Raises:
        SystemExit: The tests of an unchanged module fail.
    """
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        workshop = Workshop(Path(folder), jobs)
        modules = list(dict.fromkeys(mutant.module for mutant in chosen))
        limits: dict[str, float] = {}
        for place, outcome, test, seconds in workshop.test((module, sources[module], None) for module in modules):
            if outcome != "survived":
                print(f"the tests of {modules[place]} fail without a mutant: {test}", file=sys.stderr)
                raise SystemExit(2)
            limits[modules[place]] = 3 * seconds + 30
        texts = ((each.module, each.applied(sources[each.module]), limits[each.module]) for each in chosen)
        for place, outcome, test, seconds in workshop.test(texts):
            yield Result(chosen[place], outcome, test, seconds, chosen[place].shown(sources[chosen[place].module]))


def report(results: Sequence[Result], seed: int | None, made: dict[str, int]) -> dict[str, Any]:
    """Summarise a run, by module."""
    modules: dict[str, Any] = {}
    for module in dict.fromkeys(result.mutant.module for result in results):
        own = [result for result in results if result.mutant.module == module]
        modules[module] = {
            "mutants": made[module],
            "tried": len(own),
            **Counter(result.outcome for result in own),
            "tests": TESTS[module],
            "results": [
                {
                    "mutant": result.mutant.name,
                    "kind": result.mutant.kind,
                    "outcome": result.outcome,
                    "test": result.test,
                    "seconds": round(result.seconds, 1),
                    "change": result.shown,
                }
                for result in own
            ],
        }
    return {"seed": seed, "python": sys.version.split()[0], "modules": modules}


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the tests of modules against mutants of them.")
    parser.add_argument("modules", nargs="*", help="such as claims; with --only, mutants such as claims:17")
    parser.add_argument("--count", type=int, default=12, help="mutants of each module (default: 12)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default: 0)")
    parser.add_argument("--jobs", type=int, default=2, help="how many run at once (default: 2)")
    parser.add_argument("--only", action="store_true", help="the names are those of mutants")
    parser.add_argument("--out", type=Path, default=ROOT / "mutants" / "report.json", help="where the report goes")
    given = parser.parse_args()

    names = list(dict.fromkeys(name.partition(":")[0] for name in given.modules))
    if unknown := set(names) - set(TESTS):
        parser.error(f"no tests are listed for {', '.join(sorted(unknown))}; there are {', '.join(TESTS)}")
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    sources = {name: (ROOT / file_of(name)).read_bytes() for name in names}
    made = {name: mutants(name, source) for name, source in sources.items()}
    if given.only:
        chosen = [mutant for name in names for mutant in made[name] if mutant.name in given.modules]
    else:
        chosen = [
            mutant
            for name in names
            for mutant in random.Random(f"{given.seed} {name}").sample(made[name], min(given.count, len(made[name])))
        ]

    given.out.parent.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    for result in run(chosen, sources, given.jobs):
        results.append(result)
        print(f"{result.outcome:8} {result.mutant.name:14} {result.mutant.kind}: {result.shown}", flush=True)
        text = json.dumps(report(results, None if given.only else given.seed, {n: len(m) for n, m in made.items()}))
        given.out.write_text(text + "\n", encoding="utf-8")
    print(dict(Counter(result.outcome for result in results)))


if __name__ == "__main__":
    main()
