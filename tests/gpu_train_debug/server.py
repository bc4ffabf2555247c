"""An OpenAI-compatible server that answers by script. The model's name says how:

right, partly, wrong, malformed, slow, error; flaky fails every request for a prompt but each second one.
It knows the gold of each prompt. A request with `"stream": true` gets server-sent events.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SLOW_S = 20.0


class Script(ThreadingHTTPServer):
    """`golds` maps prompts to golds; `requests` holds what was asked, in order."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, golds: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.golds = golds
        self.requests: list[dict[str, Any]] = []
        self.seen: Counter[str] = Counter()
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def reply(self, model: str, prompt: str) -> str:
        gold = json.loads(self.golds[prompt])
        match model:
            case "right" | "slow" | "flaky":
                return f"<think>rule by rule</think>\nThe answer:\n```json\n{json.dumps(gold)}\n```\n"
            case "partly":
                return json.dumps({"diagnosis": gold["diagnosis"], "fix": {"no_such_field": 1}})
            case "wrong":
                return json.dumps({"diagnosis": "NO_SUCH_CODE", "fix": {"no_such_field": 1}})
            case "malformed":
                return f"{json.dumps(gold)[:-1]},"
        raise ValueError(f"there is no script {model!r}")


class _Handler(BaseHTTPRequestHandler):
    server: Script
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        model, prompt = body["model"], body["messages"][-1]["content"]
        self.server.seen[prompt] += 1
        if model == "error" or (model == "flaky" and self.server.seen[prompt] % 2):
            self.send("application/json", b'{"error": {"message": "out of order", "type": "server_error"}}', status=500)
            return
        if model == "slow":
            self.server.released.wait(SLOW_S)
        text = self.server.reply(model, prompt)
        if body.get("stream"):
            self.send("text/event-stream", b"".join(_events(model, text)))
        else:
            self.send("application/json", json.dumps(_completion(model, text)).encode())

    def send(self, kind: str, data: bytes, *, status: int = 200) -> None:
        with suppress(ConnectionError):  # whoever asked may have given up
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


def _completion(model: str, text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
    }


def _events(model: str, text: str) -> Iterator[bytes]:
    start = {"id": "scripted", "object": "chat.completion.chunk", "created": int(time.time()), "model": model}
    pieces = [text[i : i + 7] for i in range(0, len(text), 7)]
    deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({"content": piece}, None) for piece in pieces]
    deltas.append(({}, "stop"))
    for delta, reason in deltas:
        chunk = {**start, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        yield f"data: {json.dumps(chunk)}\n\n".encode()
    yield b"data: [DONE]\n\n"


@contextmanager
def serving(golds: Mapping[str, str]) -> Iterator[Script]:
    """Run the server in a thread."""
    server = Script(golds)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
