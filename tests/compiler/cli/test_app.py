"""The command: what it prints, where, and its exit status."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from strategies.incidents import INCIDENTS, Ran

import compiler.dataset.build
import compiler.frontend.run
from compiler.cli.app import main
from compiler.tasks.maker import TaskMaker
from compiler.tasks.tools import UndecidedError

Gtd = Callable[..., Ran]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["check", "nowhere.arch"], id="no such file"),
        pytest.param(["compile", "nowhere"], id="no such folder"),
        pytest.param(["check", "--format", "xml", str(INCIDENTS)], id="no such format"),
        pytest.param(["sample", "stale", "--sources", str(INCIDENTS)], id="no such archetype"),
        pytest.param(["prove", str(INCIDENTS), "--archetype", "stale"], id="no such archetype to prove"),
        pytest.param(["verify", "nowhere", "--sources", str(INCIDENTS)], id="no such dataset folder"),
        pytest.param(["explain", "train-stale_reads-999", "--sources", str(INCIDENTS)], id="no such task"),
        pytest.param(["solve", "nowhere.txt"], id="no such prompt"),
        pytest.param(["frobnicate"], id="no such command"),
    ],
)
def test_wrong_usage_has_status_2_and_says_so_on_standard_error(gtd: Gtd, arguments: list[str]) -> None:
    ran = gtd(*arguments)
    assert ran.status == 2
    assert (ran.out + ran.err).strip()


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["verify", "nowhere", "--sources", str(INCIDENTS)], id="no such dataset folder"),
        pytest.param(["explain", "x-y-0", "--tasks", "nowhere", "--sources", str(INCIDENTS)], id="no such tasks"),
        pytest.param(["explain", "E000"], id="no such code"),
        pytest.param(["sample", "stale", "--sources", str(INCIDENTS)], id="no such archetype"),
        pytest.param(["solve", "nowhere.txt"], id="no such prompt"),
        pytest.param(["solve", str(INCIDENTS / "dataset.arch")], id="no prompt"),
        pytest.param(["grade", str(INCIDENTS / "dataset.arch"), "--tasks", "nowhere"], id="no tasks to grade"),
        pytest.param(["export", "sft", "--tasks", "nowhere"], id="no tasks to export"),
        pytest.param(["export", "generations", "nowhere", "--arm", "a"], id="no such run"),
        pytest.param(["study", "score", "nowhere.jsonl", "--tasks", "nowhere"], id="no such archive"),
    ],
)
def test_bad_data_is_shown_as_a_diagnostic_and_without_the_usage(gtd: Gtd, arguments: list[str]) -> None:
    ran = gtd(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert next(line for line in ran.err.splitlines() if not line.startswith("tasks: ")).startswith("error: ")


def test_a_mistyped_archetype_gets_a_suggestion(gtd: Gtd) -> None:
    assert "did you mean `stale_reads`" in gtd("sample", "stale_read", "--sources", INCIDENTS).err


def test_a_bug_is_one_message_and_a_traceback_only_on_request(
    gtd: Gtd, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(compiler.frontend.run, "load", broken)
    ran = gtd("check", INCIDENTS)
    assert ran.status == 1
    assert "error[E699]: internal error: RuntimeError: boom" in ran.err
    with pytest.raises(SystemExit, match="1"):
        main(["--debug", "check", str(INCIDENTS)])
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_an_undecided_proof_is_said_and_has_status_3(gtd: Gtd, monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(*_: object, **__: object) -> None:
        raise UndecidedError("sample-starved_pool-000")

    monkeypatch.setattr(TaskMaker, "make", undecided)
    ran = gtd("sample", "starved_pool", "--sources", INCIDENTS)
    assert (ran.status, ran.out) == (3, "")
    assert "error[E503]: a proof of task `sample-starved_pool-000` ran out of budget" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", ""),
        ("check", INCIDENTS, ""),
        ("compile", INCIDENTS, "-o", ""),
        ("verify", ""),
        ("stats", "--tasks", ""),
    ],
)
def test_an_empty_path_is_wrong_usage(gtd: Gtd, arguments: tuple[str | Path, ...]) -> None:
    ran = gtd(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("Usage: ")
    assert ran.err.endswith(": the path is empty\n")


def interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_only_compile_says_that_an_interrupt_changed_nothing(
    gtd: Gtd, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compiler.frontend.run, "load", interrupted)
    ran = gtd("prove", INCIDENTS, "--smt-lib-out", "claims")
    assert (ran.status, ran.err.strip()) == (130, "interrupted")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(compiler.dataset.build, "make_split", interrupted)
    ran = gtd("compile", INCIDENTS, "-j", "1")
    assert (ran.status, ran.err.strip()) == (130, "interrupted; nothing was changed")
    assert list(tmp_path.iterdir()) == []
