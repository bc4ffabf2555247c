"""The Verifiers environment (API v1): tasks from a split, one chat completion each, scored by the grader.

In: options under `--env.taskset`, `--env.agent` and so on. Out: episodes with one trace each, whose reward is the
rubric's score; `exact`, `diagnosis` and `fix` are metrics beside it. A run needs neither a sandbox nor a shell:
the harness asks the endpoint once, from this process, and never executes what the model says.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

import httpx
import verifiers.v1 as vf
from pydantic import Field, model_validator

from gpu_train_debug.fresh import FreshPlan, make_fresh, plan_fresh
from gpu_train_debug.grading.rubric import grade
from gpu_train_debug.reward import grade_parts
from gpu_train_debug.tasks import TaskRecord, TasksError, frozen_tasks, split_names

TASKSET_ID = "gpu-train-debug"
SPLIT = "test"
PASSING = (408, 409, 429)
"""Statuses besides those of server errors after which a request is worth repeating."""


class DebugTaskData(vf.TaskData):
    """A task as it is recorded: `id` and `name` are the task's id, `meta` is a JSON text."""

    archetype: str
    split: str
    gold: str
    meta: str


class DebugTask(vf.Task[DebugTaskData]):
    """Scores the last reply of a trace."""

    @property
    def key(self) -> str:
        return str(self.data.name)

    @vf.reward(weight=1.0)
    async def rubric(self, trace: vf.Trace) -> float:
        """Between 0 and 1, with partial credit as every prompt states it; 1 for the exact answer alone.

        Of the metrics beside it, count `exact` for pass@k: partial credit would inflate it.
        """
        found = grade(trace.last_reply, self.data.gold)
        trace.info["reasons"] = list(found.reasons)
        trace.record_metrics(grade_parts(found))
        return found.score

    async def validate(self, runtime: vf.Runtime) -> bool:
        """The gold earns everything and silence nothing."""
        return grade(self.data.gold, self.data.gold).exact and grade("", self.data.gold).score == 0


class DebugTasksetConfig(vf.TasksetConfig):
    split: str = SPLIT
    """The split; with `fresh`, the one whose kind of task is made."""
    archetypes: list[str] = Field(default_factory=list)
    """Take tasks of these archetypes alone; all if empty."""
    tiers: list[str] = Field(default_factory=list)
    """Take tasks of these tiers alone; all if empty."""
    limit: int | None = Field(None, ge=1)
    """Take at most this many frozen tasks; `count` says it for fresh ones."""
    seed: int | None = Field(None, ge=0)
    """Without `fresh`: shuffle the tasks by it, before the limit; unset, they keep the order of the file. With `fresh`:
    make the tasks from it; unset, it is 0."""
    fresh: bool = False
    """Make new tasks, each proved, none of them a frozen one, instead of taking the frozen ones."""
    count: int = Field(100, ge=1)
    """How many fresh tasks to make."""
    jobs: int = Field(1, ge=1)
    """Worker processes for fresh tasks."""
    data: Path | None = None
    """Folder that `gtd compile` wrote; the frozen splits of the package if unset."""
    sources: Path | None = None
    """`.arch` sources of fresh tasks; those of the package if unset."""

    @model_validator(mode="after")
    def _leaves_tasks(self) -> Self:
        """Refuse a choice without tasks while options are read, where the message is shown without a traceback.

        The plain choice isn't checked: it is also made to list the options, when there may be no frozen tasks.
        """
        if self.fresh and self.limit is not None:
            raise ValueError("`limit` is for frozen tasks; `count` says how many fresh ones to make")
        try:
            if self.data is not None:
                split_names(self.data)
            if self.fresh:
                _fresh_plan(self)
            elif (self.split, self.data, self.archetypes, self.tiers) != (SPLIT, None, [], []):
                frozen_tasks(self.split, folder=self.data, archetypes=self.archetypes, tiers=self.tiers)
        except TasksError as error:
            raise ValueError(str(error)) from error
        return self


class DebugTaskset(vf.Taskset[DebugTask, DebugTasksetConfig]):
    """The tasks that the options ask for."""

    def load(self) -> Iterable[DebugTask]:
        for row in task_rows(self.config):
            data = DebugTaskData(
                id=row.id,
                name=row.id,
                prompt=row.prompt,
                archetype=row.archetype,
                split=row.split,
                gold=row.gold,
                meta=row.meta,
            )
            yield DebugTask(data, self.config.task)


def task_rows(config: DebugTasksetConfig) -> Iterator[TaskRecord]:
    """The rows behind a configuration.

    Raises:
        TasksError: There are no such tasks.
    """
    if not config.fresh:
        yield from frozen_tasks(
            config.split,
            folder=config.data,
            archetypes=config.archetypes,
            tiers=config.tiers,
            limit=config.limit,
            seed=config.seed,
        )
        return
    yield from make_fresh(_fresh_plan(config), folder=config.data, jobs=config.jobs)


def _fresh_plan(config: DebugTasksetConfig) -> FreshPlan:
    return plan_fresh(
        config.split,
        seed=config.seed or 0,
        count=config.count,
        sources=config.sources,
        archetypes=config.archetypes,
        tiers=config.tiers,
    )


class DirectChatConfig(vf.HarnessConfig):
    stream: bool = False
    """Ask for a stream: for endpoints that cut long requests off."""
    retries: int = Field(2, ge=0)
    """How often a request is repeated that failed for a reason that may pass: connection, load, server error."""


class DirectChat(vf.Harness[DirectChatConfig]):
    """One request to `chat/completions`, one reply, no tools."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        system, prompt = self.resolve_text_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        messages.append({"role": "user", "content": prompt or ""})
        async with httpx.AsyncClient(timeout=None, trust_env=False) as client:
            for attempt in range(self.config.retries + 1):
                if attempt:
                    await asyncio.sleep(2 ** (attempt - 2) * (1 + random.random()))  # 0.5 to 1 s, then twice that
                response = await client.post(
                    f"{endpoint}/chat/completions",
                    headers={"Authorization": f"Bearer {secret}"},
                    json={"model": ctx.model, "messages": messages, "stream": self.config.stream},
                )
                if response.status_code not in PASSING and response.status_code < 500:
                    break
        if response.is_success:
            return vf.ProgramResult(exit_code=0, stdout="", stderr="")
        return vf.ProgramResult(exit_code=1, stdout="", stderr=f"{response.status_code}: {response.text}")


class DebugEnvConfig(vf.SingleAgentEnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(harness=DirectChatConfig(id=TASKSET_ID), runtime=vf.SubprocessConfig())
    """The model under evaluation or training, asked directly and in this process."""


class DebugEnv(vf.SingleAgentEnv, vf.Env[DebugEnvConfig]):
    """One agent, one turn, no sandbox."""
