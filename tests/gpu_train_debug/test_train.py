"""TRL for real: a tiny model is trained from the exports, supervised and by GRPO with the package's reward."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gpu_train_debug.exports import CONFIGS, grpo_row, sft_row
from gpu_train_debug.tasks import TaskRecord

from .conftest import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("trl") is None, reason="needs the extra `train`"),
]


def run_python(*arguments: str | Path, cwd: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "HOME": str(cwd)}
    command = [sys.executable, *map(str, arguments)]
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_two_steps_of_each_kind_run_and_the_rewards_are_the_graders(
    rows: dict[str, list[TaskRecord]], tmp_path: Path
) -> None:
    write_rows(tmp_path / "sft.jsonl", [sft_row(row) for row in rows["train"]])
    write_rows(tmp_path / "grpo.jsonl", [grpo_row(row) for row in rows["train"]])
    script = ROOT / "benchmarks" / "train_tiny.py"
    result = json.loads(run_python(script, "sft.jsonl", "grpo.jsonl", "work", cwd=tmp_path).splitlines()[-1])
    sft, grpo = result["sft"], result["grpo"]
    assert len(sft["losses"]) == len(grpo["losses"]) == 2
    assert all(map(math.isfinite, [*sft["losses"], *grpo["losses"], *grpo["grad_norms"], *grpo["mean_rewards"]]))
    assert [len(step) for step in grpo["graded"]] == [8, 8]
    assert grpo["mean_rewards"] == pytest.approx([sum(step) / 8 for step in grpo["graded"]])
    assert any(grpo["mean_rewards"])


@pytest.mark.parametrize(("kind", "config"), [("SFT", "trl-sft.yaml"), ("GRPO", "trl-grpo.yaml")], ids=["sft", "grpo"])
def test_every_setting_of_the_configs_is_one_that_trl_knows(kind: str, config: str, tmp_path: Path) -> None:
    code = f"""
import importlib, sys
from trl import {kind}Config, ModelConfig, DatasetMixtureConfig, TrlParser, ScriptArguments
from trl.scripts import {kind.lower()} as script
arguments = getattr(script, "GRPOScriptArguments", ScriptArguments)
parser = TrlParser((arguments, {kind}Config, ModelConfig, DatasetMixtureConfig))
sys.argv = ["trl", "--config", sys.argv[1], "--use_cpu", "true", "--bf16", "false"]
script_arguments, training, model, data = parser.parse_args_and_config()
for name in getattr(script_arguments, "reward_funcs", None) or []:
    module, _, function = name.rpartition(".")
    assert callable(getattr(importlib.import_module(module), function))
print(training.learning_rate, training.num_train_epochs, training.max_steps, model.model_name_or_path)
"""
    printed = run_python("-c", code, CONFIGS / config, cwd=tmp_path).splitlines()[-1].split()
    assert printed[-1] == "Qwen/Qwen2.5-3B-Instruct"
    rate, epochs, steps = map(float, printed[:3])
    if kind == "SFT":
        assert (epochs, steps) == (2, -1)
    else:
        assert (rate, steps) == (1e-6, 60)
