"""Runs the installed Verifiers tools, and reads what they leave."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import attrs
import pytest

from .conftest import ROOT

needs_verifiers = pytest.mark.skipif(find_spec("verifiers") is None, reason="needs the extra `verifiers`")


@attrs.frozen
class Rollout:
    """One rollout of a run."""

    task: str
    ok: bool
    timeout: bool
    reward: float | None
    metrics: dict[str, float]
    errors: tuple[str, ...]
    reply: str | None
    reasons: tuple[str, ...] | None


def run_tool(tool: str, *arguments: str | Path, cwd: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the installed `vf-eval` or `vf-validate`, and check its exit status."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PRIME_", "OPENAI_"))}
    environment |= {"HOME": str(cwd), "OPENAI_API_KEY": "unused", "HF_HUB_OFFLINE": "1"}
    environment["PYTHONPATH"] = str(ROOT)
    command = [str(Path(sys.executable).parent / tool), *map(str, arguments)]
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == status, ran.stdout + ran.stderr
    return ran


def evaluate(model: str, url: str, *options: str | Path, cwd: Path) -> list[Rollout]:
    """Run `vf-eval gpu-train-debug` against the server at `url`, and give its rollouts by task."""
    name = f"run-{len(list((cwd / 'runs').glob('*')))}"
    endpoint = ("-m", model, "--client.base-url", url, "--client.api-key-var", "OPENAI_API_KEY")
    target = ("-o", "runs", "--run.name", name)
    run_tool("vf-eval", "gpu-train-debug", *endpoint, *target, *options, cwd=cwd)
    return read_rollouts(cwd / "runs" / name)


def read_rollouts(run: Path) -> list[Rollout]:
    rollouts = []
    for line in (run / "traces.jsonl").read_text(encoding="utf-8").splitlines():
        episode = json.loads(line)
        trace = episode["traces"][-1]
        rewards = [reward["score"] for reward in trace["rewards"].values() if reward is not None]
        replies = [node["message"]["content"] for node in trace["nodes"] if node["message"]["role"] == "assistant"]
        rollouts.append(
            Rollout(
                task=episode["task"]["data"]["id"],
                ok=episode["ok"],
                timeout=trace["is_timeout"],
                reward=sum(rewards) if rewards else None,
                metrics=trace["metrics"],
                errors=tuple(error["type"] for error in trace["errors"]),
                reply=replies[-1] if replies else None,
                reasons=tuple(trace["info"]["reasons"]) if "reasons" in trace["info"] else None,
            )
        )
    return sorted(rollouts, key=lambda rollout: rollout.task)


def scores(rollouts: Sequence[Rollout]) -> list[tuple[bool, float | None, float]]:
    return [(rollout.ok, rollout.reward, rollout.metrics["exact"]) for rollout in rollouts]
