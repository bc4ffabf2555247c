"""The quick starts: every block of commands in them runs, with the package installed from its wheel.

Blocks are fenced as `sh`. Three kinds are left out: `sh install` is what the fixture does, `sh gpu` trains a real
model, and `sh checkout` is tested on its own. The second domain stands in for the first.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpu_train_debug.tasks import TaskRecord

from .conftest import INCIDENTS, ROOT
from .installed import Installed, needs_hatchling
from .server import serving
from .verifiers_runs import needs_verifiers, read_rollouts, scores

pytestmark = [pytest.mark.slow, needs_hatchling]

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_quickstart(kind: str, installed: Installed, folder: Path, variables: Mapping[str, str] | None = None) -> str:
    """Run the blocks of a quick start one after the other in `folder`; gives what they print."""
    text = (ROOT / "docs" / f"quickstart-{kind}.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    assert blocks
    script = "set -eu\n" + "\n".join(blocks)
    ran = installed.run(["bash", "-c", script], cwd=folder, variables=variables, timeout=900)
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def test_authors(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    shutil.copyfile(ROOT / "docs" / "language.md", tmp_path / "docs" / "language.md")
    printed = run_quickstart("author", installed, tmp_path)
    assert "0 errors" in printed
    assert "clean" in printed
    assert "## The walk" in printed


def test_trainers(installed: Installed, rows: dict[str, list[TaskRecord]], tmp_path: Path) -> None:
    run_quickstart("trainer", installed, tmp_path)
    for name in ("sft.jsonl", "sft-rationale.jsonl", "grpo.jsonl"):
        assert len((tmp_path / name).read_text(encoding="utf-8").splitlines()) == len(rows["train"])
    assert (tmp_path / "configs" / "trl-grpo.yaml").is_file()


@needs_verifiers
def test_evaluators(installed: Installed, rows: dict[str, list[TaskRecord]], tmp_path: Path) -> None:
    code = (
        "import json; from gpu_train_debug.fresh import fresh_tasks;"
        "print(json.dumps({row.prompt: row.gold for row in fresh_tasks('test', seed=3, count=2)}))"
    )
    fresh = json.loads(installed.run([str(installed.python), "-c", code]).stdout)
    with serving({**{row.prompt: row.gold for row in rows["test"]}, **fresh}) as server:
        variables = {"BASE_URL": server.url, "MODEL": "right", "API_KEY": "unused"}
        run_quickstart("evaluator", installed, tmp_path, variables)
    assert scores(read_rollouts(tmp_path / "runs" / "base")) == [(True, 1.0, 1.0)] * 8
    assert scores(read_rollouts(tmp_path / "runs" / "fresh")) == [(True, 1.0, 1.0)] * 2
    assert (tmp_path / "report" / "report.md").is_file()
    assert (tmp_path / "fresh-report" / "report.md").is_file()


@needs_verifiers
def test_ci(installed: Installed, tmp_path: Path) -> None:
    shutil.copytree(INCIDENTS, tmp_path / "archetypes")
    run_quickstart("ci", installed, tmp_path)
    assert '"results": []' in (tmp_path / "verify.sarif").read_text(encoding="utf-8")
    assert (tmp_path / "check.xml").is_file()
